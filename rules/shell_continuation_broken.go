package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "shell-continuation-broken",
		Title:    "A command ends before its flags do",
		Category: "engine-args",
		Why: `A shell command goes on in the next line only when its line ends with a backslash and nothing after it. Where the backslash is missing, or a blank or a comment follows it, the command is
over: the engine starts without the flags that follow, and the next line runs as a command of its own ("--tensor-parallel-size: command not found"), after the server has ended or not at all.`,
		Remedy:   `End every line but the last with a backslash that is its last character; put comments above the command.`,
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"files", "engine.args", "gateway.args"},
		When:   []string{"engine.broken_line", "gateway.broken_line"},
		Fix:    model.Safe, FixTitle: "add the missing backslash",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/entrypoints/cli/serve.py", Symbol: "class ServeSubcommand", Checked: "2026-11-29", Note: "Reads its own command line and nothing else. Run with dash and bash: the next line is a command of its own."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.Engines() {
			checkContinuation(p, e.At("broken_line"))
		}
		checkContinuation(p, model.Path{"gateway", "broken_line"})
	},
})

// checkContinuation reports the end of a command that was meant to go on.
func checkContinuation(p *Pass, at model.Path) {
	flag, ok := p.Text(at.With("flag")...)
	if !ok {
		return
	}
	r := p.Report(at.With("flag"), "the command ends before this line, so %s and what follows are no arguments of it but a command of their own, which fails", model.Quote(flag)).
		Related(at.With("gap"), "the command ends here")
	if repair, ok := p.Text(at.With("repair")...); ok {
		r.Fix(model.Fix{Ops: []model.Op{model.Set(at.With("gap"), repair)}})
	}
}
