package policy

import (
	"context"

	"agentlint/internal/model"
	"agentlint/internal/policy/plan"
)

// Measure returns the figures that policies compute whether they report a finding or not: the rule "measures" of their
// package, objects like those in figures of a finding. A comparison of two revisions shows them. Policies that have no
// plan say them in their findings only.
func (h *Host) Measure(ctx context.Context, s *model.Stack, list []*Policy, parameters map[string]map[string]float64) []model.Outcome {
	planned, _ := h.split(list)
	if len(planned) == 0 {
		return nil
	}
	ev := evaluators.Get().(*plan.Evaluator)
	defer evaluators.Put(ev)
	ev.Start(ctx, plan.NewInput(s, func() *plan.Object { return h.parametersOf(planned, parameters) }), DefaultSteps*planSteps)
	defer ev.Stop()
	var out []model.Outcome
	for _, p := range planned {
		values, err := ev.Eval(p.unit(), "measures")
		if err != nil {
			// The same policy's findings say so.
			continue
		}
		o := model.Outcome{Rule: p.ID}
		plan.Each(values[0], func(v plan.Value) {
			if plan.IsObjectValue(v) {
				d := &decoder{}
				if f := d.figure(v); d.err == nil {
					o.Measures = append(o.Measures, f)
				}
			}
		})
		if len(o.Measures) > 0 {
			out = append(out, o)
		}
	}
	return out
}
