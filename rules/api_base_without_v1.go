package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "api-base-without-v1",
		Title:    "An engine's address has no /v1",
		Category: "models",
		Why: `The gateway appends the path of the endpoint to api_base as it is written, so http://vllm:8000 is called at
/chat/completions, which vLLM answers 404 Not Found (run with 1.102.0 and 1.110.2, for openai/ and hosted_vllm/).`,
		Remedy:   "Write `http://vllm:8000/v1`.",
		Severity: model.Error, Confidence: model.High,
		Inputs:   []string{"gateway.config"},
		When:     []string{"gateway.config.model_list"},
		Fix:      model.Safe,
		FixTitle: "append /v1",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/llms/openai/chat/gpt_transformation.py", Symbol: `return f"{api_base}/{endpoint}"`, Checked: "2026-11-29"},
			{Artefact: "vllm 0.29.0", File: "vllm/entrypoints/openai/chat_completion/api_router.py", Symbol: `"/v1/chat/completions"`, Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for a := range p.addresses(bareHost) {
			if strings.Trim(a.URL.Path, "/") != "" || a.URL.RawQuery != "" || a.URL.Fragment != "" {
				continue
			}
			d := p.deployment(a.Index)
			provider, _ := d.Get("provider").AsText()
			kind, known := d.At("target", "kind").AsText()
			own := provider == "hosted_vllm"
			if !known || !own && provider != "openai" && provider != "text-completion-openai" || !p.servesUnderV1(a, d, kind, own) {
				continue
			}
			p.Report(a.Path(), "the address has no /v1, so the engine is asked at /chat/completions and answers 404").
				Fix(model.Fix{Ops: []model.Op{model.Set(a.Path(), strings.TrimRight(a.Text, "/")+"/v1")}})
		}
	},
})

// bareHost reports whether nothing follows the host of an address.
func bareHost(text string) bool {
	_, rest, _ := strings.Cut(text, "//")
	return !strings.Contains(strings.TrimRight(rest, "/"), "/")
}

// servesUnderV1 reports whether what an address leads to answers below /v1 only: an engine, and what is called one. Behind
// openai/ may be anything that speaks its API: another gateway answers without /v1 too, a router is mounted where its operator
// likes.
func (p *Pass) servesUnderV1(a address, d *model.Value, kind string, own bool) bool {
	switch kind {
	case "engine":
		return true
	case "router":
		name, _ := d.At("target", "name").AsText()
		for r := range p.Parts("routers") {
			if n, _ := r.Text("name"); n == name {
				k, _ := r.Text("kind")
				return k == "production-stack" || k == "sglang" || k == "dynamo"
			}
		}
		return false
	case "gateway":
		return false
	case "external":
		return own || strings.HasSuffix(strings.ToLower(a.URL.Hostname()), ".openai.com")
	case "service":
		return own
	}
	return own || a.URL.Port() == "8000"
}
