package cases

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/rules"
)

// Unknowns makes up to most values of a stack unknown one at a time, and its maps open, and returns what the rule then
// reports that it did not report before: a finding that rests on a value it cannot see. The stack is as before
// afterwards. Policies are evaluated strictly once, and by their plans after that, which are quicker.
func Unknowns(rule string, own *policy.Custom, s *model.Stack, most int) ([]string, error) {
	base, err := placesOf(rule, own, s, strictHost())
	if err != nil {
		return nil, err
	}
	var out []string
	defer s.Forget()
	check := func(what string, p model.Path) error {
		s.Forget()
		got, err := placesOf(rule, own, s, policy.Default())
		if err != nil {
			return fmt.Errorf("%s %s: %w", p, what, err)
		}
		for _, at := range got {
			if !slices.Contains(base, at) {
				out = append(out, fmt.Sprintf("with %s %s it reports %s", p, what, at))
			}
		}
		return nil
	}
	n := 0
	var walk func(p model.Path, v *model.Value) error
	walk = func(p model.Path, v *model.Value) error {
		items, keys := v.Items(), v.Keys()
		for i, w := range items {
			q := p.With(i)
			if v.Kind == model.Map {
				q = p.With(keys[i])
			}
			if given(q) || n >= most {
				continue
			}
			if w.Known() && len(q) > 1 {
				n++
				items[i] = model.NewUnknown(w.Origin)
				err := check("unknown", q)
				items[i] = w
				if err != nil {
					return err
				}
			}
			if err := walk(q, w); err != nil {
				return err
			}
		}
		if v.Kind == model.Map && len(p) > 1 && !v.Open && n < most {
			n++
			v.Open = true
			err := check("open", p)
			v.Open = false
			return err
		}
		return nil
	}
	return out, walk(nil, s.Root)
}

// given reports whether a path is one that is never unknown: what the loaders say of the stack itself, the assumed
// versions, and the names by which parts refer to each other.
func given(p model.Path) bool {
	switch p[0] {
	case "stack", "files", "facts", "unknown":
		return true
	}
	if len(p) > 1 && p[0] == "gateway" && (p[1] == "references" || p[1] == "fallbacks") {
		return true
	}
	last := p[len(p)-1]
	return len(p) <= 3 && slices.Contains([]any{"version", "version_source", "name", "kind", "runtime", "fragment"}, last)
}

// Gated returns what a rule reports about a stack for which its when paths keep it from running. They are there to
// save the evaluation, so there must be nothing.
func Gated(rule string, own *policy.Custom, s *model.Stack) ([]string, error) {
	m := engine.MetaOf(rule)
	if policy.IsCustom(rule) {
		m = own.Meta(rule)
	}
	if m == nil || len(m.When) == 0 {
		return nil, nil
	}
	open, err := model.NewGate(m.Inputs, m.When, m.Applies)
	if err != nil {
		return nil, err
	}
	always, err := model.NewGate(m.Inputs, nil, m.Applies)
	if err != nil {
		return nil, err
	}
	if open.Open(s) || !always.Open(s) {
		return nil, nil
	}
	return run(rule, own, s, policy.Default(), func(func() bool) bool { return true })
}

// placesOf returns the paths at which a rule reports something decided.
func placesOf(rule string, own *policy.Custom, s *model.Stack, host *policy.Host) ([]string, error) {
	return run(rule, own, s, host, func(open func() bool) bool { return open() })
}

// run evaluates a rule when it is asked to by runs, which is given the rule's own gate.
func run(rule string, own *policy.Custom, s *model.Stack, host *policy.Host, runs func(open func() bool) bool) ([]string, error) {
	var outcomes []model.Outcome
	for _, r := range rules.All() {
		if r.Meta.ID == rule && runs(func() bool { return r.Open(s) }) {
			outcomes = append(outcomes, r.Run(s, nil))
		}
	}
	for _, p := range policy.Builtin() {
		if p.ID == rule && runs(func() bool { return p.Open(s) }) {
			outcomes = append(outcomes, host.Run(context.Background(), s, []*policy.Policy{p}, nil)...)
		}
	}
	for _, p := range own.Policies() {
		if p.ID == rule && runs(func() bool { return p.Open(s) }) {
			outcomes = append(outcomes, own.Run(context.Background(), s, []*policy.Policy{p}, nil, policy.Occasion{Today: caseDate})...)
		}
	}
	var out []string
	for _, o := range outcomes {
		if o.Err != nil {
			return nil, o.Err
		}
		for _, f := range o.Findings {
			if f.Severity != model.Undecided {
				out = append(out, f.At.String())
			}
		}
	}
	return out, nil
}

// strictHost evaluates policies with the compiler's checks, and with errors of builtin functions as faults.
var strictHost = sync.OnceValue(func() *policy.Host {
	return policy.NewHost(policy.Builtin(), policy.Options{Strict: true})
})
