package plan

import (
	"cmp"
	"encoding/json"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"

	"agentlint/internal/model"
)

// Value is a value of a policy: nil for an undefined one, Null, bool, int64, [Decimal], string, *[Array], *[Object],
// *[Set], a list or map of the stack as *[model.Value], or *[Input]. Composite values do not change once a statement
// after those that build them can see them.
type Value any

// Null is the null of a policy.
type Null struct{}

// Decimal is a number that is no int64 in its shortest notation, as its text.
type Decimal string

// Array is a list that a policy built.
type Array struct{ items []Value }

// NewArray returns an array of items.
func NewArray(items ...Value) *Array { return &Array{items} }

// Object is an object that a policy built.
type Object struct {
	pairs  []pair
	sorted bool // by keys
	index  index
}

type pair struct{ key, value Value }

// Set is a set that a policy built, or the paths of unknown values of an input.
type Set struct {
	items  []Value
	sorted bool
	index  index
	// of is the input whose unknown paths the set has, as long as nobody asked for all of them.
	of *Input
}

// Input is the input document of one stack: its values, and what a run adds to them.
type Input struct {
	stack *model.Stack
	// effective makes parameters when a policy asks for them.
	effective  func() *Object
	parameters *Object
	unknown    *Array
	paths      *Set
}

// NewInput returns the input document of a stack. The function returns the parameters of policies by their ids; it is
// called when a policy asks for one.
func NewInput(s *model.Stack, parameters func() *Object) *Input {
	return &Input{stack: s, effective: parameters}
}

// NewSet returns a set of members.
func NewSet(members ...Value) *Set {
	s := &Set{}
	for _, v := range members {
		s.add(v)
	}
	return s
}

// NewObject returns an object without pairs.
func NewObject() *Object { return &Object{} }

// Sort puts the pairs of an object, and of the objects in it, in order. Nothing changes such an object when it is read, so
// that runs can share it.
func (o *Object) Sort() {
	for _, p := range pairs(o) {
		if inner, ok := p.value.(*Object); ok {
			inner.Sort()
		}
	}
}

// Put adds a pair to an object that no statement can see yet.
func (o *Object) Put(key, value Value) { o.insert(key, value) }

// of returns a value of the stack: scalars by value, containers as they are, nil for what the files do not show and for
// numbers that JSON has no notation for.
func of(v *model.Value) Value {
	if v == nil {
		return nil
	}
	switch v.Kind {
	case model.Null:
		return Null{}
	case model.Bool:
		return v.Bool
	case model.Int:
		return v.Int
	case model.Float:
		if hidden(v) {
			return nil
		}
		return FloatNumber(v.Float)
	case model.Text:
		return v.Text
	case model.List, model.Map:
		return v
	}
	return nil
}

// hidden reports whether the files do not show a value, or JSON has no notation for it.
func hidden(v *model.Value) bool {
	return v.Kind == model.Unknown || v.Kind == model.Float && (math.IsInf(v.Float, 0) || math.IsNaN(v.Float))
}

// item returns an item of a list of the stack; one that the files do not show is null.
func item(v *model.Value) Value {
	if w := of(v); w != nil {
		return w
	}
	return Null{}
}

// Number returns the number of a text.
func Number(text string) Value {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text {
		return n
	}
	return Decimal(text)
}

// FloatNumber returns a number.
func FloatNumber(x float64) Value { return Number(strconv.FormatFloat(x, 'g', -1, 64)) }

// IsArrayValue reports whether a value is an array.
func IsArrayValue(v Value) bool { return order(v) == orderArray }

// IsObjectValue reports whether a value is an object.
func IsObjectValue(v Value) bool { return order(v) == orderObject }

// IsSetValue reports whether a value is a set.
func IsSetValue(v Value) bool { return order(v) == orderSet }

// Length returns the number of items, pairs or members of a value, 0 for a scalar.
func Length(v Value) int { return length(v) }

// Get returns what stands at a key of a value, nil when there is nothing.
func Get(v, key Value) Value { return get(v, key) }

// EachPair calls f for the pairs of an object in the order of keys.
func EachPair(v Value, f func(key, value Value)) {
	for _, p := range pairs(v) {
		f(p.key, p.value)
	}
}

// Each calls f for the items of an array, the members of a set or the values of an object, in order.
func Each(v Value, f func(Value)) {
	switch order(v) {
	case orderArray:
		for i := range length(v) {
			f(at(v, i))
		}
	case orderSet:
		for _, w := range v.(*Set).ordered() {
			f(w)
		}
	case orderObject:
		for _, p := range pairs(v) {
			f(p.value)
		}
	}
}

// integer returns a number as the evaluators of Rego read integers: "2.0" is one.
func integer(v Value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case Decimal:
		return ast.Number(v).Int64()
	}
	return 0, false
}

// The order of kinds in comparisons.
const (
	orderUndefined = iota
	orderNull
	orderBool
	orderNumber
	orderString
	orderArray
	orderObject
	orderSet
)

func order(v Value) int {
	switch v := v.(type) {
	case Null:
		return orderNull
	case bool:
		return orderBool
	case int64, Decimal:
		return orderNumber
	case string:
		return orderString
	case *Array:
		return orderArray
	case *Set:
		return orderSet
	case *model.Value:
		if v.Kind == model.List {
			return orderArray
		}
		return orderObject
	case *Object, *Input:
		return orderObject
	}
	return orderUndefined
}

// Compare orders values as Rego does: by kind, then by value.
func Compare(a, b Value) int {
	x, y := order(a), order(b)
	if x != y {
		return cmp.Compare(x, y)
	}
	switch x {
	case orderBool:
		if a.(bool) == b.(bool) {
			return 0
		} else if b.(bool) {
			return -1
		}
		return 1
	case orderNumber:
		m, ok := a.(int64)
		n, both := b.(int64)
		if ok && both {
			return cmp.Compare(m, n)
		}
		return ast.NumberCompare(numberText(a), numberText(b))
	case orderString:
		return strings.Compare(a.(string), b.(string))
	case orderArray:
		m, n := length(a), length(b)
		for i := range min(m, n) {
			if c := Compare(at(a, i), at(b, i)); c != 0 {
				return c
			}
		}
		return cmp.Compare(m, n)
	case orderObject:
		return slices.CompareFunc(pairs(a), pairs(b), func(p, q pair) int {
			if c := Compare(p.key, q.key); c != 0 {
				return c
			}
			return Compare(p.value, q.value)
		})
	case orderSet:
		return slices.CompareFunc(a.(*Set).ordered(), b.(*Set).ordered(), Compare)
	}
	return 0
}

func equal(a, b Value) bool {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return ok && x == y
	case int64:
		if y, ok := b.(int64); ok {
			return x == y
		}
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case *Array:
		if y, ok := b.(*Array); ok {
			return x == y || slices.EqualFunc(x.items, y.items, equal)
		}
	case *model.Value:
		if y, ok := b.(*model.Value); ok && (x == y || x.Kind != y.Kind || length(x) != length(y)) {
			return x == y
		}
	}
	return Compare(a, b) == 0
}

func numberText(v Value) ast.Number {
	if n, ok := v.(int64); ok {
		return ast.Number(strconv.FormatInt(n, 10))
	}
	return ast.Number(v.(Decimal))
}

// length returns the number of items of a value, 0 for a scalar.
func length(v Value) int {
	switch v := v.(type) {
	case *Array:
		return len(v.items)
	case *Object:
		return len(v.pairs)
	case *Set:
		return len(v.members())
	case *model.Value:
		if v.Kind == model.List {
			return v.Len()
		}
		n := 0
		for _, w := range v.Items() {
			if !hidden(w) {
				n++
			}
		}
		return n
	case *Input:
		return len(pairs(v))
	}
	return 0
}

// at returns an item of an array.
func at(v Value, i int) Value {
	if a, ok := v.(*Array); ok {
		return a.items[i]
	}
	return item(v.(*model.Value).Items()[i])
}

// items returns the items of an array. The slice must not be changed.
func items(v Value) []Value {
	if a, ok := v.(*Array); ok {
		return a.items
	}
	list := v.(*model.Value).Items()
	out := make([]Value, len(list))
	for i, w := range list {
		out[i] = item(w)
	}
	return out
}

// pairs returns the pairs of an object in the order of keys. The slice must not be changed.
func pairs(v Value) []pair {
	switch v := v.(type) {
	case *Object:
		if !v.sorted {
			slices.SortFunc(v.pairs, func(a, b pair) int { return Compare(a.key, b.key) })
			v.sorted, v.index = true, index{}
		}
		return v.pairs
	case *model.Value:
		return modelPairs(v, 0)
	case *Input:
		out := append(modelPairs(v.stack.Root, 2), pair{"parameters", v.extra("parameters")}, pair{"unknown", v.extra("unknown")})
		slices.SortFunc(out, func(a, b pair) int { return strings.Compare(a.key.(string), b.key.(string)) })
		return out
	}
	return nil
}

func modelPairs(v *model.Value, more int) []pair {
	keys, list := v.Keys(), v.Items()
	out := make([]pair, 0, len(keys)+more)
	sorted := true
	for i, k := range keys {
		w := of(list[i])
		if w == nil {
			continue
		}
		if n := len(out); n > 0 && out[n-1].key.(string) > k {
			sorted = false
		}
		out = append(out, pair{k, w})
	}
	if !sorted {
		slices.SortFunc(out, func(a, b pair) int { return strings.Compare(a.key.(string), b.key.(string)) })
	}
	return out
}

// get returns what stands at a key: of an object the value, of an array the item at an index, of a set the member
// itself; nil when there is nothing.
func get(v, key Value) Value {
	switch v := v.(type) {
	case *model.Value:
		switch key := key.(type) {
		case string:
			return of(v.Get(key))
		case int64, Decimal:
			if v.Kind == model.List {
				if i, ok := integer(key); ok && i >= 0 && i < int64(v.Len()) {
					return item(v.Items()[i])
				}
			}
		}
		return nil
	case *Input:
		name, ok := key.(string)
		if !ok {
			return nil
		}
		if w := v.extra(name); w != nil {
			return w
		}
		return of(v.stack.Root.Get(name))
	case *Object:
		if i := v.find(key); i >= 0 {
			return v.pairs[i].value
		}
	case *Array:
		if i, ok := integer(key); ok && i >= 0 && i < int64(len(v.items)) {
			return v.items[i]
		}
	case *Set:
		if v.has(key) {
			return key
		}
	}
	return nil
}

// extra returns what a run adds to the values of the stack.
func (in *Input) extra(name string) Value {
	switch name {
	case "unknown":
		if in.unknown == nil {
			in.unknown = &Array{}
			for _, p := range in.stack.Unknown() {
				in.unknown.items = append(in.unknown.items, pathArray(p))
			}
		}
		return in.unknown
	case "parameters":
		if in.parameters == nil {
			in.parameters = in.effective()
		}
		return in.parameters
	}
	return nil
}

func pathArray(p model.Path) *Array {
	a := &Array{make([]Value, len(p))}
	for i, e := range p {
		switch e := e.(type) {
		case int:
			a.items[i] = int64(e)
		default:
			a.items[i] = e
		}
	}
	return a
}

// unknownPaths is input.unknown as a set.
func (in *Input) unknownPaths() *Set {
	if in.paths == nil {
		in.paths = &Set{of: in}
	}
	return in.paths
}

// unknownAt reports whether a value that the files do not show, or an open container, stands at a path.
func (in *Input) unknownAt(path Value) bool {
	if order(path) != orderArray {
		return false
	}
	here := in.stack.Root
	for i := range length(path) {
		switch key := at(path, i).(type) {
		case string:
			here = here.Get(key)
		case int64, Decimal:
			n, ok := integer(key)
			if !ok || here.Kind != model.List || n < 0 || n >= int64(here.Len()) {
				return false
			}
			here = here.Items()[n]
		default:
			return false
		}
		if here == nil {
			return false
		}
	}
	return hidden(here) || here.Open
}

// members returns the members in the order they came in, or in order. The slice must not be changed.
func (s *Set) members() []Value {
	if s.of != nil {
		s.items = slices.Clone(s.of.extra("unknown").(*Array).items) // each path stands there once
		s.of = nil
	}
	return s.items
}

// find returns the index of a key, -1 when it is not there.
func (o *Object) find(key Value) int {
	if len(o.pairs) <= linear {
		for i := range o.pairs {
			if equal(o.pairs[i].key, key) {
				return i
			}
		}
		return -1
	}
	if o.sorted {
		if i, ok := slices.BinarySearchFunc(o.pairs, key, func(p pair, key Value) int { return Compare(p.key, key) }); ok {
			return i
		}
		return -1
	}
	for len(o.index.next) < len(o.pairs) {
		o.index.add(hash(o.pairs[len(o.index.next)].key))
	}
	return o.index.find(hash(key), func(i int) bool { return equal(o.pairs[i].key, key) })
}

// insert adds a pair, replacing one with the same key.
func (o *Object) insert(key, value Value) {
	if i := o.find(key); i >= 0 {
		o.pairs[i].value = value
		return
	}
	if o.sorted {
		o.sorted, o.index = false, index{}
	}
	o.pairs = append(o.pairs, pair{key, value})
}

// add adds a member.
func (s *Set) add(v Value) {
	if s.has(v) {
		return
	}
	if s.sorted {
		s.sorted, s.index = false, index{}
	}
	s.items = append(s.items, v)
}

func (s *Set) has(v Value) bool {
	if s.of != nil {
		return s.of.unknownAt(v)
	}
	if len(s.items) <= linear {
		return slices.ContainsFunc(s.items, func(w Value) bool { return equal(w, v) })
	}
	if s.sorted {
		_, ok := slices.BinarySearchFunc(s.items, v, Compare)
		return ok
	}
	for len(s.index.next) < len(s.items) {
		s.index.add(hash(s.items[len(s.index.next)]))
	}
	return s.index.find(hash(v), func(i int) bool { return equal(s.items[i], v) }) >= 0
}

// ordered returns the members in order. The slice must not be changed.
func (s *Set) ordered() []Value {
	if !s.sorted {
		slices.SortFunc(s.members(), Compare)
		s.sorted, s.index = true, index{}
	}
	return s.items
}

// linear is the size up to which a look at every item is quicker than an index.
const linear = 8

// index finds items by hashes: head holds for a hash the last item with it plus one, next for an item the one before
// it with the same hash plus one.
type index struct {
	head map[uint64]int32
	next []int32
}

func (x *index) add(h uint64) {
	if x.head == nil {
		x.head = map[uint64]int32{}
	}
	x.next = append(x.next, x.head[h])
	x.head[h] = int32(len(x.next))
}

func (x *index) find(h uint64, is func(int) bool) int {
	for i := x.head[h]; i > 0; i = x.next[i-1] {
		if is(int(i - 1)) {
			return int(i - 1)
		}
	}
	return -1
}

// seed is of this process, so that nobody can choose values whose hashes are equal.
var seed = sync.OnceValue(maphash.MakeSeed)

// hash returns the same for equal values.
func hash(v Value) uint64 {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
		return 2
	case int64:
		return maphash.Comparable(seed(), v)
	case Decimal:
		if n, ok := integer(v); ok {
			return maphash.Comparable(seed(), n)
		}
		x, _ := strconv.ParseFloat(string(v), 64) // out of range is infinite
		return maphash.Comparable(seed(), x)
	case string:
		return maphash.String(seed(), v)
	}
	kind := order(v)
	h := uint64(kind)
	join := func(w Value) { h = h*31 + hash(w) }
	switch kind {
	case orderArray:
		for i := range length(v) {
			join(at(v, i))
		}
	case orderObject:
		for _, p := range pairs(v) {
			join(p.key)
			join(p.value)
		}
	case orderSet:
		for _, w := range v.(*Set).ordered() {
			join(w)
		}
	}
	return h
}

// Term returns a value as OPA's.
func Term(v Value) *ast.Term {
	switch v := v.(type) {
	case Null:
		return ast.InternedNullTerm
	case bool:
		return ast.InternedTerm(v)
	case int64:
		return ast.InternedTerm(v)
	case Decimal:
		return ast.NumberTerm(json.Number(v))
	case string:
		return ast.StringTerm(v)
	case *Set:
		terms := make([]*ast.Term, length(v))
		for i, w := range v.ordered() {
			terms[i] = Term(w)
		}
		return ast.SetTerm(terms...)
	}
	switch order(v) {
	case orderArray:
		terms := make([]*ast.Term, length(v))
		for i := range terms {
			terms[i] = Term(at(v, i))
		}
		return ast.ArrayTerm(terms...)
	case orderObject:
		list := pairs(v)
		terms := make([][2]*ast.Term, len(list))
		for i, p := range list {
			terms[i] = [2]*ast.Term{Term(p.key), Term(p.value)}
		}
		return ast.ObjectTerm(terms...)
	}
	return nil
}

// FromTerm returns a value of OPA's, nil for one that is no value.
func FromTerm(t *ast.Term) Value {
	switch v := t.Value.(type) {
	case ast.Null:
		return Null{}
	case ast.Boolean:
		return bool(v)
	case ast.Number:
		return Number(string(v))
	case ast.String:
		return string(v)
	case *ast.Array:
		out := &Array{make([]Value, 0, v.Len())}
		v.Foreach(func(t *ast.Term) { out.items = append(out.items, FromTerm(t)) })
		return out
	case ast.Set:
		out := &Set{items: make([]Value, 0, v.Len()), sorted: true}
		v.Foreach(func(t *ast.Term) { out.items = append(out.items, FromTerm(t)) })
		return out
	case ast.Object:
		out := &Object{pairs: make([]pair, 0, v.Len()), sorted: true}
		v.Foreach(func(k, w *ast.Term) { out.pairs = append(out.pairs, pair{FromTerm(k), FromTerm(w)}) })
		return out
	}
	return nil
}
