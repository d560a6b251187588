package rules

import (
	"slices"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "affinity-config-unknown-group",
		Title:    "The affinity of a group names a group or a flag that does not exist",
		Category: "affinity",
		Why: `model_group_affinity_config maps a group to its flags. An entry for a group that does not exist changes nothing, without
a message; an unknown flag gives a warning in the log and pins nothing. Only membership is tested, so a mapping works
like a list and session_affinity: false switches the affinity on.`,
		Remedy: "Write the model_name of the group and a list of flags: `coder: [session_affinity]`. The flags are session_affinity, deployment_affinity, " +
			"responses_api_deployment_check and, from 1.90, encrypted_content_affinity. An empty list switches pinning off for the group.",
		Severity: model.Warning, Confidence: model.High,
		Inputs:   []string{"gateway.config"},
		When:     []string{"gateway.config.router_settings.model_group_affinity_config"},
		Applies:  []string{"litellm>=1.82.6"},
		Fix:      model.Unsafe,
		FixTitle: "write the name that exists",
		Question: "Is this the group or the flag that was meant?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/pre_call_checks/deployment_affinity_check.py", Symbol: "_get_effective_flags", Checked: "2026-11-29",
				Note: "Run with 1.102.0 and 1.110.2: a text and a mapping work, session_affinity: false pins. First in 1.82.6."},
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/pre_call_checks/deployment_affinity_check.py", Symbol: "encrypted_content_affinity", Checked: "2026-11-29",
				Note: "First in 1.90.0, absent in 1.89.0."},
		},
	},
	Check: func(p *Pass) {
		at := model.Path{"gateway", "config", "router_settings", "model_group_affinity_config"}
		p.noteUnseen(at)
		config := p.Get(at...)
		if config == nil || config.Kind != model.Map {
			return
		}
		names := p.modelNames()
		flags := []string{"session_affinity", "deployment_affinity", "responses_api_deployment_check"}
		if p.AtLeast("1.90.0") {
			flags = append(flags, "encrypted_content_affinity")
		}
		for i, group := range config.Keys() {
			if names.closed && !names.stored && !names.has(group) {
				hint := names.near(group)
				end := ""
				if hint != "" {
					end = "; did you mean " + model.Quote(hint)
				}
				r := p.Report(at.With(group), "model_group_affinity_config has an entry for %s, and no model group or alias has that name: nothing is pinned%s", model.Quote(group), end).OnKey()
				if hint != "" && p.Absent(at.With(hint)...) {
					r.Fix(model.Fix{Title: "write " + hint, Ops: []model.Op{model.Rename(at.With(group), hint)}})
				}
			}
			p.affinityFlags(group, at.With(group), config.Items()[i], flags)
		}
	},
})

// affinityFlags reports flags of a group that do not exist, and those that are switched off in vain.
func (p *Pass) affinityFlags(group string, at model.Path, v *model.Value, flags []string) {
	check := func(at model.Path, flag string, onKey bool) {
		if slices.Contains(flags, flag) {
			return
		}
		found, _ := near(flag, slices.Values(flags))
		end := "; the flags are " + strings.Join(flags, ", ")
		if len(found) == 1 {
			end = "; did you mean " + found[0]
		}
		r := p.Report(at, "%s is no flag of affinity in LiteLLM %s, so group %s is not pinned by it%s", model.Quote(flag), p.LiteLLM().Version, model.Quote(group), end)
		if onKey {
			r.OnKey()
		}
		if len(found) != 1 {
			return
		}
		op := model.Set(at, found[0])
		if onKey {
			op = model.Rename(at, found[0])
		}
		r.Fix(model.Fix{Title: "write " + found[0], Ops: []model.Op{op}})
	}
	switch v.Kind {
	case model.List:
		for i, item := range v.Items() {
			if s, ok := item.AsText(); ok {
				check(at.With(i), s, false)
			}
		}
	case model.Map:
		for i, flag := range v.Keys() {
			if off, ok := v.Items()[i].AsBool(); ok && !off && slices.Contains(flags, flag) {
				p.Report(at.With(flag), "%s: false switches the affinity of group %s on, because only the name is looked at; leave it out to switch it off", flag, model.Quote(group))
				continue
			}
			check(at.With(flag), flag, true)
		}
	}
}
