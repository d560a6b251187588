package rules

import (
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "fallback-target-missing",
		Title:    "A fallback names a model that does not exist",
		Category: "routing",
		Why: `The router takes fallbacks as they are written and looks for their models only when a group has failed. A name that
no group answers to then fails too, so the fallback is missing in the one moment it was written for; nothing is said at
the start (run with 1.102.0 and 1.110.2).`,
		Remedy:     "Write the model_name of a group, a key of model_group_alias, or a name that a wildcard serves.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.router_settings", "gateway.config.litellm_settings"},
		Fix:        model.Unsafe,
		FixTitle:   "write the model that exists",
		Question:   "Is this the model that was meant?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/fallback_event_handlers.py", Symbol: "def get_fallback_model_group", Checked: "2026-11-29",
				Note: "Run: a fallback to a missing group starts silently and is no fallback."},
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "def validate_fallbacks", Checked: "2026-11-29", Note: "Looks at the shape of entries only."},
		},
	},
	Check: func(p *Pass) {
		check := func(at model.Path, v *model.Value, role, source string) {
			names := p.modelNames()
			name, ok := v.AsText()
			if !ok || !names.missing(name) {
				return
			}
			hint := names.near(name)
			if hint == source {
				hint = "" // a model is no fallback of itself
			}
			end := ""
			if hint != "" {
				end = "; did you mean " + model.Quote(hint)
			}
			r := p.Report(at, "%s names %s, and no model group, alias or wildcard has that name: the fallback fails when it is needed%s", role, model.Quote(name), end)
			if names.stored {
				r.Severity(model.Warning)
			}
			if hint != "" {
				r.Fix(model.Fix{Title: "write " + hint, Ops: []model.Op{model.Set(at, hint)}})
			}
		}
		for list := range p.fallbackLists() {
			for f := range list.entries() {
				if f.Targets.Kind != model.List {
					continue // fallback-target-not-a-list
				}
				if names := p.modelNames(); names.closed && !names.stored && !p.hasSource(names, f.Source) {
					continue // fallback-source-missing
				}
				for i, target := range f.Targets.Items() {
					at := f.At.With(i)
					if target.Kind == model.Map {
						at, target = at.With("model"), target.Get("model")
					}
					check(at, target, list.Kind, f.Source)
				}
			}
		}
		for _, section := range fallbackSections {
			if p.Root.At("gateway", "config").Get(section).Get("default_fallbacks") == nil {
				continue
			}
			for item := range p.Parts("gateway", "config", section, "default_fallbacks") {
				check(item.Path(), item.Value, "default_fallbacks", "")
			}
		}
	},
})
