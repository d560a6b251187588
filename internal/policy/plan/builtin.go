package plan

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// native is a function written in Go: by the number of its arguments, or for any number of them. It returns nil for an
// undefined value, and done false when it leaves the call to the next: one of the same function that takes a list of
// arguments, which it must not keep, or the function that it stands for.
type native struct {
	none func(ev *Evaluator) (v Value, done bool)
	one  func(ev *Evaluator, a Value) (v Value, done bool)
	two  func(ev *Evaluator, a, b Value) (v Value, done bool)
	list func(ev *Evaluator, args []Value) (v Value, done bool)
}

// there reports whether there is such a function.
func (n native) there() bool { return n.none != nil || n.one != nil || n.two != nil || n.list != nil }

var builtins sync.Mutex

// Builtins calls f, which reads or changes OPA's table of built-in functions, while nobody else does so through here.
func Builtins(f func()) {
	builtins.Lock()
	defer builtins.Unlock()
	f()
}

// builtinFunction returns a built-in function of Rego. Those here answer the calls that policies make often; all other
// calls, with numbers that are no int64 for example, go to OPA's.
func builtinFunction(name string) native {
	var opa topdown.BuiltinFunc
	Builtins(func() { opa = topdown.GetBuiltin(name) })
	if opa == nil {
		return native{}
	}
	if name == ast.WalkBuiltin.Name {
		return native{list: func(ev *Evaluator, args []Value) (Value, bool) { return &Array{ev.opa(opa, args)}, true }}
	}
	f := directBuiltin(name)
	full := func(ev *Evaluator, args []Value) (Value, bool) {
		if out := ev.opa(opa, args); len(out) > 0 {
			return out[0], true
		}
		return nil, true
	}
	f.list = full
	if quick := quickBuiltin(name); quick != nil {
		f.list = func(ev *Evaluator, args []Value) (Value, bool) {
			if v, ok := quick(args); ok {
				return v, true
			}
			return full(ev, args)
		}
	}
	return f
}

// directBuiltin returns the built-in functions that policies call most.
func directBuiltin(name string) native {
	switch name {
	case "internal.member_2":
		return native{two: func(_ *Evaluator, a, b Value) (Value, bool) { return member(a, b), true }}
	case "count":
		return native{one: func(_ *Evaluator, a Value) (Value, bool) { return size(a), true }}
	case "array.concat":
		return native{two: joined}
	case "contains":
		return native{two: onTexts(strings.Contains)}
	case "startswith":
		return native{two: onTexts(strings.HasPrefix)}
	case "endswith":
		return native{two: onTexts(strings.HasSuffix)}
	case "is_number":
		return ofKind(orderNumber)
	case "is_string":
		return ofKind(orderString)
	case "is_boolean":
		return ofKind(orderBool)
	case "is_array":
		return ofKind(orderArray)
	case "is_object":
		return ofKind(orderObject)
	case "is_set":
		return ofKind(orderSet)
	case "is_null":
		return ofKind(orderNull)
	}
	return native{}
}

// opa calls a function of OPA and returns its values: one, several of a relation (plans loop over those of walk), none
// when it fails.
func (ev *Evaluator) opa(f topdown.BuiltinFunc, args []Value) (out []Value) {
	terms := make([]*ast.Term, len(args))
	for i, a := range args {
		if terms[i] = Term(a); terms[i] == nil {
			return nil
		}
	}
	err := f(topdown.BuiltinContext{Context: ev.ctx}, terms, func(t *ast.Term) error {
		out = append(out, FromTerm(t))
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}

// quickBuiltin returns a function that answers the usual calls of a built-in function; ok is false for the others.
func quickBuiltin(name string) func(args []Value) (v Value, ok bool) {
	switch name {
	case "equal":
		return comparison(func(a, b Value) bool { return equal(a, b) })
	case "neq":
		return comparison(func(a, b Value) bool { return !equal(a, b) })
	case "lt":
		return comparison(func(a, b Value) bool { return Compare(a, b) < 0 })
	case "lte":
		return comparison(func(a, b Value) bool { return Compare(a, b) <= 0 })
	case "gt":
		return comparison(func(a, b Value) bool { return Compare(a, b) > 0 })
	case "gte":
		return comparison(func(a, b Value) bool { return Compare(a, b) >= 0 })
	case "plus":
		return arithmetic(func(a, b int64) (int64, bool) { return a + b, true })
	case "minus":
		return arithmetic(func(a, b int64) (int64, bool) { return a - b, true })
	case "mul":
		return arithmetic(func(a, b int64) (int64, bool) {
			n := a * b
			return n, a == 0 || n/a == b && n < most && n > -most
		})
	case "div":
		return arithmetic(func(a, b int64) (int64, bool) {
			if a == 0 || b == 0 || a%b != 0 {
				return 0, false
			}
			return a / b, true
		})
	case "rem":
		return arithmetic(func(a, b int64) (int64, bool) {
			if b == 0 {
				return 0, false
			}
			return a % b, true
		})
	case "floor", "ceil", "round":
		return func(args []Value) (Value, bool) {
			n, ok := args[0].(int64)
			return n, ok
		}
	case "max":
		return func(args []Value) (Value, bool) { return extreme(args[0], 1) }
	case "min":
		return func(args []Value) (Value, bool) { return extreme(args[0], -1) }
	case "sum":
		return sum
	case "sort":
		return func(args []Value) (Value, bool) {
			switch order(args[0]) {
			case orderArray:
				list := slices.Clone(items(args[0]))
				slices.SortStableFunc(list, Compare)
				return &Array{list}, true
			case orderSet:
				return &Array{args[0].(*Set).ordered()}, true
			}
			return nil, true
		}
	case "or":
		return union
	case "array.slice":
		return slice
	case "object.get":
		return objectGet
	case "object.keys":
		return func(args []Value) (Value, bool) {
			if order(args[0]) != orderObject {
				return nil, true
			}
			keys := &Set{sorted: true}
			for _, p := range pairs(args[0]) {
				keys.items = append(keys.items, p.key)
			}
			return keys, true
		}
	case "object.union":
		return func(args []Value) (Value, bool) {
			if order(args[0]) != orderObject || order(args[1]) != orderObject {
				return nil, true
			}
			return overlaid(args[0], args[1]), true
		}
	case "object.union_n":
		return func(args []Value) (Value, bool) {
			if order(args[0]) != orderArray {
				return nil, true
			}
			var out Value = &Object{}
			for i := range length(args[0]) {
				next := at(args[0], i)
				if order(next) != orderObject {
					return nil, true
				}
				out = overlaid(out, next)
			}
			return out, true
		}
	case "numbers.range":
		return numbersRange
	case "concat":
		return concat
	case "trim_prefix":
		return trim(strings.TrimPrefix)
	case "trim_suffix":
		return trim(strings.TrimSuffix)
	case "split":
		return split
	case "lower":
		return func(args []Value) (Value, bool) {
			if s, ok := args[0].(string); ok {
				return strings.ToLower(s), true
			}
			return nil, true
		}
	case "replace":
		return func(args []Value) (Value, bool) {
			s, ok := args[0].(string)
			old, ok1 := args[1].(string)
			with, ok2 := args[2].(string)
			if !ok || !ok1 || !ok2 {
				return nil, true
			}
			return strings.ReplaceAll(s, old, with), old != ""
		}
	case "sprintf":
		return sprintf
	case "regex.match":
		return func(args []Value) (Value, bool) {
			re, s := pattern(args)
			if re == nil {
				return nil, true
			}
			return re.MatchString(s), true
		}
	case "regex.find_n":
		return findN
	case "to_number":
		return func(args []Value) (Value, bool) {
			switch v := args[0].(type) {
			case int64, Decimal:
				return v, true
			case string:
				n, ok := Number(v).(int64)
				return n, ok
			}
			return nil, false
		}
	}
	return nil
}

func comparison(is func(a, b Value) bool) func([]Value) (Value, bool) {
	return func(args []Value) (Value, bool) { return is(args[0], args[1]), true }
}

// most bounds the numbers that are calculated with here: OPA writes the results in the same way.
const most = 1 << 53

// arithmetic answers for numbers whose result is certain to be an int64.
func arithmetic(f func(a, b int64) (int64, bool)) func([]Value) (Value, bool) {
	return func(args []Value) (Value, bool) {
		a, ok := args[0].(int64)
		b, both := args[1].(int64)
		if !ok || !both || a >= most || a <= -most || b >= most || b <= -most {
			return nil, false
		}
		return f2(f(a, b))
	}
}

func f2(n int64, ok bool) (Value, bool) { return n, ok }

func ofKind(kind int) native {
	return native{one: func(_ *Evaluator, a Value) (Value, bool) { return order(a) == kind, true }}
}

// joined returns the items of two arrays.
func joined(ev *Evaluator, a, b Value) (Value, bool) {
	if order(a) != orderArray || order(b) != orderArray {
		return nil, true
	}
	n := length(a)
	out := ev.stock.array(n + length(b))
	for i := range out.items {
		if i < n {
			out.items[i] = at(a, i)
		} else {
			out.items[i] = at(b, i-n)
		}
	}
	return out, true
}

func onTexts(is func(s, t string) bool) func(_ *Evaluator, a, b Value) (Value, bool) {
	return func(_ *Evaluator, a, b Value) (Value, bool) {
		s, ok := a.(string)
		t, both := b.(string)
		if !ok || !both {
			return nil, true
		}
		return is(s, t), true
	}
}

// trim leaves a text as it is when nothing of it goes.
func trim(without func(s, t string) string) func(args []Value) (Value, bool) {
	return func(args []Value) (Value, bool) {
		s, ok := args[0].(string)
		t, both := args[1].(string)
		if !ok || !both {
			return nil, true
		}
		if out := without(s, t); len(out) < len(s) {
			return out, true
		}
		return args[0], true
	}
}

// size returns the number of items of a collection, or of characters of a text.
func size(v Value) Value {
	switch order(v) {
	case orderArray, orderObject, orderSet:
		return int64(length(v))
	case orderString:
		return int64(utf8.RuneCountInString(v.(string)))
	}
	return nil
}

func split(args []Value) (Value, bool) {
	s, ok := args[0].(string)
	sep, both := args[1].(string)
	if !ok || !both || sep == "" {
		return nil, false
	}
	out := &Array{}
	for part := range strings.SplitSeq(s, sep) {
		out.items = append(out.items, part)
	}
	return out, true
}

// member reports whether a collection has a value.
func member(v, collection Value) bool {
	switch c := collection.(type) {
	case *Set:
		return c.has(v)
	case *Array:
		return slices.ContainsFunc(c.items, func(w Value) bool { return equal(v, w) })
	}
	switch order(collection) {
	case orderArray:
		for i := range length(collection) {
			if equal(at(collection, i), v) {
				return true
			}
		}
	case orderObject:
		for _, p := range pairs(collection) {
			if equal(p.value, v) {
				return true
			}
		}
	}
	return false
}

// extreme returns the largest (direction 1) or smallest (-1) item.
func extreme(v Value, direction int) (Value, bool) {
	var list []Value
	switch order(v) {
	case orderArray:
		list = items(v)
	case orderSet:
		list = v.(*Set).members()
	default:
		return nil, true
	}
	var out Value
	for _, w := range list {
		if out == nil || Compare(w, out)*direction >= 0 {
			out = w
		}
	}
	return out, true
}

func sum(args []Value) (Value, bool) {
	var list []Value
	switch order(args[0]) {
	case orderArray:
		list = items(args[0])
	case orderSet:
		list = args[0].(*Set).members()
	}
	total := int64(0)
	for _, w := range list {
		n, ok := w.(int64)
		if !ok || n > 1<<40 || n < -1<<40 {
			return nil, false
		}
		total += n
	}
	return total, list != nil && len(list) < 1<<20
}

func union(args []Value) (Value, bool) {
	a, ok := args[0].(*Set)
	b, both := args[1].(*Set)
	if !ok || !both {
		return nil, true
	}
	out := &Set{items: slices.Clone(a.members())}
	for _, v := range b.members() {
		out.add(v)
	}
	return out, true
}

func slice(args []Value) (Value, bool) {
	start, ok := args[1].(int64)
	end, both := args[2].(int64)
	if !ok || !both || order(args[0]) != orderArray {
		return nil, false
	}
	list := items(args[0])
	end = max(0, min(end, int64(len(list))))
	start = max(0, min(start, end))
	return &Array{list[start:end:end]}, true
}

func objectGet(args []Value) (Value, bool) {
	if order(args[0]) != orderObject {
		return nil, true
	}
	v := args[0]
	if order(args[1]) == orderArray {
		for i := range length(args[1]) {
			if v = get(v, at(args[1], i)); v == nil {
				return args[2], true
			}
		}
		return v, true
	}
	if v = get(v, args[1]); v == nil {
		return args[2], true
	}
	return v, true
}

// overlaid merges two objects with all below them; what b has of another kind wins.
func overlaid(a, b Value) Value {
	out := &Object{}
	for _, p := range pairs(a) {
		v := p.value
		if w := get(b, p.key); w != nil {
			if order(v) == orderObject && order(w) == orderObject {
				v = overlaid(v, w)
			} else {
				v = w
			}
		}
		out.pairs = append(out.pairs, pair{p.key, v})
	}
	for _, p := range pairs(b) {
		if get(a, p.key) == nil {
			out.pairs = append(out.pairs, p)
		}
	}
	return out
}

// maxRange bounds the ranges that are made here.
const maxRange = 1 << 16

func numbersRange(args []Value) (Value, bool) {
	from, ok := args[0].(int64)
	to, both := args[1].(int64)
	if !ok || !both || from < -maxRange || from > maxRange || to < -maxRange || to > maxRange {
		return nil, false
	}
	step, n := int64(1), to-from
	if n < 0 {
		step, n = -1, -n
	}
	out := &Array{make([]Value, n+1)}
	for i := range out.items {
		out.items[i] = from + int64(i)*step
	}
	return out, true
}

func concat(args []Value) (Value, bool) {
	sep, ok := args[0].(string)
	if !ok {
		return nil, true
	}
	var list []Value
	switch order(args[1]) {
	case orderArray:
		list = items(args[1])
	case orderSet:
		list = args[1].(*Set).ordered()
	default:
		return nil, true
	}
	var b strings.Builder
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil, true
		}
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(s)
	}
	return b.String(), true
}

// sprintf answers for the verbs of texts and whole numbers.
func sprintf(args []Value) (Value, bool) {
	format, ok := args[0].(string)
	if !ok || order(args[1]) != orderArray {
		return nil, true
	}
	list := items(args[1])
	var b strings.Builder
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			b.WriteString(format)
			return b.String(), len(list) == 0
		}
		if i+1 == len(format) {
			return nil, false
		}
		b.WriteString(format[:i])
		verb := format[i+1]
		format = format[i+2:]
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		if len(list) == 0 {
			return nil, false
		}
		switch v := list[0].(type) {
		case string:
			if verb != 's' && verb != 'v' {
				return nil, false
			}
			b.WriteString(v)
		case int64:
			if verb != 'd' && verb != 'v' {
				return nil, false
			}
			b.WriteString(strconv.FormatInt(v, 10))
		default:
			return nil, false
		}
		list = list[1:]
	}
}

// patterns are the regular expressions that policies were seen to use.
var patterns sync.Map

// maxPatterns bounds how many of them are kept; policies may build them out of what they check.
const maxPatterns = 256

var keptPatterns struct {
	sync.Mutex
	n int
}

// pattern returns the expression and the text of a call, nil when they are none.
func pattern(args []Value) (*regexp.Regexp, string) {
	expr, ok := args[0].(string)
	s, both := args[1].(string)
	if !ok || !both {
		return nil, ""
	}
	if re, ok := patterns.Load(expr); ok {
		return re.(*regexp.Regexp), s
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, ""
	}
	keptPatterns.Lock()
	defer keptPatterns.Unlock()
	if keptPatterns.n < maxPatterns {
		keptPatterns.n++
		patterns.Store(expr, re)
	}
	return re, s
}

func findN(args []Value) (Value, bool) {
	re, s := pattern(args)
	n, ok := args[2].(int64)
	if re == nil || !ok || n < -1 || n > 1<<30 {
		return nil, re == nil
	}
	out := &Array{}
	for _, m := range re.FindAllString(s, int(n)) {
		out.items = append(out.items, m)
	}
	return out, true
}
