package rules

import (
	"strconv"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-max-num-seqs-exceeds-kv",
		Title:    "More sequences run at once than the KV cache holds",
		Category: "engine-memory",
		Why: `` + "`--max-num-seqs`" + ` is how many sequences the scheduler runs together. When it is far above the number of long sequences that the KV cache holds, full contexts preempt
each other: a preempted sequence loses its blocks and is computed again, and the hit rate may look high while the engine works twice. Two long requests in one
batch raised the time per token by 80 percent in a published measurement of agents.`,
		Remedy: `Set ` + "`--max-num-seqs`" + ` from the budget: (memory x utilisation - weights - about 3 GiB) / KV cache of one sequence, per GPU, and more when most sequences are much shorter
than the limit. Watch ` + "`vllm:num_preemptions_total`" + `.`,
		Severity: model.Info, Confidence: model.Medium,
		Inputs: []string{"engine.args", "engine.gpu"},
		When:   []string{"engine.args.max-num-seqs"},
		Fix:    model.Unsafe, FixTitle: "set --max-num-seqs to the sequences that fit",
		Question: "Are most sequences as long as the limit? Shorter ones allow more at once.",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/v1/core/sched/scheduler.py", Symbol: "_preempt_request", Checked: "2026-11-29",
				Note: "A running request gives its blocks back when none is free, and starts over."},
			{Artefact: "vllm 0.29.0", File: "vllm/v1/core/kv_cache_utils.py", Symbol: "Maximum concurrency for %s tokens per request", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			text, state := e.Arg("max-num-seqs")
			written, err := strconv.ParseInt(text, 10, 64)
			if state != model.Present || err != nil || e.ArgOn("num-gpu-blocks-override") {
				continue
			}
			m, ok := e.memory()
			if !ok || !m.budget() || m.context < longContext {
				continue
			}
			most := m.sequences(0)
			if most < 1 || written <= 4*int64(most) {
				continue
			}
			at := e.At("args", "max-num-seqs", 0)
			n := m.sequences(overheadGiB)
			p.Report(at, "--max-num-seqs %d while %s%s: long contexts preempt each other and are computed again", written, m.fitting(), m.on()).
				Figure(m.sequencesFigure()).
				Fix(model.Fix{Ops: []model.Op{model.Set(at, strconv.Itoa(max(1, n)))}})
		}
	},
})
