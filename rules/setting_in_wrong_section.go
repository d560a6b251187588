package rules

import (
	"slices"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "setting-in-wrong-section",
		Title:    "A setting stands in a section where it is not read",
		Category: "schema",
		Why: `LiteLLM reads each key from one section of its config: json_logs and cache from litellm_settings, alerting and
store_model_in_db from general_settings, routing_strategy from router_settings. In any other section the same key is
ignored, mostly without a message, so what the file shows is not what runs.`,
		Remedy:     `Move the key to the section that the message names.`,
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.general_settings", "gateway.config.litellm_settings", "gateway.config.router_settings"},
		Fix:        model.Safe,
		FixTitle:   "move the key to the section that reads it",
		Question:   "Should the router keep its cooldowns and pins in this Redis, and has it redis_port or redis_url too? The limits of keys need general_settings.coordination_redis.",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "def load_config", Checked: "2026-11-29",
				Note: "Each section is read by itself; the code of one never looks into another."},
		},
	},
	Check: func(p *Pass) {
		for _, section := range settingSections {
			for s := range p.oddSettings(section) {
				if !p.misplaced(s) || slices.Contains(generalOnly[:], s.Name) {
					continue
				}
				home := p.homes(s)[0]
				place, to := "under "+home, model.Path{"gateway", "config", home, s.Name}
				if home == "" {
					place, to = "at the top level", model.Path{"gateway", "config", s.Name}
				}
				r := p.Report(s.Path(), "%s is not read under %s, so it has no effect; it belongs %s", s.Name, section, place).OnKey()
				if p.newerThanTables() {
					r.Severity(model.Info)
				}
				if !p.Absent(to...) {
					if p.Get(to...) != nil {
						r.Related(to, "set here too")
					}
					continue
				}
				x := model.Fix{Title: "move it to its place " + place, Ops: []model.Op{{Kind: model.OpMove, At: s.Path(), To: to}}}
				switch {
				case s.Name == "redis_host":
					x.Safety, x.Brings = model.Unsafe, []string{"router-redis-without-port"}
				case strings.HasPrefix(s.Name, "redis_"):
					x.Safety = model.Unsafe
				case s.Name == "cache" && home == "litellm_settings":
					x.Safety, x.Brings = model.Unsafe, []string{"response-cache-on-by-accident"}
					x.Question = "Should answers be cached? With cache on the gateway answers equal prompts from its cache, across keys and teams."
				}
				r.Fix(x)
			}
		}
	},
})
