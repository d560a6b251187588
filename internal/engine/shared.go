package engine

import (
	"fmt"
	"slices"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// spot is a place in an outermost file.
type spot struct {
	file *source.File
	span source.Span
}

// spotOf is where a value is written, if it is written anywhere.
func spotOf(o *model.Origin) (spot, bool) {
	span := o.Span
	if span.IsZero() && o.Node != nil {
		span = o.Node.Span()
	}
	if span.IsZero() {
		span = o.Key
	}
	if o.File == nil || span.IsZero() {
		return spot{}, false
	}
	f, sp := o.File.Outer(span)
	return spot{f, sp}, true
}

// usesOf are the places that a stack of several files takes its values from. One of a single file shares it with stacks
// of the same file only, whose parts have places of their own.
func usesOf(st *model.Stack) []spot {
	if len(st.Files) < 2 {
		return nil
	}
	var out []spot
	st.Root.Walk(func(_ model.Path, v *model.Value) {
		if at, ok := spotOf(&v.Origin); ok {
			out = append(out, at)
		}
	})
	return out
}

// removes are the places that the operations of a safe fix take a value away from.
func removes(st *model.Stack, x *Fix) []spot {
	if x.Safety != model.Safe {
		return nil
	}
	var out []spot
	for i := range x.Ops {
		if x.Ops[i].Kind != model.OpRemove {
			continue
		}
		pl := st.Locate(x.Ops[i].At)
		if pl.Value == nil || len(pl.Missing) > 0 {
			continue
		}
		if at, ok := spotOf(&pl.Value.Origin); ok {
			out = append(out, at)
		}
	}
	return out
}

// removal is what a fix of a rule takes away.
type removal struct {
	rule string
	at   spot
}

// shared are the stacks that a value which fixes take away is looked for in.
type shared struct {
	all []*checked
	// asked are the stacks that the removal of a rule is meant for.
	asked map[removal]map[string]bool
	// others are those that lose a value by it, once they were looked for.
	others map[removal][]string
}

// newShared collects the removals of the findings of stacks. More are stacks that were not chosen: they are checked when
// they have a file that a fix changes.
func newShared(all []*checked, more []*model.Stack, check func(*model.Stack) *checked) *shared {
	s := &shared{asked: map[removal]map[string]bool{}, others: map[removal][]string{}}
	var files []*source.File
	add := func(c *checked) {
		s.all = append(s.all, c)
		for i := range c.findings {
			f := &c.findings[i]
			for j := range f.Fixes {
				for _, at := range f.Fixes[j].removes {
					if !slices.Contains(files, at.file) {
						files = append(files, at.file)
					}
					k := removal{f.Rule, at}
					if s.asked[k] == nil {
						s.asked[k] = map[string]bool{}
					}
					s.asked[k][c.Name] = true
				}
			}
		}
	}
	for _, c := range all {
		add(c)
	}
	touched := slices.Clone(files)
	for _, st := range more {
		if slices.ContainsFunc(st.Files, func(f *source.File) bool { return slices.Contains(touched, f) }) {
			add(check(st))
		}
	}
	return s
}

// losing are the stacks that use what a rule's fix takes away and have no such finding.
func (s *shared) losing(r removal) []string {
	out, ok := s.others[r]
	if ok {
		return out
	}
	for _, c := range s.all {
		if !s.asked[r][c.Name] && !slices.Contains(out, c.Name) && slices.Contains(c.uses, r.at) {
			out = append(out, c.Name)
		}
	}
	slices.Sort(out)
	s.others[r] = out
	return out
}

// maxNamed bounds the stacks that a question names.
const maxNamed = 3

// guard makes a safe fix unsafe that takes a value from a stack which has no such finding: an overlay with an autoscaler
// does not decide what its base gives to the others.
func (s *shared) guard(f *Finding) {
	for j := range f.Fixes {
		x := &f.Fixes[j]
		for _, at := range x.removes {
			others := s.losing(removal{f.Rule, at})
			if len(others) == 0 {
				continue
			}
			names := strings.Join(others[:min(len(others), maxNamed)], ", ")
			if n := len(others) - maxNamed; n > 0 {
				names += fmt.Sprintf(" and %d more", n)
			}
			x.Safety = model.Unsafe
			x.Question = fmt.Sprintf("Can %s, which uses %s too and has no such finding, do without the value?", names, at.file.Path)
			break
		}
	}
}
