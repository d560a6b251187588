package engine

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/internal/source"
	"agentlint/loaders"
	"agentlint/rules"
)

// Run loads the stacks of a root and checks them.
func Run(ctx context.Context, o Options) (*Result, error) {
	set, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	sel := newSelection(&o)
	r := &Result{FilesLooked: set.Looked, FilesRead: set.Read}
	for _, s := range set.Skipped {
		if o.chosen(s.File) {
			r.Skipped = append(r.Skipped, Skipped{s.File, s.Reason})
		}
	}
	for _, s := range set.NearMisses {
		if o.chosen(s.File) {
			r.NearMisses = append(r.NearMisses, Skipped{s.File, s.Reason})
		}
	}
	if len(o.Paths) > 0 {
		// Stacks that have no file in the paths cannot have a finding there.
		set.Stacks = slices.DeleteFunc(set.Stacks, func(s *model.Stack) bool {
			return !slices.ContainsFunc(s.Files, func(f *source.File) bool { return o.chosen(f.Path) })
		})
		r.FilesRead = countFiles(set.Stacks)
	}
	outcomes, err := evaluate(ctx, &o, sel, set.Stacks)
	if err != nil {
		return nil, err
	}
	c := collector{sel: sel, opts: &o, byKey: map[findingKey]int{}}
	for i, s := range set.Stacks {
		sum := summarise(s)
		for _, out := range outcomes[i] {
			if out.Err != nil {
				r.Faults = append(r.Faults, Fault{Rule: out.Rule, Stack: s.Name, Text: out.Err.Error()})
			}
			for j := range out.Findings {
				c.add(s, &out.Findings[j])
			}
			if len(out.Unchecked) > 0 {
				r.Unchecked = append(r.Unchecked, Unchecked{Rule: out.Rule, Stack: s.Name, Needs: uniq(out.Unchecked)})
			}
		}
		r.Stacks = append(r.Stacks, sum)
	}
	for i := range c.findings {
		if f := &c.findings[i]; f.Severity == model.Undecided {
			for _, s := range f.Stacks {
				r.Unchecked = append(r.Unchecked, Unchecked{Rule: f.Rule, Stack: s, Needs: f.Needs})
			}
		}
	}
	for _, p := range set.Problems {
		c.problem(p)
	}
	r.Findings = c.findings
	c.suppress(r, set.Stacks)
	fingerprints(r.Findings)
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return !o.reported(&f) })
	sortFindings(r.Findings)
	return r, nil
}

// load reads the root of a run.
func load(ctx context.Context, o Options) (*loaders.Set, error) {
	fsys := o.FS
	if fsys == nil {
		var err error
		if fsys, err = loaders.OpenRoot(o.Root); err != nil {
			return nil, err
		}
	}
	lo := &loaders.Options{Exclude: o.Exclude, Targets: o.Targets, Facts: o.Facts, StackFacts: o.StackFacts}
	if o.Named {
		lo.Named = o.Paths
	}
	return loaders.Load(ctx, fsys, o.Overlay, lo)
}

// Stacks loads the stacks of a root without checking them, for commands that show the model.
func Stacks(ctx context.Context, o Options) ([]*model.Stack, error) {
	set, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	return set.Stacks, nil
}

// evaluate runs the selected rules and policies on every stack, several stacks at once.
func evaluate(ctx context.Context, o *Options, sel *selection, stacks []*model.Stack) ([][]model.Outcome, error) {
	out := make([][]model.Outcome, len(stacks))
	host := policy.Default()
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), max(1, len(stacks))) {
		wg.Go(func() {
			for i := range next {
				out[i] = check(ctx, o, sel, host, stacks[i])
			}
		})
	}
	var err error
feed:
	for i := range stacks {
		select {
		case next <- i:
		case <-ctx.Done():
			err = ctx.Err()
			break feed
		}
	}
	close(next)
	wg.Wait()
	return out, err
}

// check evaluates one stack.
func check(ctx context.Context, o *Options, sel *selection, host *policy.Host, s *model.Stack) []model.Outcome {
	var out []model.Outcome
	for _, r := range rules.All() {
		if sel.on(r.Meta.ID, r.Meta.Category) && r.Open(s) {
			if oc := r.Run(s, o.Parameters[r.Meta.ID]); len(oc.Findings) > 0 || len(oc.Unchecked) > 0 || oc.Err != nil {
				out = append(out, oc)
			}
		}
	}
	var list []*policy.Policy
	for _, p := range policy.Builtin() {
		if sel.on(p.ID, p.Category) && p.Open(s) {
			list = append(list, p)
		}
	}
	return append(out, host.Run(ctx, s, list, o.Parameters)...)
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
	findings []Finding
	byKey    map[findingKey]int
}

func (c *collector) add(s *model.Stack, mf *model.Finding) {
	meta := c.sel.meta(mf.Rule)
	f := Finding{Rule: mf.Rule, Severity: mf.Severity, Confidence: mf.Confidence, Message: mf.Message, Stacks: []string{s.Name},
		Location: locate(s, mf.At, mf.OnKey), Related: relatedOf(s, mf), Figures: mf.Figures, Needs: mf.Needs, WouldBe: mf.WouldBe, Origin: mf, Stack: s}
	if f.File == nil {
		return
	}
	if meta != nil {
		f.Category, f.Title = meta.Category, meta.Title
	}
	f.Severity, f.WouldBe = c.sel.severity(mf, meta, s, c.opts)
	for _, fx := range mf.Fixes {
		q := fx.Question
		if q == "" && meta != nil && fx.Safety == model.Unsafe {
			q = meta.Question
		}
		f.Fixes = append(f.Fixes, Fix{Title: fx.Title, Safety: fx.Safety, Question: q, Ops: fx.Ops})
	}
	key := findingKey{f.Rule, f.File.Path, f.Message, f.Span}
	if mf.Subject != "" {
		key.rule, key.message = "", mf.Subject
	}
	i, seen := c.byKey[key]
	if !seen {
		c.byKey[key] = len(c.findings)
		c.findings = append(c.findings, f)
		return
	}
	old := &c.findings[i]
	f.Stacks = append(append([]string{}, old.Stacks...), s.Name)
	if surer(&f, old) {
		*old = f
		return
	}
	old.Stacks = f.Stacks
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
	f := Finding{Rule: id, Category: meta.Category, Title: meta.Title, Severity: meta.Severity, Confidence: meta.Confidence,
		Message:  fmt.Sprintf("the file cannot be read, so nothing in it is checked: %s", p.Text),
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
func countFiles(stacks []*model.Stack) int {
	seen := map[*source.File]bool{}
	for _, s := range stacks {
		for _, f := range s.Files {
			seen[f] = true
		}
	}
	return len(seen)
}

func sortFindings(fs []Finding) {
	sort.SliceStable(fs, func(i, j int) bool {
		a, b := &fs[i], &fs[j]
		switch {
		case a.File.Path != b.File.Path:
			return a.File.Path < b.File.Path
		case a.Span.Start != b.Span.Start:
			return a.Span.Start < b.Span.Start
		case a.Severity != b.Severity:
			return a.Severity > b.Severity
		case a.Rule != b.Rule:
			return a.Rule < b.Rule
		}
		return a.Message < b.Message
	})
}

func uniq(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}
