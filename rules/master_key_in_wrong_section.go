package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "master-key-in-wrong-section",
		Title:    "The master key or the database stands in a section where it is not read",
		Category: "security",
		Why: "`master_key` and `database_url` are read from general_settings alone. Under litellm_settings, router_settings or at the top\n" +
			"level they are dropped without a message. Unless LITELLM_MASTER_KEY is set, a gateway before 1.104.0 then answers everybody,\n" +
			"with any key or none, and a newer one refuses to start; without DATABASE_URL it has no keys, budgets or spend logs.",
		Remedy:     "Move the key to `general_settings`.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.env"},
		Fix:        model.Safe,
		FixTitle:   "move it to general_settings",
		Question:   "Is this the value that the gateway should run with? It has not counted so far.",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: `master_key = general_settings.get("master_key", get_secret("LITELLM_MASTER_KEY", None))`, Checked: "2026-11-30",
				Note: "Run with a key under litellm_settings, under router_settings and at the top level: 1.102.0 answers 200 without any key, 1.110.2 refuses to start."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_cli.py", Symbol: `database_url = general_settings.get("database_url", None)`, Checked: "2026-11-30"},
		},
	},
	Check: func(p *Pass) {
		config := p.Root.At("gateway", "config")
		for _, name := range generalOnly {
			for _, section := range [...]string{"", "litellm_settings", "router_settings"} {
				holder := config
				if section != "" {
					holder = config.Get(section)
				}
				if holder.Get(name) != nil {
					p.wrongSection(section, name)
				}
			}
		}
	},
})

// generalOnly are the keys of general_settings that decide who may use the gateway and where it keeps that.
var generalOnly = [...]string{"master_key", "database_url"}

// wrongSection reports a key of general_settings that is written in another section, "" being the top level.
func (p *Pass) wrongSection(section, name string) {
	at, place := model.Path{"gateway", "config"}, "at the top level"
	if section != "" {
		at, place = at.With(section), "under "+section
	}
	at = at.With(name)
	text, ok := p.Text(at...)
	if !ok || text == "" {
		p.noteUnseen(at)
		return
	}
	to := generalSettings(name)
	switch p.State(to...) {
	case model.Present:
		return
	case model.Unseen:
		p.Unchecked(to.String())
		return
	}
	variable := "LITELLM_MASTER_KEY"
	if name == "database_url" {
		variable = "DATABASE_URL"
	}
	effect, severity := "so it has no effect; it belongs under general_settings", model.Warning
	state := p.variableOf(variable)
	switch {
	case state == model.Present:
		effect = "so " + variable + " counts in its place; it belongs under general_settings"
	case state == model.Unseen || p.otherwiseKept(name):
	case name == "database_url":
		effect, severity = "so the gateway runs without a database: no keys, no budgets, no spend logs", model.Error
	case p.AtLeast("1.104.0"):
		effect, severity = "so no key is set and LiteLLM "+p.GatewayVersion().String()+" refuses to start", model.Error
	default:
		effect, severity = "so every request is accepted without a key", model.Error
	}
	r := p.Report(at, "%s is not read %s, %s", name, place, effect).OnKey().Severity(severity)
	fix := model.Fix{Ops: []model.Op{{Kind: model.OpMove, At: at, To: to}}}
	if !reference(text) || state != model.Absent && text != referencePrefix+variable {
		fix.Safety = model.Unsafe
		if name == "master_key" {
			fix.Brings = []string{"master-key-literal", "master-key-weak"}
		}
	}
	r.Fix(fix)
}

// otherwiseKept reports whether the gateway may have its keys or its database from elsewhere: a secret manager, a chart, the
// parts of a database's address, requests that are authenticated in another way.
func (p *Pass) otherwiseKept(name string) bool {
	if p.State("gateway", "helm") != model.Absent || p.IsTrue("gateway", "fragment") || p.State(generalSettings("key_management_system")...) != model.Absent {
		return true
	}
	if name == "database_url" {
		return p.State("gateway", "env", "DATABASE_HOST") != model.Absent || p.State("gateway", "env", "DIRECT_URL") != model.Absent
	}
	for _, key := range [...]string{"custom_auth", "enable_jwt_auth", "enable_oauth2_auth", "enable_oauth2_proxy_auth", "dangerously_permit_weak_or_unset_master_key"} {
		if p.State(generalSettings(key)...) != model.Absent {
			return true
		}
	}
	return p.variableOf("LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY") != model.Absent
}
