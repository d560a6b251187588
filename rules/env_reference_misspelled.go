package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "env-reference-misspelled",
		Title:    "An environment reference is spelled in a form that LiteLLM does not know",
		Category: "secrets",
		Why: `LiteLLM knows one form of reference: a value that starts with os.environ/. os.environ.NAME, os.getenv("NAME"),
env/NAME and the like are ordinary texts, so the text itself becomes the key, the address or the password.`,
		Remedy:     "Write `os.environ/NAME`.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		Fix:        model.Safe,
		FixTitle:   "write os.environ/NAME",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: `value.startswith("os.environ/")`, Checked: "2026-11-29",
				Note: "No other form is looked for."},
			{Artefact: "litellm 1.110.2", File: "litellm/proxy/proxy_server.py", Symbol: "def _resolved_config_value", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for c := range p.configTexts() {
			name := misspelledReference(c.Text())
			if name == "" || c.prose() {
				continue
			}
			r := p.Report(c.Path(), "%s is no reference to LiteLLM, so the text itself is the value; write os.environ/%s", model.Quote(c.Text()), name)
			if !c.Item() {
				r.Fix(p.refersTo(name, model.Fix{Ops: []model.Op{model.Set(c.Path(), referencePrefix+name)}}))
			}
		}
	},
})

// refersTo makes a fix that writes a reference to a variable: where nothing sets the variable, somebody has to.
func (p *Pass) refersTo(name string, x model.Fix) model.Fix {
	x.Title = "write os.environ/" + name
	if p.Absent("gateway", "env", name) {
		x.Safety = model.Unsafe
		x.Question = "Where will " + name + " be set for the gateway? Nothing in the files does."
		x.Brings = []string{"env-reference-undefined"}
	}
	return x
}

// referenceForms are ways in which other programs, or people from memory, write that a value is a variable's: what stands
// before and behind its name.
var referenceForms = [...][2]string{
	{"os.environ.get(", ")"}, {"os.environ[", "]"}, {"os.environ.", ""}, {"os.environ:", ""}, {`os.environ\`, ""}, {"os.getenv(", ")"}, {"environ[", "]"},
	{"$env:", ""}, {"env:", ""}, {"env.", ""}, {"ENV[", "]"}, {"process.env.", ""}, {"env(", ")"},
}

// misspelledReference returns the variable that a text means in a form that LiteLLM does not know, "" for any other text.
func misspelledReference(s string) string {
	if s == "" || reference(s) {
		return ""
	}
	for i := range referenceForms {
		f := &referenceForms[i]
		if s[0] != f[0][0] {
			continue
		}
		rest, ok := strings.CutPrefix(s, f[0])
		if !ok || !strings.HasSuffix(rest, f[1]) {
			continue
		}
		if name := strings.Trim(strings.TrimSuffix(rest, f[1]), `"' `); variableName(name) {
			return name
		}
	}
	word, name, ok := strings.Cut(s, "/")
	if first, rest, deeper := strings.Cut(name, "/"); deeper && word == "os" {
		// os/environ/NAME
		word, name = word+"."+first, rest
		if word == "os.environ" && variableName(name) {
			return name
		}
	}
	if !ok || !variableName(name) || word == "os.environ" {
		return ""
	}
	switch word {
	case "env", "ENV", "environ", "environment", "os.env", "os_env", "os.envs":
		return name
	}
	const prefix = "os.environ"
	if len(word) >= len(prefix)-2 && knowledge.Distance(strings.ToLower(word), prefix, 2) <= 2 || strings.EqualFold(word, "os.environment") {
		return name
	}
	return ""
}

// variableName reports whether s looks like a variable's name in capitals, as they are written for a process.
func variableName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_', c >= 'A' && c <= 'Z':
		case i > 0 && c >= '0' && c <= '9':
		default:
			return false
		}
	}
	return len(s) > 1
}
