package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "parse-error",
		Title:    "a file of the deployment cannot be read",
		Category: "schema",
		Why: `A file that belongs to a deployment is broken at the place shown, so nothing in it was checked, and what the other
files say about it may be missing from the model too. The program that reads the file will most likely refuse it as well.
A configuration of LiteLLM with a second YAML document, or a line --- at its end, is read here up to that line; LiteLLM does
not start with it.`,
		Remedy: `Mend the syntax at the place shown. A file that is a template of another program belongs under ` + "`exclude:`" + ` in
.agentlint.yaml, or is checked after it was rendered.`,
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"files"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "agentlint", File: "internal/source/yaml.go", Symbol: "SyntaxError", Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "yaml.safe_load(file)", Checked: "2026-11-30",
				Note: "PyYAML 6.0.3 refuses a second document, an empty one too: expected a single document in the stream."},
		},
	},
	Check: byEngine,
})
