package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "litellm-settings-unknown-key",
		Title:    "A key under litellm_settings becomes a dead attribute",
		Category: "schema",
		Why: `Every key under litellm_settings that the loader does not treat by itself is set as an attribute of the litellm
module, whatever its name. An attribute that no code reads changes nothing and gives no message: service_callbacks
instead of service_callback switches no service metrics on, default_params is no setting at all.`,
		Remedy: `Use the key that the message names, or remove the line. Parameters of a model stand in its litellm_params, flags of
vLLM in the command of the engine.`,
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.image"},
		When:       []string{"gateway.config.litellm_settings"},
		Fix:        model.Safe,
		FixTitle:   "rename the key to the one that is read",
		Question:   "Is this the setting that was meant? It takes effect with the next start.",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "setattr(litellm, key, value)", Checked: "2026-11-29",
				Note: "Run: an unknown key is set on the module and gives no message."},
			{Artefact: "litellm 1.102.0", File: "litellm/__init__.py", Symbol: "service_callback", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for s := range p.unknownSettings("litellm_settings") {
			found, _ := p.nearSettings(s)
			if p.newerThanTables() && len(found) == 0 {
				continue
			}
			r := p.Report(s.Path(), "%s under litellm_settings is read by no LiteLLM release up to %s, so it becomes an attribute without effect%s", model.Quote(s.Name), newest(), p.hint(s, found)).OnKey()
			if p.newerThanTables() || len(found) == 0 {
				r.Severity(model.Info)
			}
			safety := model.Unsafe
			if len(found) == 1 && plural(s.Name, found[0]) {
				safety = model.Safe
			}
			p.renameSetting(r, s, found, safety)
		}
	},
})
