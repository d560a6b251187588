package plan

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentlint/internal/model"
)

// IsNative reports whether a function of the library has a twin in Go, which answers most calls.
func IsNative(name string) bool { return libraryFunction(name).there() }

// libraryFunction returns the twin in Go of a function of the library, if it has one. Twins know the stack, so
// they need not search input.unknown.
func libraryFunction(name string) native {
	switch name {
	case "unknown_paths":
		return native{none: func(ev *Evaluator) (Value, bool) { return ev.input.unknownPaths(), true }}
	case "unknown_below":
		return native{one: func(ev *Evaluator, a Value) (Value, bool) { return ev.unknownBelow(a) }}
	case "entries":
		return native{one: func(ev *Evaluator, a Value) (Value, bool) { return ev.entries(a) }}
	case "numbered":
		return native{one: func(ev *Evaluator, a Value) (Value, bool) { return ev.numbered(a) }}
	case "several":
		return native{none: func(ev *Evaluator) (Value, bool) { return ev.selected(&ev.several, hasSeveral) }}
	case "self_hosted":
		return native{none: func(ev *Evaluator) (Value, bool) { return ev.selected(&ev.selfHosted, isSelfHosted) }}
	case "leads_to":
		return native{one: func(ev *Evaluator, a Value) (Value, bool) { return ev.input.leadsTo(a) }}
	case "models_have":
		return native{one: func(ev *Evaluator, a Value) (Value, bool) { return ev.modelsHave(a) }}
	case "models_mention":
		return native{one: func(ev *Evaluator, a Value) (Value, bool) {
			part, ok := a.(string)
			keys, few := ev.modelKeys()
			return holds(slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(k, part) })), ok && few
		}}
	case "models_start":
		return native{one: func(ev *Evaluator, a Value) (Value, bool) {
			prefix, ok := a.(string)
			return holds(ev.input.someModel(func(entry *model.Value) bool {
				name, isText := of(entry.At("litellm_params", "model")).(string)
				return isText && strings.HasPrefix(name, prefix)
			})), ok
		}}
	case "models_named":
		return native{none: func(ev *Evaluator) (Value, bool) { return ev.input.modelsNamed() }}
	case "unknown":
		return state(func(v Value, unknown bool) Value { return holds(unknown) })
	case "present":
		return state(func(v Value, unknown bool) Value { return holds(!unknown && v != nil) })
	case "absent":
		return state(func(v Value, unknown bool) Value { return holds(!unknown && v == nil) })
	case "unwritten":
		return native{one: func(ev *Evaluator, a Value) (Value, bool) { return ev.input.unwritten(a) }}
	case "value":
		return native{two: func(ev *Evaluator, a, b Value) (Value, bool) { return ev.input.value(a, b) }}
	case "environ_reference":
		return native{one: func(_ *Evaluator, a Value) (Value, bool) {
			_, is := reference(a)
			return holds(is), true
		}}
	case "resolved":
		return native{one: func(ev *Evaluator, a Value) (Value, bool) {
			name, is := reference(a)
			if !is {
				return a, true
			}
			return ev.input.value(NewArray("gateway", "env", name), Null{})
		}}
	case "mentions":
		return native{two: func(_ *Evaluator, a, b Value) (Value, bool) {
			part, ok := b.(string)
			if !ok || !isPath(part) {
				return nil, false
			}
			return holds(mentions(a, part)), true
		}}
	case "memory_text":
		return native{one: func(_ *Evaluator, a Value) (Value, bool) {
			n, _ := a.(int64)
			return memoryText(n)
		}}
	case "similar":
		return native{two: func(_ *Evaluator, a, b Value) (Value, bool) {
			name, ok := a.(string)
			other, both := b.(string)
			if !ok || !both || !isASCII(name) || !isASCII(other) {
				return nil, false
			}
			return holds(similar(name, other)), true
		}}
	case "at_least":
		return native{two: func(ev *Evaluator, a, b Value) (Value, bool) {
			return ev.versions(a, b, func(c int) bool { return c >= 0 })
		}}
	case "below":
		return native{two: func(ev *Evaluator, a, b Value) (Value, bool) {
			return ev.versions(a, b, func(c int) bool { return c < 0 })
		}}
	case "number":
		return native{one: func(_ *Evaluator, a Value) (Value, bool) {
			switch x := a.(type) {
			case int64, Decimal:
				return x, true
			case string:
				n, ok := Number(x).(int64)
				return n, ok
			}
			return nil, true
		}}
	}
	return native{}
}

// holds is the value of a rule that is true or not defined.
func holds(is bool) Value {
	if is {
		return true
	}
	return nil
}

func state(is func(v Value, unknown bool) Value) native {
	return native{one: func(ev *Evaluator, path Value) (Value, bool) {
		v, unknown, ok := ev.input.look(path)
		if !ok {
			return nil, false
		}
		return is(v, unknown), true
	}}
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
func (ev *Evaluator) versions(part, release Value, is func(int) bool) (Value, bool) {
	var text Value
	switch part := part.(type) {
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
	b, both := releaseNumbers(release)
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
func (ev *Evaluator) unknownBelow(prefix Value) (v Value, done bool) {
	if order(prefix) != orderArray {
		return nil, false
	}
	here := ev.input.stack.Root
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
	out := ev.stock.set()
	var walk func(v *model.Value)
	walk = func(v *model.Value) {
		if hidden(v) || v.Open {
			a := ev.stock.array(len(path))
			copy(a.items, path)
			out.items = append(ev.stock.more(out.items), a)
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

// numbered returns the entries of groups that have a number at one of some keys of litellm_params, with their group.
func (ev *Evaluator) numbered(names Value) (v Value, done bool) {
	groups := ev.input.stack.Root.Get("groups")
	list, ok := names.(*Array)
	if !ok || groups != nil && groups.Kind == model.Map {
		return nil, false
	}
	out := ev.stock.array(0)
	for _, g := range groups.Items() {
		group := of(g)
		if order(group) != orderObject {
			continue
		}
		all, done := ev.entries(group)
		if !done {
			return nil, false
		}
		for _, item := range all.(*Array).items {
			params := get(item.(*Object).pairs[0].value, "litellm_params")
			if params == nil || !slices.ContainsFunc(list.items, func(name Value) bool { return order(get(params, name)) == orderNumber }) {
				continue
			}
			o := ev.stock.object(2)
			o.pairs[0], o.pairs[1] = pair{"group", group}, pair{"item", item}
			out.items = append(ev.stock.more(out.items), o)
		}
	}
	return out, true
}

// selected returns the groups for which something holds; they are worked out once for a stack. Whether it holds is not
// known here when it says so.
func (ev *Evaluator) selected(kept *Value, is func(group *model.Value) (is, known bool)) (v Value, done bool) {
	if *kept != nil {
		return *kept, true
	}
	groups := ev.input.stack.Root.Get("groups")
	if groups != nil && groups.Kind == model.Map {
		return nil, false
	}
	out := ev.stock.array(groups.Len())
	out.items = out.items[:0]
	for _, group := range groups.Items() {
		is, known := is(group)
		if !known {
			return nil, false
		}
		if is {
			out.items = append(out.items, of(group))
		}
	}
	*kept = out
	return out, true
}

func hasSeveral(group *model.Value) (is, known bool) {
	switch deployments := of(group.Get("deployments")); order(deployments) {
	case orderArray, orderObject:
		return length(deployments) > 1, true
	case orderString:
		return false, false
	}
	return false, true
}

func isSelfHosted(group *model.Value) (is, known bool) {
	v := group.Get("self_hosted")
	return v != nil && v.Kind == model.Bool && v.Bool, true
}

// leadsTo reports whether a deployment has a target of one of some kinds.
func (in *Input) leadsTo(kinds Value) (v Value, done bool) {
	set, ok := kinds.(*Set)
	if !ok {
		return nil, false
	}
	for _, group := range in.stack.Root.Get("groups").Items() {
		for _, deployment := range group.Get("deployments").Items() {
			if kind := of(deployment.At("target", "kind")); kind != nil && set.has(kind) {
				return true, true
			}
		}
	}
	return nil, true
}

// someModel reports whether something holds for an entry of model_list.
func (in *Input) someModel(is func(entry *model.Value) bool) bool {
	return slices.ContainsFunc(in.stack.Root.At("gateway", "config", "model_list").Items(), is)
}

// manyKeys is the number of keys from which on they are not kept in a list.
const manyKeys = 128

// modelKeys returns the keys that stand in litellm_params and model_info of entries of model_list, once each; few is false
// when they are too many.
func (ev *Evaluator) modelKeys() (keys []string, few bool) {
	if ev.keysKnown {
		return ev.keys, len(ev.keys) < manyKeys
	}
	ev.keysKnown = true
	ev.input.someModel(func(entry *model.Value) bool {
		for _, block := range [...]string{"litellm_params", "model_info"} {
			v := entry.Get(block)
			for i, key := range v.Keys() {
				if !hidden(v.Items()[i]) && !slices.Contains(ev.keys, key) {
					ev.keys = append(ev.keys, key)
				}
				if len(ev.keys) == manyKeys {
					return true
				}
			}
		}
		return false
	})
	return ev.keys, len(ev.keys) < manyKeys
}

// modelsHave reports whether one of the keys is one of some names.
func (ev *Evaluator) modelsHave(names Value) (v Value, done bool) {
	var list []Value
	switch names := names.(type) {
	case *Array:
		list = names.items
	case *Set:
		list = names.members()
	default:
		return nil, false
	}
	keys, few := ev.modelKeys()
	if !few {
		return nil, false
	}
	for _, name := range list {
		if text, ok := name.(string); ok && slices.Contains(keys, text) {
			return true, true
		}
	}
	return nil, true
}

// modelsNamed reports whether model_list shows all its entries, and each its name.
func (in *Input) modelsNamed() (v Value, done bool) {
	list, unknown, ok := in.look(NewArray("gateway", "config", "model_list"))
	if order(list) != orderArray {
		return nil, ok && order(list) != orderObject
	}
	return holds(!unknown && !in.someModel(func(entry *model.Value) bool {
		name := entry.Get("model_name")
		return name == nil || name.Kind != model.Text
	})), ok
}

func isASCII(s string) bool {
	for _, c := range []byte(s) {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// similar reports whether two names differ by case and underscores, or by one letter.
func similar(a, b string) bool {
	if a == b {
		return false
	}
	same := 0 // the letters that both begin with
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	switch len(a) - len(b) {
	case 0:
		if len(a) >= leastName && a[same+1:] == b[same+1:] {
			return true
		}
	case 1:
		if len(b) >= leastName && a[same+1:] == b[same:] {
			return true
		}
	case -1:
		if len(a) >= leastName && a[same:] == b[same+1:] {
			return true
		}
	}
	for {
		a, b = strings.TrimLeft(a, "_"), strings.TrimLeft(b, "_")
		if a == "" || b == "" {
			return a == b
		}
		if lowerASCII(a[0]) != lowerASCII(b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

// leastName is the length from which on a name that differs by one letter is similar.
const leastName = 6

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// isPath reports whether a text has a slash, and only letters and signs of paths otherwise. What a value is printed as has
// slashes within texts only.
func isPath(s string) bool {
	for _, c := range []byte(s) {
		if c != '/' && c != '-' && c != '_' && (c < '0' || c > '9') && (lowerASCII(c) < 'a' || lowerASCII(c) > 'z') {
			return false
		}
	}
	return strings.Contains(s, "/")
}

// mentions reports whether a path stands in a text of a value.
func mentions(v Value, path string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, path)
	case *model.Value:
		for i, w := range v.Items() {
			if hidden(w) {
				continue
			}
			if v.Kind == model.Map && strings.Contains(v.Keys()[i], path) || mentions(of(w), path) {
				return true
			}
		}
		return false
	}
	switch order(v) {
	case orderObject:
		for _, p := range pairs(v) {
			if mentions(p.key, path) || mentions(p.value, path) {
				return true
			}
		}
	case orderArray:
		for i := range length(v) {
			if mentions(at(v, i), path) {
				return true
			}
		}
	case orderSet:
		return slices.ContainsFunc(v.(*Set).members(), func(w Value) bool { return mentions(w, path) })
	}
	return false
}

// memoryText returns a number of bytes in GiB or MiB. It leaves halves, whose rounding Rego decides, and numbers that are
// too large.
func memoryText(n int64) (v Value, done bool) {
	unit, text := int64(1)<<20, " MiB"
	if n >= 1<<50 {
		return nil, false
	}
	if n >= 1<<30 {
		n, unit, text = n*10, 1<<30, " GiB"
	}
	if n <= 0 || n%unit == unit/2 {
		return nil, false
	}
	out := (n + unit/2) / unit
	if unit == 1<<20 {
		return strconv.FormatInt(out, 10) + text, true
	}
	whole := strconv.FormatInt(out/10, 10)
	if out%10 > 0 {
		whole += "." + strconv.FormatInt(out%10, 10)
	}
	return whole + text, true
}
