package rules

import (
	"math"
	"strconv"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-weights-do-not-fit",
		Title:    "The weights alone do not fit into the GPUs",
		Category: "engine-memory",
		Why: `The weights take parameters x bytes: 2 per parameter in 16 bits, 1 in fp8 and int8, 0.5 and more in 4 bits. Tensor and pipeline parallelism divide
them over the GPUs. When the share of one GPU is larger than its memory times ` + "`--gpu-memory-utilization`" + `, the engine cannot start, whatever the
context: it runs out of memory while it loads, or stops with "No available memory for the cache blocks". All parameters count, also the experts
that a token does not use.`,
		Remedy: `Spread the model over more GPUs with ` + "`--tensor-parallel-size`" + `, take a checkpoint with smaller weights (FP8, AWQ), or a GPU with more memory. Leave
room for the KV cache: weights that just fit leave none.`,
		Severity: model.Error, Confidence: model.Medium,
		Inputs: []string{"engine.args", "engine.gpu"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/v1/core/kv_cache_utils.py", Symbol: "No available memory for the cache blocks", Checked: "2026-11-29",
				Note: "Raised when nothing is left of the memory times the fraction after the weights and the activation peak."},
			{Artefact: "vllm 0.29.0", File: "vllm/config/cache.py", Symbol: "gpu_memory_utilization", Checked: "2026-11-29",
				Note: "Default 0.92; 0.9 in 0.19.1 and older."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			m, ok := e.memory()
			if !ok || m.weights == 0 {
				continue
			}
			limit, share := m.gib*m.fraction, model.Number(m.fraction)+" of "+gib(m.gib)
			if m.cache > 0 {
				limit, share = m.gib, "the whole of "+gib(m.gib)
			}
			if m.weights <= limit {
				continue
			}
			at := e.At("model")
			if e.State("args", "tensor-parallel-size") == model.Present {
				at = e.At("args", "tensor-parallel-size", 0)
			}
			over, each := "one GPU", ""
			if n := m.shards * m.pipeline; n > 1 {
				over = strconv.Itoa(n) + " GPUs"
				each = " on each of " + over
			}
			need := int(math.Ceil(m.weights * float64(m.shards*m.pipeline) / limit))
			name, _ := e.Text("model")
			p.Report(at, "the weights of %s take at least %s GiB%s, and vLLM may use %s GiB of a GPU%s: the engine cannot start with fewer than %d of them",
				model.Quote(name), gib(m.weights), each, share, m.on(), need).
				Figure(model.Figure{Name: "weights per GPU", Value: math.Round(m.weights*100) / 100, Unit: "GiB",
					Formula: model.Number(m.geometry.Parameters) + " billion parameters in " + m.precision + " / " + over, Limit: new(math.Round(limit*100) / 100)})
		}
	},
})
