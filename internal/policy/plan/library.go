package plan

import (
	"slices"
	"strings"

	"agentlint/internal/model"
)

// IsNative reports whether a function of the library has a twin in Go, which answers most calls.
func IsNative(name string) bool { return libraryFunction(name) != nil }

// libraryFunction returns the twin in Go of a function of the library, nil when it has none. Twins know the stack, so
// they need not search input.unknown.
func libraryFunction(name string) nativeFunc {
	switch name {
	case "unknown_paths":
		return func(ev *Evaluator, _ []Value) (Value, bool) { return ev.input.unknownPaths(), true }
	case "unknown_below":
		return func(ev *Evaluator, args []Value) (Value, bool) { return ev.input.unknownBelow(args[0]) }
	case "entries":
		return func(ev *Evaluator, args []Value) (Value, bool) { return ev.entries(args[0]) }
	case "unknown":
		return state(func(v Value, unknown bool) Value { return holds(unknown) })
	case "present":
		return state(func(v Value, unknown bool) Value { return holds(!unknown && v != nil) })
	case "absent":
		return state(func(v Value, unknown bool) Value { return holds(!unknown && v == nil) })
	case "unwritten":
		return func(ev *Evaluator, args []Value) (Value, bool) { return ev.input.unwritten(args[0]) }
	case "value":
		return func(ev *Evaluator, args []Value) (Value, bool) { return ev.input.value(args[0], args[1]) }
	case "environ_reference":
		return func(_ *Evaluator, args []Value) (Value, bool) {
			_, is := reference(args[0])
			return holds(is), true
		}
	case "resolved":
		return func(ev *Evaluator, args []Value) (Value, bool) {
			name, is := reference(args[0])
			if !is {
				return args[0], true
			}
			return ev.input.value(NewArray("gateway", "env", name), Null{})
		}
	case "at_least":
		return func(ev *Evaluator, args []Value) (Value, bool) {
			return ev.versions(args, func(c int) bool { return c >= 0 })
		}
	case "below":
		return func(ev *Evaluator, args []Value) (Value, bool) {
			return ev.versions(args, func(c int) bool { return c < 0 })
		}
	case "number":
		return func(_ *Evaluator, args []Value) (Value, bool) {
			switch x := args[0].(type) {
			case int64, Decimal:
				return x, true
			case string:
				n, ok := Number(x).(int64)
				return n, ok
			}
			return nil, true
		}
	}
	return nil
}

// holds is the value of a rule that is true or not defined.
func holds(is bool) Value {
	if is {
		return true
	}
	return nil
}

func state(is func(v Value, unknown bool) Value) nativeFunc {
	return func(ev *Evaluator, args []Value) (Value, bool) {
		v, unknown, ok := ev.input.look(args[0])
		if !ok {
			return nil, false
		}
		return is(v, unknown), true
	}
}

// look returns what stands at a path of the stack, nil for nothing, and whether something stands there, or may stand
// there, that the files do not show. ok is false for a path that it does not follow.
func (in *Input) look(path Value) (v Value, unknown, ok bool) {
	if order(path) != orderArray || length(path) == 0 {
		return nil, false, false
	}
	here := in.stack.Root
	for i := range length(path) {
		if hidden(here) {
			return nil, true, true
		}
		unknown = unknown || here.Open
		var w *model.Value
		switch key := at(path, i).(type) {
		case string:
			if i == 0 && (key == "unknown" || key == "parameters" || key == "enabled") {
				return nil, false, false
			}
			w = here.Get(key)
		case int64:
			if here.Kind == model.List && key >= 0 && key < int64(here.Len()) {
				w = here.Items()[key]
			}
		case Decimal:
			return nil, false, false
		}
		if w == nil {
			return nil, unknown, true
		}
		here = w
	}
	v = of(here)
	return v, v == nil, true
}

func (in *Input) value(path, fallback Value) (v Value, done bool) {
	v, unknown, ok := in.look(path)
	switch {
	case !ok:
		return nil, false
	case unknown:
		return nil, true
	case v == nil:
		return fallback, true
	}
	return v, true
}

func (in *Input) unwritten(path Value) (v Value, done bool) {
	v, unknown, ok := in.look(path)
	switch {
	case !ok:
		return nil, false
	case v != nil:
		return nil, true
	case !unknown:
		return true, true
	}
	kind, _ := in.stack.Root.At("stack", "kind").AsText()
	mine := kind == "config" && length(path) == 3 && at(path, 0) == "gateway" && (at(path, 1) == "env" || at(path, 1) == "args")
	return holds(mine && !in.unknownAt(path)), true
}

// reference returns the name in the text "os.environ/NAME".
func reference(v Value) (name string, ok bool) {
	s, _ := v.(string)
	return strings.CutPrefix(s, "os.environ/")
}

// versions compares the release of a part with another one.
func (ev *Evaluator) versions(args []Value, is func(int) bool) (Value, bool) {
	var text Value
	switch part := args[0].(type) {
	case string:
		if text = part; part == "litellm" {
			if text = of(ev.input.stack.Root.At("gateway", "version")); text == nil {
				text = ""
			}
		}
	default:
		if order(part) != orderObject {
			return nil, true
		}
		if text = get(part, "version"); text == nil {
			text = ""
		}
	}
	a, ok := releaseNumbers(text)
	b, both := releaseNumbers(args[1])
	if !ok || !both {
		return nil, false
	}
	return holds(is(slices.Compare(a[:], b[:]))), true
}

// releaseNumbers returns the first four numbers of a release, those of a release after all others for what is none; ok
// is false when they are too large to say.
func releaseNumbers(v Value) (n [4]int64, ok bool) {
	s, _ := v.(string)
	s = strings.TrimPrefix(s, "v")
	for i := 0; ; i++ {
		digits := 0
		for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
			digits++
		}
		if digits > 15 {
			return n, false
		}
		if digits == 0 {
			if i == 0 {
				n[0] = 999999
			}
			return n, true
		}
		for _, c := range []byte(s[:digits]) {
			if i < len(n) {
				n[i] = n[i]*10 + int64(c-'0')
			}
		}
		if s = s[digits:]; s == "" || s[0] != '.' {
			return n, true
		}
		s = s[1:]
	}
}

// unknownBelow returns the unknown paths that start with the items of an array.
func (in *Input) unknownBelow(prefix Value) (v Value, done bool) {
	if order(prefix) != orderArray {
		return nil, false
	}
	here := in.stack.Root
	path := make([]Value, 0, 16)
	for i := range length(prefix) {
		key := at(prefix, i)
		switch k := key.(type) {
		case string:
			here = here.Get(k)
		case int64:
			if here.Kind != model.List || k < 0 || k >= int64(here.Len()) {
				return &Set{}, true
			}
			here = here.Items()[k]
		case Decimal:
			return nil, false
		default:
			return &Set{}, true
		}
		if here == nil {
			return &Set{}, true
		}
		path = append(path, key)
	}
	out := &Set{}
	var walk func(v *model.Value)
	walk = func(v *model.Value) {
		if hidden(v) || v.Open {
			out.items = append(out.items, &Array{slices.Clone(path)})
		}
		keys := v.Keys()
		for i, w := range v.Items() {
			if w.Len() == 0 && !w.Open && !hidden(w) {
				continue
			}
			if v.Kind == model.List {
				path = append(path, int64(i))
			} else {
				path = append(path, keys[i])
			}
			walk(w)
			path = path[:len(path)-1]
		}
	}
	walk(here)
	return out, true
}

// entries returns the model_list entries of a group with their places. They are worked out once for a group of the stack.
func (ev *Evaluator) entries(group Value) (v Value, done bool) {
	g, ok := group.(*model.Value)
	if !ok {
		return nil, false
	}
	if v := ev.groups[g]; v != nil {
		return v, true
	}
	deployments := g.Get("deployments")
	if deployments != nil && deployments.Kind != model.List {
		return nil, false
	}
	list := ev.input.stack.Root.At("gateway", "config", "model_list")
	n := deployments.Len()
	out := ev.stock.array(n)
	out.items = out.items[:0]
	for _, d := range deployments.Items() {
		index := of(d.Get("index"))
		if index == nil || list == nil {
			continue
		}
		entry := get(list, index)
		if entry == nil {
			continue
		}
		o := ev.stock.object(2)
		o.pairs[0], o.pairs[1] = pair{"entry", entry}, pair{"index", index}
		out.items = append(out.items, o)
	}
	if ev.groups == nil {
		ev.groups = map[*model.Value]Value{}
	}
	ev.groups[g] = out
	return out, true
}
