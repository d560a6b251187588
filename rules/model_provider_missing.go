package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "model-provider-missing",
		Title:    "A model with an address has no provider",
		Category: "models",
		Why: `LiteLLM takes the protocol from what stands before the first slash of the model. Without a provider it knows only the
names of its price list; any other entry is dropped at the start with an error line (LLM Provider NOT provided), and calls
are answered 400, no healthy deployments.`,
		Remedy:     "Write `hosted_vllm/NAME` for vLLM and SGLang, `openai/NAME` for any other server that speaks OpenAI's API, or set custom_llm_provider.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.model_list"},
		Fix:        model.Unsafe,
		FixTitle:   "write hosted_vllm/ before it",
		Question:   "Is it vLLM or another server that speaks OpenAI's API at this address?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/litellm_core_utils/get_llm_provider_logic.py", Symbol: "in litellm.open_ai_chat_completion_models", Checked: "2026-11-29",
				Note: "Run with 1.102.0 and 1.110.2: the gateway starts, logs LLM Provider NOT provided and drops the deployment."},
		},
	},
	Check: func(p *Pass) {
		for g := range p.Groups() {
			if name, _ := g.Text("name"); strings.Contains(name, "*") || g.State("self_hosted") == model.Unseen {
				continue
			}
			for _, d := range g.Deployments() {
				if provider, known := d.Get("provider").AsText(); known && provider == "" {
					p.providerMissing(g, d)
				}
			}
		}
	},
})

// providerMissing reports a deployment that has an address and no provider.
func (p *Pass) providerMissing(g Part, d *model.Value) {
	index, ok := d.Get("index").AsInt(false)
	kind, _ := d.At("target", "kind").AsText()
	if !ok || kind == "" {
		return
	}
	params := model.Path{"gateway", "config", "model_list", int(index), "litellm_params"}
	name, ok := p.Text(params.With("model")...)
	first, _, _ := strings.Cut(name, "/")
	if !ok || name == "" || reference(name) || strings.ContainsAny(name, "*${}") || p.provider(first) && first != name || p.State(params.With("custom_llm_provider")...) != model.Absent {
		return
	}
	// An address of a hosted API tells the provider by itself.
	if base := d.State("api_base"); base != model.Present || kind == "external" && !g.IsTrue("self_hosted") {
		return
	}
	if knowledge.BareModel(name) {
		p.Report(params.With("model"), "%s has no provider: LiteLLM takes it for the model of its price list and uses that provider's protocol with this address", model.Quote(name)).Severity(model.Info)
		return
	}
	p.Report(params.With("model"), "%s has an address and no provider: the deployment is dropped at the start (LLM Provider NOT provided) and its calls fail", model.Quote(name)).
		Fix(model.Fix{Title: "write hosted_vllm/" + name, Ops: []model.Op{model.Set(params.With("model"), "hosted_vllm/"+name)}})
}
