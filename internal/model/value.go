package model

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/source"
)

// Kind is the kind of a [Value].
type Kind uint8

// The kinds of values. Unknown is a value that is set, or may be set, by something the files do not show: a
// Secret, an unresolved variable, a template.
const (
	Unknown Kind = iota
	Null
	Bool
	Int
	Float
	Text
	List
	Map
)

// Value is one value of a stack with the place it was written.
type Value struct {
	Kind Kind
	Bool bool
	// Open marks a container in which more may stand than the files show (an unseen Secret in envFrom):
	// nothing in it can be called absent.
	Open  bool
	Int   int64
	Float float64
	Text  string

	// Origin is where the effective value comes from.
	Origin Origin

	losers *losers // nil without any
	kids   *kids   // of a container that is not empty
}

// losers are where a value was also written and overridden.
type losers struct {
	origins []Origin
	// room is where the origins lie when they can be added to in front.
	room *room
}

// Losers returns where the value was also written and overridden, the latest first. A key that is written twice in one
// map has the earlier ones among them, with their key as span.
func (v *Value) Losers() []Origin {
	if v.losers == nil {
		return nil
	}
	return v.losers.origins
}

// SetLosers replaces the losers of v by a list that nobody changes from here on.
func (v *Value) SetLosers(list []Origin) {
	v.losers = nil
	if len(list) > 0 {
		v.losers = &losers{origins: list}
	}
}

// kids are what a container holds. A copy of a container shares them, and gets its own when it is changed.
type kids struct {
	owner *Value
	keys  []string // of a map
	items []*Value
	// index finds the keys of a map that has more of them than one looks through; nil for others.
	index map[string]int
}

// few is the number of entries up to which a map is made in one piece with their room.
const few = 4

// newKids returns room for the entries of a map.
func newKids(v *Value, entries int) *kids {
	if entries > few {
		return &kids{owner: v, keys: make([]string, 0, entries), items: make([]*Value, 0, entries)}
	}
	k := &struct {
		kids
		names  [few]string
		values [few]*Value
	}{}
	k.kids = kids{owner: v, keys: k.names[:0], items: k.values[:0]}
	return &k.kids
}

// own returns the kids of v to be changed.
func (v *Value) own() *kids {
	switch k := v.kids; {
	case k == nil && v.Kind == Map:
		v.kids = newKids(v, few)
	case k == nil:
		v.kids = &kids{owner: v}
	case k.owner != v:
		v.kids = &kids{owner: v, keys: slices.Clone(k.keys), items: slices.Clone(k.items)}
		v.kids.reindex()
	}
	return v.kids
}

// indexed is the number of keys from which on a map has an index.
const indexed = 32

// Source says what kind of thing set a value. The zero value stands for none.
type Source int8

// The sources.
const (
	FromConfig  Source = iota + 1 // a key of a file
	FromEnv                       // an environment variable
	FromArgs                      // a command-line argument
	FromChart                     // a chart's default that nobody wrote
	FromDefault                   // the product's default at its version
	FromFact                      // facts: or --assume
)

// sourceNames are the texts of gateway.settings[].source.
var sourceNames = [...]string{"", "config", "env", "args", "chart", "default", "fact"}

// String returns the text of gateway.settings[].source, empty for no source.
func (s Source) String() string { return sourceNames[s] }

// Origin is the place a value was written.
type Origin struct {
	Source Source
	// File is nil for defaults and facts.
	File *source.File
	// Node is the value's node in a YAML or JSON file. Span may be a part of it (one item "KEY=value" of a
	// compose list, one word of a command string).
	Node *source.Node
	// Via is the alias or merge value that uses Node, when the value is written in an anchor elsewhere. The
	// finding stands at Via.
	Via *source.Node
	// Key is the key token (also the name in an env file, the flag of an argument); zero without one.
	Key source.Span
	// Span is the value; zero-width where a value could be written.
	Span source.Span
	// Detail is what few origins have; nil for a value that is a node of a file.
	Detail *Detail
}

// Detail is what an origin has beside its place in a file. It is not changed, as origins share it.
type Detail struct {
	// Arg locates an argument of a command line, nil for anything else.
	Arg *Argument
	// Env is the entry of an env file, nil for anything else.
	Env *source.EnvEntry
	// Through is, for an entry of a project's .env file, the value of the compose file that hands it on: NAME: ${NAME}. nil for
	// anything else.
	Through *Value
	// Block is, for a chart's or a product's default, the value whose presence turns the default on; a
	// finding about the default stands there.
	Block *Value
	// Note says in words where a value without a place comes from: "default of LiteLLM 1.102.0".
	Note string
}

// Arg returns that of the origin's details.
func (o *Origin) Arg() *Argument {
	if o.Detail == nil {
		return nil
	}
	return o.Detail.Arg
}

// Through returns that of the origin's details.
func (o *Origin) Through() *Value {
	if o.Detail == nil {
		return nil
	}
	return o.Detail.Through
}

// Env returns that of the origin's details.
func (o *Origin) Env() *source.EnvEntry {
	if o.Detail == nil {
		return nil
	}
	return o.Detail.Env
}

// Block returns that of the origin's details.
func (o *Origin) Block() *Value {
	if o.Detail == nil {
		return nil
	}
	return o.Detail.Block
}

// Note returns that of the origin's details.
func (o *Origin) Note() string {
	if o.Detail == nil {
		return ""
	}
	return o.Detail.Note
}

// Argument is one occurrence of a flag in a command line, the words that start its program, or the command line as a
// whole.
type Argument struct {
	Line *source.CommandLine
	// Flag is the index of the word that holds the flag (-1 for the whole line), Values those of the words that hold its values (the
	// same index when written --flag=value), in order. Of the words that start a program Flag is the first.
	Flag   int
	Values []int
}

// IsZero reports whether the origin was never set.
func (o *Origin) IsZero() bool {
	return o.Source == 0 && o.File == nil && o.Node == nil && o.Block() == nil
}

// OriginOr returns the origin of v, or o when v is nil.
func (v *Value) OriginOr(o Origin) Origin {
	if v == nil {
		return o
	}
	return v.Origin
}

// NewMap returns an empty map.
func NewMap(o Origin) *Value { return &Value{Kind: Map, Origin: o} }

// NewList returns a list of items.
func NewList(o Origin, items ...*Value) *Value {
	v := &Value{Kind: List, Origin: o}
	if len(items) > 0 {
		v.kids = &kids{owner: v, items: items}
	}
	return v
}

// NewText returns a text.
func NewText(s string, o Origin) *Value { return &Value{Kind: Text, Text: s, Origin: o} }

// NewInt returns an integer.
func NewInt(n int64, o Origin) *Value { return &Value{Kind: Int, Int: n, Origin: o} }

// NewFloat returns a number.
func NewFloat(x float64, o Origin) *Value { return &Value{Kind: Float, Float: x, Origin: o} }

// NewBool returns a boolean.
func NewBool(b bool, o Origin) *Value { return &Value{Kind: Bool, Bool: b, Origin: o} }

// NewUnknown returns a value that the files do not show.
func NewUnknown(o Origin) *Value { return &Value{Kind: Unknown, Origin: o} }

// Len returns the number of entries or items.
func (v *Value) Len() int {
	return len(v.Items())
}

// Keys returns the keys of a map in order. The slice must not be changed.
func (v *Value) Keys() []string {
	if v == nil || v.Kind != Map || v.kids == nil {
		return nil
	}
	return v.kids.keys
}

// Items returns the items of a list, or the values of a map in the order of [Value.Keys]. The slice must not
// be changed.
func (v *Value) Items() []*Value {
	if v == nil || v.kids == nil {
		return nil
	}
	return v.kids.items
}

// Get returns the value of a key, nil when v is not a map or has no such key. Unknown values are returned.
func (v *Value) Get(key string) *Value {
	if v == nil || v.Kind != Map || v.kids == nil {
		return nil
	}
	if i := v.kids.find(key); i >= 0 {
		return v.kids.items[i]
	}
	return nil
}

// find returns the index of a key, -1 without it.
func (k *kids) find(key string) int {
	if k.index != nil {
		if i, ok := k.index[key]; ok {
			return i
		}
		return -1
	}
	for i, name := range k.keys {
		if name == key {
			return i
		}
	}
	return -1
}

// add puts an entry at the end of a map that does not have its key.
func (k *kids) add(key string, w *Value) {
	k.keys = append(k.keys, key)
	k.items = append(k.items, w)
	switch {
	case k.index != nil:
		k.index[key] = len(k.keys) - 1
	case len(k.keys) >= indexed:
		k.reindex()
	}
}

func (k *kids) reindex() {
	k.index = nil
	if len(k.keys) < indexed {
		return
	}
	k.index = make(map[string]int, 2*len(k.keys))
	for i, key := range k.keys {
		k.index[key] = i
	}
}

// At follows a path from v; nil when it ends early.
func (v *Value) At(p ...any) *Value {
	for _, e := range p {
		if v = v.step(e); v == nil {
			return nil
		}
	}
	return v
}

// step follows one element of a path.
func (v *Value) step(e any) *Value {
	switch e := e.(type) {
	case string:
		return v.Get(e)
	case int:
		if v != nil && v.Kind == List && e >= 0 && e < v.Len() {
			return v.kids.items[e]
		}
	}
	return nil
}

// State says whether a path from v is present, absent, or unseen because it or something above it is unknown.
func (v *Value) State(p ...any) State {
	for _, e := range p {
		if v.Kind == Unknown {
			return Unseen
		}
		w := v.step(e)
		if w == nil {
			if v.Open {
				return Unseen
			}
			return Absent
		}
		v = w
	}
	if v.Kind == Unknown {
		return Unseen
	}
	return Present
}

// Set puts a value under a key, replacing what was there, and returns it.
func (v *Value) Set(key string, w *Value) *Value {
	k := v.own()
	if i := k.find(key); i >= 0 {
		k.items[i] = w
		return w
	}
	k.add(key, w)
	return w
}

// room is an array of losers that is filled from its end. The part from free on is taken.
type room struct {
	origins []Origin
	free    int
}

// Override puts a value under a key; what was there before becomes one of its losers.
func (v *Value) Override(key string, w *Value) *Value {
	switch old := v.Get(key); {
	case old == nil:
	case len(w.Losers()) > 0:
		w.SetLosers(append(append(slices.Clone(w.Losers()), old.Origin), old.Losers()...))
	case len(old.Losers()) == 0:
		w.SetLosers([]Origin{old.Origin})
	default:
		w.supersede(old)
	}
	return v.Set(key, w)
}

// supersede gives w the losers of old and its origin in front of them. A value that is written again and again does
// not copy them each time; what two values supersede is copied for the second.
func (w *Value) supersede(old *Value) {
	r, n := old.losers.room, len(old.Losers())
	if r == nil || r.free == 0 || len(r.origins)-r.free != n || &r.origins[r.free] != &old.Losers()[0] {
		size := 2 * (n + 1)
		r = &room{make([]Origin, size), size - n}
		copy(r.origins[r.free:], old.Losers())
	}
	r.free--
	r.origins[r.free] = old.Origin
	w.losers = &losers{r.origins[r.free:], r}
}

// Delete removes a key.
func (v *Value) Delete(key string) {
	if v.kids == nil {
		return
	}
	if i := v.kids.find(key); i >= 0 {
		k := v.own()
		k.keys = append(k.keys[:i:i], k.keys[i+1:]...)
		k.items = append(k.items[:i:i], k.items[i+1:]...)
		k.reindex()
	}
}

// Append adds an item to a list and returns it.
func (v *Value) Append(w *Value) *Value {
	k := v.own()
	k.items = append(k.items, w)
	return w
}

// Child returns the map under a key, making it (without an origin) when it is missing.
func (v *Value) Child(key string) *Value {
	if c := v.Get(key); c != nil && c.Kind == Map {
		return c
	}
	return v.Set(key, NewMap(Origin{}))
}

// Known reports whether v is there and its value is in the files.
func (v *Value) Known() bool { return v != nil && v.Kind != Unknown }

// AsInt returns a whole number: an integer, a float without fraction, or with text true also the text of an
// integer, as programs that convert their settings read it.
func (v *Value) AsInt(text bool) (int64, bool) {
	if v == nil {
		return 0, false
	}
	switch v.Kind {
	case Int:
		return v.Int, true
	case Float:
		if v.Float == math.Trunc(v.Float) && math.Abs(v.Float) < 1<<53 {
			return int64(v.Float), true
		}
	case Text:
		if text {
			n, err := strconv.ParseInt(v.Text, 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// AsFloat returns a finite number: an integer, a float, or with text true also the text of one.
func (v *Value) AsFloat(text bool) (float64, bool) {
	if v == nil {
		return 0, false
	}
	switch v.Kind {
	case Int:
		return float64(v.Int), true
	case Float:
		return v.Float, !math.IsInf(v.Float, 0) && !math.IsNaN(v.Float)
	case Text:
		if text {
			x, err := strconv.ParseFloat(v.Text, 64)
			return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
		}
	}
	return 0, false
}

// AsText returns the text of a text.
func (v *Value) AsText() (string, bool) {
	if v == nil || v.Kind != Text {
		return "", false
	}
	return v.Text, true
}

// Truthy is the test of a Helm template: not empty, zero, false, null or absent. Known is false when the files do not show
// the value.
func (v *Value) Truthy() (on, known bool) {
	if v == nil {
		return false, true
	}
	switch v.Kind {
	case Unknown:
		return false, false
	case Bool:
		return v.Bool, true
	case Int:
		return v.Int != 0, true
	case Float:
		return v.Float != 0, true
	case Text:
		return v.Text != "", true
	case List, Map:
		return v.Len() > 0, v.Len() > 0 || !v.Open
	}
	return false, true
}

// AsBool returns the boolean of a boolean.
func (v *Value) AsBool() (value, ok bool) {
	if v == nil || v.Kind != Bool {
		return false, false
	}
	return v.Bool, true
}

// Scalar returns a scalar as text, as a command line or an environment would carry it; false for containers,
// null and unknown values.
func (v *Value) Scalar() (string, bool) {
	if v == nil {
		return "", false
	}
	switch v.Kind {
	case Text:
		return v.Text, true
	case Int:
		return strconv.FormatInt(v.Int, 10), true
	case Float:
		return strconv.FormatFloat(v.Float, 'g', -1, 64), true
	case Bool:
		return strconv.FormatBool(v.Bool), true
	}
	return "", false
}

// Fallback reports whether the whole value is the default of a reference to a variable that nothing in the files sets:
// ${NAME:-value} or ${NAME-value}.
func (v *Value) Fallback() bool {
	s, ok := v.AsText()
	if !ok || v.Origin.File == nil {
		return false
	}
	o := v.Origin.Span
	if o.Start < 0 || o.End > len(v.Origin.File.Bytes) || o.Start > o.End {
		return false
	}
	raw := string(v.Origin.File.Bytes[o.Start:o.End])
	return strings.Contains(raw, "${") && strings.Contains(raw, "-"+s+"}")
}

// hidden reports whether v is left out of plain values.
func (v *Value) hidden() bool {
	return v.Kind == Unknown || v.Kind == Float && (math.IsInf(v.Float, 0) || math.IsNaN(v.Float))
}

// Plain returns v as values of encoding/json (int64 for integers), without unknown values: an unknown entry of
// a map is left out, an unknown item of a list is null. Infinite floats and NaN, which JSON has no notation for, count
// as unknown.
func (v *Value) Plain() any {
	if v == nil {
		return nil
	}
	switch v.Kind {
	case Bool:
		return v.Bool
	case Int:
		return v.Int
	case Float:
		if v.hidden() {
			return nil
		}
		return v.Float
	case Text:
		return v.Text
	case List:
		out := make([]any, v.Len())
		for i, w := range v.Items() {
			out[i] = w.Plain()
		}
		return out
	case Map:
		out := make(map[string]any, v.Len())
		for i, w := range v.Items() {
			if !w.hidden() {
				out[v.kids.keys[i]] = w.Plain()
			}
		}
		return out
	}
	return nil
}

// Walk calls f for v and everything below it, parents first, with the path from v. The path changes when f returns.
func (v *Value) Walk(f func(p Path, v *Value)) {
	var p Path
	v.walk(&p, f)
}

func (v *Value) walk(p *Path, f func(Path, *Value)) {
	if v == nil {
		return
	}
	f(*p, v)
	n := len(*p)
	for i, w := range v.Items() {
		if v.Kind == Map {
			*p = append((*p)[:n], v.kids.keys[i])
		} else {
			*p = append((*p)[:n], i)
		}
		w.walk(p, f)
	}
	*p = (*p)[:n]
}

// Size returns the number of values of v: itself and everything below it.
func (v *Value) Size() int {
	if v == nil {
		return 0
	}
	n := 1
	for _, w := range v.Items() {
		n += w.Size()
	}
	return n
}

// Each calls f for v and everything below it, parents first.
func (v *Value) Each(f func(*Value)) {
	if v == nil {
		return
	}
	f(v)
	for _, w := range v.Items() {
		w.Each(f)
	}
}
