package main

import (
	"slices"

	"agentlint/internal/policy/plan"
)

// returnDirectly makes a function of one definition return its value where it has it. What comes after a definition that
// has no value is the end of the function, or its else.
func (o *optimizer) returnDirectly() {
	n := len(o.f.Blocks)
	last := o.f.Blocks[n-1]
	if len(last) != 1 || last[0].Op != plan.Return || last[0].A < 0 {
		return
	}
	result := last[0].A
	if u := uses(o.f.Blocks, result); u.writes != 1 || u.reads != 1 || slices.Contains(o.f.Params, result) {
		return
	}
	// The definition, which may have elses, and the block that makes it the result.
	var branches *[][]plan.Statement
	outer := o.f.Blocks[:n-1]
	if len(outer) == 1 && len(outer[0]) == 1 && outer[0][0].Op == plan.Blocks {
		branches = &outer[0][0].Blocks
	} else {
		branches = &outer
	}
	m := len(*branches)
	if m < 2 {
		return
	}
	end := (*branches)[m-1]
	if len(end) != 2 || end[0].Op != plan.IsDefined || end[1].Op != plan.AssignOnce || end[1].C != result || end[0].A != end[1].A || end[0].A < 0 {
		return
	}
	value := end[0].A
	for i := range (*branches)[:m-1] {
		b := &(*branches)[i]
		if len(*b) > 0 && (*b)[0].Op == plan.Reset && (*b)[0].C == value && i == 0 {
			*b = (*b)[1:] // a local is not set at first
		}
		if k := len(*b) - 1; k >= 0 && (*b)[k].Op == plan.AssignOnce && (*b)[k].C == value && uses([][]plan.Statement{*b}, value).writes == 1 {
			(*b)[k] = plan.Statement{Op: plan.Return, A: (*b)[k].A}
		}
	}
	*branches = (*branches)[:m-1]
	if uses(*branches, value).writes > 0 {
		end = []plan.Statement{{Op: plan.Return, A: value}}
	} else {
		// An else that is reached has nothing before it.
		for i := range *branches {
			(*branches)[i] = slices.DeleteFunc((*branches)[i], func(s plan.Statement) bool { return s.Op == plan.IsUndefined && s.A == value })
		}
		end = nil
	}
	if branches != &outer {
		o.f.Blocks = (*branches)[:len(*branches):len(*branches)]
	} else {
		o.f.Blocks = outer[:len(outer):len(outer)]
	}
	if end != nil {
		o.f.Blocks = append(o.f.Blocks, end)
	}
}

// fuse makes one statement of several that belong together.
func (o *optimizer) fuse(list *[]plan.Statement) {
	for i := range *list {
		for j := range (*list)[i].Blocks {
			o.fuse(&(*list)[i].Blocks[j])
		}
	}
	for o.fuseOne(list) {
	}
}

// fuseOne makes one step; it returns false when there is none.
func (o *optimizer) fuseOne(list *[]plan.Statement) bool {
	b := *list
	for i := range b {
		s := &b[i]
		switch s.Op {
		case plan.Blocks:
			if collection, ok := typeCheck(s); ok {
				*s = plan.Statement{Op: plan.IsCollection, A: collection}
				return true
			}
		case plan.Dot:
			*s = plan.Statement{Op: plan.Path, A: s.A, C: s.C, Args: []plan.Operand{s.B}}
			return true
		case plan.MakeArray, plan.MakeObject:
			if o.literal(list, i) {
				return true
			}
		case plan.Call:
			if o.concat(list, i) {
				return true
			}
		case plan.Reset:
			if o.counterexample(list, i) {
				return true
			}
		case plan.List, plan.Record:
			if v, ok := o.constantOf(s); ok {
				*s = plan.Statement{Op: plan.Assign, A: o.unit.constant(v), C: s.C}
				return true
			}
		}
		if i == 0 {
			continue
		}
		p := &b[i-1]
		switch {
		case s.Op == plan.Path && p.Op == plan.Path && s.A == p.C && !slices.Contains(s.Args, p.C) && o.once(p.C):
			p.C, p.Args = s.C, slices.Concat(p.Args, s.Args)
		case s.Op == plan.NotEqual && p.Op == plan.Call && s.A == p.C && o.isFalse(s.B) && o.once(p.C):
			*p = o.check(p)
		default:
			continue
		}
		*list = slices.Delete(b, i, i+1)
		return true
	}
	return false
}

// constantOf returns the value of a list or an object of constants.
func (o *optimizer) constantOf(s *plan.Statement) (plan.Value, bool) {
	if slices.ContainsFunc(s.Args, func(x plan.Operand) bool { return x >= 0 }) {
		return nil, false
	}
	value := func(x plan.Operand) plan.Value { return o.unit.out.Constants[-x-1] }
	if s.Op == plan.Record {
		object := plan.NewObject()
		for pair := range slices.Chunk(s.Args, 2) {
			object.Put(value(pair[0]), value(pair[1]))
		}
		return object, true
	}
	var items []plan.Value
	for _, x := range s.Args {
		items = append(items, value(x))
	}
	return plan.NewArray(items...), true
}

// prune drops what has no effect: resets of locals that are not set yet or not read any more, and blocks that ask for a
// local that nothing sets.
func (o *optimizer) prune() {
	var before []plan.Statement
	for i := range o.f.Blocks {
		b := &o.f.Blocks[i]
		for j := 0; j < len(*b); j++ {
			s := (*b)[j]
			if s.Op == plan.Reset && !mentions(before, s.C) && !slices.Contains(o.f.Params, s.C) {
				*b = slices.Delete(*b, j, j+1)
				j--
				continue
			}
			before = append(before, s)
		}
	}
	for i := range o.f.Blocks {
		o.pruneResets(&o.f.Blocks[i])
	}
	unset := func(x plan.Operand) bool {
		return x > plan.InputLocal && !slices.Contains(o.f.Params, x) && uses(o.f.Blocks, x).writes == 0
	}
	for n := -1; n != len(o.f.Blocks); {
		n = len(o.f.Blocks)
		o.f.Blocks = slices.DeleteFunc(o.f.Blocks, func(b []plan.Statement) bool {
			return len(b) == 0 || (b[0].Op == plan.IsDefined || b[0].Op == plan.Return) && unset(b[0].A)
		})
	}
}

// pruneResets drops resets of locals that nothing reads.
func (o *optimizer) pruneResets(list *[]plan.Statement) {
	*list = slices.DeleteFunc(*list, func(s plan.Statement) bool {
		u := uses(o.f.Blocks, s.C)
		return s.Op == plan.Reset && u.reads == 0 && u.builds == 0 && !o.conflicts(s.C)
	})
	for i := range *list {
		for j := range (*list)[i].Blocks {
			o.pruneResets(&(*list)[i].Blocks[j])
		}
	}
}

// conflicts reports whether a local is one whose values must be equal.
func (o *optimizer) conflicts(local plan.Operand) (is bool) {
	each(o.f.Blocks, func(s *plan.Statement) { is = is || s.Op == plan.AssignOnce && s.C == local })
	return is
}

// counterexample recognises what "every" asks of each item: a local is true when the conditions hold, and the loop goes
// on to say that they do not when it is not set. That is a negation.
func (o *optimizer) counterexample(list *[]plan.Statement, i int) bool {
	b := *list
	if i+2 >= len(b) || b[i+1].Op != plan.Blocks || len(b[i+1].Blocks) != 1 || b[i+2].Op != plan.IsUndefined || b[i+2].A != b[i].C {
		return false
	}
	conditions := b[i+1].Blocks[0]
	last := len(conditions) - 1
	if last < 0 || conditions[last].Op != plan.Assign || conditions[last].C != b[i].C || conditions[last].A >= 0 {
		return false
	}
	if u := uses(o.f.Blocks, b[i].C); u.reads != 1 || u.writes != 2 || u.builds != 0 {
		return false
	}
	b[i] = plan.Statement{Op: plan.Not, Blocks: [][]plan.Statement{conditions[:last:last]}}
	*list = slices.Delete(b, i+1, i+3)
	return true
}

// once reports whether a local is set and read in one place each.
func (o *optimizer) once(local plan.Operand) bool {
	u := uses(o.f.Blocks, local)
	return local > plan.InputLocal && u.reads == 1 && u.writes == 1 && u.builds == 0 && !slices.Contains(o.f.Params, local)
}

func (o *optimizer) isFalse(x plan.Operand) bool { return x < 0 && o.unit.out.Constants[-x-1] == false }

// check returns the statement for a call whose value must be there and not be false.
func (o *optimizer) check(call *plan.Statement) plan.Statement {
	f := o.unit.out.Callees[call.A]
	if f.Kind == plan.Builtin && len(call.Args) == 2 {
		a, b := call.Args[0], call.Args[1]
		switch f.Name {
		case "equal":
			return plan.Statement{Op: plan.Equal, A: a, B: b}
		case "neq":
			return plan.Statement{Op: plan.NotEqual, A: a, B: b}
		case "lt":
			return plan.Statement{Op: plan.Less, A: a, B: b}
		case "lte":
			return plan.Statement{Op: plan.LessOrEqual, A: a, B: b}
		case "gt":
			return plan.Statement{Op: plan.Less, A: b, B: a}
		case "gte":
			return plan.Statement{Op: plan.LessOrEqual, A: b, B: a}
		}
	}
	return plan.Statement{Op: plan.Check, A: call.A, Args: call.Args}
}

// typeCheck recognises what "every" asks of its domain: blocks that leave for each kind of collection, then one that ends
// the block they stand in.
func typeCheck(s *plan.Statement) (collection plan.Operand, ok bool) {
	if len(s.Blocks) != 1 || len(s.Blocks[0]) != 2 {
		return 0, false
	}
	kinds, end := s.Blocks[0][0], s.Blocks[0][1]
	if kinds.Op != plan.Blocks || len(kinds.Blocks) != 3 || end.Op != plan.Break || end.A != 1 {
		return 0, false
	}
	for i, op := range []plan.Op{plan.IsArray, plan.IsObject, plan.IsSet} {
		b := kinds.Blocks[i]
		if len(b) != 2 || b[0].Op != op || b[1].Op != plan.Break || b[1].A != 1 || b[0].A != kinds.Blocks[0][0].A {
			return 0, false
		}
	}
	return kinds.Blocks[0][0].A, true
}

// literal makes one statement of an array, or of an object with constant keys, that is made at i and filled in the same
// block.
func (o *optimizer) literal(list *[]plan.Statement, i int) bool {
	b := *list
	made := b[i].C
	if uses(o.f.Blocks, made).writes != 1 || slices.Contains(o.f.Params, made) {
		return false
	}
	add, op := plan.Append, plan.List
	if b[i].Op == plan.MakeObject {
		add, op = plan.Insert, plan.Record
	}
	out := plan.Statement{Op: op, C: made}
	last, n := i, 0
	type entry struct{ key, value plan.Operand }
	var entries []entry
	for j := i + 1; j < len(b); j++ {
		if x := builds(&b[j]); x == nil || *x != made {
			continue
		}
		if b[j].Op != add {
			return false
		}
		if op == plan.Record && b[j].A >= 0 {
			return false
		}
		entries = append(entries, entry{b[j].A, b[j].B})
		last, n = j, n+1
	}
	if n != uses(o.f.Blocks, made).builds || n == 0 && op == plan.Record {
		return false
	}
	for _, s := range b[i : last+1] {
		reading := false
		each([][]plan.Statement{{s}}, func(s *plan.Statement) {
			for _, x := range reads(s) {
				reading = reading || *x == made
			}
		})
		if reading {
			return false
		}
	}
	for _, e := range entries {
		if x := e.key; op == plan.List && x >= 0 && !o.settled(x) {
			return false
		}
		if x := e.value; op == plan.Record && x >= 0 && !o.settled(x) {
			return false
		}
	}
	if op == plan.Record {
		key := func(e entry) plan.Value { return o.unit.out.Constants[-e.key-1] }
		slices.SortStableFunc(entries, func(x, y entry) int { return plan.Compare(key(x), key(y)) })
		for k := range entries[1:] {
			if plan.Compare(key(entries[k]), key(entries[k+1])) == 0 {
				return false
			}
		}
	}
	for _, e := range entries {
		out.Args = append(out.Args, e.key)
		if op == plan.Record {
			out.Args = append(out.Args, e.value)
		}
	}
	b[last] = out
	if n == 0 {
		return true
	}
	for j := last - 1; j >= i; j-- {
		if x := builds(&b[j]); j == i || x != nil && *x == made {
			b = slices.Delete(b, j, j+1)
		}
	}
	*list = b
	return true
}

// concat makes one list of two that are joined, when their items are known.
func (o *optimizer) concat(list *[]plan.Statement, i int) bool {
	b := *list
	call := b[i]
	if f := o.unit.out.Callees[call.A]; f.Kind != plan.Builtin || f.Name != "array.concat" {
		return false
	}
	var items []plan.Operand
	var made []int
	for _, x := range call.Args {
		if x < 0 {
			if !plan.IsArrayValue(o.unit.out.Constants[-x-1]) {
				return false
			}
			plan.Each(o.unit.out.Constants[-x-1], func(v plan.Value) { items = append(items, o.unit.constant(v)) })
			continue
		}
		j := slices.IndexFunc(b[:i], func(s plan.Statement) bool { return s.Op == plan.List && s.C == x })
		if j < 0 || uses(o.f.Blocks, x).writes != 1 || slices.ContainsFunc(b[j].Args, func(x plan.Operand) bool { return x >= 0 && !o.settled(x) }) {
			return false
		}
		items = append(items, b[j].Args...)
		if o.once(x) {
			made = append(made, j)
		}
	}
	b[i] = plan.Statement{Op: plan.List, C: call.C, Args: items}
	if !slices.ContainsFunc(items, func(x plan.Operand) bool { return x >= 0 }) {
		var values []plan.Value
		for _, x := range items {
			values = append(values, o.unit.out.Constants[-x-1])
		}
		b[i] = plan.Statement{Op: plan.Assign, C: call.C, A: o.unit.constant(plan.NewArray(values...))}
	}
	slices.Sort(made)
	for _, j := range slices.Backward(made) {
		b = slices.Delete(b, j, j+1)
	}
	*list = b
	return true
}
