package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-fp8-kv-without-scales",
		Title:    "An fp8 KV cache with a checkpoint that may have no scales",
		Category: "engine-args",
		Why: `An fp8 KV cache stores keys and values multiplied by a scale. Without calibrated scales in the checkpoint vLLM uses 1.0 and logs "Using KV cache scaling factor 1.0 for
fp8_e4m3", so large values are clipped and small ones lose digits. The cache costs half, and the answers may get worse, most on long contexts.`,
		Remedy: `Compare evals with and without the fp8 cache. A checkpoint calibrated for it (its name often ends in FP8-KV) brings its own scales; ` + "`fp8_per_token_head`" + ` (0.20 and newer) computes
them while it runs.`,
		Severity: model.Info, Confidence: model.Medium,
		Inputs: []string{"engine.args", "engine.image"},
		When:   []string{"engine.args.kv-cache-dtype"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/model_executor/layers/quantization/kv_cache.py", Symbol: "Using KV cache scaling factor 1.0 for fp8_e4m3", Checked: "2026-11-29",
				Note: "Logged when no scales were loaded and the type is not e5m2; types with scales per token and head return before it."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			dtype, _ := e.Arg("kv-cache-dtype")
			name, ok := e.Text("model")
			if dtype != "fp8" && dtype != "fp8_e4m3" && dtype != "fp8_inc" || !ok || declaresCacheScales(name) || e.ArgOn("calculate-kv-scales") {
				continue
			}
			instead := ""
			if e.AtLeast("0.20.0") {
				instead = ", or take fp8_per_token_head"
			}
			p.Report(e.At("args", "kv-cache-dtype", 0), "--kv-cache-dtype %s with %s, whose name declares no KV scales: without scales vLLM uses 1.0, so check the quality with evals%s", dtype, model.Quote(name), instead)
		}
	},
})
