package rules

import (
	"fmt"
	"iter"
	"slices"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "weights-partial",
		Title:    "Only some deployments of a group have a weight",
		Category: "routing",
		Why: `simple-shuffle picks by weight when there is one, else by rpm, else by tpm. From 1.102.0 on it is enough that one
deployment of the group has the number: a missing one counts as 0, so that deployment gets none of the traffic, 0 of 60
calls wherever it stands. Before, the first healthy deployment decides: with a number the others count as 0, without one
all numbers are ignored.`,
		Remedy:     "Write the number on every deployment of the group, or on none. A deployment that is only to be used when others fail gets `order: 2`.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.model_list"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router_strategy/simple_shuffle.py", Symbol: `for weight_by in ["weight", "rpm", "tpm"]`, Checked: "2026-11-29",
				Note: "Run with 1.102.0 and 1.110.2: the deployment without a number gets 0 of 60 calls wherever it stands."},
			{Artefact: "litellm 1.101.0", File: "litellm/router_strategy/simple_shuffle.py", Symbol: "healthy_deployments[0]", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for group, deployments := range p.shuffled() {
			p.partialWeights(group, deployments)
		}
	},
})

// shuffled walks the deployments that simple-shuffle picks from: those of each group of two or more, by their order, of
// which only the first one that is healthy is asked.
func (p *Pass) shuffled() iter.Seq2[string, []Part] {
	return func(yield func(string, []Part) bool) {
		at := model.Path{"gateway", "config", "router_settings", routingStrategy}
		p.noteUnseen(at)
		if strategy, _ := p.Text(at...); !p.Absent(at...) && strategy != "simple-shuffle" || !p.Absent("gateway", "config", "router_settings", "routing_groups") {
			return
		}
		for g := range p.Groups() {
			if len(g.Deployments()) < 2 {
				continue
			}
			name, _ := g.Text("name")
			all := slices.Collect(g.DeploymentEntries())
			if !slices.ContainsFunc(all, func(d Part) bool { return !d.Absent("litellm_params", "order") }) {
				if len(all) > 0 && !yield(name, all) {
					return
				}
				continue
			}
			tiers := map[string][]Part{}
			var order []string
			for _, d := range all {
				tier := "none"
				switch d.State("litellm_params", "order") {
				case model.Present:
					tier, _ = d.Get("litellm_params", "order").Scalar()
				case model.Unseen:
					tier = fmt.Sprint("unseen ", d.Index)
				}
				if tiers[tier] == nil {
					order = append(order, tier)
				}
				tiers[tier] = append(tiers[tier], d)
			}
			for _, tier := range order {
				if !yield(name, tiers[tier]) {
					return
				}
			}
		}
	}
}

// partialWeights reports the first number that decides among some deployments and that one of them lacks.
func (p *Pass) partialWeights(group string, deployments []Part) {
	for _, key := range [...]string{"weight", "rpm", "tpm"} {
		var with, without *Part
		zero := true
		for i := range deployments {
			d := &deployments[i]
			switch v := d.Get("litellm_params", key); {
			case d.State("litellm_params", key) == model.Unseen:
				return
			case v == nil || v.Kind == model.Null:
				if without == nil {
					without = d
				}
			default:
				if with == nil {
					with = d
				}
				x, ok := v.AsFloat(false)
				zero = zero && ok && x == 0
			}
		}
		switch {
		case with == nil, zero && p.AtLeast("1.86.0"): // a sum of zero is passed over
			continue
		case without == nil:
			return
		}
		effect := "it gets none of the traffic"
		if !p.AtLeast("1.102.0") {
			effect = "it gets none of the traffic when a deployment with the number stands first, else the numbers are ignored"
		}
		r := p.Report(without.At("litellm_params", key), "this deployment of group %s has no %s and another one has: simple-shuffle counts a missing number as 0, so %s", model.Quote(group), key, effect).
			Related(with.At("litellm_params", key), "the %s of another deployment", key)
		if key != "weight" {
			r.Severity(model.Warning)
		}
		return
	}
}
