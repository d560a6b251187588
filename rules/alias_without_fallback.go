package rules

import (
	"slices"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "alias-without-fallback",
		Title:    "An alias has no fallback, its model has",
		Category: "models",
		Why: `Fallbacks are looked up by the name that the client asked for, before an alias is resolved. A call to the alias of a
model that has fallbacks gets none: it fails when the model fails (run with 1.102.0 and 1.110.2). The other way round
works: an alias may be the target of a fallback.`,
		Remedy:   "Write an entry under the alias too, or `default_fallbacks`, or an entry for `*`.",
		Severity: model.Warning, Confidence: model.High,
		Inputs:   []string{"gateway.config"},
		When:     []string{"gateway.config.router_settings.model_group_alias"},
		Fix:      model.Safe,
		FixTitle: "copy the fallback under the alias",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/fallback_event_handlers.py", Symbol: "def get_fallback_model_group", Checked: "2026-11-29",
				Note: "Run with 1.102.0 and 1.110.2: a call to the alias is not answered by the fallback of its model."},
		},
	},
	Check: func(p *Pass) {
		at := model.Path{"gateway", "config", "router_settings", "model_group_alias"}
		p.noteUnseen(at)
		aliases := p.Get(at...)
		for _, section := range fallbackSections {
			if !p.Absent("gateway", "config", section, "default_fallbacks") {
				return
			}
		}
		for i, alias := range aliases.Keys() {
			target, ok := aliases.Items()[i].AsText()
			if !ok {
				target, ok = aliases.Items()[i].Get("model").AsText()
			}
			if !ok || alias == target {
				continue
			}
			var ops []model.Op
			var first fallback
			var kind string
			for list := range p.fallbackLists() {
				f, missing := p.fallbackOnlyOf(&list, target, alias)
				if !missing {
					continue
				}
				if kind == "" {
					first, kind = f, list.Kind
				}
				if targets, ok := f.Targets.Plain().([]any); ok && !slices.Contains(targets, nil) {
					ops = append(ops, model.Append(list.Path, map[string]any{alias: targets}))
				}
			}
			if kind == "" {
				continue
			}
			r := p.Report(at.With(alias), "the alias %s has no entry in %s, and that of %s does not count for it: calls to the alias have no fallback", model.Quote(alias), kind, model.Quote(target)).OnKey().
				RelatedKey(first.At, "the fallback of the model")
			if len(ops) > 0 {
				r.Fix(model.Fix{Ops: ops})
			}
		}
	},
})

// fallbackOnlyOf returns the entry of a model in a list that has none for its alias.
func (p *Pass) fallbackOnlyOf(list *fallbackList, name, alias string) (found fallback, missing bool) {
	if !list.complete() {
		return fallback{}, false
	}
	for f := range list.entries() {
		switch f.Source {
		case "*", alias, p.stripped(alias):
			return fallback{}, false
		case name:
			if !missing && f.Targets.Kind == model.List {
				found, missing = f, true
			}
		}
	}
	return found, missing
}
