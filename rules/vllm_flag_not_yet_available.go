package rules

import (
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-flag-not-yet-available",
		Title:    "A flag is newer than the engine's release",
		Category: "engine-args",
		Why: `vLLM stops at start with "unrecognized arguments" when it is given a flag that its release does not have, and the pod restarts for ever. It happens when arguments are copied from
an engine with a newer image, from an article, or stay behind when an image is rolled back: ` + "`--max-num-queued-reqs`" + ` for example exists from 0.29.0 on.`,
		Remedy:   `Take an image of the release that has the flag, or remove the flag until then.`,
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args", "engine.image"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/engine/arg_utils.py", Symbol: "--max-num-queued-reqs", Checked: "2026-11-29",
				Note: "Not in 0.28.0. The first release of every flag was read out of the argument parsers of all releases from 0.4.1 on."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			if !e.Pinned() {
				continue
			}
			release := e.VLLM()
			if release.Match == knowledge.Newer {
				continue
			}
			for f := range e.flags() {
				flag, presence := release.Flag(f.word)
				if presence != knowledge.NotYet || len(release.FlagsWithPrefix(f.word)) > 0 {
					continue
				}
				p.Report(f.At("word"), "%s exists from vLLM %s on and the engine runs %s: it stops at start with \"unrecognized arguments: %s\"", model.Quote(f.word), flag.Since(), e.Version(), model.Quote(flag.Written))
			}
		}
	},
})
