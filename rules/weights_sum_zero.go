package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "weights-sum-zero",
		Title:    "All weights of a group are zero",
		Category: "routing",
		Why: `simple-shuffle divides each weight by their sum. Below 1.86.0 a sum of zero ends every request to the group with
ZeroDivisionError. From 1.86.0 on the weights are passed over: rpm, then tpm decides where one is above zero, else all deployments
get equal shares (7 and 13 of 20 calls, run with 1.102.0), so a deployment that was meant to get nothing gets traffic.`,
		Remedy:     "Write a weight above zero on each deployment that is to get traffic, or remove the weights. A deployment that is only to be used when others fail gets `order: 2`.",
		Severity:   model.Warning,
		Severities: []model.Severity{model.Error},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.model_list"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router_strategy/simple_shuffle.py", Symbol: "if total_weight <= 0", Checked: "2026-11-30",
				Note: "Run: two deployments of weight 0 get 7 and 13 of 20 calls; with rpm 100 and 900000 beside it the second one gets all. First in 1.86.0."},
			{Artefact: "litellm 1.85.7", File: "litellm/router_strategy/simple_shuffle.py", Symbol: "weight / total_weight for weight in weights", Checked: "2026-11-30",
				Note: "Run: completion and acompletion raise ZeroDivisionError."},
		},
	},
	Check: func(p *Pass) {
		if !p.zeroWeight() {
			return
		}
		for group, deployments := range p.shuffled() {
			if len(deployments) < 2 {
				continue
			}
			var zero []Part
			other, unseen := "", false
			for _, d := range deployments {
				if w, ok := d.Get("litellm_params", "weight").AsFloat(false); ok && w == 0 {
					zero = append(zero, d)
				}
				for _, key := range [...]string{"rpm", "tpm"} {
					if x, ok := d.Get("litellm_params", key).AsFloat(false); ok && x > 0 && other != "rpm" {
						other = key
					}
					unseen = unseen || d.State("litellm_params", key) == model.Unseen
				}
			}
			if len(zero) < len(deployments) {
				continue
			}
			effect := "every request to the group ends in a division by zero"
			switch {
			case !p.AtLeast("1.86.0"):
			case unseen:
				effect = "they are passed over"
			case other != "":
				effect = "they are passed over, and " + other + " decides"
			default:
				effect = "they are passed over, and all deployments get equal shares"
			}
			r := p.Report(zero[0].At("litellm_params", "weight"), "all %d deployments of group %s have weight 0: %s", len(zero), model.Quote(group), effect)
			if !p.AtLeast("1.86.0") {
				r.Severity(model.Error)
			}
			for _, d := range zero[1:] {
				r.Related(d.At("litellm_params", "weight"), "0 here too")
			}
		}
	},
})

// zeroWeight reports whether a deployment has weight 0.
func (p *Pass) zeroWeight() bool {
	for entry := range p.ModelList() {
		if w, ok := entry.Get("litellm_params", "weight").AsFloat(false); ok && w == 0 {
			return true
		}
	}
	return false
}
