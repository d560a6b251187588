package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-batched-tokens-below-seqs",
		Title:    "The token budget of a step is smaller than the scheduler accepts",
		Category: "engine-args",
		Why: "`--max-num-batched-tokens`" + ` is the token budget of one step of the scheduler. Each running sequence takes at least one token of a step, so a budget below ` + "`--max-num-seqs`" + ` stops the engine at
start with "max_num_batched_tokens (256) must be greater than or equal to max_num_seqs (512)". With chunked prefill off a prompt has to fit into one step, and a budget below ` + "`--max-model-len`" + ` stops it with
"max_num_batched_tokens (8192) is smaller than max_model_len (32768)". An explicit ` + "`--no-enable-chunked-prefill`" + ` counts from 0.12.0 on.`,
		Remedy:   "Raise `--max-num-batched-tokens` above the other number, lower that one, or leave chunked prefill on.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args"},
		When:   []string{"engine.args.max-num-batched-tokens"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/config/scheduler.py", Symbol: "if self.max_num_batched_tokens < self.max_num_seqs:", Checked: "2026-11-30"},
			{Artefact: "vllm 0.33.0", File: "vllm/config/scheduler.py", Symbol: "def verify_max_model_len", Checked: "2026-11-30",
				Note: "Both checks, the one of the context first; in vllm/config.py since 0.4.1 or earlier."},
			{Artefact: "vllm 0.12.0", File: "vllm/engine/arg_utils.py", Symbol: "This model does not officially support disabling chunked prefill. ", Checked: "2026-11-30",
				Note: "An explicit --no-enable-chunked-prefill stays; V1 overrode it with true up to 0.11.0."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			budget, ok := e.ArgInt("max-num-batched-tokens", 0)
			if !ok || budget < 1 {
				continue
			}
			at := e.At("args", "max-num-batched-tokens", 0)
			context, ok := e.ArgInt("max-model-len", 0)
			if ok && context > budget && e.AtLeast("0.12.0") && e.State("args", "no-enable-chunked-prefill") == model.Present && e.Absent("args", "enable-chunked-prefill") {
				p.Report(at, "the engine stops at start with \"max_num_batched_tokens (%d) is smaller than max_model_len (%d)\": chunked prefill is off, so a prompt has to fit into one step", budget, context).
					Related(e.At("args", "max-model-len", 0), "context").
					RelatedKey(e.At("args", "no-enable-chunked-prefill"), "chunked prefill is off")
				continue
			}
			if seqs, ok := e.ArgInt("max-num-seqs", 0); ok && seqs > budget {
				p.Report(at, "the engine stops at start with \"max_num_batched_tokens (%d) must be greater than or equal to max_num_seqs (%d)\": each running sequence takes a token of a step", budget, seqs).
					Related(e.At("args", "max-num-seqs", 0), "sequences of a step")
			}
		}
	},
})
