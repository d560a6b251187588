package rules

import (
	"fmt"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "setting-needs-newer-gateway",
		Title:    "A setting is newer than the gateway that runs",
		Category: "versions",
		Why: `A release ignores the settings that a later one brought: admission control on 1.100, session_affinity on 1.81.6 or a
coordination Redis on 1.92 stand in the file and do nothing, so the protection they promise does not exist. A routing
strategy that is not known yet stops the start. Some settings were carried back to older lines and are missing in
between.`,
		Remedy:     `Update the gateway to the release that the message names, or remove the setting until then.`,
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.image"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.101.0", File: "litellm/proxy/middleware/admission_control_middleware.py", Symbol: "max_in_flight_requests_per_worker", Checked: "2026-11-29",
				Note: "The file is not in 1.100.5, where the key is kept and never read."},
			{Artefact: "litellm 1.81.16", File: "litellm/types/router.py", Symbol: "session_affinity", Checked: "2026-11-29",
				Note: "Not in 1.81.12, where the value is ignored without a message."},
		},
	},
	Check: func(p *Pass) {
		if !p.pinned() {
			return
		}
		for _, section := range settingSections {
			for s := range p.oddSettings(section) {
				effect := "ignores it"
				if section == "router_settings" {
					effect = "drops it"
				}
				p.needsNewer(s.Path(), true, s.Name, s.Entry, s.Presence, effect, section == "router_settings")
			}
		}
		router := model.Path{"gateway", "config", "router_settings"}
		for item := range p.Parts(router.With(preCallChecks)...) {
			if name, ok := item.AsText(); ok {
				e, presence := p.LiteLLM().EnumValue(preCallChecks, name)
				p.needsNewer(item.Path(), false, name, e, presence, "ignores it without a message", false)
			}
		}
		if name, ok := p.Text(router.With(routingStrategy)...); ok {
			e, presence := p.LiteLLM().EnumValue(routingStrategy, name)
			effect := "does not start with it"
			if !p.AtLeast("1.81.0") {
				effect = "finds no deployment with it"
			}
			p.needsNewer(router.With(routingStrategy), false, name, e, presence, effect, false)
		}
		for _, list := range callbackLists {
			for item := range p.Parts("gateway", "config", "litellm_settings", list.key) {
				name, ok := item.AsText()
				if !ok || p.ownCallback(name) {
					continue
				}
				if e, presence := p.callback(name, list.enums); presence == knowledge.NotYet || presence == knowledge.Between {
					p.needsNewer(item.Path(), false, name, e, presence, list.unknown, false)
				}
			}
		}
	},
})

// needsNewer reports a name that the gateway's release does not know yet, or not in its line.
func (p *Pass) needsNewer(at model.Path, onKey bool, name string, e knowledge.Entry, presence knowledge.Presence, effect string, mild bool) {
	if presence != knowledge.NotYet && presence != knowledge.Between {
		return
	}
	release := p.LiteLLM()
	since := fmt.Sprintf("exists from LiteLLM %s on", e.Since())
	if presence == knowledge.Between {
		for _, s := range e.Spans() {
			if s.From.Compare(release.Version) > 0 {
				since = fmt.Sprintf("exists again from LiteLLM %s on", s.From)
				break
			}
		}
	}
	r := p.Report(at, "%s %s; the %s that runs %s", name, since, p.GatewayVersion(), effect)
	if onKey {
		r.OnKey()
	}
	if mild || release.Match != knowledge.Exact {
		r.Severity(model.Warning)
	}
	if source, _ := p.Text("gateway", "version_source"); source == "image" {
		r.Related(model.Path{"gateway", "version"}, "LiteLLM %s", p.GatewayVersion())
	}
}
