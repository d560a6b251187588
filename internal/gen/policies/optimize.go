package main

import (
	"slices"

	"agentlint/internal/policy/plan"
)

// optimizer makes the statements of one function fewer: constants stand where they are used, and lists, objects and
// sets of constants are constants; a local that only copies another is replaced by it.
type optimizer struct {
	unit *unit
	f    *plan.Function
}

func (o *optimizer) run() {
	for {
		changed := false
		for i := range o.f.Blocks {
			changed = o.block(&o.f.Blocks[i]) || changed
		}
		if !changed {
			break
		}
	}
	o.renumber()
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
		plan.IsUndefined, plan.Append, plan.Add:
		out = append(out, &s.A)
	case plan.Dot, plan.Equal, plan.NotEqual, plan.Insert, plan.InsertOnce, plan.Merge:
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
		plan.MakeSet, plan.Merge:
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

// renumber leaves out the locals that are not used any more.
func (o *optimizer) renumber() {
	numbers := map[plan.Operand]plan.Operand{plan.InputLocal: plan.InputLocal}
	rename := func(x *plan.Operand) {
		if *x < 0 {
			return
		}
		n, ok := numbers[*x]
		if !ok {
			n = plan.Operand(len(numbers))
			numbers[*x] = n
		}
		*x = n
	}
	for i := range o.f.Params {
		rename(&o.f.Params[i])
	}
	each(o.f.Blocks, func(s *plan.Statement) {
		for _, x := range append(reads(s), writes(s)...) {
			rename(x)
		}
		if x := builds(s); x != nil {
			rename(x)
		}
	})
	o.f.Locals = len(numbers)
}
