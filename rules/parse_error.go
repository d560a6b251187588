package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "parse-error",
		Title:    "a file of the deployment cannot be read",
		Category: "schema",
		Why: `A file that belongs to a deployment is broken at the place shown, so nothing in it was checked, and what the other
files say about it may be missing from the model too. The program that reads the file will most likely refuse it as well.`,
		Remedy: `Mend the syntax at the place shown. A file that is a template of another program belongs under ` + "`exclude:`" + ` in
.agentlint.yaml, or is checked after it was rendered.`,
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"files"},
		Since:      "0.1",
		Evidence:   []model.Evidence{{Artefact: "agentlint", File: "internal/source/yaml.go", Symbol: "SyntaxError", Checked: "2026-11-29"}},
	},
	Check: byEngine,
})
