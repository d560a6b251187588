package rules

import (
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "yaml-scalar-read-differently",
		Title:    "A plain scalar is something else in YAML 1.1",
		Category: "schema",
		Why: `LiteLLM reads its config with PyYAML, which follows YAML 1.1: 18:00 is the number 1080 (base 60), 0123 is 83 (base 8),
on, off, yes and no are booleans, 2024-10-21 is a date, and 1e3 is text because an exponent needs a dot and a sign.
Editors, Kubernetes and most linters read the same characters in another way, so the file shows a value that the gateway
does not have. A deployment whose text parameter is a date or a boolean is refused (Input should be a valid string), and
with a budget_reset_time that is a number the gateway does not start.`,
		Remedy: `Quote what is meant as text ("18:00", "2024-10-21"), and write numbers out (1000, 83). 09:30 and 00:00 stay text, and
costs in scientific notation are converted, so both are right as they are.`,
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info, model.Error},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		Fix:        model.Safe,
		FixTitle:   "quote the value",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "yaml.safe_load", Checked: "2026-11-29",
				Note: "Run with the bundled PyYAML: 18:00 is 1080, 1:30:00 is 5400, 09:30 text, 0123 is 83, 0o17 and 1e3 text, on and yes booleans."},
			{Artefact: "litellm 1.102.0", File: "litellm/types/router.py", Symbol: "class LiteLLM_Params", Checked: "2026-11-29",
				Note: "Run: api_version: 2024-10-21 raises ValidationError (Input should be a valid string, input_type=date), rpm: 1e3 (unable to parse string as an integer)."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/common_utils/timezone_utils.py", Symbol: "Invalid budget_reset_time", Checked: "2026-11-30",
				Note: "Run with 1.102.0 and 1.110.2: 18:00 stops the start (Invalid budget_reset_time 1080)."},
		},
	},
	Check: func(p *Pass) {
		// What a chart renders from its values was read by Helm and is quoted where YAML 1.1 needs it.
		if !p.Absent("gateway", "helm") {
			return
		}
		for c := range p.configScalars() {
			if !readDifferently(c.Value) {
				continue
			}
			if rel := c.Path()[2:]; len(rel) > 0 {
				p.plainScalar(rel, c.Value, plain(c.Value))
			}
		}
	},
})

// readDifferently reports whether a scalar without quotes may be something else for another reader.
func readDifferently(v *model.Value) bool {
	// Most texts begin neither like a number nor like a date.
	if v.Kind == model.Text && (v.Text == "" || !strings.Contains("0123456789+-.", v.Text[:1])) {
		return false
	}
	n := plain(v)
	if n == nil {
		return false
	}
	switch v.Kind {
	case model.Int, model.Float:
		return strings.Contains(n.Text, ":") || octal(n.Text)
	case model.Bool:
		return !strings.EqualFold(n.Text, "true") && !strings.EqualFold(n.Text, "false")
	case model.Text:
		switch source.Resolve(n, source.PyYAML).Kind {
		case source.DateValue:
			return true
		case source.TextValue:
			other := source.Resolve(n, source.GoYAML).Kind
			return other == source.IntValue || other == source.FloatValue
		}
	}
	return false
}

// inConfig is the path of something in the config.
func inConfig(rel model.Path) model.Path { return model.Path{"gateway", "config"}.With(rel...) }

// plainScalar reports a scalar without quotes that PyYAML takes for something else than it looks like.
func (p *Pass) plainScalar(rel model.Path, v *model.Value, n *source.Node) {
	text := n.Text
	switch v.Kind {
	case model.Int, model.Float:
		switch {
		case strings.Contains(text, ":"):
			at := inConfig(rel)
			if rel.String() == "litellm_settings.budget_reset_time" && p.AtLeast("1.102.0") {
				p.quote(p.Report(at, "%s without quotes is the number %s for LiteLLM's YAML reader (base 60), and the gateway does not start (Invalid budget_reset_time %[2]s)", text, number(v)).Severity(model.Error), at, rel, text)
				return
			}
			r := p.Report(at, "%s without quotes is the number %s for LiteLLM's YAML reader (base 60)", text, number(v))
			p.quote(r, at, rel, text)
		case v.Kind == model.Int && octal(text):
			at := inConfig(rel)
			r := p.Report(at, "%s is the number %s for LiteLLM's YAML reader (base 8)", text, number(v))
			p.quote(r, at, rel, text)
		}
	case model.Bool:
		word := "true"
		if !v.Bool {
			word = "false"
		}
		if strings.EqualFold(text, word) {
			return
		}
		at, types := inConfig(rel), p.settingTypes(rel)
		switch {
		case slices.Contains(types, "bool"):
			p.Report(at, "%s is the boolean %s for LiteLLM's YAML reader; other readers take it for text", text, word).Severity(model.Info).
				Fix(model.Fix{Title: "write " + word, Ops: []model.Op{model.Set(at, v.Bool)}})
		case slices.Contains(types, "str") || slices.Contains(types, "choice"):
			p.quote(p.Report(at, "%s without quotes is the boolean %s for LiteLLM's YAML reader, where a text is expected", text, word), at, rel, text)
		}
	case model.Text:
		p.plainText(rel, n)
	}
}

// plainText reports a text that PyYAML took for a date, or that other readers take for a number.
func (p *Pass) plainText(rel model.Path, n *source.Node) {
	switch source.Resolve(n, source.PyYAML).Kind {
	case source.DateValue:
		if slices.Contains(p.settingTypes(rel), "str") {
			at := inConfig(rel)
			p.quote(p.Report(at, "%s without quotes is a date for LiteLLM's YAML reader, where a text is expected", model.Quote(n.Text)), at, rel, n.Text)
		}
	case source.TextValue:
		other := source.Resolve(n, source.GoYAML)
		if other.Kind != source.IntValue && other.Kind != source.FloatValue || !p.wholeNumbers(rel) {
			return
		}
		at := inConfig(rel)
		r := p.Report(at, "%s is text for LiteLLM's YAML reader, where a number is expected", model.Quote(n.Text))
		if x := int64(other.Float); float64(x) == other.Float {
			r.Fix(model.Fix{Title: "write the number out", Ops: []model.Op{model.Set(at, x)}})
		}
	}
}

// wholeNumbers reports whether a setting fails on the text of a number: integers do, and so does the request timeout.
// Other fractions are converted where they are used.
func (p *Pass) wholeNumbers(rel model.Path) bool {
	types := p.settingTypes(rel)
	return len(types) == 1 && types[0] == "int" || rel.String() == "litellm_settings.request_timeout"
}

// quote adds the fix that makes a scalar text, unless a number is expected at its place.
func (p *Pass) quote(r *Report, at, rel model.Path, text string) {
	types := p.settingTypes(rel)
	if !slices.Contains(types, "int") && !slices.Contains(types, "float") {
		r.Fix(model.Fix{Ops: []model.Op{model.Set(at, text)}})
	}
}

func number(v *model.Value) string {
	x, _ := v.AsFloat(false)
	return model.Number(x)
}

// octal reports whether an integer with a leading zero is another one in base 8.
func octal(text string) bool {
	digits := strings.ReplaceAll(strings.TrimLeft(text, "+-"), "_", "")
	if len(digits) < 2 || digits[0] != '0' {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return len(strings.TrimLeft(digits, "0")) > 1
}

// settingTypes returns the types that the release expects of a value of the config, in the words of the tables; none when
// the place is free or unknown.
func (p *Pass) settingTypes(rel model.Path) []string {
	section, name, ok := settingPlace(rel)
	if !ok {
		return nil
	}
	e, presence := p.LiteLLM().Setting(section, name)
	if presence != knowledge.Present || e.Type == "" {
		return nil
	}
	return strings.Split(e.Type, "|")
}

// settingPlace names the section of the tables and the key that a path below gateway.config leads to.
func settingPlace(rel model.Path) (section, name string, ok bool) {
	name, ok = rel[len(rel)-1].(string)
	if !ok {
		return "", "", false
	}
	var shape []string
	for _, e := range rel[:len(rel)-1] {
		key, isKey := e.(string)
		if !isKey {
			key = "*"
		}
		shape = append(shape, key)
	}
	switch strings.Join(shape, ".") {
	case "":
		return "", name, len(rel) == 1
	case "general_settings", "litellm_settings", "router_settings":
		return shape[0], name, true
	case "model_list.*":
		return "model_list", name, true
	case "model_list.*.litellm_params":
		return "litellm_params", name, true
	case "model_list.*.model_info":
		return "model_info", name, true
	case "litellm_settings.cache_params":
		return "cache_params", name, true
	case "general_settings.coordination_redis":
		return "coordination_redis", name, true
	case "guardrails.*":
		return "guardrails", name, true
	case "guardrails.*.litellm_params":
		return "guardrails.litellm_params", name, true
	}
	return "", "", false
}
