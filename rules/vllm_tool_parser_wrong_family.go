package rules

import (
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-tool-parser-wrong-family",
		Title:    "The tool parser is not that of the model's family",
		Category: "engine-args",
		Why: `Each family writes tool calls in its own format. A parser for another format finds none: the call arrives as plain text in the answer, finish_reason is stop, and an agent takes it for
the final word. Nothing fails at start.`,
		Remedy:   `Write the parser of the model's family; the message names it.`,
		Severity: model.Warning, Confidence: model.Medium,
		Inputs: []string{"engine.args", "engine.image"},
		When:   []string{"engine.args.tool-call-parser"},
		Fix:    model.Unsafe, FixTitle: "use the parser of the family",
		Question: "Does the engine run the model with its own chat template?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "docs/features/tool_calling.md", Symbol: "Flags: `--tool-call-parser hermes`", Checked: "2026-11-29", Note: "The parsers of most families; those of the others are from vLLM's recipes."},
			{Artefact: "vllm 0.33.0", File: "vllm/tool_parsers/__init__.py", Symbol: "llama4_json", Checked: "2026-11-29", Note: "Names that stand for the same parser."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			name, ok := e.Text("model")
			parser, state := e.Arg("tool-call-parser")
			if !ok || state != model.Present || parser == "" || !e.Absent("args", "tool-parser-plugin") || !e.Absent("args", "chat-template") || e.pluginImage() {
				continue
			}
			right, ok := knowledge.ToolParsers(name)
			// hf reads the format from the checkpoint itself. A name that no release has is no parser at all.
			if !ok || slices.Contains(right, parser) || parser == "hf" || !slices.Contains(e.VLLM().Enum("tool_call_parser"), parser) {
				continue
			}
			known := e.toolParsers()
			if len(known) == 0 {
				continue
			}
			r := p.Report(e.At("args", "tool-call-parser", 0), "the parser %s does not read the tool calls of %s: they arrive as plain text; write %s", model.Quote(parser), model.Quote(name), strings.Join(known, " or ")).
				Related(e.At("model"), "the model")
			r.Fix(model.Fix{Title: "write " + known[0], Ops: []model.Op{model.Set(e.At("args", "tool-call-parser", 0), known[0])}})
		}
	},
})
