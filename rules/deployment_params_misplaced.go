package rules

import (
	"slices"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "deployment-params-misplaced",
		Title:    "A parameter of a deployment stands beside litellm_params",
		Category: "models",
		Why: `The router reads a deployment from its litellm_params. An address or a key beside it is not used, so the call goes to
the provider's default address with the default key; weight, order and tags beside it do not route anything. rpm and tpm
beside it are read by one check (enforce_model_rate_limits) and by usage-based routing, never by another choice of a
deployment.`,
		Remedy:     "Move the key under litellm_params.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.model_list"},
		Fix:        model.Safe,
		FixTitle:   "move it under litellm_params",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router_strategy/simple_shuffle.py", Symbol: `m["litellm_params"].get(weight_by)`, Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/router_strategy/lowest_tpm_rpm_v2.py", Symbol: `_deployment.get("tpm")`, Checked: "2026-11-30", Note: "Usage-based routing reads the limits beside litellm_params first."},
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/pre_call_checks/model_rate_limit_check.py", Symbol: `deployment.get("rpm")`, Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for entry := range p.ModelList() {
			if entry.Get("litellm_params") == nil {
				continue
			}
			for i, key := range entry.Keys() {
				if !slices.Contains(deploymentParams[:], key) || !entry.Items()[i].Known() {
					continue
				}
				to := entry.At("litellm_params", key)
				var r *Report
				if key == "rpm" || key == "tpm" {
					if p.routesByUsage() {
						continue
					}
					r = p.Report(entry.At(key), "%s stands beside litellm_params, where only enforce_model_rate_limits reads it and routing does not", key).OnKey().Severity(model.Warning)
				} else {
					r = p.Report(entry.At(key), "%s stands beside litellm_params, where nothing reads it", key).OnKey()
				}
				switch p.State(to...) {
				case model.Absent:
					r.Fix(model.Fix{Ops: []model.Op{{Kind: model.OpMove, At: entry.At(key), To: to}}})
				case model.Present:
					r.Related(to, "set here too")
				}
			}
		}
	},
})

// deploymentParams are parameters of a deployment that people write beside litellm_params.
var deploymentParams = [...]string{"api_base", "api_key", "weight", "order", "tags", "rpm", "tpm"}

// routesByUsage reports whether deployments are chosen by their use, or may be.
func (p *Pass) routesByUsage() bool {
	settings := model.Path{"gateway", "config", "router_settings"}
	if p.State(settings.With("routing_groups")...) != model.Absent {
		return true
	}
	strategy := settings.With("routing_strategy")
	name, _ := p.Text(strategy...)
	return p.State(strategy...) == model.Unseen || strings.HasPrefix(name, "usage-based-routing")
}
