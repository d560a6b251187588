package model

import (
	"sync"

	"agentlint/internal/knowledge"
	"agentlint/internal/source"
)

// Stack is one deployed gateway with everything around it: the unit a rule sees.
type Stack struct {
	// Name is the path of the document that starts the gateway, with #service when it starts several.
	Name string
	// Root is a map with the names of docs/model.md: stack, gateway, groups, engines, routers, ... Its
	// origin is the document that starts the gateway.
	Root *Value
	// Files are the files read for this stack, outermost ones only, in order of path.
	Files []*source.File
	// Versions says for each product part which version the rules assume, and from where.
	Versions []VersionNote

	versionsOnce sync.Once
	versions     []productVersion
	litellmOnce  sync.Once
	litellm      knowledge.Release
	memo         sync.Map
}

// Memo returns what work returned the first time that it was asked for under a key: what several rules ask of a stack is
// worked out once. The key has a type of the package that asks, and nothing changes what is returned.
func (s *Stack) Memo(key any, work func() any) any {
	v, ok := s.memo.Load(key)
	if !ok {
		v, _ = s.memo.LoadOrStore(key, work())
	}
	return v
}

// VersionNote is one line of "what version is this": From is a place ("values.yaml:7"), "--target",
// "target in .agentlint.yaml" or "assumed newest".
type VersionNote struct {
	Product, Part, Version, From string
}

// AssumedNewest is where the version of a part comes from that no file tells.
const AssumedNewest = "assumed newest"

// Forget lets go of what [Stack.Memo] keeps. Who changes a stack that rules have seen must call it before the next.
func (s *Stack) Forget() { s.memo.Clear() }

// State is what the files say of a path.
type State uint8

// The states. Absent means that every place that could set the value was seen.
const (
	Absent State = iota
	Present
	Unseen
)

// Get returns the known value at a path, nil when it is absent or unknown.
func (s *Stack) Get(p ...any) *Value {
	v := s.Root.At(p...)
	if v == nil || v.Kind == Unknown {
		return nil
	}
	return v
}

// State says whether a path is present, absent, or unseen because it or something above it is unknown.
func (s *Stack) State(p ...any) State { return s.Root.State(p...) }

// Absent reports whether nothing stands at the path and nothing unseen could put it there.
func (s *Stack) Absent(p ...any) bool { return s.State(p...) == Absent }

// Text returns the text at a path.
func (s *Stack) Text(p ...any) (string, bool) { return s.Get(p...).AsText() }

// Int returns the whole number at a path; texts do not count, see [Value.AsInt].
func (s *Stack) Int(p ...any) (int64, bool) { return s.Get(p...).AsInt(false) }

// IsTrue reports whether the boolean true stands at a path.
func (s *Stack) IsTrue(p ...any) bool { b, ok := s.Get(p...).AsBool(); return ok && b }

// InExample reports whether what stands at a path, or the deepest thing above it that is there, was written in a file
// whose path says that it is an example, a test or a local setup.
func (s *Stack) InExample(p Path) bool {
	v := s.Root
	var f *source.File
	for i := 0; ; i++ {
		if v.Origin.File != nil {
			f, _ = v.Origin.File.Outer(v.Origin.Span)
		}
		if i == len(p) {
			break
		}
		if v = v.At(p[i]); v == nil {
			break
		}
	}
	if f == nil {
		return false
	}
	for _, m := range s.Root.Get("files").Items() {
		if name, _ := m.Get("path").AsText(); name == f.Path {
			b, _ := m.Get("example").AsBool()
			return b
		}
	}
	return false
}

// Unknown returns the paths of all unknown values and open containers, in the order of the tree. It is what
// policies see as input.unknown.
func (s *Stack) Unknown() []Path {
	var out []Path
	// The path is made of the steps that led to a value only where one is needed.
	type step struct {
		of    *Value
		index int
	}
	steps := make([]step, 0, 16)
	var walk func(v *Value)
	walk = func(v *Value) {
		if v.hidden() || v.Open {
			p := make(Path, len(steps))
			for i, s := range steps {
				if p[i] = any(s.index); s.of.Kind == Map {
					p[i] = s.of.kids.keys[s.index]
				}
			}
			out = append(out, p)
		}
		for i, w := range v.Items() {
			if w.Len() > 0 || w.Open || w.hidden() {
				steps = append(steps, step{v, i})
				walk(w)
				steps = steps[:len(steps)-1]
			}
		}
	}
	walk(s.Root)
	return out
}

// Place is a path found in a stack as far as it goes.
type Place struct {
	// Value is the deepest existing value on the path, Missing the elements below it that are not there.
	Value   *Value
	Path    Path
	Missing Path
	// Key asks for the key token instead of the value.
	Key bool
}

// Locate follows a path as far as it goes.
func (s *Stack) Locate(p Path) Place {
	v := s.Root
	for i, e := range p {
		w := v.At(e)
		if w == nil {
			return Place{Value: v, Path: p[:i], Missing: p[i:]}
		}
		v = w
	}
	return Place{Value: v, Path: p}
}
