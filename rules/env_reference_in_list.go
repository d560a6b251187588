package rules

import (
	"slices"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "env-reference-in-list",
		Title:    "An environment reference is a plain item of a list",
		Category: "secrets",
		Why: `LiteLLM looks for os.environ/NAME in the values of mappings, also of mappings inside lists, and passes over texts that
are items of a list. The literal text is used: an allowed_ips of [os.environ/OFFICE_IP] lets nobody in, a tag or a
fallback of that name does not exist.`,
		Remedy:     "Write the value itself, or set the whole list where the program has a variable for it. Items that are mappings (`- host: os.environ/HOST`) are replaced.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "for item in value:", Checked: "2026-11-29",
				Note: "Items of a list are looked into only when they are mappings."},
			{Artefact: "litellm 1.110.2", File: "litellm/proxy/proxy_server.py", Symbol: "def _resolved_config_value", Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/types_utils/utils.py", Symbol: "def get_instance_fn", Checked: "2026-11-30",
				Note: "Run: callbacks and success_callback: [os.environ/CALLBACK] end the start with AttributeError: module 'os' has no attribute 'environ/CALLBACK'."},
		},
	},
	Check: func(p *Pass) {
		for c := range p.configTexts() {
			if !c.Item() || !reference(c.Text()) || c.resolvesItself() {
				continue
			}
			name := strings.TrimPrefix(c.Text(), referencePrefix)
			if !envName(name) {
				continue
			}
			at := c.Path()
			switch {
			case len(at) == 5 && at[2] == "litellm_settings" && slices.Contains([]any{"callbacks", "success_callback", "failure_callback"}, at[3]):
				p.Report(at, "os.environ/%s is a plain item of %s, where LiteLLM takes it as the path of a Python object: the gateway does not start (module 'os' has no attribute 'environ/%[1]s')", name, at[3])
			case c.inCallbacks():
			default:
				p.Report(at, "os.environ/%s is a plain item of a list, where LiteLLM never replaces it: the text itself is used", name)
			}
		}
	},
})

// inCallbacks reports whether the text stands in a list of callbacks, which are names.
func (c *configText) inCallbacks() bool {
	for key := range c.keys() {
		if strings.HasSuffix(key, "callback") || strings.HasSuffix(key, "callbacks") {
			return true
		}
	}
	return false
}
