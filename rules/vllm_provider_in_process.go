package rules

import (
	"slices"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-provider-in-process",
		Title:    "vllm/ loads the model into the gateway",
		Category: "models",
		Why: `The provider vllm is the Python library: the gateway would import vllm and load the weights itself. Its image has no
vllm, so it starts and answers every call 500, No module named 'vllm' (run with 1.102.0 and 1.110.2). The provider for an
engine behind an address is hosted_vllm.`,
		Remedy:     "Write `hosted_vllm/NAME` with the engine's address in api_base.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.model_list"},
		Fix:        model.Safe,
		FixTitle:   "write hosted_vllm/",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/llms/vllm/completion/handler.py", Symbol: "from vllm import LLM", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for entry := range p.ModelList() {
			name, ok := entry.Text("litellm_params", "model")
			custom, set := entry.Text("litellm_params", "custom_llm_provider")
			var at model.Path
			value := "hosted_vllm"
			switch {
			case set && custom == "vllm":
				at = entry.At("litellm_params", "custom_llm_provider")
			case ok && strings.HasPrefix(name, "vllm/") && entry.Absent("litellm_params", "custom_llm_provider"):
				at, value = entry.At("litellm_params", "model"), "hosted_"+name
			default:
				continue
			}
			address := slices.ContainsFunc([]string{"api_base", "base_url"}, func(key string) bool { return entry.State("litellm_params", key) != model.Absent })
			if !address {
				p.Report(at, "vllm is the library inside the gateway's process, and no address is set: every call is answered 500 (No module named 'vllm')").Severity(model.Warning)
				continue
			}
			p.Report(at, "vllm is the library inside the gateway's process, which does not use the address: every call is answered 500 (No module named 'vllm'); write hosted_vllm").
				Fix(model.Fix{Ops: []model.Op{model.Set(at, value)}})
		}
	},
})
