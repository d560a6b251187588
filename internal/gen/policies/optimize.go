package main

import (
	"slices"

	"agentlint/internal/policy/plan"
)

// optimizer makes the statements of one function fewer: constants stand where they are used, and lists, objects and
// sets of constants are constants; a local that only copies another is replaced by it. A function ends as soon as its
// value is certain, and a loop when nothing that follows can change what it does.
type optimizer struct {
	unit *unit
	f    *plan.Function
}

func (o *optimizer) run() {
	o.separate()
	o.propagate()
	o.endEarly()
	o.leaveLoops(o.f.Blocks)
	o.returnDirectly()
	for i := range o.f.Blocks {
		o.fuse(&o.f.Blocks[i])
	}
	o.propagate()
	o.prune()
	o.renumber()
}

// propagate puts constants and copied locals where they are used.
func (o *optimizer) propagate() {
	for {
		changed := false
		for i := range o.f.Blocks {
			changed = o.block(&o.f.Blocks[i]) || changed
		}
		if !changed {
			return
		}
	}
}

// endEarly makes a function return a constant at once where it would go on to look for the same one. A rule has one
// local for each of its definitions, set once or to equal values, and one for the result.
func (o *optimizer) endEarly() {
	last := o.f.Blocks[len(o.f.Blocks)-1]
	if len(last) != 1 || last[0].Op != plan.Return || last[0].A < 0 {
		return
	}
	result := last[0].A
	// The locals of definitions, and the blocks that set them.
	var definitions []plan.Operand
	blocks := map[plan.Operand][][]plan.Statement{}
	collect := func(list [][]plan.Statement) bool {
		for _, b := range list {
			for i := range b {
				if s := &b[i]; s.Op == plan.AssignOnce && s.C == result {
					if s.A < 0 || len(b) != 2 || b[0].Op != plan.IsDefined || b[0].A != s.A || slices.Contains(definitions, s.A) {
						return false
					}
					definitions = append(definitions, s.A)
				}
			}
		}
		return true
	}
	outer := o.f.Blocks[:len(o.f.Blocks)-1]
	var groups [][][]plan.Statement
	for _, b := range outer {
		if len(b) == 1 && b[0].Op == plan.Blocks {
			groups = append(groups, b[0].Blocks) // with else
		} else {
			groups = append(groups, [][]plan.Statement{b})
		}
	}
	for _, g := range groups {
		if !collect(g) {
			return
		}
	}
	if uses(o.f.Blocks, result).writes != len(definitions) {
		return
	}
	for _, g := range groups {
		for _, b := range g {
			for _, d := range definitions {
				if uses([][]plan.Statement{b}, d).writes > 0 {
					blocks[d] = append(blocks[d], b)
				}
			}
		}
	}
	// With several definitions all must have the same value; with one, each branch for itself.
	if len(definitions) == 1 {
		for _, b := range blocks[definitions[0]] {
			if _, ok := onlyConstant([][]plan.Statement{b}, definitions[0]); ok {
				returnAt([][]plan.Statement{b}, definitions[0])
			}
		}
		return
	}
	var common plan.Operand
	for _, d := range definitions {
		c, ok := onlyConstant(blocks[d], d)
		if !ok || common != 0 && c != common {
			return
		}
		common = c
	}
	for _, d := range definitions {
		returnAt(blocks[d], d)
	}
}

// onlyConstant returns the constant that blocks set a local to, false when there are others or something else sets it.
func onlyConstant(blocks [][]plan.Statement, local plan.Operand) (constant plan.Operand, ok bool) {
	ok = true
	each(blocks, func(s *plan.Statement) {
		for _, x := range writes(s) {
			if *x != local || s.Op == plan.Reset {
				continue
			}
			if s.Op != plan.AssignOnce || s.A >= 0 || constant != 0 && s.A != constant {
				ok = false
			}
			constant = s.A
		}
	})
	return constant, ok && constant != 0
}

// returnAt turns the statements that set a local into returns.
func returnAt(blocks [][]plan.Statement, local plan.Operand) {
	each(blocks, func(s *plan.Statement) {
		if s.Op == plan.AssignOnce && s.C == local {
			*s = plan.Statement{Op: plan.Return, A: s.A}
		}
	})
}

// leaveLoops ends a loop whose block ends with setting a local to a constant and does nothing else that is seen
// outside: the first time decides.
func (o *optimizer) leaveLoops(blocks [][]plan.Statement) {
	each(blocks, func(s *plan.Statement) {
		if s.Op != plan.Scan {
			return
		}
		b := s.Blocks[0]
		if len(b) == 0 {
			return
		}
		last := &b[len(b)-1]
		if last.A >= 0 || last.Op != plan.Assign && last.Op != plan.AssignOnce {
			return
		}
		harmless := true
		each(s.Blocks, func(t *plan.Statement) {
			if t == last {
				return
			}
			if x := builds(t); x != nil && uses(s.Blocks, *x).writes == 0 {
				harmless = false
			}
			for _, x := range writes(t) {
				all, inside := uses(o.f.Blocks, *x), uses(s.Blocks, *x)
				if *x == last.C || all.reads != inside.reads || all.builds != inside.builds {
					harmless = false
				}
			}
			if t.Op == plan.Return || t.Op == plan.InsertOnce {
				harmless = false
			}
		})
		if harmless {
			s.Blocks[0] = append(b, plan.Statement{Op: plan.Break, A: 1})
		}
	})
}

// each calls f for every statement.
func each(blocks [][]plan.Statement, f func(*plan.Statement)) {
	for _, b := range blocks {
		for i := range b {
			f(&b[i])
			each(b[i].Blocks, f)
		}
	}
}

// reads returns the operands that a statement reads, but for the container that it builds on.
func reads(s *plan.Statement) []*plan.Operand {
	var out []*plan.Operand
	switch s.Op {
	case plan.Return, plan.Len, plan.Scan, plan.Assign, plan.AssignOnce, plan.IsArray, plan.IsObject, plan.IsSet, plan.IsDefined,
		plan.IsUndefined, plan.Append, plan.Add, plan.Path, plan.IsCollection:
		out = append(out, &s.A)
	case plan.Dot, plan.Equal, plan.NotEqual, plan.Insert, plan.InsertOnce, plan.Merge, plan.Less, plan.LessOrEqual:
		out = append(out, &s.A, &s.B)
	}
	for i := range s.Args {
		out = append(out, &s.Args[i])
	}
	return out
}

// writes returns the locals that a statement sets.
func writes(s *plan.Statement) []*plan.Operand {
	switch s.Op {
	case plan.Call, plan.CallRule, plan.Dot, plan.Len, plan.Assign, plan.AssignOnce, plan.Reset, plan.MakeArray, plan.MakeObject,
		plan.MakeSet, plan.Merge, plan.Path, plan.List, plan.Record:
		return []*plan.Operand{&s.C}
	case plan.Scan:
		return []*plan.Operand{&s.B, &s.C}
	}
	return nil
}

// builds returns the local whose container a statement adds to.
func builds(s *plan.Statement) *plan.Operand {
	switch s.Op {
	case plan.Append, plan.Insert, plan.InsertOnce, plan.Add:
		return &s.C
	}
	return nil
}

// use is how often a local is read, set and added to.
type use struct{ reads, writes, builds int }

func uses(blocks [][]plan.Statement, local plan.Operand) (u use) {
	each(blocks, func(s *plan.Statement) {
		for _, x := range reads(s) {
			if *x == local {
				u.reads++
			}
		}
		for _, x := range writes(s) {
			if *x == local {
				u.writes++
			}
		}
		if x := builds(s); x != nil && *x == local {
			u.builds++
		}
	})
	return u
}

// block makes one step in a block or one below it.
func (o *optimizer) block(list *[]plan.Statement) bool {
	for i := range *list {
		s := &(*list)[i]
		for j := range s.Blocks {
			if o.block(&s.Blocks[j]) {
				return true
			}
		}
		var with plan.Operand
		last, ok := i, false
		switch s.Op {
		case plan.Assign:
			with, ok = s.A, s.A < 0 || o.settled(s.A)
		case plan.MakeArray, plan.MakeObject, plan.MakeSet:
			with, last, ok = o.constant(*list, i)
		}
		if !ok {
			continue
		}
		// Every use must come after, in this block: elsewhere the local may not be set, or set anew.
		all, after := uses(o.f.Blocks, s.C), uses([][]plan.Statement{(*list)[last+1:]}, s.C)
		if all.writes != 1 || all.reads != after.reads || after.builds > 0 || slices.Contains(o.f.Params, s.C) || s.Op == plan.Assign && all.builds > 0 {
			continue
		}
		local := s.C
		for k := last; k >= i; k-- {
			if x := builds(&(*list)[k]); k == i || x != nil && *x == local {
				*list = slices.Delete(*list, k, k+1)
			}
		}
		each([][]plan.Statement{(*list)[i:]}, func(s *plan.Statement) {
			for _, x := range reads(s) {
				if *x == local {
					*x = with
				}
			}
		})
		return true
	}
	return false
}

// settled reports whether a local is set in one place only.
func (o *optimizer) settled(local plan.Operand) bool {
	if local == plan.InputLocal || slices.Contains(o.f.Params, local) {
		return true
	}
	return uses(o.f.Blocks, local).writes == 1
}

// constant returns the constant that the container made by statement i becomes when constants alone are added to it in
// its block, and the last statement that adds one.
func (o *optimizer) constant(list []plan.Statement, i int) (with plan.Operand, last int, ok bool) {
	made := &list[i]
	value := func(x plan.Operand) plan.Value { return o.unit.out.Constants[-x-1] }
	var items []plan.Value
	object := plan.NewObject()
	n, last := 0, i
	for j := i + 1; j < len(list); j++ {
		s := &list[j]
		x := builds(s)
		if x == nil || *x != made.C {
			continue
		}
		n++
		last = j
		switch {
		case s.Op == plan.Append && s.A < 0, s.Op == plan.Add && s.A < 0:
			items = append(items, value(s.A))
		case s.Op == plan.Insert && s.A < 0 && s.B < 0:
			object.Put(value(s.A), value(s.B))
		default:
			return 0, 0, false
		}
	}
	if all := uses(o.f.Blocks, made.C); all.builds != n {
		return 0, 0, false
	}
	var v plan.Value
	switch made.Op {
	case plan.MakeArray:
		v = plan.NewArray(items...)
	case plan.MakeObject:
		v = object
	default:
		v = plan.NewSet(items...)
	}
	return o.unit.constant(v), last, true
}
