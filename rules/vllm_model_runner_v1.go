package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-model-runner-v1",
		Title:    "The V1 model runner is kept by hand",
		Category: "engine-args",
		Why: `vLLM 0.22 to 0.28 chose the model runner by architecture, and from 0.29 on the V2 runner is the default for every model. ` + "`VLLM_USE_V2_MODEL_RUNNER=0`" + ` keeps V1: it is still
honoured in 0.33, but newer features refuse it or switch themselves off, often after an upgrade made for another reason. With a HiSparse configuration
the engine stops at start from 0.30 on: "HiSparse requires Model Runner V2; remove VLLM_USE_V2_MODEL_RUNNER=0."`,
		Remedy: `Remove the variable, and compare throughput and answers. vLLM falls back to V1 by itself for features that V2 lacks, so the variable is needed only where V2 fails: some pooling
models, for which upstream itself names it.`,
		Severity: model.Info, Severities: []model.Severity{model.Error},
		Confidence: model.Medium,
		Inputs:     []string{"engine.env", "engine.image", "engine.args"},
		When:       []string{"engine.env.VLLM_USE_V2_MODEL_RUNNER"},
		Applies:    []string{"vllm>=0.29"},
		Fix:        model.Unsafe, FixTitle: "remove VLLM_USE_V2_MODEL_RUNNER",
		Question: "Was the variable set because of a fault that the release still has?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/config/vllm.py", Symbol: "def use_v2_model_runner", Checked: "2026-11-29",
				Note: "The variable wins; else V2 unless a feature is unsupported. 0.28.0 decides by architecture."},
			{Artefact: "vllm 0.33.0", File: "vllm/config/vllm.py", Symbol: "HiSparse requires Model Runner V2; remove", Checked: "2026-11-29",
				Note: "A ValueError, from 0.30.0 on."},
			{Artefact: "vllm 0.29.0", File: "vllm/v1/worker/gpu/pool/pooling_runner.py", Symbol: "Set VLLM_USE_V2_MODEL_RUNNER=0 to use this model.", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		at := func(e Part) model.Path { return e.At("env", "VLLM_USE_V2_MODEL_RUNNER") }
		for e := range p.VLLMEngines() {
			if value, _ := e.Text("env", "VLLM_USE_V2_MODEL_RUNNER"); value != "0" {
				continue
			}
			fix := model.Fix{Ops: []model.Op{model.Remove(at(e))}}
			if _, state := e.ArgField("attention-config", "hisparse_config"); state == model.Present && e.AtLeast("0.30.0") && hiSparse(e) {
				p.Report(at(e), "VLLM_USE_V2_MODEL_RUNNER=0 with a HiSparse configuration: the engine stops at start with \"HiSparse requires Model Runner V2; remove VLLM_USE_V2_MODEL_RUNNER=0.\"").
					Severity(model.Error).Fix(fix)
				continue
			}
			if role, ok := e.Text("role"); !ok || role == "pooling" || needsV1(e) {
				continue
			}
			p.Report(at(e), "VLLM_USE_V2_MODEL_RUNNER=0 keeps the V1 model runner, which is no longer the default from vLLM 0.29 on; newer features refuse it").Fix(fix)
		}
	},
})

// hiSparse reports whether an attention configuration has a HiSparse part for certain.
func hiSparse(e Part) bool {
	v, _ := e.ArgField("attention-config", "hisparse_config")
	return v != nil && v != false
}

// needsV1 reports whether an engine uses, or may use, a feature that makes vLLM choose the V1 runner itself in some
// release from 0.29 on (vllm 0.29.0 to 0.33.0, vllm/config/vllm.py, _get_v2_model_runner_unsupported_features).
func needsV1(e Part) bool {
	for _, flag := range [...]string{"enable-dbo", "ubatch-size", "enable-elastic-ep", "logits-processors", "kv-sharing-fast-prefill"} {
		if e.ArgOn(flag) {
			return true
		}
	}
	for _, field := range [...]string{"parallel_drafting", "use_heterogeneous_vocab"} {
		if v, state := e.ArgField("speculative-config", field); state == model.Unseen || v == true {
			return true
		}
	}
	method, state := e.ArgField("speculative-config", "method")
	if state == model.Absent {
		var text string
		if text, state = e.Arg("spec-method"); state == model.Present {
			method = text
		}
	}
	switch method {
	case "eagle", "eagle3", "mtp", "dflash", "dspark", "extract_hidden_states":
	default:
		if state != model.Absent {
			return true
		}
	}
	if backend, state := e.Arg("distributed-executor-backend"); state == model.Unseen || backend == "external_launcher" {
		return true
	}
	if mode, state := e.Arg("mamba-cache-mode"); state == model.Unseen || mode == "all" {
		return true
	}
	compilation, state := e.Arg("compilation-config")
	return state == model.Unseen || strings.Contains(compilation, "enable_sp") || strings.Contains(compilation, "STOCK_TORCH_COMPILE")
}
