package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-config-false-ignored",
		Title:    "A false value in the engine's config file has no effect",
		Category: "engine-args",
		Why: `Up to 0.27.1 the loader of ` + "`--config`" + ` passes a key whose value is true as a flag, and drops one whose value is false: ` + "`enable-prefix-caching: false`" + ` leaves prefix caching on, and
nothing is said. From 0.28 on false becomes ` + "`--no-KEY`" + `, but only when an option of exactly that spelling exists, so a key with underscores is still dropped.`,
		Remedy:   "Write the negative form with the value true: `no-enable-prefix-caching: true`.",
		Severity: model.Warning, Confidence: model.High,
		Inputs: []string{"engine.config", "engine.image"},
		Fix:    model.Safe, FixTitle: "write the no- form with the value true",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.27.1", File: "vllm/utils/argparse_utils.py", Symbol: "if isinstance(value, bool):", Checked: "2026-11-29", Note: "Only a true value adds an argument."},
			{Artefact: "vllm 0.29.0", File: "vllm/utils/argparse_utils.py", Symbol: `(no_key := f"--no-{key}") in self._option_string_actions`, Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			for _, c := range e.configKeys() {
				negative := "--no-" + c.name
				f, presence := e.VLLM().Flag(negative)
				// A flag that is off by default is off either way.
				standard, _ := c.flag.Default(e.Version())
				if !c.off || presence != knowledge.Present || !f.Negative || standard == "False" {
					continue
				}
				if e.onCommandLine(c) {
					continue
				}
				underscored := strings.Contains(c.key, "_")
				var r *Report
				switch {
				case underscored:
					r = p.Report(c.at, "false is dropped here: vLLM looks for --no-%s, which has no such spelling, so %s stays at its default", model.Quote(c.key), c.flag.Name)
				case !e.Pinned():
					r = p.Report(c.at, "below vLLM 0.28 false is dropped here and %s stays at its default, and no release is pinned", c.flag.Name)
				case !e.AtLeast("0.28.0"):
					r = p.Report(c.at, "vLLM %s drops false here (0.28 is the first to pass it on), so %s stays at its default", e.Version(), c.flag.Name)
				default:
					continue
				}
				x := model.Fix{Ops: []model.Op{model.Set(c.at, true), model.Rename(c.at, trimDashes(negative))}}
				if negative == "--no-enable-prefix-caching" {
					x.Safety, x.Question, x.Brings = model.Unsafe, prefixCachingQuestion, []string{"vllm-prefix-caching-disabled"}
				}
				r.Fix(x)
			}
		}
	},
})

// onCommandLine reports whether the command line writes one of the forms of a boolean key, or may.
func (q Part) onCommandLine(c configKey) bool {
	for _, name := range c.names {
		if state := q.State("args", name); state == model.Unseen || state == model.Present && q.Get("args", name).Origin.Arg() != nil {
			return true
		}
	}
	return false
}
