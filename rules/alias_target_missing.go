package rules

import (
	"slices"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "alias-target-missing",
		Title:    "An alias points at a model that does not exist",
		Category: "models",
		Why: `The router resolves an alias once, when it is called, and looks for its model then: a missing one is answered with 400,
There are no healthy deployments for this model, and the start says nothing. The key of another alias and the id of a deployment
do not count as models there (run with 1.102.0 and 1.110.2). Only default fallbacks and the alias's own answer such a call.`,
		Remedy:     "Write the model_name of a group, or a name that a wildcard serves.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.router_settings.model_group_alias"},
		Fix:        model.Unsafe,
		FixTitle:   "write the model that exists",
		Question:   "Is this the model that was meant?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "def _common_checks_available_deployment", Checked: "2026-11-30",
				Note: "Run: an alias of a missing model, of another alias and of a deployment's id is answered 400; one of a name that openai/* serves works; with default_fallbacks their model answers."},
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "def _get_deployment_by_litellm_model", Checked: "2026-11-30", Note: "The model of a deployment's litellm_params is found too."},
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/common_utils.py", Symbol: "def resolve_model_group_alias", Checked: "2026-11-30"},
		},
	},
	Check: func(p *Pass) {
		at := model.Path{"gateway", "config", "router_settings", "model_group_alias"}
		p.noteUnseen(at)
		aliases, names := p.Get(at...), p.modelNames()
		if aliases == nil || aliases.Kind != model.Map || !names.closed {
			return
		}
		for i, alias := range aliases.Keys() {
			v, place := aliases.Items()[i], at.With(alias)
			if v.Kind == model.Map {
				v, place = v.Get("model"), place.With("model")
			}
			target, ok := v.AsText()
			if !ok || target == "" || reference(target) || p.aliasTarget(names, target) != model.Absent {
				continue
			}
			hint, end := names.nearGroup(target), ""
			what := "no model group or wildcard has that name"
			switch {
			case slices.Contains(names.aliases, target) && target != alias:
				what = "that is an alias too, and aliases are resolved once"
				hint = p.aliasedGroup(names, aliases.Get(target))
			case slices.Contains(names.ids, target):
				what = "that is the id of a deployment and no model"
			case hint != "":
				end = "; did you mean " + model.Quote(hint)
			}
			effect := "calls to it fail"
			answered := p.answered(alias)
			if answered {
				effect = "only a fallback answers calls to it"
			}
			r := p.Report(place, "the alias %s points at %s, and %s: %s%s", model.Quote(alias), model.Quote(target), what, effect, end)
			if names.stored || answered {
				r.Severity(model.Warning)
			}
			if hint != "" {
				r.Fix(model.Fix{Title: "write " + hint, Ops: []model.Op{model.Set(place, hint)}})
			}
		}
	},
})

// aliasTarget says whether the router finds deployments under the name that an alias stands for: a group, also one of
// routing_groups, a wildcard, the model of a deployment, or the public name of a team's.
func (p *Pass) aliasTarget(names *modelNames, target string) model.State {
	if slices.Contains(names.groups, target) || slices.ContainsFunc(names.patterns, func(pattern string) bool { return wildcard(pattern, target) }) {
		return model.Present
	}
	if !p.Absent("gateway", "config", "router_settings", "routing_groups") {
		for g := range p.Parts("gateway", "config", "router_settings", "routing_groups") {
			if name, ok := g.Text("group_name"); !ok || name == target {
				return model.Present
			}
		}
		if list := p.Get("gateway", "config", "router_settings", "routing_groups"); list == nil || !fullyKnown(list) {
			return model.Unseen
		}
	}
	for d := range p.ModelList() {
		for _, at := range [...]model.Path{{"litellm_params", "model"}, {"model_info", "team_public_model_name"}} {
			name, ok := d.Text(at...)
			switch {
			case d.State(at...) == model.Unseen, reference(name):
				return model.Unseen
			case ok && name == target:
				return model.Present
			}
		}
	}
	return model.Absent
}

// aliasedGroup is the group that another alias stands for, "" when that one does not exist either.
func (p *Pass) aliasedGroup(names *modelNames, v *model.Value) string {
	if v != nil && v.Kind == model.Map {
		v = v.Get("model")
	}
	if target, ok := v.AsText(); ok && slices.Contains(names.groups, target) {
		return target
	}
	return ""
}

// nearGroup returns the only group that a word is most likely a misspelling of, "" for none.
func (m *modelNames) nearGroup(word string) string {
	found, _ := near(word, slices.Values(m.groups))
	if found = slices.Compact(found); len(found) != 1 {
		return ""
	}
	return found[0]
}

// answered reports whether a fallback may answer a call to a name that no deployment has.
func (p *Pass) answered(name string) bool {
	for _, section := range fallbackSections {
		if !p.Absent("gateway", "config", section, "default_fallbacks") {
			return true
		}
		list := p.Root.At("gateway", "config").Get(section).Get("fallbacks")
		if list == nil {
			continue
		}
		l := &fallbackList{Section: section, Kind: "fallbacks", List: list}
		if !l.complete() {
			return true
		}
		for f := range l.entries() {
			if f.Source == name || f.Source == "*" || f.Source == p.stripped(name) {
				return true
			}
		}
	}
	return false
}
