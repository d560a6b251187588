package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "fallback-source-missing",
		Title:    "A fallback belongs to a model that does not exist",
		Category: "routing",
		Why: `Fallbacks are looked up by the name that the client asked for. An entry under a name that no group, alias or wildcard
answers to is never used, and the group that it was meant for has no fallback.`,
		Remedy:     "Write the model_name of the group as the key of the entry.",
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.router_settings", "gateway.config.litellm_settings"},
		Fix:        model.Unsafe,
		FixTitle:   "write the model that exists",
		Question:   "Is this the model that was meant?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/fallback_event_handlers.py", Symbol: "def get_fallback_model_group", Checked: "2026-11-29",
				Note: "The requested name is compared with the key, also without its provider; then * counts."},
		},
	},
	Check: func(p *Pass) {
		for list := range p.fallbackLists() {
			names := p.modelNames()
			if !names.closed {
				return
			}
			for f := range list.entries() {
				if p.hasSource(names, f.Source) {
					continue
				}
				hint := names.near(f.Source)
				end := ""
				if hint != "" {
					end = "; did you mean " + model.Quote(hint)
				}
				r := p.Report(f.At, "%s has an entry for %s, and no model group, alias or wildcard has that name: it is never used%s", list.Kind, model.Quote(f.Source), end).OnKey()
				if names.stored {
					r.Severity(model.Info)
				}
				if hint != "" {
					r.Fix(model.Fix{Title: "write " + hint, Ops: []model.Op{model.Rename(f.At, hint)}})
				}
			}
		}
	},
})

// hasSource reports whether the router answers to the source of a fallback, so that its entry may be used.
func (p *Pass) hasSource(names *modelNames, source string) bool {
	return source == "*" || names.has(source) || p.strippedSource(names, source)
}

// strippedSource reports whether some name that the router answers to is a source's name behind a provider: a group openai/x, or
// a wildcard openai/*.
func (p *Pass) strippedSource(names *modelNames, source string) bool {
	for _, list := range [...][]string{names.groups, names.aliases} {
		for _, n := range list {
			if p.stripped(n) == source {
				return true
			}
		}
	}
	for _, pattern := range names.patterns {
		if provider, _, ok := strings.Cut(pattern, "/"); ok && p.provider(provider) && wildcard(pattern, provider+"/"+source) {
			return true
		}
	}
	return false
}
