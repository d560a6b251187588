package engine

import (
	"runtime"
	"sync"

	"agentlint/fixers"
)

// FileEdit replaces a span of one file.
type FileEdit = fixers.FileEdit

// PlanFixes gives every fix its edits, or the reason why it cannot be applied. It costs one more reading of the
// file for each fix, so only what prints or applies edits calls it.
func (r *Result) PlanFixes() {
	var wg sync.WaitGroup
	next := make(chan *Finding)
	for range min(runtime.GOMAXPROCS(0), max(1, len(r.Findings))) {
		wg.Go(func() {
			for f := range next {
				f.planFixes()
			}
		})
	}
	for i := range r.Findings {
		if len(r.Findings[i].Fixes) > 0 {
			next <- &r.Findings[i]
		}
	}
	close(next)
	wg.Wait()
}

func (f *Finding) planFixes() {
	for i := range f.Fixes {
		x := &f.Fixes[i]
		if len(x.Edits) > 0 || len(x.Ops) == 0 || f.Stack == nil {
			continue
		}
		edits, err := fixers.Plan(f.Stack, x.Ops)
		switch {
		case err != nil:
			x.Refused = err.Error()
		case len(edits) == 0:
			x.Refused = "the files already say so"
		default:
			x.Edits = edits
		}
	}
}
