package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "env-reference-embedded",
		Title:    "An environment reference is part of a longer text",
		Category: "secrets",
		Why: `LiteLLM replaces a value of its config only when the whole value starts with os.environ/, and takes everything behind
it as the variable's name. In https://os.environ/HOST/v1 or "Bearer os.environ/KEY" nothing is replaced and the text is
sent as it stands; os.environ/HOST/v1 asks for a variable of the name HOST/v1, which nothing sets, so the value is None.`,
		Remedy:     "Put the whole value into the variable: `api_base: os.environ/API_BASE`, with the address and its path in API_BASE.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "def _check_for_os_environ_vars", Checked: "2026-11-29",
				Note: `The only test is value.startswith("os.environ/").`},
			{Artefact: "litellm 1.110.2", File: "litellm/proxy/proxy_server.py", Symbol: "def _resolved_config_value", Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/pass_through_endpoints/pass_through_endpoints.py", Symbol: "set_env_variables_in_header", Checked: "2026-11-29",
				Note: "Headers of pass-through endpoints are the exception: a reference at the end of a header is replaced."},
		},
	},
	Check: func(p *Pass) {
		for c := range p.configTexts() {
			i := strings.Index(c.Text(), referencePrefix)
			if i < 0 {
				continue
			}
			rest := c.Text()[i+len(referencePrefix):]
			name := leadingName(rest)
			if name == "" || i == 0 && name == rest || c.prose() || c.resolvesItself() {
				continue
			}
			switch {
			case i > 0:
				p.Report(c.Path(), "os.environ/%s stands inside a longer text, where LiteLLM never replaces it: the text is used as it is; put the whole value into a variable", name)
			case !strings.HasPrefix(rest, "oidc/"):
				p.Report(c.Path(), "everything behind os.environ/ is the variable's name, so this asks for a variable %s and becomes None; put the whole value into %s", model.Quote(rest), name)
			}
		}
	},
})
