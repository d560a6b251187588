package rules

import (
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-tool-parser-without-auto-choice",
		Title:    "A tool parser is set and automatic tool choice is off",
		Category: "engine-args",
		Why: `Agents send tools with tool_choice auto, or without tool_choice, which is the same. An engine without ` + "`--enable-auto-tool-choice`" + ` answers such a request with HTTP 400 ("auto" tool choice
requires --enable-auto-tool-choice and --tool-call-parser to be set), whatever parser it was given; only required and named tools work.`,
		Remedy:   "Add `--enable-auto-tool-choice`.",
		Severity: model.Warning, Confidence: model.High,
		Inputs: []string{"engine.args"},
		When:   []string{"engine.args.tool-call-parser"},
		Fix:    model.Safe, FixTitle: "add --enable-auto-tool-choice",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/renderers/online_renderer.py", Symbol: `"auto" tool choice requires `, Checked: "2026-11-29", Note: "Not for models with the tokeniser of Mistral, nor for gpt-oss, which need no parser for it."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			role, ok := e.Text("role")
			parser, state := e.Arg("tool-call-parser")
			if !ok || role == "pooling" || state != model.Present || parser == "" || !e.Absent("args", "enable-auto-tool-choice") || !e.Absent("args", "no-enable-auto-tool-choice") {
				continue
			}
			if e.State("model") == model.Unseen {
				continue
			}
			if right, ok := knowledge.ToolParsers(textOf(e.Get("model"))); ok && (right[0] == "mistral" || right[0] == "openai") {
				continue // their formats are read without a parser
			}
			r := p.Report(e.At("args", "tool-call-parser"), "a tool parser without --enable-auto-tool-choice: requests with tools and tool_choice auto, the default of agents, get HTTP 400").OnKey()
			if how, _ := e.Text("command"); how != "chart" {
				r.Fix(model.Fix{Ops: []model.Op{model.Set(e.At("args", "enable-auto-tool-choice"), true)}})
			}
		}
	},
})
