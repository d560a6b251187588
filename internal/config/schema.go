package config

import (
	"bytes"
	"encoding/json"
)

// SchemaURL is the $id of the published schema.
const SchemaURL = "config.schema.json"

// Schema returns the JSON Schema of the configuration file. Rule ids are checked by their form only, so that the
// schema does not change with every rule.
func Schema() []byte {
	root := configShape().schema()
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"] = SchemaURL
	root["title"] = FileName
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		panic("config: the schema holds something JSON cannot: " + err.Error())
	}
	return b.Bytes()
}

// schema prints a shape as JSON Schema.
func (s *shape) schema() map[string]any {
	out := map[string]any{}
	if s.doc != "" {
		out["description"] = s.doc
	}
	var types []string
	add := func(k kinds, name string) {
		if s.kinds&k != 0 {
			types = append(types, name)
		}
	}
	add(aMap, "object")
	add(aList, "array")
	add(aText, "string")
	add(aNumber, "number")
	add(anInt, "integer")
	add(aBool, "boolean")
	if s.kinds&(aMap|aList) != 0 {
		types = append(types, "null")
	}
	if len(types) == 1 {
		out["type"] = types[0]
	} else {
		out["type"] = types
	}
	if s.kinds&aMap != 0 {
		if len(s.keys) > 0 {
			p := map[string]any{}
			for _, f := range s.keys {
				p[f.name] = f.schema()
			}
			out["properties"] = p
		}
		switch {
		case s.entries == nil:
			out["additionalProperties"] = false
		default:
			out["additionalProperties"] = s.entries.schema()
		}
		if p := s.name.pattern(); p != "" {
			out["propertyNames"] = map[string]any{"pattern": p}
		}
		if len(s.required) > 0 {
			out["required"] = s.required
		}
	}
	if s.items != nil {
		out["items"] = s.items.schema()
	}
	if len(s.enum) > 0 {
		text := map[string]any{"enum": s.enum}
		if s.kinds == aText {
			out["enum"] = s.enum
		} else {
			out["if"] = map[string]any{"type": "string"}
			out["then"] = text
		}
	}
	if p := s.format.pattern(); p != "" {
		out["pattern"] = p
	}
	if s.bounded {
		if s.above {
			out["exclusiveMinimum"] = s.min
		} else {
			out["minimum"] = s.min
		}
	}
	return out
}
