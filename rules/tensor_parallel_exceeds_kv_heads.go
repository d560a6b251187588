package rules

import (
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "tensor-parallel-exceeds-kv-heads",
		Title:    "More tensor parallelism than KV heads gains no cache",
		Category: "engine-memory",
		Why: `Each tensor-parallel rank keeps at least one KV head. With more ranks than KV heads the heads are repeated: the weights get smaller on each GPU, the cache of a token does not. Models with
latent attention (MLA: DeepSeek, Kimi) keep one vector per token, which every rank holds whole.`,
		Remedy:   "Use the additional GPUs for `--data-parallel-size`, or spread the cache with `--decode-context-parallel-size`.",
		Severity: model.Info, Confidence: model.High,
		Inputs: []string{"engine.args"},
		When:   []string{"engine.args.tensor-parallel-size"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/config/model.py", Symbol: "def get_num_kv_heads", Checked: "2026-11-29", Note: "At least one head per GPU; one for MLA."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			g, n, ok := e.parallel()
			if !ok {
				continue
			}
			if c, ok := e.ArgInt("decode-context-parallel-size", 1); !ok || c != 1 {
				continue
			}
			if heads, kv := g.TensorParallel(n); !heads || !kv {
				continue
			}
			at := e.At("args", "tensor-parallel-size", 0)
			switch {
			case g.LatentDim > 0:
				p.Report(at, "the cache of this model is one latent vector per token, which all %d tensor-parallel ranks hold whole: they give it no more room; data-parallel ranks do", n).Related(e.At("model"), "latent attention")
			case g.KVHeads > 0 && n > g.KVHeads:
				p.Report(at, "%d tensor-parallel ranks share %d KV heads, so each head is kept %d times: the cache gains no room beyond %d; use --data-parallel-size or --decode-context-parallel-size for the rest", n, g.KVHeads, n/g.KVHeads, g.KVHeads).
					Related(e.At("model"), "%d KV heads", g.KVHeads)
			}
		}
	},
})
