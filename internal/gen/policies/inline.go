package main

import (
	"slices"

	"agentlint/internal/policy/plan"
)

// inlined is the most statements that a function has to be put in the place of its calls.
const inlined = 6

// inline puts small functions that go straight on, and rules that are constants, in the place of their calls, until there
// are none left: Rego has no recursion.
func (u *unit) inline(library *plan.Code) {
	for {
		changed := false
		for i := range u.out.Functions {
			f := &u.out.Functions[i]
			n := 0
			for j := range f.Blocks {
				n += u.inlineBlock(f, &f.Blocks[j], library)
			}
			if n > 0 {
				(&optimizer{u, f}).run()
				changed = true
			}
		}
		if !changed {
			return
		}
	}
}

func (u *unit) inlineBlock(f *plan.Function, list *[]plan.Statement, library *plan.Code) (n int) {
	for i := 0; i < len(*list); i++ {
		s := &(*list)[i]
		for j := range s.Blocks {
			n += u.inlineBlock(f, &s.Blocks[j], library)
		}
		if s.Op != plan.Call && s.Op != plan.Check {
			continue
		}
		callee := u.out.Callees[s.A]
		from := &u.out
		switch {
		case callee.Kind == plan.Builtin || callee.Kind == plan.Library && plan.IsNative(callee.Name) || u.unit == libraryUnit && plan.IsNative(callee.Name):
			continue
		case callee.Kind == plan.Library:
			from = library
		}
		k := slices.IndexFunc(from.Functions, func(g plan.Function) bool { return g.Name == callee.Name })
		if k < 0 || !straight(&from.Functions[k]) {
			continue
		}
		body := u.body(f, &from.Functions[k], from, *s)
		*list = slices.Replace(*list, i, i+1, body...)
		i += len(body) - 1
		n++
	}
	return n
}

// straight reports whether a function can stand in the place of a call of it: one block that ends with the result. A rule
// is evaluated once for all its calls, so only one that is a constant can.
func straight(f *plan.Function) bool {
	if len(f.Blocks) != 1 || len(f.Blocks[0]) > inlined {
		return false
	}
	b := f.Blocks[0]
	for i := range b {
		switch s := &b[i]; s.Op {
		case plan.Return:
			return i == len(b)-1 && (len(f.Params) > 0 || i == 0 && s.A < 0)
		case plan.Path, plan.Call, plan.Check, plan.List, plan.Record, plan.Less, plan.LessOrEqual, plan.Equal, plan.NotEqual, plan.IsArray,
			plan.IsObject, plan.IsSet, plan.Assign:
		default:
			return false
		}
	}
	return false
}

// body returns the statements of g for one call of it in f.
func (u *unit) body(f, g *plan.Function, from *plan.Code, call plan.Statement) []plan.Statement {
	o := &optimizer{u, f}
	next := o.fresh()
	numbers := map[plan.Operand]plan.Operand{plan.InputLocal: plan.InputLocal}
	for i, p := range g.Params {
		numbers[p] = call.Args[i]
	}
	rename := func(x plan.Operand) plan.Operand {
		if x < 0 {
			if from == &u.out {
				return x
			}
			return u.constant(from.Constants[-x-1])
		}
		y, ok := numbers[x]
		if !ok {
			y = next
			next++
			numbers[x] = y
		}
		return y
	}
	var out []plan.Statement
	for _, s := range g.Blocks[0] {
		s.Args = slices.Clone(s.Args)
		for _, x := range locals(&s) {
			*x = rename(*x)
		}
		switch {
		case s.Op == plan.Call || s.Op == plan.Check:
			if from != &u.out {
				c := from.Callees[s.A]
				if c.Kind == plan.Own {
					c.Kind = plan.Library
				}
				s.A = u.callee(c)
			}
		case s.Op != plan.Return:
		case call.Op == plan.Call:
			s = plan.Statement{Op: plan.Assign, A: s.A, C: call.C}
		case s.A < 0 && u.out.Constants[-s.A-1] != false:
			continue
		default:
			s = plan.Statement{Op: plan.NotEqual, A: s.A, B: u.constant(false)}
		}
		out = append(out, s)
	}
	return out
}
