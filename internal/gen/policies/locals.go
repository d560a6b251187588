package main

import (
	"slices"

	"agentlint/internal/policy/plan"
)

// region is a part of a function in which a local has nothing to do with what it holds elsewhere: a list of blocks, or
// one loop whose key or value it is.
type region struct {
	blocks [][]plan.Statement
	loop   *plan.Statement
}

// separate gives each use of a local its own: OPA numbers those of one definition of a rule like those of the next.
func (o *optimizer) separate() {
	next := o.count()
	for local := plan.Operand(1); local < next; local++ {
		if slices.Contains(o.f.Params, local) {
			continue
		}
		list, ok := o.regions(local)
		if !ok || len(list) < 2 {
			continue
		}
		for _, r := range list[1:] {
			fresh := o.fresh()
			r.each(func(x *plan.Operand) {
				if *x == local {
					*x = fresh
				}
			})
		}
	}
}

// count returns the number of locals.
func (o *optimizer) count() plan.Operand {
	most := plan.Operand(plan.InputLocal)
	for _, p := range o.f.Params {
		most = max(most, p)
	}
	each(o.f.Blocks, func(s *plan.Statement) {
		for _, x := range locals(s) {
			most = max(most, *x)
		}
	})
	return most + 1
}

// fresh returns a local that nothing uses.
func (o *optimizer) fresh() plan.Operand { return o.count() }

// locals returns the operands of a statement that may be locals.
func locals(s *plan.Statement) []*plan.Operand {
	out := append(reads(s), writes(s)...)
	if x := builds(s); x != nil {
		out = append(out, x)
	}
	return out
}

// each calls f for the operands in a region.
func (r *region) each(f func(*plan.Operand)) {
	blocks := r.blocks
	if r.loop != nil {
		f(&r.loop.B)
		f(&r.loop.C)
		blocks = r.loop.Blocks
	}
	each(blocks, func(s *plan.Statement) {
		for _, x := range locals(s) {
			f(x)
		}
	})
}

// regions returns where a local is used by itself; ok is false when one cannot say, so that all its uses belong
// together.
func (o *optimizer) regions(local plan.Operand) (list []region, ok bool) {
	open := false // the last region may go on in the next block
	for i, b := range o.f.Blocks {
		if !mentions(b, local) {
			continue
		}
		part, ok := regions(b, local)
		switch {
		case ok:
			list = append(list, part...)
			// Only what the first statement sets is certain to be set.
			open = len(part) == 1 && part[0].loop == nil && &part[0].blocks[0][0] == &b[0] && sets(&b[0], local)
		case open:
			last := &list[len(list)-1]
			last.blocks = append(last.blocks, o.f.Blocks[i])
		default:
			return nil, false
		}
	}
	return list, true
}

// regions returns the regions of a local in one block: all of it when the local is set before it is used.
func regions(b []plan.Statement, local plan.Operand) (list []region, ok bool) {
	for i := range b {
		s := &b[i]
		if s.Op == plan.Scan && s.A != local && (s.B == local || s.C == local) {
			list = append(list, region{loop: s})
			continue
		}
		for _, x := range locals(s) {
			if *x == local {
				if len(list) > 0 || !sets(s, local) {
					return nil, false
				}
				return []region{{blocks: [][]plan.Statement{b}}}, true
			}
		}
		for _, inner := range s.Blocks {
			if !mentions(inner, local) {
				continue
			}
			part, ok := regions(inner, local)
			if !ok {
				return nil, false
			}
			list = append(list, part...)
		}
	}
	return list, true
}

// sets reports whether a statement sets a local whatever it was before.
func sets(s *plan.Statement, local plan.Operand) bool {
	if s.Op == plan.AssignOnce || s.Op == plan.Scan {
		return false
	}
	for _, x := range reads(s) {
		if *x == local {
			return false
		}
	}
	for _, x := range writes(s) {
		if *x == local {
			return true
		}
	}
	return false
}

func mentions(b []plan.Statement, local plan.Operand) (is bool) {
	each([][]plan.Statement{b}, func(s *plan.Statement) {
		for _, x := range locals(s) {
			is = is || *x == local
		}
	})
	return is
}

// renumber leaves out the locals that are not used any more. Those that one block alone uses have the numbers of those of
// other blocks.
func (o *optimizer) renumber() {
	numbers := map[plan.Operand]plan.Operand{plan.InputLocal: plan.InputLocal}
	for _, p := range o.f.Params {
		numbers[p] = plan.Operand(len(numbers))
	}
	var private [][]plan.Operand
	for _, b := range o.f.Blocks {
		var own []plan.Operand
		each([][]plan.Statement{b}, func(s *plan.Statement) {
			for _, x := range locals(s) {
				if _, known := numbers[*x]; *x < 0 || known || slices.Contains(own, *x) {
					continue
				}
				_, ok := regions(b, *x)
				in := 0
				for _, other := range o.f.Blocks {
					if mentions(other, *x) {
						in++
					}
				}
				if ok && in == 1 {
					own = append(own, *x)
				} else {
					numbers[*x] = plan.Operand(len(numbers))
				}
			}
		})
		private = append(private, own)
	}
	shared := len(numbers)
	o.f.Locals, o.f.Shared = shared, shared
	for _, own := range private {
		for i, x := range own {
			numbers[x] = plan.Operand(shared + i)
		}
		o.f.Locals = max(o.f.Locals, shared+len(own))
	}
	rename := func(x *plan.Operand) {
		if *x >= 0 {
			*x = numbers[*x]
		}
	}
	for i := range o.f.Params {
		rename(&o.f.Params[i])
	}
	each(o.f.Blocks, func(s *plan.Statement) {
		for _, x := range locals(s) {
			rename(x)
		}
	})
}
