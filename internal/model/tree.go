package model

import (
	"math"
	"strings"

	"agentlint/internal/source"
)

// maxValues bounds the values made from one document, so that aliases of aliases cannot multiply without end.
const maxValues = 500_000

// maxShadows bounds the losers that a key has because it is written again and again in one map; the latest are kept.
const maxShadows = 50

// FromNode returns the value of a YAML or JSON node as the program of the dialect reads it: aliases and merge
// keys followed, the last of duplicate keys kept and the earlier ones as its losers. A scalar is unknown when
// unseen says so (nil: when it holds a template expression); keys that hold one make their map open.
func FromNode(f *source.File, n *source.Node, d source.Dialect, unseen func(*source.Node) bool) *Value {
	if n == nil {
		return nil
	}
	if unseen == nil {
		unseen = Templated
	}
	c := converter{f: f, d: d, unseen: unseen, budget: maxValues}
	return c.value(n, n.KeyNode(), nil, 0)
}

// Templated reports whether a scalar holds a Helm, Jinja or Go template expression.
func Templated(n *source.Node) bool {
	return strings.Contains(n.Text, "{{") || strings.Contains(n.Text, "{%")
}

type converter struct {
	f      *source.File
	d      source.Dialect
	unseen func(*source.Node) bool
	budget int
}

// value converts n; key is its key node in a map and via the alias or merge value that leads here.
func (c *converter) value(n, key, via *source.Node, depth int) *Value {
	c.budget--
	o := Origin{Source: FromConfig, File: c.f, Node: n, Via: via, Span: n.Span()}
	if key != nil {
		o.Key = key.Span()
	}
	if c.budget < 0 || depth > source.MaxDepth {
		return NewUnknown(o)
	}
	t := n
	if n.Kind == source.Alias {
		if t = n.Deref(); t == nil {
			return NewUnknown(o)
		}
		if via == nil {
			o.Via = n
			via = n
		}
		o.Node, o.Span = t, t.Span()
	}
	switch t.Kind {
	case source.Map:
		return c.mapping(t, o, via, depth)
	case source.List:
		items := make([]*Value, 0, len(t.Children))
		for _, item := range t.Children {
			items = append(items, c.value(item, nil, via, depth+1))
		}
		return NewList(o, items...)
	}
	return c.scalar(t, o)
}

func (c *converter) mapping(t *source.Node, o Origin, via *source.Node, depth int) *Value {
	v := NewMap(o)
	// An unquoted template ("{{ x }}") parses as a map whose key is a map.
	if t.Style == source.Flow && len(t.Children) == 2 && t.Children[0].Kind == source.Map {
		return NewUnknown(o)
	}
	entries := t.Entries()
	if len(entries) == 0 {
		return v
	}
	k := newKids(v, len(entries))
	v.kids = k
	for _, e := range entries {
		if c.unseen(e.Key) {
			v.Open = true
			continue
		}
		from := via
		if from == nil {
			from = e.Merge
		}
		w := c.value(e.Value, e.Key, from, depth+1)
		for i := len(e.Shadowed) - 1; i >= max(0, len(e.Shadowed)-maxShadows); i-- {
			at := e.Shadowed[i].Key.Span()
			w.SetLosers(append(w.Losers(), Origin{Source: FromConfig, File: c.f, Node: e.Shadowed[i].Value, Key: at, Span: at}))
		}
		k.keys = append(k.keys, e.Key.Text)
		k.items = append(k.items, w)
	}
	k.reindex()
	return v
}

func (c *converter) scalar(n *source.Node, o Origin) *Value {
	if c.unseen(n) {
		return NewUnknown(o)
	}
	switch r := source.Resolve(n, c.d); r.Kind {
	case source.NullValue:
		return &Value{Kind: Null, Origin: o}
	case source.BoolValue:
		return NewBool(r.Bool, o)
	case source.IntValue:
		// Beyond 64 bits it is known as a float only.
		if r.Int == math.MaxInt64 || r.Int == math.MinInt64 {
			return NewFloat(r.Float, o)
		}
		return NewInt(r.Int, o)
	case source.FloatValue:
		return NewFloat(r.Float, o)
	}
	return NewText(n.Text, o)
}

// Merge lays over values as Helm merges them: maps merge, lists and scalars replace, null deletes. Values of
// base that over replaces become losers. Neither argument is changed.
func Merge(base, over *Value) *Value {
	switch {
	case base == nil:
		return over
	case over == nil:
		return base
	case base.Kind == Unknown && over.Kind == Map:
		out := *over
		out.Open = true
		return &out
	case over.Kind == Unknown || base.Kind != Map || over.Kind != Map:
		out := *over
		out.SetLosers(append(append([]Origin{}, over.Losers()...), base.Origin))
		out.SetLosers(append(out.Losers(), base.Losers()...))
		return &out
	}
	out := NewMap(over.Origin)
	out.SetLosers(append(append([]Origin{}, over.Losers()...), base.Origin))
	out.SetLosers(append(out.Losers(), base.Losers()...))
	out.Open = base.Open || over.Open
	for i, k := range base.Keys() {
		b, o := base.kids.items[i], over.Get(k)
		switch {
		case o == nil:
			out.Set(k, b)
		case o.Kind == Null:
			// The null stays as the place where the default was deleted.
			w := *o
			w.SetLosers(append([]Origin{b.Origin}, b.Losers()...))
			out.Set(k, &w)
		default:
			out.Set(k, Merge(b, o))
		}
	}
	for i, k := range over.Keys() {
		if out.Get(k) == nil {
			out.Set(k, over.kids.items[i])
		}
	}
	return out
}
