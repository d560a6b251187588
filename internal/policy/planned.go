package policy

import (
	"context"
	"fmt"
	"sync"

	"agentlint/internal/model"
	"agentlint/internal/policy/plan"
	"agentlint/policies"
)

// libraryPlan is the plan of the library, nil when the library's source is another one than it was made of.
var libraryPlan = sync.OnceValue(func() *plan.Unit {
	var sources []string
	for _, name := range policies.LibraryFiles(policies.Files()) {
		src, err := policies.Read(name)
		if err != nil {
			return nil
		}
		sources = append(sources, src)
	}
	u := readPlan(libDir, plan.Sum(sources...))
	if u == nil || u.Link(u) != nil {
		return nil
	}
	return u
})

// readPlan returns an embedded plan, nil when there is none that was made of the sources with a sum.
func readPlan(id string, sum uint64) *plan.Unit {
	text, err := policies.Plan(id)
	if err != nil {
		return nil
	}
	u, err := plan.NewUnit(text)
	if err != nil || u.Sum() != sum {
		return nil
	}
	return u
}

// plan returns the plan of an embedded policy, nil when it must be compiled: its source, or the library's, has changed
// since the plan was made.
func (p *Policy) plan() *plan.Unit {
	src, err := p.source()
	if err != nil {
		return nil
	}
	library := libraryPlan()
	if library == nil {
		return nil
	}
	u := readPlan(p.ID, plan.Sum(src))
	if u == nil || u.Link(library) != nil {
		return nil
	}
	return u
}

// split separates policies that run by their plans from those that must be compiled.
func (h *Host) split(list []*Policy) (planned, rest []*Policy) {
	if h.opts.Strict || h.opts.Interpret {
		return nil, list
	}
	for _, p := range list {
		if p.unit() == nil {
			rest = append(rest, p)
		} else {
			planned = append(planned, p)
		}
	}
	return planned, rest
}

// planSteps is how many statements of a plan count as one step of a budget.
const planSteps = 5

var evaluators = sync.Pool{New: func() any { return &plan.Evaluator{} }}

// runPlans evaluates policies that have plans.
func (h *Host) runPlans(ctx context.Context, s *model.Stack, list []*Policy, parameters map[string]map[string]float64) (out []model.Outcome) {
	if len(list) == 0 {
		return nil
	}
	ev := evaluators.Get().(*plan.Evaluator)
	defer evaluators.Put(ev)
	steps := h.opts.Budget.Steps
	if steps == 0 {
		steps = DefaultSteps
	}
	ev.Start(ctx, plan.NewInput(s, func() *plan.Object { return h.parametersOf(list, parameters) }), steps*planSteps)
	defer ev.Stop()
	for _, p := range list {
		o := model.Outcome{Rule: p.ID}
		values, err := ev.Eval(p.unit(), "findings", "unchecked")
		if err != nil {
			o.Err = fmt.Errorf("policy %s: %w", p.ID, err)
		} else {
			p.answer(s, values, &o)
		}
		if len(o.Findings) > 0 || len(o.Unchecked) > 0 || o.Err != nil {
			out = append(out, o)
		}
	}
	return out
}

// answer adds the findings and the unchecked facts of a policy to its outcome.
func (p *Policy) answer(s *model.Stack, values []plan.Value, o *model.Outcome) {
	if n := plan.Length(values[0]); n > 0 {
		o.Findings = make([]model.Finding, 0, n)
	}
	plan.Each(values[0], func(v plan.Value) {
		if !plan.IsObjectValue(v) {
			return
		}
		if err := p.decode(s, v, o); err != nil && o.Err == nil {
			o.Err = fmt.Errorf("policy %s: %w", p.ID, err)
		}
	})
	if len(o.Findings) == 0 {
		o.Findings = nil
	}
	plan.Each(values[1], func(v plan.Value) {
		fact, _ := v.(string)
		o.Unchecked = append(o.Unchecked, fact)
	})
}

// parametersOf returns the effective parameters of policies; those of all policies when the user sets none, which are
// worked out once.
func (h *Host) parametersOf(list []*Policy, user map[string]map[string]float64) *plan.Object {
	if len(user) > 0 {
		return parametersObject(list, user)
	}
	return h.defaults()
}

// parametersObject returns the effective parameters of the policies that declare any.
func parametersObject(list []*Policy, user map[string]map[string]float64) *plan.Object {
	out := plan.NewObject()
	for _, p := range list {
		if len(p.Parameters) == 0 {
			continue
		}
		values := plan.NewObject()
		for _, d := range p.Parameters {
			x, ok := user[p.ID][d.Name]
			if !ok {
				x = d.Default
			}
			values.Put(d.Name, plan.FloatNumber(x))
		}
		out.Put(p.ID, values)
	}
	return out
}
