package engine

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"

	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/internal/source"
	"agentlint/loaders"
)

// Run loads the stacks of a root and checks them.
func Run(ctx context.Context, o Options) (*Result, error) {
	fsys, lo, err := o.loading()
	if err != nil {
		return nil, err
	}
	load := func(yield func(*model.Stack)) (*loaders.Set, error) {
		if o.Plan > 0 {
			return loaders.Stream(ctx, fsys, o.Overlay, lo, yield)
		}
		set, err := loaders.Load(ctx, fsys, o.Overlay, lo)
		if err == nil {
			for _, s := range set.Stacks {
				yield(s)
			}
		}
		return set, err
	}
	sel := newSelection(&o)
	var all []*checked
	var mu sync.Mutex
	var wg sync.WaitGroup
	type job struct {
		stack  *model.Stack
		number int
	}
	// A few stacks may wait, so that neither side waits for the other.
	next := make(chan job, 8)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for j := range next {
				c := sel.check(ctx, j.stack, j.number)
				mu.Lock()
				if n := len(all); n > 0 && slices.Equal(all[n-1].open, c.open) {
					c.open = all[n-1].open
				}
				all = append(all, c)
				mu.Unlock()
			}
		})
	}
	n := 0
	var others []*model.Stack // those of several files that are not checked
	set, err := load(func(s *model.Stack) {
		n++
		// A stack that has no file in the paths cannot have a finding there.
		if len(o.Paths) == 0 || slices.ContainsFunc(s.Files, func(f *source.File) bool { return o.chosen(f.Path) }) {
			next <- job{s, n}
		} else if len(s.Files) > 1 {
			others = append(others, s)
		}
	})
	close(next)
	wg.Wait()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b *checked) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.number, b.number))
	})
	return sel.join(set, all, newShared(all, others, func(s *model.Stack) *checked { return sel.check(ctx, s, 0) })), nil
}

// join makes the result of a run out of those of its stacks, in the order of names.
func (s *selection) join(set *loaders.Set, all []*checked, common *shared) *Result {
	o := s.opts
	r := &Result{FilesLooked: set.Looked, FilesRead: set.Read}
	for _, x := range set.Skipped {
		if o.chosen(x.File) {
			r.Skipped = append(r.Skipped, Skipped{x.File, x.Reason})
		}
	}
	for _, x := range set.NearMisses {
		if o.chosen(x.File) {
			r.NearMisses = append(r.NearMisses, Skipped{x.File, x.Reason})
		}
	}
	if len(o.Paths) > 0 {
		r.FilesRead = countFiles(all)
	}
	// A file that cannot be read is one that was looked into.
	broken := map[*source.File]bool{}
	for _, p := range set.Problems {
		if p.File != nil && o.chosen(p.File.Path) && !broken[p.File] {
			broken[p.File] = true
			r.FilesRead++
		}
	}
	found := 0
	for _, x := range all {
		found += len(x.findings)
	}
	c := collector{sel: s, opts: o, findings: make([]*Finding, 0, found), byKey: make(map[findingKey]int, found)}
	for _, x := range all {
		r.Faults = append(r.Faults, x.faults...)
		r.Unchecked = append(r.Unchecked, x.unchecked...)
		r.Stacks = append(r.Stacks, x.StackSummary)
		for i := range x.findings {
			c.add(&x.findings[i])
		}
	}
	for _, f := range c.findings {
		common.guard(f)
		if f.Severity == model.Undecided {
			for _, s := range f.Stacks {
				r.Unchecked = append(r.Unchecked, Unchecked{Rule: f.Rule, Stack: s, Needs: f.Needs})
			}
		}
	}
	for _, p := range set.Problems {
		c.problem(p)
	}
	// What an ignore silences counts as an occurrence, so that a comment changes no fingerprint.
	fingerprints(c.findings)
	c.suppress(r, all)
	fingerprints(c.findings)
	c.findings = slices.DeleteFunc(c.findings, func(f *Finding) bool { return !o.reported(f) })
	slices.SortStableFunc(c.findings, compareFindings)
	r.Findings = c.findings
	return r
}

// loading returns what the loaders need.
func (o *Options) loading() (fs.FS, *loaders.Options, error) {
	fsys := o.FS
	if fsys == nil {
		var err error
		if fsys, err = loaders.OpenRoot(o.Root); err != nil {
			return nil, nil, err
		}
	}
	lo := &loaders.Options{Exclude: o.Exclude, Targets: o.Targets, Facts: o.Facts, StackFacts: o.StackFacts}
	if o.Named {
		lo.Named = o.Paths
	}
	return fsys, lo, nil
}

// Stacks loads the stacks of a root without checking them, for commands that show the model.
func Stacks(ctx context.Context, o Options) ([]*model.Stack, error) {
	fsys, lo, err := o.loading()
	if err != nil {
		return nil, err
	}
	set, err := loaders.Load(ctx, fsys, o.Overlay, lo)
	if err != nil {
		return nil, err
	}
	return set.Stacks, nil
}

// checked is what a run says of one stack.
type checked struct {
	StackSummary
	files     []*source.File
	findings  []Finding
	faults    []Fault
	unchecked []Unchecked
	// open are the ids of the rules that were evaluated.
	open []string
	// number is the place of the stack among those that were built.
	number int
	// uses are the places that its values come from, for a stack of several files.
	uses []spot
}

// check evaluates the selected rules and policies on one stack.
func (s *selection) check(ctx context.Context, st *model.Stack, number int) *checked {
	c := &checked{StackSummary: summarise(st), files: st.Files, number: number}
	var outcomes []model.Outcome
	for _, r := range s.rules {
		if r.Open(st) {
			c.open = append(c.open, r.Meta.ID)
			if o := r.Run(st, s.opts.Parameters[r.Meta.ID]); !o.Empty() {
				outcomes = append(outcomes, o)
			}
		}
	}
	var list []*policy.Policy
	for _, p := range s.policies {
		if p.Open(st) {
			c.open = append(c.open, p.ID)
			list = append(list, p)
		}
	}
	outcomes = append(outcomes, policy.Default().Run(ctx, st, list, s.opts.Parameters)...)
	if own := s.opts.Custom; own != nil {
		var list []*policy.Policy
		for _, p := range own.Policies() {
			if s.on(p.ID, p.Category) && p.Open(st) {
				c.open = append(c.open, p.ID)
				list = append(list, p)
			}
		}
		outcomes = append(outcomes, own.Run(ctx, st, list, s.opts.Parameters, policy.Occasion{Today: s.opts.Today, Revisions: s.opts.Revisions})...)
	}
	if s.opts.Measure {
		c.Measures = measures(append(policy.Default().Measure(ctx, st, list, s.opts.Parameters), outcomes...))
	}
	found := 0
	for i := range outcomes {
		found += len(outcomes[i].Findings)
	}
	c.findings = make([]Finding, 0, found)
	stacks := []string{st.Name}
	for i := range outcomes {
		o := &outcomes[i]
		if o.Err != nil {
			c.faults = append(c.faults, Fault{Rule: o.Rule, Stack: st.Name, Text: o.Err.Error()})
		}
		for i := range o.Findings {
			f := s.locate(st, &o.Findings[i], stacks)
			switch {
			case f.File != nil:
				c.findings = append(c.findings, f)
			case policy.IsCustom(o.Rule):
				c.faults = append(c.faults, Fault{Rule: o.Rule, Stack: st.Name, Text: fmt.Sprintf("policy %s: a finding stands at %s, which no file sets", o.Rule, o.Findings[i].At)})
			}
		}
		if len(o.Unchecked) > 0 {
			c.unchecked = append(c.unchecked, Unchecked{Rule: o.Rule, Stack: st.Name, Needs: uniq(o.Unchecked)})
		}
	}
	c.uses = usesOf(st)
	for i := range c.findings {
		for j := range c.findings[i].Fixes {
			x := &c.findings[i].Fixes[j]
			x.removes = removes(st, x)
		}
	}
	if s.opts.Plan > 0 {
		budget := planShare(s.opts.Plan, number)
		var list []*Finding
		for i := range c.findings {
			f := &c.findings[i]
			if budget -= f.planCost(); budget >= 0 {
				list = append(list, f)
			}
		}
		planFixes(st, list)
		for i := range c.findings {
			f := &c.findings[i]
			f.Stack, f.Origin = nil, nil
			for j := range f.Fixes {
				f.Fixes[j].Ops, f.Fixes[j].Brings = nil, nil
			}
		}
		c.Stack = nil
	}
	return c
}

// measures returns the figures of outcomes, each by its rule's first word on it: rules that measure do so whether or
// not they report, the others only in their findings.
func measures(outcomes []model.Outcome) []Measure {
	var out []Measure
	add := func(rule string, f model.Figure) {
		if !slices.ContainsFunc(out, func(m Measure) bool { return m.Rule == rule && m.Name == f.Name && m.Unit == f.Unit }) {
			out = append(out, Measure{rule, f})
		}
	}
	for i := range outcomes {
		for _, f := range outcomes[i].Measures {
			add(outcomes[i].Rule, f)
		}
	}
	for i := range outcomes {
		for j := range outcomes[i].Findings {
			for _, f := range outcomes[i].Findings[j].Figures {
				add(outcomes[i].Rule, f)
			}
		}
	}
	return out
}

// findingKey is what makes findings of several stacks one.
type findingKey struct {
	rule, file, message string
	span                source.Span
}

// collector gives findings their places and joins those of several stacks.
type collector struct {
	sel      *selection
	opts     *Options
	findings []*Finding
	byKey    map[findingKey]int
}

// locate gives a finding of a stack its place, which has no file when there is none. Stacks is the list of the stack's
// name.
func (s *selection) locate(st *model.Stack, mf *model.Finding, stacks []string) Finding {
	meta := s.meta(mf.Rule)
	f := Finding{Rule: mf.Rule, Severity: mf.Severity, Confidence: mf.Confidence, Message: mf.Message, Stacks: stacks, subject: mf.Subject,
		Location: locate(st, mf.At, mf.OnKey), Related: relatedOf(st, mf), Figures: mf.Figures, Needs: mf.Needs, WouldBe: mf.WouldBe, Origin: mf, Stack: st}
	if f.File == nil {
		return Finding{}
	}
	if meta != nil {
		f.Category, f.Title = meta.Category, meta.Title
	}
	f.Severity, f.WouldBe = s.severity(mf, meta, st, s.opts)
	for _, fx := range mf.Fixes {
		q := fx.Question
		if q == "" && meta != nil && fx.Safety == model.Unsafe {
			q = meta.Question
		}
		f.Fixes = append(f.Fixes, Fix{Title: fx.Title, Safety: fx.Safety, Question: q, Ops: fx.Ops, Brings: fx.Brings})
	}
	f.place = placeName(st, mf.At)
	return f
}

// add joins a finding with the same one of another stack.
func (c *collector) add(f *Finding) {
	key := findingKey{f.Rule, f.File.Path, f.Message, f.Span}
	if f.subject != "" {
		key.rule, key.message = "", f.subject
	}
	i, seen := c.byKey[key]
	if !seen {
		c.byKey[key] = len(c.findings)
		c.findings = append(c.findings, f)
		return
	}
	old := c.findings[i]
	stacks := old.Stacks
	if len(stacks) == 1 {
		// Other findings of the stack have the same list.
		stacks = slices.Clip(stacks)
	}
	stacks = append(stacks, f.Stacks...)
	if surer(f, old) {
		c.findings[i] = f
	}
	c.findings[i].Stacks = stacks
}

// surer reports whether a finding is the one to show of two of the same: the more severe, the surer, the worse.
func surer(f, old *Finding) bool {
	switch {
	case f.Severity != old.Severity:
		return f.Severity > old.Severity
	case f.Confidence != old.Confidence:
		return f.Confidence > old.Confidence
	}
	return worst(f.Figures) > worst(old.Figures)
}

// worst is the largest value of some figures relative to its limit.
func worst(figures []model.Figure) float64 {
	out := 0.0
	for _, f := range figures {
		v := f.Value
		if f.Limit != nil && *f.Limit > 0 {
			v /= *f.Limit
		}
		out = max(out, v)
	}
	return out
}

// problem turns a file that cannot be read into a finding.
func (c *collector) problem(p loaders.Problem) {
	const id = "parse-error"
	meta := c.sel.meta(id)
	if meta == nil || !c.sel.on(id, meta.Category) {
		return
	}
	file, sp := p.File.Outer(p.Span)
	message := p.Text
	if !p.Read {
		message = "the file cannot be read, so nothing in it is checked: " + p.Text
	}
	f := &Finding{Rule: id, Category: meta.Category, Title: meta.Title, Severity: meta.Severity, Confidence: meta.Confidence,
		Message:  message,
		Location: model.Location{File: file, Span: firstLine(file, sp)}}
	f.Severity, _ = c.sel.severity(&model.Finding{Rule: id, Severity: f.Severity}, meta, nil, c.opts)
	key := findingKey{f.Rule, f.File.Path, f.Message, f.Span}
	if _, seen := c.byKey[key]; seen {
		return
	}
	c.byKey[key] = len(c.findings)
	c.findings = append(c.findings, f)
}

// chosen reports whether a file lies in one of the paths of the run.
func (o *Options) chosen(name string) bool {
	if len(o.Paths) == 0 {
		return true
	}
	return slices.ContainsFunc(o.Paths, func(p string) bool { return p == "." || name == p || strings.HasPrefix(name, p+"/") })
}

// reported reports whether a finding lies in one of the paths of the run.
func (o *Options) reported(f *Finding) bool {
	return f.File != nil && o.chosen(f.File.Path) ||
		slices.ContainsFunc(f.Related, func(r Related) bool { return r.File != nil && o.chosen(r.File.Path) })
}

// countFiles returns the number of different files of some stacks.
func countFiles(all []*checked) int {
	seen := map[*source.File]bool{}
	for _, c := range all {
		for _, f := range c.files {
			seen[f] = true
		}
	}
	return len(seen)
}

// compareFindings orders findings by place, the severest first at one place.
func compareFindings(a, b *Finding) int {
	return cmp.Or(strings.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(b.Severity, a.Severity),
		strings.Compare(a.Rule, b.Rule), strings.Compare(a.Message, b.Message))
}

func uniq(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}
