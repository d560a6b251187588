package rules

import (
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "model-geometry-unknown",
		Title:    "The shape of a model is not known, so its memory was not checked",
		Category: "engine-memory",
		Why: `Whether weights and KV cache fit is computed from layers, KV heads, head dimension and parameters, which differ between models of one size class: Qwen3-30B-A3B has 4 KV
heads where others have 8, so its cache costs half. agentlint has these numbers for the models in its table, for quantised copies whose name says so (AWQ, GPTQ, FP8,
NVFP4), and for a config.json beside the manifests; it does not guess them. Without them the checks of weights, KV cache and sequences are skipped for this engine. A near name
in the message is a hint that the id may be misspelt: vLLM would then fail to download it.`,
		Remedy:   `Correct the id if it is misspelt, or put the model's config.json beside the manifests.`,
		Severity: model.Info, Confidence: model.High,
		Inputs: []string{"engine.args", "engines"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/config/model.py", Symbol: "get_total_num_kv_heads", Checked: "2026-11-29",
				Note: "vLLM takes the same numbers from the model's config.json."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			name, ok := e.Text("model")
			role, ok2 := e.Text("role")
			if !ok || name == "" || !ok2 || role == "pooling" {
				continue
			}
			if _, known := e.geometry(); known || e.State("model_config") != model.Absent {
				continue
			}
			hint := ""
			if near, ok := knowledge.NearestModel(name); ok {
				hint = "; did you mean " + near + "?"
			}
			p.Report(e.At("model"), "the shape of %s is not known, so whether its weights and KV cache fit was not checked%s", model.Quote(name), hint)
		}
	},
})
