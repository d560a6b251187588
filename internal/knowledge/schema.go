package knowledge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// closed lists the sections in which LiteLLM reads no other keys than those of the tables: another one is dropped or becomes a dead attribute.
// Elsewhere unknown keys are handed to a provider, a Redis client or a guardrail.
var closed = [...]string{"general_settings", "litellm_settings", "router_settings"}

// environmentReference is how any value of the configuration names an environment variable instead.
const environmentReference = `^os\.environ/`

// Schema returns a JSON Schema (draft 7, as editors use it) of the proxy's config.yaml at a LiteLLM release. It is made for completion and for
// catching typing errors: unknown keys are refused only where the proxy ignores them, and every value may be an os.environ/ reference.
func Schema(r Release) ([]byte, error) {
	if r.Product != LiteLLM {
		return nil, fmt.Errorf("schema of %s: only LiteLLM has a configuration file with a schema", r.Product)
	}
	s := schema{r}
	root := s.object("")
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "LiteLLM " + r.Version.String() + " proxy configuration"
	properties := root["properties"].(map[string]any)
	for _, section := range []string{"general_settings", "litellm_settings", "router_settings"} {
		properties[section] = nullable(s.object(section))
	}
	properties["model_list"] = listOf(s.object("model_list"))
	properties["guardrails"] = listOf(s.object("guardrails"))
	properties["mcp_servers"] = map[string]any{"type": []string{"object", "null"}, "additionalProperties": s.object("mcp_servers")}
	properties["environment_variables"] = map[string]any{
		"type": []string{"object", "null"}, "additionalProperties": map[string]any{"type": []string{"string", "number", "boolean", "null"}},
	}
	properties["include"] = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	return json.MarshalIndent(root, "", "  ")
}

type schema struct{ Release }

// nested are the settings whose value is a section of its own, and whether it is a list of such mappings.
var nested = [...]struct {
	section, name, inner string
	list                 bool
}{
	{"general_settings", "coordination_redis", "coordination_redis", false},
	{"general_settings", "litellm_jwtauth", "litellm_jwtauth", false},
	{"general_settings", "alerting_args", "alerting_args", false},
	{"general_settings", "pass_through_endpoints", "pass_through_endpoints", true},
	{"litellm_settings", "cache_params", "cache_params", false},
	{"model_list", "litellm_params", "litellm_params", false},
	{"model_list", "model_info", "model_info", false},
	{"guardrails", "litellm_params", "guardrails.litellm_params", false},
}

// object describes a section as a mapping.
func (s schema) object(section string) map[string]any {
	properties := map[string]any{}
	for e := range s.Present(KindSetting, section) {
		properties[e.Name] = s.value(e)
	}
	for _, n := range nested {
		if _, ok := properties[n.name]; !ok || n.section != section {
			continue
		}
		inner := s.object(n.inner)
		describe(inner, s.entry(section, n.name), s.Version)
		if n.list {
			properties[n.name] = listOf(inner)
		} else {
			properties[n.name] = nullable(inner)
		}
	}
	out := map[string]any{"type": "object", "properties": properties}
	if slices.Contains(closed[:], section) {
		out["additionalProperties"] = false
	}
	switch section {
	case "model_list":
		out["required"] = []string{"model_name", "litellm_params"}
	case "guardrails":
		out["required"] = []string{"guardrail_name", "litellm_params"}
	}
	return out
}

func (s schema) entry(section, name string) Entry {
	e, _ := s.Setting(section, name)
	return e
}

// value describes what may stand at a key.
func (s schema) value(e Entry) map[string]any {
	out := map[string]any{}
	switch {
	case e.Section == "router_settings" && e.Name == "routing_strategy":
		out = choice(s.Enum("routing_strategy"))
	case e.Section == "router_settings" && e.Name == "optional_pre_call_checks":
		out = map[string]any{"type": []string{"array", "null"}, "items": map[string]any{"enum": s.Enum("optional_pre_call_checks")}}
	case e.Section == "litellm_settings" && e.Name == "callbacks":
		out = anyOf(s.callbacks("callback"), map[string]any{"type": "string", "pattern": `\.`})
	case e.Section == "litellm_settings" && (e.Name == "success_callback" || e.Name == "failure_callback"):
		out = s.callbacks("success_callback")
	case e.Type != "":
		out = s.typed(e)
	}
	describe(out, e, s.Version)
	return out
}

// callbacks is a list of names. The known ones serve completion: others may be dotted paths of the operator's own code or names that
// callback_settings defines.
func (s schema) callbacks(enum string) map[string]any {
	return map[string]any{"type": []string{"array", "null"}, "items": anyOf(map[string]any{"enum": s.Enum(enum)}, map[string]any{"type": "string"})}
}

// typed turns the words of a type into what LiteLLM takes for it: pydantic and Python convert between numbers and texts of numbers.
func (s schema) typed(e Entry) map[string]any {
	var forms []map[string]any
	types := []string{"null"}
	for word := range strings.SplitSeq(e.Type, "|") {
		switch word {
		case "bool":
			types = append(types, "boolean")
		case "int", "float":
			types = append(types, "number")
			forms = append(forms, map[string]any{"type": "string", "pattern": `^[+-]?[0-9.eE+-]+$`})
		case "str":
			types = append(types, "string", "number")
		case "list":
			types = append(types, "array")
		case "dict":
			types = append(types, "object")
		case "choice":
			if choices := e.Choices(s.Version); len(choices) > 0 && e.Section != "model_info" {
				forms = append(forms, map[string]any{"enum": choices})
			} else { // what stands in model_info is described upstream, not checked
				types = append(types, "string", "boolean", "number")
			}
		default:
			return map[string]any{}
		}
	}
	slices.Sort(types)
	types = slices.Compact(types)
	forms = append([]map[string]any{{"type": types}}, forms...)
	if !slices.Contains(types, "string") {
		forms = append(forms, map[string]any{"type": "string", "pattern": environmentReference})
	}
	return anyOf(forms...)
}

func choice(values []string) map[string]any {
	return anyOf(map[string]any{"enum": values}, map[string]any{"type": "null"}, map[string]any{"type": "string", "pattern": environmentReference})
}

func anyOf(forms ...map[string]any) map[string]any {
	if len(forms) == 1 {
		return forms[0]
	}
	return map[string]any{"anyOf": forms}
}

func listOf(item map[string]any) map[string]any {
	return map[string]any{"type": []string{"array", "null"}, "items": item}
}

func nullable(object map[string]any) map[string]any {
	object["type"] = []string{"object", "null"}
	return object
}

// describe adds what an editor shows: since when, default, deprecation.
func describe(out map[string]any, e Entry, version Version) {
	var notes []string
	if since := e.Since(); !since.IsZero() {
		notes = append(notes, "since "+since.String())
	}
	if d := e.Deprecated(); !d.IsZero() {
		notes = append(notes, "deprecated in "+d.String())
	}
	if value, ok := e.Default(version); ok {
		notes = append(notes, "default "+value)
		if literal, ok := pythonLiteral(value); ok {
			out["default"] = literal
		}
	}
	if len(notes) > 0 {
		out["description"] = strings.Join(notes, "; ")
	}
}

// pythonLiteral converts a default that is a plain Python number, text, boolean or None.
func pythonLiteral(s string) (any, bool) {
	switch s {
	case "None":
		return nil, true
	case "True":
		return true, true
	case "False":
		return false, true
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return json.Number(s), n == n && !strings.ContainsAny(s, "xXpP_iInN+") && s[0] != '.' && s[len(s)-1] != '.'
	}
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' && !strings.ContainsAny(s[1:len(s)-1], `'\`) {
		return s[1 : len(s)-1], true
	}
	return nil, false
}
