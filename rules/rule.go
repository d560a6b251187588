// Package rules holds the rules that are written in Go: one declaration a file, which registers itself and carries
// its own documentation. Rules see stacks only; they know nothing of files, formats and positions.
package rules

//go:generate go run -C ../internal/gen ./docs

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"agentlint/internal/model"
)

// Rule is one rule: what it says of itself, and the check.
type Rule struct {
	Meta model.Meta
	// Check looks at one stack and reports what it finds. It is called for many stacks at once and must not keep
	// anything between them. A rule that the engine checks itself, such as parse-error, has none.
	Check func(*Pass)

	gate func() (*model.Gate, error)
}

// Registered is what a registration evaluates to, so that it can stand in a declaration.
type Registered struct{}

var registered []*Rule

// register adds a rule to the registry: var _ = register(Rule{...}).
func register(r Rule) Registered {
	registered = append(registered, prepare(r))
	return Registered{}
}

func prepare(r Rule) *Rule {
	r.gate = sync.OnceValues(func() (*model.Gate, error) {
		return model.NewGate(r.Meta.Inputs, r.Meta.When, r.Meta.Applies)
	})
	return &r
}

var sorted = sync.OnceValue(func() []*Rule {
	list := slices.SortedFunc(slices.Values(registered), func(a, b *Rule) int { return strings.Compare(a.Meta.ID, b.Meta.ID) })
	for i, r := range list {
		if i > 0 && list[i-1].Meta.ID == r.Meta.ID {
			panic("rule " + r.Meta.ID + " is registered twice")
		}
	}
	return list
})

// All returns every registered rule in the order of ids. The slice must not be changed. It panics when two rules
// have one id.
func All() []*Rule { return sorted() }

// Open reports whether the rule has anything to do in a stack: its first input exists, one of its When paths does,
// and its version ranges hold.
func (r *Rule) Open(s *model.Stack) bool {
	if r.Check == nil {
		return false
	}
	g, err := r.gate()
	// A rule with a faulty gate runs, and Run reports the fault.
	return err != nil || g.Open(s)
}

// passes are those that no run uses.
var passes = sync.Pool{New: func() any { return new(Pass) }}

// Run evaluates the rule on a stack that it is open for. Parameters are the user's, by name. A panic of the rule
// and a finding that its Meta does not allow become the outcome's error.
func (r *Rule) Run(s *model.Stack, parameters map[string]float64) (out model.Outcome) {
	out.Rule = r.Meta.ID
	g, err := r.gate()
	if err != nil {
		out.Err = fmt.Errorf("rule %s: %w", r.Meta.ID, err)
		return out
	}
	p := passes.Get().(*Pass)
	*p = Pass{Stack: s, rule: r, parameters: parameters}
	defer func() {
		if x := recover(); x != nil {
			out.Err = fmt.Errorf("rule %s: panic: %v\n%s", r.Meta.ID, x, debug.Stack())
		}
		for _, f := range p.findings {
			if err := r.Meta.Finish(f); err != nil {
				if out.Err == nil {
					out.Err = fmt.Errorf("rule %s: %w", r.Meta.ID, err)
				}
				continue
			}
			if g.Covers(s, f.At) {
				out.Findings = append(out.Findings, *f)
			}
		}
		out.Unchecked, out.Measures = p.unchecked, p.measures
		*p = Pass{}
		passes.Put(p)
	}()
	r.Check(p)
	return out
}
