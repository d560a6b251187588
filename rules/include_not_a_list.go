package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "include-not-a-list",
		Title:    "include is no list of files",
		Category: "schema",
		Why: `LiteLLM reads the files that include names only when it is a list of texts. A single file name, a mapping, nothing
behind the colon or an item that is no text stops the gateway at the start: ValueError: 'include' must be a list of file
paths (run with 1.102.0 and 1.110.2).`,
		Remedy:     "Write a list, also for one file: `include: [models.yaml]`.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.include"},
		Fix:        model.Safe,
		FixTitle:   "write a list",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/common_utils/config_includes.py", Symbol: "def include_entries", Checked: "2026-11-30",
				Note: "Run with a text, a mapping, null, a number and null as an item. The same code in 1.110.2."},
			{Artefact: "litellm 1.90.0", File: "litellm/proxy/proxy_server.py", Symbol: "'include' must be a list of file paths", Checked: "2026-11-30",
				Note: "Items are not looked at there; one that is no text stops the start at os.path.join."},
		},
	},
	Check: func(p *Pass) {
		at := model.Path{"gateway", "config", "include"}
		p.noteUnseen(at)
		const stops = "it stops the gateway at the start ('include' must be a list of file paths)"
		v := p.Get(at...)
		switch {
		// Helm takes null in values for a key that is to be left out.
		case v == nil, v.Kind == model.Null && !p.Absent("gateway", "helm"):
		case v.Kind == model.List:
			for i, item := range v.Items() {
				if item.Known() && item.Kind != model.Text {
					p.Report(at.With(i), "this item of include is no text: %s; write the name of a file", stops)
				}
			}
		case v.Kind == model.Text:
			r := p.Report(at, "include is the text %s and no list: %s", model.Quote(v.Text), stops)
			if v.Text != "" && !strings.ContainsAny(v.Text, ", *") {
				r.Fix(model.Fix{Ops: []model.Op{model.Set(at, []any{v.Text})}})
			}
		default:
			p.Report(at, "include is no list: %s; write a list of file names, or leave it out", stops).OnKey()
		}
	},
})
