package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "general-settings-unknown-key",
		Title:    "A key under general_settings is never read",
		Category: "schema",
		Why: `general_settings is kept as it is written, and code asks it for the keys it knows. Any other key is kept and never
read, without a message: the proxy starts, and the protection or limit in the file does not exist. The keys are those of
LiteLLM's own model of the section and those that its code reads besides it, for every release by itself.`,
		Remedy: `Use the key that the message names, or remove the line. Settings of the library stand under litellm_settings, those
of the router under router_settings.`,
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.Medium,
		Inputs:     []string{"gateway.config", "gateway.image"},
		When:       []string{"gateway.config.general_settings"},
		Fix:        model.Unsafe,
		FixTitle:   "rename the key to the one that is read",
		Question:   "Is this the setting that was meant? It takes effect with the next start.",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: `general_settings.get("`, Checked: "2026-11-29",
				Note: "The section is a plain mapping; a key that no get names is never looked at. Run: no message."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/_types.py", Symbol: "ConfigGeneralSettings", Checked: "2026-11-29",
				Note: "91 fields in 1.102.0, 133 in 1.110.2; code reads keys that are no field, such as enable_drain_endpoint."},
		},
	},
	Check: func(p *Pass) {
		for s := range p.unknownSettings("general_settings") {
			found, _ := p.nearSettings(s)
			if p.newerThanTables() && len(found) == 0 {
				continue
			}
			r := p.Report(s.Path(), "%s under general_settings is read by no LiteLLM release up to %s, so it has no effect%s", model.Quote(s.Name), newest(), p.hint(s, found)).OnKey()
			if p.newerThanTables() {
				r.Severity(model.Info)
			}
			p.renameSetting(r, s, found, model.Unsafe)
		}
	},
})
