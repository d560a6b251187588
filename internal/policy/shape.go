package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"agentlint/docs/schema"
)

// inputSchema is the published schema of the input, decoded.
var inputSchema = sync.OnceValues(func() (map[string]any, error) {
	var out map[string]any
	if err := json.Unmarshal(schema.Input(), &out); err != nil {
		return nil, fmt.Errorf("read the input's schema: %w", err)
	}
	return out, nil
})

// shape is one place of the input's schema; nil is a place that the schema leaves open.
type shape map[string]any

// resolve follows references to definitions.
func (s shape) resolve(root shape) shape {
	for range 8 {
		switch {
		case s["$ref"] != nil:
			name, _ := s["$ref"].(string)
			definitions, _ := root["definitions"].(map[string]any)
			next, _ := definitions[strings.TrimPrefix(name, "#/definitions/")].(map[string]any)
			s = next
		case s["allOf"] != nil:
			list, _ := s["allOf"].([]any)
			if len(list) != 1 {
				return nil
			}
			next, _ := list[0].(map[string]any)
			s = next
		default:
			return s
		}
	}
	return nil
}

// anyElement is an element of a path that is not known before the policy runs.
type anyElement struct{}

// child returns the place below one; names are the keys it could have been when there is none of that key.
func (s shape) child(root shape, element any) (next shape, names []string, ok bool) {
	s = s.resolve(root)
	kind, _ := s["type"].(string)
	if s == nil || kind == "" {
		return nil, nil, true
	}
	key, isKey := element.(string)
	switch kind {
	case "object":
		properties, _ := s["properties"].(map[string]any)
		if isKey && properties != nil {
			if next, found := properties[key].(map[string]any); found {
				return next, nil, true
			}
		}
		switch extra := s["additionalProperties"].(type) {
		case map[string]any:
			return extra, nil, true
		case bool:
			if !extra && isKey {
				return nil, slices.Sorted(maps.Keys(properties)), false
			}
		}
		return nil, nil, true
	case "array":
		items, _ := s["items"].(map[string]any)
		return items, nil, !isKey
	}
	return nil, nil, false
}

// wrongPath returns what is wrong with a path into the input, "" when nothing is, and the index of the element.
func wrongPath(path []any) (message string, at int) {
	root, err := inputSchema()
	if err != nil {
		return err.Error(), 0
	}
	place := shape(root)
	for i, element := range path {
		if _, dynamic := element.(anyElement); dynamic {
			kind, _ := place.resolve(root)["type"].(string)
			if kind != "array" {
				return "", 0
			}
		}
		next, names, ok := place.child(root, element)
		if !ok {
			where := "the input"
			if i > 0 {
				where = dotted(path[:i])
			}
			if names == nil {
				return fmt.Sprintf("%s has no %v: it is a %s", where, element, kindOf(place.resolve(root))), i
			}
			return fmt.Sprintf("%s has no %q%s", where, element, suggestion(fmt.Sprint(element), names)), i
		}
		if next == nil {
			return "", 0
		}
		place = next
	}
	return "", 0
}

func kindOf(s shape) string {
	switch kind, _ := s["type"].(string); kind {
	case "array":
		return "list"
	case "string":
		return "text"
	case "integer":
		return "number"
	default:
		return kind
	}
}

// maxNames is how many names a complaint lists when none is close.
const maxNames = 12

// suggestion ends a complaint about a name with the one that may be meant, else with all there are.
func suggestion(name string, names []string) string {
	if s := didYouMean(name, names); s != "" {
		return s
	}
	if len(names) == 0 || len(names) > maxNames {
		return ""
	}
	return " (there are " + strings.Join(names, ", ") + ")"
}

// dotted returns a path as people write it.
func dotted(path []any) string {
	var b strings.Builder
	for i, e := range path {
		switch e := e.(type) {
		case string:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(e)
		case int:
			fmt.Fprintf(&b, "[%d]", e)
		default:
			b.WriteString("[_]")
		}
	}
	return b.String()
}
