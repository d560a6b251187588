package rules

import (
	"strconv"
	"strings"

	"agentlint/internal/model"
)

// longContext is the context, in tokens, from which an engine is taken for one of agents.
const longContext = 65536

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-kv-cache-full-precision",
		Title:    "Fewer than four long sequences fit with a 16-bit KV cache",
		Category: "engine-memory",
		Why: `With a context of 65536 tokens and more the KV cache of one sequence takes tens of GiB (Llama 70B: 0.31 MiB a token, 40 GiB at 131072), and when fewer than
four fit, agents with long histories wait for each other or preempt each other. An fp8 cache costs half of that per token, on GPUs that support it
(compute capability 8.9 and newer, MI300), and is the cheapest way to more sequences. It rounds keys and values, so the quality must be
checked with evals.`,
		Remedy: `Add ` + "`--kv-cache-dtype fp8`" + `, preferably with a checkpoint that brings calibrated scales (or ` + "`fp8_per_token_head`" + ` from 0.20 on), and compare evals before
and after. More GPUs or a shorter ` + "`--max-model-len`" + ` make room too.`,
		Severity: model.Info, Confidence: model.Medium,
		Inputs: []string{"engine.args", "engine.gpu"},
		Fix:    model.Unsafe, FixTitle: "add --kv-cache-dtype fp8",
		Question: "Will the quality be checked with evals after the change?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/config/cache.py", Symbol: "cache_dtype", Checked: "2026-11-29",
				Note: "auto keeps the model's own type."},
			{Artefact: "vllm 0.29.0", File: "vllm/v1/core/kv_cache_utils.py", Symbol: "Maximum concurrency for %s tokens per request", Checked: "2026-11-29",
				Note: "The same number as vLLM logs it at start."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			m, ok := e.memory()
			if !ok || !m.budget() || m.context < longContext || m.width != 2 || e.ArgOn("num-gpu-blocks-override") || !fp8Cache(m.gpu) {
				continue
			}
			most := m.sequences(0)
			if most < 1 || most > 3 {
				continue // an engine that does not start is another rule's
			}
			at := e.At("args", "kv-cache-dtype")
			p.Report(at, "%s with a 16-bit KV cache on %s: --kv-cache-dtype fp8 halves the cost of %s GiB a sequence and GPU, validate it with evals",
				m.fitting(), m.gpu, gib(m.sequence())).OnKey().
				Figure(m.sequencesFigure()).
				Fix(model.Fix{Ops: []model.Op{model.Set(at, "fp8")}, Brings: []string{"vllm-fp8-kv-without-scales"}})
		}
	},
})

// fitting says how many of the longest sequences fit.
func (m *memory) fitting() string {
	tokens := " of " + model.Number(m.context) + " tokens"
	switch n := m.sequences(overheadGiB); n {
	case 0:
		return "not one sequence" + tokens + " fits"
	case 1:
		return "1 sequence" + tokens + " fits"
	default:
		return strconv.Itoa(n) + " sequences" + tokens + " fit"
	}
}

// sequencesFigure is the number of longest sequences with how it comes about.
func (m *memory) sequencesFigure() model.Figure {
	formula := "(" + gib(m.gib) + " x " + model.Number(m.fraction) + " - " + gib(m.weights) + " - " + model.Number(overheadGiB) + ") / " + gib(m.sequence()) + " GiB per GPU"
	if m.cache > 0 {
		formula = gib(m.cache) + " / " + gib(m.sequence()) + " GiB per GPU"
	}
	return model.Figure{Name: "longest sequences that fit", Value: float64(m.sequences(overheadGiB)), Unit: "sequences", Formula: formula}
}

// fp8Cache reports whether a GPU of the table supports an fp8 cache: compute capability 8.9 and newer, and MI300.
func fp8Cache(gpu string) bool {
	for _, prefix := range [...]string{"L4", "L40", "RTX-4000-Ada", "RTX-4090", "RTX-6000-Ada", "RTX-5090", "RTX-PRO-", "H100", "H200", "H20", "GH200", "B200", "B300", "GB", "MI300", "MI325", "MI350", "MI355"} {
		if strings.HasPrefix(gpu, prefix) {
			return true
		}
	}
	return false
}
