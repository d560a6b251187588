package rules

import (
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-parser-name-unknown",
		Title:    "A tool or reasoning parser has a name that the engine's release lacks",
		Category: "engine-args",
		Why: `vLLM looks the names of ` + "`--tool-call-parser` and `--reasoning-parser`" + ` up at start and stops with "KeyError: 'invalid tool call parser: ...'" when none is registered under them, before any weights are loaded. Names come and
go with releases: ` + "`qwen3_coder`" + ` is known from 0.10.0 on, ` + "`glm4_moe`" + ` was ` + "`glm45`" + ` from 0.10.1 on, and ` + "`minimax`" + ` went after 0.23.0.`,
		Remedy:   `Write a name that the release has; the message names the one that is likely meant. A parser of your own needs ` + "`--tool-parser-plugin` or `--reasoning-parser-plugin`" + `.`,
		Severity: model.Error, Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"engine.args", "engine.image"},
		When:       []string{"engine.args.tool-call-parser", "engine.args.reasoning-parser"},
		Fix:        model.Unsafe, FixTitle: "use a registered name",
		Question: "Is that the parser that was meant?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/entrypoints/launchers/launcher.py", Symbol: "invalid tool call parser: ", Checked: "2026-11-30",
				Note: "Only with --enable-auto-tool-choice; without it the name is never looked up. invalid reasoning parser follows, whatever else is set."},
			{Artefact: "vllm 0.33.0", File: "vllm/entrypoints/common/cli_args.py", Symbol: "invalid tool call parser: ", Checked: "2026-11-30"},
			{Artefact: "vllm 0.33.0", File: "vllm/tool_parsers/__init__.py", Symbol: "llama4_json", Checked: "2026-11-30", Note: "The registered names were read out of every release."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			// Without it the name of a tool parser is not looked up.
			if e.State("args", "enable-auto-tool-choice") == model.Present {
				checkParserName(p, e, "tool-call-parser", "tool_call_parser", "tool-parser-plugin")
			}
			checkParserName(p, e, "reasoning-parser", "reasoning_parser", "reasoning-parser-plugin")
		}
	},
})

// checkParserName judges the name that a flag gives, a value of an enumeration of the knowledge base. With the plugin flag
// any name may be registered.
func checkParserName(p *Pass, e Part, flag, enum, plugin string) {
	name, state := e.Arg(flag)
	release := e.VLLM()
	known := release.Enum(enum)
	if state != model.Present || name == "" || len(known) == 0 || !e.Absent("args", plugin) {
		return
	}
	row, presence := release.EnumValue(enum, name)
	var text, instead string
	info := e.pluginImage() || release.Match == knowledge.Newer
	switch presence {
	case knowledge.Present:
		return
	case knowledge.Unknown:
		text = "no vLLM release up to " + knowledge.VLLM.Newest().String() + " has it"
		instead = knowledge.Closest(name, known)
		if own := e.toolParsers(); instead == "" && enum == "tool_call_parser" && len(own) > 0 {
			instead = own[0]
		}
	default:
		if e.Unread() {
			e.uncheckedRelease()
			return
		}
		info = false
		text = "it is registered in other releases only"
		if since := row.Since(); release.Version.Compare(since) < 0 {
			text = "it is registered from " + since.String() + " on"
		} else if until := row.Until(); !until.IsZero() && until.Compare(release.Version) < 0 {
			text = "it was registered up to " + until.String()
		}
	}
	where := e.At("args", flag, 0)
	hint := ""
	if instead != "" {
		hint = "; did you mean " + instead + "?"
	}
	r := p.Report(where, "--%s %s: %s, so vLLM %s stops at start%s", flag, model.Quote(name), text, e.Release(), hint)
	if info {
		r.Severity(model.Info)
	}
	if how, _ := e.Text("command"); instead != "" && how != "chart" {
		r.Fix(model.Fix{Title: "write " + instead, Ops: []model.Op{model.Set(where, instead)}})
	}
}
