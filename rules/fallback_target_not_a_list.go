package rules

import (
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "fallback-target-not-a-list",
		Title:    "A fallback's target is a text and no list",
		Category: "routing",
		Why: `An entry of fallbacks maps a model to a list of models. A plain text in the list's place is walked letter by letter by
releases up to 1.108.0, so no model is found and the request fails without a fallback. From 1.108.7 on the gateway does
not start: Fallbacks for 'a' must be a list of model names. In context_window_fallbacks and content_policy_fallbacks a
text is passed over without a message in all of them.`,
		Remedy:     "Write a list, also for one model: `- gpt-4o: [claude]`.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.router_settings", "gateway.config.litellm_settings"},
		Fix:        model.Safe,
		FixTitle:   "write a list",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.110.2", File: "litellm/router_rust/surface/fallbacks.py", Symbol: "must be a list of model names", Checked: "2026-11-29",
				Note: "Run: fallbacks with a text target refuse to start with 1.110.2 and are no fallback with 1.102.0; in context_window_fallbacks both pass it over. The refusal is absent in 1.108.0."},
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/fallback_event_handlers.py", Symbol: "def get_fallback_model_group", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for list := range p.fallbackLists() {
			for f := range list.entries() {
				target, ok := f.Targets.AsText()
				if !ok {
					continue
				}
				effect := "is walked letter by letter, so the fallback is missing when it is needed"
				switch {
				case list.Kind != "fallbacks":
					effect = "is passed over, so the fallback is missing when it is needed"
				case p.AtLeast("1.108.7"):
					effect = "stops the gateway at the start (must be a list of model names)"
				}
				fix := model.Fix{Ops: []model.Op{model.Set(f.At, []any{target})}}
				if names := p.modelNames(); names.missing(target) {
					fix.Safety, fix.Question, fix.Brings = model.Unsafe, "Will there be a model group named "+model.Quote(target)+"? None is now.", []string{"fallback-target-missing"}
				}
				p.Report(f.At, "the target of %s in %s is a text, which %s; write [%s]", model.Quote(f.Source), list.Kind, effect, model.Quote(target)).Fix(fix)
			}
		}
	},
})
