package fixers

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// wanted is a variable or flag that a fix sets and nobody has written: the part of the stack it belongs to, env or
// args, and its name.
type wanted struct {
	part model.Path
	list string
	name string
}

// unwritten returns what an operation adds to the environment or the arguments of a part, ok is false when it does
// something else, or the value stands in a file.
func unwritten(st *model.Stack, op model.Op) (w wanted, ok bool) {
	at := op.At
	if op.Kind != model.OpSet && op.Kind != model.OpAppend {
		return w, false
	}
	if n := len(at); n > 3 && at[n-1] == 0 && at[n-3] == "args" {
		at = at[:n-1]
	}
	n := len(at)
	if n < 3 {
		return w, false
	}
	list, _ := at[n-2].(string)
	name, _ := at[n-1].(string)
	if list != "env" && list != "args" || name == "" {
		return w, false
	}
	if v := st.Root.At(at...); v != nil && inFile(&v.Origin) {
		return w, false
	}
	return wanted{part: at[: n-2 : n-2], list: list, name: name}, true
}

// chartKey sets a variable or flag by the key of the chart's values that renders it. With open set, that is the key for
// whatever the user adds. done is false when the part comes from no chart that has such a key.
func (s *Session) chartKey(st *model.Stack, w wanted, op model.Op, open bool) (done bool, err error) {
	helm := st.Root.At(w.part...).Get("helm")
	name, ok := helm.Get("chart").AsText()
	if !ok || helm.Get("values") == nil {
		return false, nil
	}
	table, ok := knowledge.Chart(name)
	if !ok {
		return false, nil
	}
	kind, rendered := "env", w.name
	if w.list == "args" {
		kind, rendered = "arg", flagSpelling(op.At, w.name)
	}
	role, _ := w.part[0].(string)
	keys := s.keysOf(table, chartForm(table, helm, st.Root.At(w.part...)))
	for _, k := range keys {
		if !renders(k, kind, rendered, open) || !strings.HasPrefix(strings.Join(k.Sets(), ","), strings.TrimSuffix(role, "s")) || !needsHold(helm.Get("values"), k) {
			continue
		}
		at, ok := chartPath(st, w.part, k.Path)
		if !ok {
			continue
		}
		next := model.Op{Kind: model.OpSet, At: at, Value: op.Value}
		switch {
		case !open && k.Kind != knowledge.KeyScalar:
			continue
		case !open:
			next.Value = asDefault(op.Value, k)
		case k.Kind == knowledge.KeyMap && kind == "env":
			next.At = at.With(w.name)
		case k.Kind == knowledge.KeyList && kind == "env":
			text, err := asText(op.Value)
			if err != nil {
				return true, err
			}
			next = model.Op{Kind: model.OpAppend, At: at, Value: entries{{"name", w.name}, {"value", text}}}
		case k.Kind == knowledge.KeyList:
			words, err := chartWords(st, at, rendered, op.Value)
			if err != nil {
				return true, err
			}
			if next, ok := s.newBlock(st, w.part, keys, k, rendered, model.Op{Kind: model.OpSet, At: at, Value: words}); ok {
				return true, s.do(st, next)
			}
			for _, word := range words {
				if err := s.do(st, model.Op{Kind: model.OpAppend, At: at, Value: word}); err != nil {
					return true, err
				}
			}
			return true, nil
		default:
			continue
		}
		if block, ok := s.newBlock(st, w.part, keys, k, rendered, next); ok {
			next = block
		}
		return true, s.do(st, next)
	}
	return false, nil
}

// keysOf returns the keys of a form of a chart, those of one engine before those of all.
func (s *Session) keysOf(table *knowledge.ChartTable, form knowledge.Version) []knowledge.ChartKey {
	id := table.Name() + " " + form.String()
	keys, ok := s.charts[id]
	if !ok {
		keys = slices.Collect(table.Keys(form))
		slices.SortStableFunc(keys, func(a, b knowledge.ChartKey) int {
			return strings.Count(b.Path, "[]") - strings.Count(a.Path, "[]")
		})
		if s.charts == nil {
			s.charts = map[string][]knowledge.ChartKey{}
		}
		s.charts[id] = keys
	}
	return keys
}

// newBlock makes of an operation at the key k of a chart, for the flag or variable rendered, one that writes the block around
// the key, where that is new and the chart then renders flags that switch off what is not asked for in it, such as
// --no-enable-prefix-caching: the block asks for it, since the engine has it by itself. ok is false for any other key.
func (s *Session) newBlock(st *model.Stack, part model.Path, keys []knowledge.ChartKey, k knowledge.ChartKey, rendered string, op model.Op) (block model.Op, ok bool) {
	var at model.Path
	var values entries
	for _, fixed := range keys {
		needs := fixed.Needs()
		if fixed.Kind != knowledge.KeyFixed || len(needs) != 2 || needs[0].Not || !needs[1].Not {
			continue
		}
		around, asked := needs[0].Path, needs[1].Path
		name, below := strings.CutPrefix(asked, around+".")
		if !below || strings.Contains(name, ".") || !strings.HasPrefix(k.Path, around+".") || k.Path == asked {
			continue
		}
		if slices.ContainsFunc(keys, func(q knowledge.ChartKey) bool {
			return q.Path == asked && slices.Contains(q.Renders(), knowledge.Rendering{Kind: "arg", Name: rendered})
		}) {
			continue
		}
		path, found := chartPath(st, part, around)
		v := st.Root.At(path...)
		if !found || v.Len() > 0 || v != nil && v.Kind == model.Unknown || at != nil && !slices.Equal(at, path) {
			continue
		}
		at, values = path, append(values, entry{name, true})
	}
	if at == nil || !op.At.HasPrefix(at) || s.blocks[at.String()] {
		return op, false
	}
	if s.blocks == nil {
		s.blocks = map[string]bool{}
	}
	s.blocks[at.String()] = true
	value, below := op.Value, op.At[len(at):]
	if op.Kind == model.OpAppend {
		value = []any{value}
	}
	for i := len(below) - 1; i >= 0; i-- {
		name, _ := below[i].(string)
		if i == 0 {
			values = append(values, entry{name, value})
		} else {
			value = entries{{name, value}}
		}
	}
	return model.Op{Kind: model.OpSet, At: at, Value: values}, true
}

// chartField sets a part of the model that nobody has written by the key of the chart's values that decides it:
// gateway.resources.limits.memory by resources. done is false when the part comes from no chart that has such a key.
func (s *Session) chartField(st *model.Stack, op model.Op) (done bool, err error) {
	if op.Kind != model.OpSet && op.Kind != model.OpAppend || len(op.At) < 2 {
		return false, nil
	}
	if v := st.Root.At(op.At...); v != nil && inFile(&v.Origin) {
		return false, nil
	}
	n := 1
	if _, ok := op.At[1].(int); ok {
		n = 2
	}
	part, rest := op.At[:n:n], op.At[n:]
	role, _ := part[0].(string)
	helm := st.Root.At(part...).Get("helm")
	name, ok := helm.Get("chart").AsText()
	table, known := knowledge.Chart(name)
	if !ok || !known || helm.Get("values") == nil || len(rest) == 0 || rest[0] == "helm" || rest[0] == "config" {
		return false, nil
	}
	for k := range table.Keys(chartForm(table, helm, st.Root.At(part...))) {
		for _, set := range k.Sets() {
			set, ok := strings.CutPrefix(strings.TrimPrefix(set, strings.TrimSuffix(role, "s")), ".")
			if !ok || !rest.HasPrefix(model.Dotted(set)) || !needsHold(helm.Get("values"), k) {
				continue
			}
			below := rest[len(model.Dotted(set)):]
			if (len(below) > 0) != (k.Kind == knowledge.KeyMap || k.Kind == knowledge.KeyBlock) {
				continue
			}
			if at, ok := chartPath(st, part, k.Path); ok {
				return true, s.do(st, model.Op{Kind: op.Kind, At: at.With(below...), Value: asDefault(op.Value, k)})
			}
		}
	}
	return false, nil
}

// chartForm is the form of a chart's values that a part is written for.
func chartForm(table *knowledge.ChartTable, helm, part *model.Value) knowledge.Version {
	version := func(v *model.Value) knowledge.Version {
		text, _ := v.AsText()
		out, err := knowledge.ParseVersion(text)
		if err != nil {
			return knowledge.Version{}
		}
		return out
	}
	form, _ := table.Form(version(helm.Get("chart_version")), version(part.At("image", "version")))
	return form
}

func renders(k knowledge.ChartKey, kind, name string, open bool) bool {
	list := k.Renders()
	if open {
		name = "*"
	} else if len(list) != 1 {
		return false
	}
	for _, r := range list {
		if r.Kind == kind && r.Name == name {
			return true
		}
	}
	return false
}

// needsHold reports whether what a chart asks for before it uses a key is so in the written values.
func needsHold(values *model.Value, k knowledge.ChartKey) bool {
	for _, c := range k.Needs() {
		v := values.At(model.Dotted(c.Path)...)
		on := v != nil
		if b, ok := v.AsBool(); ok {
			on = b
		}
		if text, ok := v.AsText(); ok && (text == "" || c.Value != "" && text != c.Value) {
			on = false
		}
		if on == c.Not {
			return false
		}
	}
	return true
}

// chartPath returns the path in the stack of a key of the values of a part's chart. The item of a list is the one that
// the part stands for.
func chartPath(st *model.Stack, part model.Path, key string) (model.Path, bool) {
	at := part.With("helm", "values")
	for {
		head, tail, list := strings.Cut(key, "[].")
		at = at.With(model.Dotted(head)...)
		if !list {
			return at, !strings.Contains(key, "[]")
		}
		found := -1
		for i, item := range st.Root.At(at...).Items() {
			if item.Origin.Node != nil && item.Origin.Node == st.Root.At(part...).Origin.Node {
				found = i
			}
		}
		if found < 0 {
			return nil, false
		}
		at, key = at.With(found), tail
	}
}

// asDefault gives a text the type that the chart's default has.
func asDefault(v any, k knowledge.ChartKey) any {
	text, ok := v.(string)
	history := k.Defaults()
	var was, now any
	if !ok || json.Unmarshal([]byte(text), &now) != nil {
		return v
	}
	if n, ok := now.(float64); ok {
		was = n // a number, where no default says otherwise
	}
	if len(history) > 0 && json.Unmarshal([]byte(history[len(history)-1].Value), &was) != nil {
		return v
	}
	switch was.(type) {
	case float64:
		if n, ok := now.(float64); ok && n == float64(int64(n)) {
			return int64(n)
		}
		return now
	case bool:
		if b, ok := now.(bool); ok {
			return b
		}
	}
	return v
}

// chartWords are the items that add a flag to the list of further arguments at a path: one, where others are.
func chartWords(st *model.Stack, at model.Path, flag string, value any) ([]any, error) {
	texts, err := flagTexts(value)
	if err != nil {
		return nil, err
	}
	split := false
	items := st.Root.At(at...).Items()
	for i := range items {
		text, _ := items[i].AsText()
		split = split || strings.HasPrefix(text, "--") && !strings.Contains(text, "=") && i+1 < len(items)
	}
	if !split && len(texts) == 1 {
		return []any{flag + "=" + texts[0]}, nil
	}
	words := []any{flag}
	for _, t := range texts {
		words = append(words, t)
	}
	return words, nil
}

// newEnvironment writes the first variable of a container or service that has no environment yet. done is false when
// the part stands for nothing of that kind.
func (s *Session) newEnvironment(st *model.Stack, w wanted, op model.Op) (done bool, err error) {
	part := st.Root.At(w.part...)
	if part == nil || w.list != "env" || op.Kind != model.OpSet || part.Origin.Via != nil {
		return false, nil
	}
	n := part.Origin.Node
	key, pairs, ok := environmentKey(n)
	if !ok {
		return false, nil
	}
	text, err := asText(op.Value)
	if err != nil {
		return true, err
	}
	v, err := s.view(part.Origin.File)
	if err != nil {
		return true, err
	}
	now, err := v.node(n)
	if err != nil {
		return true, err
	}
	if err := v.anchored(now, false); err != nil {
		return true, err
	}
	if env := ownKey(now, key); env != nil {
		return true, s.addVariable(v, env, place{path: op.At, value: part, origin: &part.Origin, rest: model.Path{w.name}}, op.Value)
	}
	var value any = entries{{w.name, text}}
	if pairs {
		value = []any{entries{{"name", w.name}, {"value", text}}}
	}
	return true, v.write(func(w *writer) (*change, error) { return w.insertKey(now, -1, key, value) })
}

// environmentKey returns the key under which a service or container has its variables, and whether they are a list of
// name and value.
func environmentKey(n *source.Node) (key string, pairs, ok bool) {
	if n == nil || n.Kind != source.Map || n.Parent == nil {
		return "", false, false
	}
	root := n
	for root.Parent != nil {
		root = root.Parent
	}
	in := n.Parent.KeyNode()
	switch {
	case in == nil:
		return "", false, false
	case in.Text == "services" && n.Parent.Kind == source.Map && n.Parent.Parent == root && root.Get("apiVersion") == nil:
		return "environment", false, true
	case in.Text == "services" && n.Parent.Kind == source.Map && root.Get("kind") != nil && root.Get("kind").Text == "DynamoGraphDeployment":
		return "envs", true, true
	case in.Text == "containers" && n.Parent.Kind == source.List:
		return "env", true, true
	case in.Text == "containers" && n.Parent.Kind == source.Map:
		return "env", false, true // the bjw-s app-template
	}
	return "", false, false
}

// noPlace reports whether an error says that no file has a place for a value.
func noPlace(err error) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Reason == ReasonNoPlace
}
