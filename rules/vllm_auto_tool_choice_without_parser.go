package rules

import (
	"slices"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-auto-tool-choice-without-parser",
		Title:    "Automatic tool choice is on without a tool parser",
		Category: "engine-args",
		Why: "`--enable-auto-tool-choice`" + ` lets the model decide to call tools, and a parser has to find the calls in its text. Without ` + "`--tool-call-parser`" + ` the engine stops at start with
"Error: --enable-auto-tool-choice requires --tool-call-parser".`,
		Remedy:   "Add `--tool-call-parser` with the parser of the model's family.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args"},
		When:   []string{"engine.args.enable-auto-tool-choice"},
		Fix:    model.Unsafe, FixTitle: "add the parser of the model's family",
		Question: "Is this the format in which the model, with its chat template, writes tool calls?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/entrypoints/launchers/cli_args.py", Symbol: "Error: --enable-auto-tool-choice requires --tool-call-parser", Checked: "2026-11-29"},
			{Artefact: "vllm 0.33.0", File: "vllm/entrypoints/common/cli_args.py", Symbol: "Error: --enable-auto-tool-choice requires --tool-call-parser", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			if e.State("args", "enable-auto-tool-choice") != model.Present || !e.Absent("args", "tool-call-parser") || e.State("args", "no-enable-auto-tool-choice") != model.Absent {
				continue
			}
			parsers := e.toolParsers()
			hint := ""
			if len(parsers) > 0 {
				hint = "; the parser of this model is " + parsers[0]
			}
			r := p.Report(e.At("args", "enable-auto-tool-choice"), "the engine stops at start with \"Error: --enable-auto-tool-choice requires --tool-call-parser\"%s", hint).OnKey()
			if how, _ := e.Text("command"); len(parsers) > 0 && how != "chart" {
				r.Fix(model.Fix{Title: "add --tool-call-parser " + parsers[0], Ops: []model.Op{model.Set(e.At("args", "tool-call-parser"), parsers[0])}})
			}
		}
	},
})

// toolParsers returns the tool parsers of the engine's model that its release has, the recommended one first.
func (q Part) toolParsers() []string {
	name, ok := q.Text("model")
	if !ok {
		return nil
	}
	parsers, _ := knowledge.ToolParsers(name)
	known := q.VLLM().Enum("tool_call_parser")
	return slices.DeleteFunc(parsers, func(s string) bool { return !slices.Contains(known, s) })
}
