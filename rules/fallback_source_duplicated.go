package rules

import (
	"slices"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "fallback-source-duplicated",
		Title:    "A model has two entries in one list of fallbacks",
		Category: "routing",
		Why: `The router takes the first entry whose key is the model that failed and looks no further. The targets of a second
entry for the same model are never tried: with a: [b] and then a: [c] and b down, the request fails (run with 1.102.0
and 1.110.2).`,
		Remedy:     "Write one entry with all targets in their order: `- a: [b, c]`.",
		Severity:   model.Warning,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.router_settings", "gateway.config.litellm_settings"},
		Fix:        model.Safe,
		FixTitle:   "merge it into the first entry",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/fallback_event_handlers.py", Symbol: "def get_fallback_model_group", Checked: "2026-11-29",
				Note: "The loop ends at the first exact match. Run: one entry a: [b, c] reaches c, two entries do not."},
		},
	},
	Check: func(p *Pass) {
		for list := range p.fallbackLists() {
			var seen []fallback
			for f := range list.entries() {
				i := slices.IndexFunc(seen, func(g fallback) bool { return g.Source == f.Source })
				if i < 0 {
					seen = append(seen, f)
					continue
				}
				first := seen[i]
				r := p.Report(f.At, "%s has a second entry for %s, and only the first one counts: its models are never tried", list.Kind, model.Quote(f.Source)).OnKey().
					RelatedKey(first.At, "the entry that counts")
				if ops, ok := mergeFallbacks(first, f); ok {
					r.Fix(model.Fix{Ops: ops})
				}
			}
		}
	},
})

// mergeFallbacks adds the targets of an entry to an earlier one and removes it; ok is false when they are not plain lists.
func mergeFallbacks(first, second fallback) (ops []model.Op, ok bool) {
	var have []string
	for _, f := range [...]fallback{first, second} {
		if f.Targets.Kind != model.List || f.Targets.Open {
			return nil, false
		}
		for _, v := range f.Targets.Items() {
			name, known := v.AsText()
			if !known {
				return nil, false
			}
			if slices.Contains(have, name) {
				continue
			}
			have = append(have, name)
			if f.Path.String() == second.Path.String() {
				ops = append(ops, model.Append(first.At, name))
			}
		}
	}
	return append(ops, model.Remove(second.Path)), true
}
