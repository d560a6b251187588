package rules

import (
	"sync"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/secret"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "model-api-key-literal",
		Title:    "A provider's key is written in the config",
		Category: "secrets",
		Why: `A key in the config is in the repository and its history, in the ConfigMap or the image, and in every copy of the file.
Whoever reads it spends the account's money, and providers that scan public repositories revoke it without warning.`,
		Remedy:     "Write `api_key: os.environ/OPENAI_API_KEY` and set the variable from a secret. Then revoke the key: the old one stays in the history.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.model_list", "gateway.config.credential_list", "gateway.config.environment_variables"},
		Fix:        model.Unsafe,
		FixTitle:   "take the key from the environment",
		Question:   "Is the variable set where the gateway starts, and will the key be revoked?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/litellm_core_utils/secret_redaction.py", Symbol: "_build_secret_patterns", Checked: "2026-11-29",
				Note: "The shapes of keys that LiteLLM itself hides in its log."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "def _check_for_os_environ_vars", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		hosted := sync.OnceValue(p.hostedEntries)
		for c := range p.configTexts() {
			shape, ok := knowledge.FindKeyShape(c.Text())
			if !ok || secret.Placeholder(c.Text()) {
				continue
			}
			at := c.Path()
			section, _ := at[2].(string)
			switch section {
			case "model_list":
				if index, ok := at[3].(int); !ok || !hosted()[index] || len(at) < 6 || at[4] != "litellm_params" {
					continue
				}
			case "credential_list", "environment_variables":
			default:
				continue
			}
			r := p.Report(at, "a key of the shape that %s hands out is written here: everyone who can read the repository can use it", shape.Provider).InExample(p, model.Info)
			name := keyVariable(shape.Provider, at[len(at)-1])
			if section != "environment_variables" && !c.Item() && name != "" {
				r.Fix(model.Fix{Title: "write os.environ/" + name, Ops: []model.Op{model.Set(at, referencePrefix+name)}, Brings: []string{"env-reference-undefined"}})
			}
		}
	},
})

// keyVariable is the variable in which a provider's key is usually handed over.
func keyVariable(provider string, key any) string {
	switch provider {
	case "bedrock":
		return "AWS_ACCESS_KEY_ID"
	case "vertex_ai":
		return ""
	}
	if key != "api_key" {
		return ""
	}
	for _, x := range [...][2]string{
		{"anthropic", "ANTHROPIC_API_KEY"}, {"cerebras", "CEREBRAS_API_KEY"}, {"databricks", "DATABRICKS_API_KEY"}, {"fireworks_ai", "FIREWORKS_AI_API_KEY"},
		{"gemini", "GEMINI_API_KEY"}, {"groq", "GROQ_API_KEY"}, {"huggingface", "HUGGINGFACE_API_KEY"}, {"nvidia_nim", "NVIDIA_NIM_API_KEY"}, {"openai", "OPENAI_API_KEY"},
		{"openrouter", "OPENROUTER_API_KEY"}, {"perplexity", "PERPLEXITYAI_API_KEY"}, {"replicate", "REPLICATE_API_KEY"}, {"together_ai", "TOGETHERAI_API_KEY"}, {"xai", "XAI_API_KEY"},
	} {
		if x[0] == provider {
			return x[1]
		}
	}
	return ""
}

// hostedEntries returns the entries of model_list that lead to hosted APIs for certain: those without an address of their own
// that the files could follow, in groups that are not all one's own servers.
func (p *Pass) hostedEntries() map[int]bool {
	out := map[int]bool{}
	for g := range p.Groups() {
		if own, ok := g.Get("self_hosted").AsBool(); own || !ok {
			continue
		}
		for _, d := range g.Deployments() {
			kind, _ := d.At("target", "kind").AsText()
			if index, ok := d.Get("index").AsInt(false); ok && kind == "external" {
				out[int(index)] = true
			}
		}
	}
	return out
}
