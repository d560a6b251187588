package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "router-settings-unknown-key",
		Title:    "A key under router_settings is no argument of the router",
		Category: "schema",
		Why: `The loader compares the keys of router_settings with the arguments of the router and drops the others: below 1.81.3
without a message, from then on with a warning in the log. No release stops at one. The singular enable_pre_call_check,
stream_idle_timeout and ttft_timeout stand in LiteLLM's own documentation and in no release. A few keys pass the
comparison and are set by the proxy itself, so what the file says about them is not used.`,
		Remedy:     `Use the key that the message names, or remove the line.`,
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.image"},
		When:       []string{"gateway.config.router_settings"},
		Fix:        model.Safe,
		FixTitle:   "rename the key to the one that is read",
		Question:   "Is this the setting that was meant? It takes effect with the next start.",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "ROUTER_SETTINGS_MANAGED_OUTSIDE_CONFIG", Checked: "2026-11-29",
				Note: "Run with 1.102.0 and 1.110.2: an unknown key is dropped with a warning, the start goes on."},
			{Artefact: "litellm 1.81.0", File: "litellm/proxy/proxy_server.py", Symbol: "router_settings", Checked: "2026-11-29",
				Note: "Filtered without a message; the warning is first in 1.81.3."},
		},
	},
	Check: func(p *Pass) {
		dropped := "dropped without a message"
		if p.AtLeast("1.81.3") {
			dropped = "dropped with a warning in the log"
		}
		for s := range p.oddSettings("router_settings") {
			if managed(s.Entry) {
				p.Report(s.Path(), "%s under router_settings is not used: the proxy sets it itself", s.Name).OnKey().Severity(model.Info)
			}
		}
		for s := range p.unknownSettings("router_settings") {
			if rejectedByRouter(s.Name) && p.AtLeast("1.81.3") {
				continue
			}
			found, distance := p.nearSettings(s)
			if p.newerThanTables() && len(found) == 0 {
				continue
			}
			r := p.Report(s.Path(), "%s under router_settings is an argument of the router in no LiteLLM release up to %s, so it is %s%s", model.Quote(s.Name), newest(), dropped, p.hint(s, found)).OnKey()
			if p.newerThanTables() {
				r.Severity(model.Info)
			}
			safety := model.Unsafe
			if distance == 1 {
				safety = model.Safe
			}
			p.renameSetting(r, s, found, safety)
		}
	},
})
