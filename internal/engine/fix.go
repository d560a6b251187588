package engine

import (
	"runtime"
	"sync"

	"agentlint/fixers"
	"agentlint/internal/model"
)

// FileEdit replaces a span of one file.
type FileEdit = fixers.FileEdit

// How many bytes of files [Result.PlanFixes] may read again, and [Options.Plan] for each stack: to count the fixes that
// can be applied, and to print the edits of all.
const (
	PlanToCount = 4 << 20
	PlanToPrint = 16 << 20
)

// planFloor is what every stack may read again, however many there are.
const planFloor = 64 << 10

// planShare is the part of a budget that the stack of a number (from 1) has. It depends on nothing else, so that the
// same files give the same edits, and the parts of thousands of stacks in one file add up to little.
func planShare(budget, number int) int {
	return min(budget, max(planFloor, budget/max(1, number)))
}

// PlanFixes gives fixes their edits, or the reason why they cannot be applied. It costs one more reading of the file
// for each fix, so only what prints or applies edits calls it, and what goes beyond the budget of bytes is left
// without edits.
func (r *Result) PlanFixes(budget int) {
	var wg sync.WaitGroup
	next := make(chan *Finding)
	for range min(runtime.GOMAXPROCS(0), max(1, len(r.Findings))) {
		wg.Go(func() {
			for f := range next {
				f.planFixes()
			}
		})
	}
	for _, f := range r.Findings {
		cost := f.planCost()
		if cost == 0 {
			continue
		}
		if budget -= cost; budget < 0 {
			break
		}
		next <- f
	}
	close(next)
	wg.Wait()
}

// planCost is the number of bytes that planning the fixes of a finding reads.
func (f *Finding) planCost() int {
	if f.File == nil {
		return 0
	}
	return len(f.Fixes) * len(f.File.Bytes)
}

func (f *Finding) planFixes() {
	for i := range f.Fixes {
		x := &f.Fixes[i]
		if len(x.Edits) > 0 || len(x.Ops) == 0 || f.Stack == nil {
			continue
		}
		edits, err := fixers.Plan(f.Stack, x.Ops)
		x.planned(fixers.Planned{Edits: edits, Err: err})
	}
}

// planFixes plans the fixes of findings of one stack.
func planFixes(st *model.Stack, list []*Finding) {
	var fixes []*Fix
	var ops [][]model.Op
	for _, f := range list {
		for i := range f.Fixes {
			if x := &f.Fixes[i]; len(x.Edits) == 0 && len(x.Ops) > 0 {
				fixes = append(fixes, x)
				ops = append(ops, x.Ops)
			}
		}
	}
	for i, p := range fixers.PlanAll(st, ops) {
		fixes[i].planned(p)
	}
}

func (x *Fix) planned(p fixers.Planned) {
	switch {
	case p.Err != nil:
		x.Refused = p.Err.Error()
	case len(p.Edits) == 0:
		x.Refused = "the files already say so"
	default:
		x.Edits = p.Edits
	}
}
