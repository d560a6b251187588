package source

import (
	"slices"
	"sort"
)

// Kind is the kind of a [Node].
type Kind uint8

// The kinds of nodes. A JSON or YAML null is a Scalar.
const (
	Scalar Kind = iota
	Map
	List
	Alias
)

// Style is how a node is written.
type Style uint8

// The styles. Containers are Block or Flow; scalars any of the others.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal // block scalar |
	Folded  // block scalar >
	Block
	Flow
)

// Node is one key, scalar, container or alias of a YAML or JSON document.
type Node struct {
	Kind  Kind
	Style Style
	// Empty is true for a scalar with no text at all ("key:").
	Empty bool

	// Text is a scalar's value after unquoting and folding, before any type is given to it (see [Resolve]);
	// for an alias, the name of its anchor.
	Text string

	// Start is the first byte including anchor and tag, Content the first byte of the value itself, End the byte
	// after it. An empty value has Content == End, at the place where a value would be written.
	Start, Content, End int
	// Lead is the start of the entry: for a key its "?" or the key itself, for a list item its "-" (in flow
	// lists the item), for a value its colon, or -1 where no colon is written.
	Lead int

	// Children are the items of a list, or key, value, key, value of a map, as written: duplicate and
	// merge keys ("<<") are all there.
	Children []*Node
	// Parent is nil for the root of a document. The parent of a key and of its value is the map.
	Parent *Node

	marks *marks // nil for most nodes
}

// marks is what few nodes have: an anchor, a tag, or the node that an alias refers to.
type marks struct {
	tag, anchor string
	target      *Node
}

// Tag returns the explicit tag as written ("!!str", "!vault"), empty without one.
func (n *Node) Tag() string {
	if n.marks == nil {
		return ""
	}
	return n.marks.tag
}

// Anchor returns the name of the node's anchor, empty without one.
func (n *Node) Anchor() string {
	if n.marks == nil {
		return ""
	}
	return n.marks.anchor
}

// Target returns the node an alias refers to, nil for any other node and for an alias inside of what it refers to.
func (n *Node) Target() *Node {
	if n.marks == nil {
		return nil
	}
	return n.marks.target
}

// mark returns the marks of a node that gets one.
func (n *Node) mark() *marks {
	if n.marks == nil {
		n.marks = &marks{}
	}
	return n.marks
}

// Span returns the bytes of the value without anchor and tag.
func (n *Node) Span() Span { return Span{n.Content, n.End} }

// Deref follows aliases to the node they stand for; nil for a broken or cyclic one.
func (n *Node) Deref() *Node {
	for range 100 {
		if n == nil || n.Kind != Alias {
			return n
		}
		n = n.Target()
	}
	return nil
}

// Entry is one effective entry of a map.
type Entry struct {
	Key, Value *Node
	// Merge is the alias or map under a "<<" key that brought the entry, nil for an own one.
	Merge *Node
	// Shadowed are earlier entries of the same key in the same map, which lose (the last one wins, as in
	// PyYAML).
	Shadowed []Shadow
}

// Shadow is an entry that a later one of the same key in the same map hides.
type Shadow struct{ Key, Value *Node }

// Entries returns the effective entries of a map in file order: the last of duplicate keys, and merged keys
// that are not written in the map itself after the own ones. Of several merged maps the first in a list wins,
// and the last "<<" key, as in PyYAML. n may be an alias; for anything but a map the result is empty.
func (n *Node) Entries() []Entry {
	m := n.Deref()
	if m == nil || m.Kind != Map {
		return nil
	}
	c := entryCollector{out: make([]Entry, 0, len(m.Children)/2)}
	c.collect(m, nil, 0)
	return c.out
}

// maxMerge bounds chains of merge keys.
const maxMerge = 100

// entryCollector gathers the entries of a map and of the maps merged into it. The first to bring a key wins,
// so no map needs to be looked at twice, however often it is merged.
type entryCollector struct {
	out   []Entry
	index map[string]int // of the keys in out, from 16 on
	seen  map[*Node]bool // maps merged so far
}

func (c *entryCollector) find(key string) int {
	if c.index == nil {
		for i := range c.out {
			if c.out[i].Key.Text == key {
				return i
			}
		}
		if len(c.out) < 16 {
			return -1
		}
		c.index = make(map[string]int, 2*len(c.out))
		for i := range c.out {
			c.index[c.out[i].Key.Text] = i
		}
	}
	if i, ok := c.index[key]; ok {
		return i
	}
	return -1
}

// collect adds the entries of m, which merge brought (nil for the map itself).
func (c *entryCollector) collect(m, merge *Node, depth int) {
	own := len(c.out)
	merged := false
	for i := 0; i+1 < len(m.Children); i += 2 {
		k, v := m.Children[i], m.Children[i+1]
		if kd := k.Deref(); kd == nil || kd.Kind != Scalar {
			continue
		}
		if k.IsMergeKey() {
			merged = true
			continue
		}
		switch j := c.find(k.Text); {
		case j >= own:
			e := &c.out[j]
			e.Shadowed = append(e.Shadowed, Shadow{e.Key, e.Value})
			e.Key, e.Value = k, v
		case j < 0:
			if c.index != nil {
				c.index[k.Text] = len(c.out)
			}
			c.out = append(c.out, Entry{Key: k, Value: v, Merge: merge})
		}
	}
	if !merged || depth == maxMerge {
		return
	}
	if c.seen == nil {
		c.seen = map[*Node]bool{}
	}
	c.seen[m] = true
	for i := len(m.Children) - 2; i >= 0; i -= 2 {
		if !m.Children[i].IsMergeKey() {
			continue
		}
		sources := m.Children[i+1 : i+2]
		if l := sources[0].Deref(); l != nil && l.Kind == List {
			sources = l.Children
		}
		for _, s := range sources {
			d := s.Deref()
			if d == nil || d.Kind != Map || c.seen[d] {
				continue
			}
			c.seen[d] = true
			by := merge
			if by == nil {
				by = s
			}
			c.collect(d, by, depth+1)
		}
	}
}

// IsMergeKey reports whether n is a plain "<<" key.
func (n *Node) IsMergeKey() bool {
	return n.Kind == Scalar && n.Style == Plain && n.Text == "<<" && (n.Tag() == "" || n.Tag() == "!!merge")
}

// Get returns the value of key in a map (following aliases and merge keys), or nil.
func (n *Node) Get(key string) *Node {
	m := n.Deref()
	if m == nil || m.Kind != Map {
		return nil
	}
	merged := false
	for i := len(m.Children) - 2; i >= 0; i -= 2 {
		if k := m.Children[i]; k.Kind == Scalar && k.Text == key && !k.IsMergeKey() {
			return m.Children[i+1]
		} else if k.IsMergeKey() {
			merged = true
		}
	}
	if merged {
		for _, e := range m.Entries() {
			if e.Key.Text == key {
				return e.Value
			}
		}
	}
	return nil
}

// At follows keys from n, as repeated [Node.Get]; nil when one is missing.
func (n *Node) At(keys ...string) *Node {
	for _, k := range keys {
		if n = n.Get(k); n == nil {
			return nil
		}
	}
	return n
}

// Items returns the items of a list (following an alias), nil for anything else.
func (n *Node) Items() []*Node {
	if l := n.Deref(); l != nil && l.Kind == List {
		return l.Children
	}
	return nil
}

// KeyNode returns the key node of a map's value as written, or nil.
func (n *Node) KeyNode() *Node {
	if n == nil || n.Parent == nil || n.Parent.Kind != Map {
		return nil
	}
	if i := n.Place(); i%2 == 1 {
		return n.Parent.Children[i-1]
	}
	return nil
}

// Place is the index of n among its parent's children, which stand in the order of the text; -1 without a parent.
func (n *Node) Place() int {
	if n.Parent == nil {
		return -1
	}
	list := n.Parent.Children
	for i := sort.Search(len(list), func(i int) bool { return list[i].Start >= n.Start }); i < len(list) && list[i].Start == n.Start; i++ {
		if list[i] == n {
			return i
		}
	}
	return slices.Index(list, n)
}

// Path returns the keys and list indices that lead from the document's root to n, each a string or an int.
// For a key node it is the path of its value.
func (n *Node) Path() []any {
	var rev []any
	for n != nil && n.Parent != nil {
		p := n.Parent
		if i := n.Place(); i >= 0 && p.Kind == List {
			rev = append(rev, i)
		} else if i >= 0 {
			rev = append(rev, p.Children[i&^1].Text)
		}
		n = p
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}

// Document is the root of one document of a file. Root is nil for an empty document.
type Document struct {
	File *File
	Root *Node
	// Index is the number of the document in its file, from 0.
	Index int
	// Inexact is true when the bytes of some node could not be made out, which only constructed input is known
	// to bring about. Such a document must not be edited.
	Inexact bool
}

// SyntaxError is a file that its parser refuses, with the byte offset it stops at.
type SyntaxError struct {
	File   *File
	Offset int
	Msg    string
}

func (e *SyntaxError) Error() string { return e.Msg }

// Limits of what is read, so that a hostile file cannot cost more than its size in memory and time.
const (
	MaxFileSize = 8 << 20 // bytes of a YAML file: nodes take about 13 times the text
	MaxDepth    = 1000    // nested containers
)
