package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

const preCallChecks = "optional_pre_call_checks"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "pre-call-check-unknown",
		Title:    "A pre-call check does not exist",
		Category: "routing",
		Why: `router_settings.optional_pre_call_checks is a list of names that the router looks for one by one; it never looks at
what else is in it. A misspelt session_afinity starts without a message and spreads the turns of a conversation over all
replicas. The same holds for a text instead of a list, which worked by accident in 1.102.0 and does nothing in 1.110.2.`,
		Remedy: `Write a list of the eight names: prompt_caching, router_budget_limiting, responses_api_deployment_check,
enforce_model_rate_limits, session_affinity, deployment_affinity, encrypted_content_affinity,
forward_client_headers_by_model_group (the last one is accepted and read by no code).`,
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning, model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.image"},
		When:       []string{"gateway.config.router_settings.optional_pre_call_checks"},
		Fix:        model.Safe,
		FixTitle:   "write the name or the list that is read",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/types/router.py", Symbol: "OptionalPreCallChecks", Checked: "2026-11-29",
				Note: "Run with 1.102.0 and 1.110.2: an unknown value is ignored without a message; session_afinity spreads 9 to 11."},
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "add_optional_pre_call_checks", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		at := model.Path{"gateway", "config", "router_settings", preCallChecks}
		p.noteUnseen(at)
		if s, ok := p.Text(at...); ok && !reference(s) {
			p.preCallCheckText(at, s)
			return
		}
		for item := range p.Parts(at...) {
			name, ok := item.AsText()
			if !ok || reference(name) {
				continue
			}
			if _, presence := p.LiteLLM().EnumValue(preCallChecks, name); presence != knowledge.Unknown {
				continue
			}
			found := p.nearValues(name, preCallChecks)
			r := p.Report(item.Path(), "%s is no pre-call check of any LiteLLM release up to %s, so it is ignored without a message%s", model.Quote(name), newest(), didYouMean(found))
			if p.newerThanTables() {
				r.Severity(model.Info)
			}
			if len(found) == 1 && !p.lists(at, found[0]) {
				r.Fix(model.Fix{Title: "write " + found[0], Ops: []model.Op{model.Set(item.Path(), found[0])}})
			}
		}
	},
})

// preCallCheckText reports a text where the list should be.
func (p *Pass) preCallCheckText(at model.Path, text string) {
	r := p.Report(at, "%s is a text and no list: 1.102.0 still finds the names in it, 1.110.2 runs no check and gives no message", preCallChecks).Severity(model.Warning)
	if _, presence := p.LiteLLM().EnumValue(preCallChecks, text); presence == knowledge.Present {
		r.Fix(model.Fix{Title: "write a list", Ops: []model.Op{model.Set(at, []any{text})}})
	}
}

// lists reports whether a list holds a text.
func (p *Pass) lists(at model.Path, text string) bool {
	for item := range p.Parts(at...) {
		if s, _ := item.AsText(); s == text {
			return true
		}
	}
	return false
}

// didYouMean is the end of a message about a word that is close to known ones.
func didYouMean(found []string) string {
	if len(found) == 0 {
		return ""
	}
	return "; the nearest is " + strings.Join(found, " or ")
}
