package rules

import "agentlint/internal/model"

// deadPreCallCheck is accepted by optional_pre_call_checks and read by no code.
const deadPreCallCheck = "forward_client_headers_by_model_group"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "pre-call-check-dead-value",
		Title:    "A pre-call check that no code reads",
		Category: "routing",
		Why: "`forward_client_headers_by_model_group` is in the list of values that `optional_pre_call_checks` accepts, and no branch of " +
			"the router uses it, in 1.102.0 and 1.110.2: the headers of clients are not forwarded, and no message says so. Unknown " +
			"values start as silently as this one.",
		Remedy: "Remove it. To forward client headers for some groups write `litellm_settings.model_group_settings` with " +
			"`forward_client_headers_to_llm_api: [GROUP]`, or `general_settings.forward_client_headers_to_llm_api: true` for all.",
		Severity: model.Info, Confidence: model.High,
		Inputs:   []string{"gateway.config"},
		When:     []string{"gateway.config.router_settings.optional_pre_call_checks"},
		Applies:  []string{"litellm>=1.74.9"},
		Fix:      model.Safe,
		FixTitle: "remove the value",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/types/router.py", Symbol: deadPreCallCheck, Checked: "2026-11-29",
				Note: "The name stands in the accepted list only; first in 1.74.9, absent in 1.70.4."},
			{Artefact: "litellm 1.110.2", File: "litellm/types/router.py", Symbol: deadPreCallCheck, Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		list := model.Path{"gateway", "config", "router_settings", "optional_pre_call_checks"}
		var dead []model.Path
		others := false
		for i, v := range p.Get(list...).Items() {
			if s, ok := v.AsText(); ok && s == deadPreCallCheck {
				dead = append(dead, list.With(i))
			} else {
				others = true
			}
		}
		for _, at := range dead {
			// The last value takes the list with it.
			remove := at
			if !others && len(dead) == 1 {
				remove = list
			}
			p.Report(at, "%s is accepted and read by no code: client headers are not forwarded", deadPreCallCheck).
				Fix(model.Fix{Ops: []model.Op{model.Remove(remove)}})
		}
	},
})
