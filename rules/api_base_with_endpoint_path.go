package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "api-base-with-endpoint-path",
		Title:    "An address ends in the path of an endpoint",
		Category: "models",
		Why: `For openai/ and text-completion-openai/ the client appends the path of the endpoint to api_base by itself, so an address
that ends in /chat/completions is called as /v1/chat/completions/chat/completions and answered 404. hosted_vllm/ uses such
an address as it is (run with 1.102.0 and 1.110.2), for chat only: every other endpoint of the engine is then out of reach.`,
		Remedy:     "End the address at the version: `http://vllm:8000/v1`.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.model_list"},
		Fix:        model.Safe,
		FixTitle:   "trim the path",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/llms/openai/chat/gpt_transformation.py", Symbol: "Check if endpoint is already in the api_base", Checked: "2026-11-29",
				Note: "hosted_vllm comes through here; openai/ through the OpenAI client, which doubles the path. Run with 1.102.0 and 1.110.2."},
		},
	},
	Check: func(p *Pass) {
		for a := range p.addresses(func(text string) bool { return strings.Contains(text, "/completions") }) {
			path := strings.TrimRight(a.URL.Path, "/")
			trimmed, chat := strings.CutSuffix(path, "/chat/completions")
			if !chat {
				var ok bool
				if trimmed, ok = strings.CutSuffix(path, "/completions"); !ok {
					continue
				}
			}
			host := strings.ToLower(a.URL.Hostname())
			if strings.HasSuffix(host, ".azure.com") || strings.Contains(path, "/deployments/") {
				continue
			}
			provider, _ := p.deployment(a.Index).Get("provider").AsText()
			var r *Report
			switch {
			case provider == "openai" || provider == "custom_openai" || provider == "text-completion-openai" || provider == "hosted_vllm" && !chat:
				r = p.Report(a.Path(), "the address ends in %s, and the gateway appends the path of the endpoint to it: requests go to a doubled path and are answered 404", path[len(trimmed):])
			case provider == "hosted_vllm":
				r = p.Report(a.Path(), "the address ends in /chat/completions: hosted_vllm uses it as it is for chat, and no other endpoint of the engine can be reached").Severity(model.Info)
			default:
				continue
			}
			if end := strings.LastIndex(a.Text, path); end > 0 && a.URL.RawQuery == "" && a.URL.Fragment == "" {
				r.Fix(model.Fix{Ops: []model.Op{model.Set(a.Path(), a.Text[:end]+trimmed)}})
			}
		}
	},
})
