package fixers

import (
	"fmt"

	"agentlint/internal/source"
)

// shape is what a writer puts into a file, to be found again when the file is read back. With from set it is a
// node of the tree before, unchanged in another place.
type shape struct {
	kind source.Kind
	text string
	// plain is true for a scalar without quotes, whose type its reader decides.
	plain bool
	kids  []*shape
	from  *source.Node
}

// insertion are new children of a container, in front of the old child number at.
type insertion struct {
	at   int
	kids []*shape
}

// patch is a planned change of the trees of a file. Everything it does not name stays.
type patch struct {
	replaced map[*source.Node]*shape // with its anchor and tag kept
	removed  map[*source.Node]bool   // of a map, key and value
	shrunk   map[*source.Node]bool   // the parents of removed
	inserted map[*source.Node][]insertion
}

func (p *patch) replace(n *source.Node, s *shape) {
	if p.replaced == nil {
		p.replaced = map[*source.Node]*shape{}
	}
	p.replaced[n] = s
}

func (p *patch) remove(nodes ...*source.Node) {
	if p.removed == nil {
		p.removed, p.shrunk = map[*source.Node]bool{}, map[*source.Node]bool{}
	}
	for _, n := range nodes {
		p.removed[n] = true
		p.shrunk[n.Parent] = true
	}
}

func (p *patch) insert(container *source.Node, at int, kids ...*shape) {
	if p.inserted == nil {
		p.inserted = map[*source.Node][]insertion{}
	}
	p.inserted[container] = append(p.inserted[container], insertion{at, kids})
}

// child is one expected child of a container: an old node or a new one.
type child struct {
	old *source.Node
	new *shape
}

// touches reports whether container n gains or loses children of its own.
func (p *patch) touches(n *source.Node) bool {
	return p.inserted[n] != nil || p.shrunk[n]
}

// children returns the children that container n must have after the change.
func (p *patch) children(n *source.Node) []child {
	out := make([]child, 0, len(n.Children))
	ins := p.inserted[n]
	for i := 0; i <= len(n.Children); i++ {
		for _, x := range ins {
			if x.at == i {
				for _, k := range x.kids {
					out = append(out, child{new: k})
				}
			}
		}
		if i < len(n.Children) && !p.removed[n.Children[i]] {
			out = append(out, child{old: n.Children[i]})
		}
	}
	return out
}

// verifier compares trees before and after a change.
type verifier struct {
	patch   *patch
	anchors map[*source.Node]*source.Node
}

// verify returns an error unless after is before with the change made, in kinds, tags, anchors, texts and what
// aliases refer to. Styles count as far as they decide types: a plain scalar is another one than a quoted one.
func verify(before, after []*source.Node, p *patch) error {
	if len(before) != len(after) {
		return fmt.Errorf("%d documents become %d", len(before), len(after))
	}
	v := verifier{patch: p, anchors: map[*source.Node]*source.Node{}}
	for i := range before {
		if (before[i] == nil) != (after[i] == nil) {
			return fmt.Errorf("document %d comes or goes", i+1)
		}
		if before[i] == nil {
			continue
		}
		if err := v.same(before[i], after[i]); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) same(o, n *source.Node) error {
	if o.Anchor() != n.Anchor() || o.Tag() != n.Tag() {
		return fmt.Errorf("anchor or tag of %s changes", describe(o))
	}
	if o.Anchor() != "" {
		v.anchors[o] = n
	}
	if s := v.patch.replaced[o]; s != nil {
		return v.shape(s, n)
	}
	if o.Kind != n.Kind {
		return fmt.Errorf("%s becomes %s", describe(o), describe(n))
	}
	switch o.Kind {
	case source.Scalar:
		if o.Text != n.Text || (o.Style == source.Plain) != (n.Style == source.Plain) || o.Empty != n.Empty {
			return fmt.Errorf("%s becomes %s", describe(o), describe(n))
		}
	case source.Alias:
		if o.Text != n.Text || (o.Target() == nil) != (n.Target() == nil) || o.Target() != nil && v.anchors[o.Target()] != n.Target() {
			return fmt.Errorf("alias *%s refers to something else", o.Text)
		}
	default:
		if !v.patch.touches(o) && len(o.Children) == len(n.Children) {
			for i, c := range o.Children {
				if err := v.same(c, n.Children[i]); err != nil {
					return err
				}
			}
			return nil
		}
		want := v.patch.children(o)
		if len(want) != len(n.Children) {
			return fmt.Errorf("%s has %d children in place of %d", describe(o), len(n.Children), len(want))
		}
		for i, c := range want {
			var err error
			if c.old != nil {
				err = v.same(c.old, n.Children[i])
			} else {
				err = v.shape(c.new, n.Children[i])
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *verifier) shape(s *shape, n *source.Node) error {
	if s.from != nil {
		return v.same(s.from, n)
	}
	if s.kind != n.Kind {
		return fmt.Errorf("a new value is read as %s", describe(n))
	}
	switch s.kind {
	case source.Scalar:
		if s.text != n.Text || s.plain != (n.Style == source.Plain) {
			return fmt.Errorf("a new value is read as %s", describe(n))
		}
	default:
		if len(s.kids) != len(n.Children) {
			return fmt.Errorf("a new value has %d children in place of %d", len(n.Children), len(s.kids))
		}
		for i, k := range s.kids {
			if err := v.shape(k, n.Children[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// describe names a node in an error, without its text, which may be a secret.
func describe(n *source.Node) string {
	kind := [...]string{source.Scalar: "a scalar", source.Map: "a map", source.List: "a list", source.Alias: "an alias"}[n.Kind]
	if n.Empty {
		kind = "an empty value"
	}
	return fmt.Sprintf("%s at byte %d", kind, n.Start)
}

// step is one verified change of a file's trees.
type step struct {
	before, after []*source.Node
	patch         *patch
	fix           int
}

// follow returns the node that n of the trees before has become, nil when it is gone.
func (s *step) follow(n *source.Node) *source.Node {
	if n.Parent == nil {
		for i, r := range s.before {
			if r == n && r != nil {
				return s.after[i]
			}
		}
		return nil
	}
	p := n.Parent
	if s.patch.replaced[p] != nil || s.patch.removed[n] {
		return nil
	}
	q := s.follow(p)
	if q == nil {
		return nil
	}
	at := 0
	for i, c := range p.Children {
		for _, x := range s.patch.inserted[p] {
			if x.at == i {
				at += len(x.kids)
			}
		}
		if c == n {
			if at < len(q.Children) {
				return q.Children[at]
			}
			return nil
		}
		if !s.patch.removed[c] {
			at++
		}
	}
	return nil
}
