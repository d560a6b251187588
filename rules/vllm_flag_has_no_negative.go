package rules

import (
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-flag-has-no-negative",
		Title:    "A flag is negated that cannot be",
		Category: "engine-args",
		Why: "Most boolean flags of vLLM have a `--no-` form. Those that are only there to be given have none: at 0.33 `--aggregate-engine-logging`, `--data-parallel-multi-port-external-lb`, `--disable-log-stats`, " +
			"`--grpc` and `--headless`" + `, and neither has a flag that takes a value. The engine stops at start with "unrecognized arguments: --no-disable-log-stats". There is no ` + "`--enable-log-stats`" + ` either.`,
		Remedy:   "Leave the flag out: it is off unless it is given.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args", "engine.image"},
		Fix:    model.Safe, FixTitle: "remove the flag",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/engine/arg_utils.py", Symbol: "--disable-log-stats", Checked: "2026-11-30", Note: "action=\"store_true\", which argparse gives no --no- form."},
			{Artefact: "vllm 0.33.0", File: "vllm/entrypoints/common/cli_args.py", Symbol: "--headless", Checked: "2026-11-30", Note: "The same, and --grpc."},
			{Artefact: "vllm 0.33.0", File: "vllm/engine/arg_utils.py", Symbol: "BooleanOptionalAction", Checked: "2026-11-30", Note: "What gives the flags of boolean fields their --no- form."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			if e.VLLM().Match == knowledge.Newer || e.pluginImage() || e.State("image", "repository") == model.Unseen {
				continue
			}
			for w := range e.writtenFlags() {
				// Forms that another release has are reported with their releases.
				if w.presence != knowledge.Unknown || w.accepted() || !w.hasNoNegative() || w.dotted() {
					continue
				}
				flag, _ := w.release.Flag("--" + w.spelling[len("--no-"):])
				off := "leave it out"
				if flag.Type == "store_true" {
					off = "it is off when " + flag.Name + " is not given"
				}
				r := p.Report(w.At("word"), "%s has no --no- form: the engine stops at start with \"unrecognized arguments: %s\"; %s", flag.Name, model.Quote(w.spelling), off)
				if _, stray := w.Text("stray"); flag.Type == "store_true" && !stray && w.Get("values").Len() == 0 && w.editable() && e.Absent("args", flag.Name[len("--"):]) {
					r.Fix(model.Fix{Ops: []model.Op{model.Remove(w.arg())}})
				}
			}
		}
	},
})
