package engine

import (
	"slices"
	"strings"

	"agentlint/internal/git"
	"agentlint/internal/model"
	"agentlint/internal/secret"
	"agentlint/internal/source"
)

// Status says what a change did to a finding.
type Status uint8

// The statuses of findings of a comparison.
const (
	Uncompared Status = iota
	New               // the change brought it
	Worse             // it was there, milder or with a better figure
	Still             // it was there
)

func (s Status) String() string {
	switch s {
	case New:
		return "new"
	case Worse:
		return "worse"
	case Still:
		return "still"
	}
	return ""
}

// Cause is the setting whose change explains a finding.
type Cause struct {
	Key string
	// From and To are its values, "" where they are not known. Secrets are masked.
	From, To string
}

// Change is what is known of the difference between two trees.
type Change struct {
	// Rev is the older tree as it was named, Commit its full name.
	Rev, Commit string
	// Renames are the files with another name than before, new name to old.
	Renames map[string]string
	// Lines returns how the lines of a file changed.
	Lines func(*source.File) []git.Lines
}

// Since is the outcome of a comparison with an older tree.
type Since struct {
	Rev, Commit string
	// Lines is true when only changed lines were known, so that nothing can be said of what is gone.
	Lines bool
	// Fixed are findings of the older tree that are gone, Still those that are there as before.
	Fixed, Still []*Finding
	// Ignored counts findings that an ignore silences now and did not before.
	Ignored int
	Figures []FigureChange
	Stacks  []StackChange
}

// FigureChange is a computed number that is another one than before; Before or After is nil where there was none.
type FigureChange struct {
	Stack, Rule   string
	Before, After *model.Figure
}

// StackChange is one stack before and after; one of them is nil for a stack that is new or gone.
type StackChange struct {
	Name          string
	Before, After *model.Stack
}

// Measure is a figure that a rule computed, whether it reported a finding or not.
type Measure struct {
	Rule string
	model.Figure
}

// Compare gives the findings of a result their status. Base is the result of the same options on the older tree, with
// its stacks; nil when only the changed lines are known: then what touches them counts as new, and the rest as still
// there.
func (r *Result) Compare(base *Result, c *Change) {
	s := &Since{Rev: c.Rev, Commit: c.Commit, Lines: base == nil}
	r.Since = s
	p := comparison{change: c, base: base, stacks: map[string]*StackSummary{}, lines: map[*source.File][]git.Lines{}}
	old := map[string]*Finding{}
	if base != nil {
		for _, f := range base.Findings {
			old[f.Fingerprint] = f
		}
		for i := range base.Stacks {
			p.stacks[base.Stacks[i].Name] = &base.Stacks[i]
		}
	}
	matched := map[*Finding]bool{}
	broken := map[string]bool{}
	for _, f := range r.Findings {
		before := old[f.FingerprintIn(p.oldName(f.File.Path))]
		if before != nil {
			matched[before] = true
		}
		if f.Rule == "parse-error" {
			broken[p.oldName(f.File.Path)] = true
		}
		p.judge(f, before)
	}
	if base == nil {
		return
	}
	for _, x := range r.Skipped {
		broken[p.oldName(x.File)] = true
	}
	silenced := map[string]bool{}
	for _, f := range r.silenced {
		silenced[f.FingerprintIn(p.oldName(f.File.Path))] = true
	}
	for _, f := range base.Findings {
		switch {
		case matched[f]:
		case silenced[f.Fingerprint]:
			s.Ignored++
		case broken[f.File.Path] && f.Rule != "parse-error", r.undecided(f.Rule, f.Stacks):
			// What can no longer be checked is not mended.
		default:
			s.Fixed = append(s.Fixed, f)
		}
	}
	p.stackChanges(r, s)
	p.figureChanges(r, s)
}

// KeepNew moves the findings that were there before out of the findings.
func (r *Result) KeepNew() {
	if r.Since == nil {
		return
	}
	var kept []*Finding
	for _, f := range r.Findings {
		if f.Status == Still {
			r.Since.Still = append(r.Since.Still, f)
		} else {
			kept = append(kept, f)
		}
	}
	r.Findings = kept
	// Those that were moved stand elsewhere now.
	slices.SortStableFunc(r.Findings, compareFindings)
}

// undecided reports whether a rule could not decide for one of some stacks.
func (r *Result) undecided(rule string, stacks []string) bool {
	return slices.ContainsFunc(r.Unchecked, func(u Unchecked) bool { return u.Rule == rule && slices.Contains(stacks, u.Stack) })
}

// comparison is one comparison in work.
type comparison struct {
	change *Change
	base   *Result
	stacks map[string]*StackSummary
	lines  map[*source.File][]git.Lines
}

func (p *comparison) oldName(name string) string {
	if old, ok := p.change.Renames[name]; ok {
		return old
	}
	return name
}

// oldStack returns the older state of a stack.
func (p *comparison) oldStack(name string) *StackSummary {
	file, rest := name, ""
	if i := strings.IndexByte(name, '#'); i >= 0 {
		file, rest = name[:i], name[i:]
	}
	if s := p.stacks[p.oldName(file)+rest]; s != nil {
		return s
	}
	return p.stacks[name]
}

// touches reports whether a place lies in a line that changed.
func (p *comparison) touches(l model.Location) bool {
	if l.File == nil {
		return false
	}
	changes, ok := p.lines[l.File]
	if !ok {
		changes = p.change.Lines(l.File)
		p.lines[l.File] = changes
	}
	return git.Touches(changes, l.File.LineAt(l.Span.Start), l.File.LineAt(max(l.Span.Start, l.Span.End)))
}

// judge gives a finding its status. What is new or worse is shown in the change, if it has a place there.
func (p *comparison) judge(f, before *Finding) {
	if p.base == nil {
		f.Status = Still
		if p.touches(f.Location) || slices.ContainsFunc(f.Related, func(r Related) bool { return p.touches(r.Location) }) {
			f.Status = New
		}
	} else {
		f.Status = New
		if before != nil {
			f.Status = Still
			if worse(f, before) {
				f.Status = Worse
			}
		}
	}
	if f.Status == Still {
		return
	}
	p.figuresBefore(f, before)
	p.show(f)
	f.Touched = p.touches(f.Location)
}

// worse reports whether a finding is more severe than it was, or one of its figures is further beyond its limit.
func worse(f, before *Finding) bool {
	if f.Severity != before.Severity {
		return f.Severity > before.Severity
	}
	for _, g := range f.Figures {
		for _, h := range before.Figures {
			if g.Name == h.Name && g.Unit == h.Unit && excess(g) > excess(h) {
				return true
			}
		}
	}
	return false
}

// excess is how far a figure is beyond its limit, in either direction; without one it is the figure itself.
func excess(g model.Figure) float64 {
	switch {
	case g.Limit == nil || *g.Limit <= 0 || g.Value <= 0:
		return g.Value
	case g.Value < *g.Limit:
		return *g.Limit / g.Value
	}
	return g.Value / *g.Limit
}

// figuresBefore notes what the figures of a finding were.
func (p *comparison) figuresBefore(f, before *Finding) {
	if p.base == nil || f.Stack == nil {
		return
	}
	old := p.oldStack(f.Stack.Name)
	for _, g := range f.Figures {
		was := (*model.Figure)(nil)
		if before != nil {
			was = figureNamed(before.Figures, g.Name)
		}
		if was == nil && old != nil {
			for i := range old.Measures {
				if m := &old.Measures[i]; m.Rule == f.Rule && m.Name == g.Name {
					was = &m.Figure
					break
				}
			}
		}
		if was != nil {
			f.Before = append(f.Before, *was)
		}
	}
}

func figureNamed(list []model.Figure, name string) *model.Figure {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// show moves a finding to the place in the change that explains it, and says so: a new number of replicas is the cause,
// the pool that no longer fits the effect.
func (p *comparison) show(f *Finding) {
	if p.touches(f.Location) {
		if f.Origin != nil {
			f.Cause = p.cause(f.Stack, f.Origin.At)
		}
		if was := formerly(f, false); was != "" {
			f.Message += " (" + was + ")"
		}
		return
	}
	best := -1
	var cause *Cause
	for i := range f.Related {
		x := &f.Related[i]
		if !p.touches(x.Location) {
			continue
		}
		c := p.cause(f.Stack, x.at)
		if best < 0 || cause == nil && c != nil {
			best, cause = i, c
		}
		if c != nil {
			break
		}
	}
	if best < 0 {
		if was := formerly(f, false); was != "" {
			f.Message += " (" + was + ")"
		}
		return
	}
	place := f.Related[best]
	effect := Related{Location: f.Location, Message: "the effect is here"}
	f.Related = append([]Related{effect}, slices.Delete(slices.Clone(f.Related), best, best+1)...)
	f.Location, f.Cause, f.Moved = place.Location, cause, true
	head := "this change"
	if cause != nil {
		head = cause.Key
		switch {
		case cause.From != "" && cause.To != "":
			head += " " + cause.From + " -> " + cause.To
		case cause.To != "" && p.base != nil:
			head += " " + cause.To + " is new"
		case cause.To != "":
			head += " " + cause.To
		}
	} else if place.Message != "" {
		head = place.Message
	}
	if was := formerly(f, true); was != "" {
		head += ", " + was
	}
	f.Message = head + ": " + f.Message
}

// formerly says what the figures of a finding were: "connections 160 -> 400".
func formerly(f *Finding, both bool) string {
	var parts []string
	for _, was := range f.Before {
		now := figureNamed(f.Figures, was.Name)
		if now == nil || now.Value == was.Value {
			continue
		}
		if both {
			parts = append(parts, was.Name+" "+model.Number(was.Value)+" -> "+model.Number(now.Value))
		} else {
			parts = append(parts, was.Name+" before this change: "+model.Number(was.Value))
		}
	}
	return strings.Join(parts, ", ")
}

// cause returns the setting at a path with its values before and after, nil when it did not change.
func (p *comparison) cause(s *model.Stack, at model.Path) *Cause {
	if s == nil || len(at) == 0 {
		return nil
	}
	v := s.Root.At(at...)
	to, ok := v.Scalar()
	if !ok {
		return nil
	}
	c := &Cause{Key: keyOf(v, at)}
	c.To = valueText(c.Key, to)
	if p.base == nil {
		return c
	}
	if old := p.oldStack(s.Name); old != nil && old.Stack != nil {
		if from, ok := sameValue(s.Root, old.Stack.Root, at).Scalar(); ok {
			if from == to {
				return nil
			}
			c.From = valueText(c.Key, from)
		}
	}
	return c
}

// maxCause bounds a value in the text of a cause.
const maxCause = 40

func valueText(key, text string) string {
	if secret.Value(key, text) || secret.In(text) {
		return secret.Mask
	}
	text = model.Quote(text)
	if r := []rune(text); len(r) > maxCause {
		return string(r[:maxCause]) + "…"
	}
	return text
}

// keyOf is the name of a setting as its file writes it.
func keyOf(v *model.Value, at model.Path) string {
	o := &v.Origin
	switch {
	case o.Arg() != nil && o.Arg().Flag >= 0 && o.Arg().Flag < len(o.Arg().Line.Words):
		flag, _, _ := strings.Cut(o.Arg().Line.Words[o.Arg().Flag].Text, "=")
		return model.Quote(flag)
	case o.Env() != nil:
		return model.Quote(o.Env().Name)
	case o.File != nil && o.Key.End > o.Key.Start && o.Key.End <= len(o.File.Bytes):
		return model.Quote(strings.Trim(o.File.Text(o.Key), `"'`))
	}
	for i := len(at) - 1; i >= 0; i-- {
		if name, ok := at[i].(string); ok {
			return model.Quote(name)
		}
	}
	return "value"
}

// sameValue returns the value of another tree at a path, with list items found by name where they have one.
func sameValue(head, base *model.Value, at model.Path) *model.Value {
	for _, e := range at {
		next := base.At(e)
		if _, ok := e.(int); ok {
			if name := itemName(head.At(e)); name != "" {
				next = nil
				for _, item := range base.Items() {
					if itemName(item) == name {
						next = item
						break
					}
				}
			}
		}
		head, base = head.At(e), next
		if base == nil {
			return nil
		}
	}
	return base
}

// stackChanges pairs the stacks of both trees.
func (p *comparison) stackChanges(r *Result, s *Since) {
	seen := map[*StackSummary]bool{}
	for i := range r.Stacks {
		c := StackChange{Name: r.Stacks[i].Name, After: r.Stacks[i].Stack}
		if old := p.oldStack(c.Name); old != nil && !seen[old] {
			seen[old] = true
			c.Before = old.Stack
		}
		s.Stacks = append(s.Stacks, c)
	}
	for i := range p.base.Stacks {
		if old := &p.base.Stacks[i]; !seen[old] {
			s.Stacks = append(s.Stacks, StackChange{Name: old.Name, Before: old.Stack})
		}
	}
}

// figureChanges lists the figures that are others than before.
func (p *comparison) figureChanges(r *Result, s *Since) {
	seen := map[*StackSummary]bool{}
	for i := range r.Stacks {
		st := &r.Stacks[i]
		old := p.oldStack(st.Name)
		var before []Measure
		if old != nil {
			seen[old] = true
			before = old.Measures
		}
		s.Figures = append(s.Figures, changedFigures(st.Name, before, st.Measures)...)
	}
	for i := range p.base.Stacks {
		if old := &p.base.Stacks[i]; !seen[old] {
			s.Figures = append(s.Figures, changedFigures(old.Name, old.Measures, nil)...)
		}
	}
}

func changedFigures(stack string, before, after []Measure) []FigureChange {
	type key struct{ rule, name, unit string }
	var order []key
	old, now := map[key]*model.Figure{}, map[key]*model.Figure{}
	gather := func(list []Measure, in map[key]*model.Figure) {
		for i := range list {
			m := &list[i]
			k := key{m.Rule, m.Name, m.Unit}
			if in[k] == nil {
				in[k] = &m.Figure
			}
			if !slices.Contains(order, k) {
				order = append(order, k)
			}
		}
	}
	gather(before, old)
	gather(after, now)
	var out []FigureChange
	for _, k := range order {
		a, b := old[k], now[k]
		if a != nil && b != nil && a.Value == b.Value && (a.Limit == nil) == (b.Limit == nil) && (a.Limit == nil || *a.Limit == *b.Limit) {
			continue
		}
		out = append(out, FigureChange{Stack: stack, Rule: k.rule, Before: a, After: b})
	}
	return out
}
