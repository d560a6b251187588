package fixers

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/secret"
	"agentlint/internal/source"
)

// Add plans the operations of one fix. When one is refused, none is made, and the error is a [*Refusal].
func (s *Session) Add(st *model.Stack, ops []model.Op) error {
	restore := s.snapshot()
	s.fix++
	clear(s.blocks)
	for _, op := range ops {
		if err := s.do(st, op); err != nil {
			restore()
			var r *Refusal
			if !errors.As(err, &r) {
				r = &Refusal{Reason: ReasonVerify, Text: err.Error()}
			}
			out := *r
			if out.At == nil {
				out.At = op.At
			}
			return &out
		}
	}
	return nil
}

// place is where an operation happens: the deepest value on a path that stands in a file, and what of the path
// is missing below it.
type place struct {
	path   model.Path
	value  *model.Value
	origin *model.Origin
	rest   model.Path
	// loser is true for something that a later value overrides; value is nil then.
	loser bool
}

// inFile reports whether an origin names a place in a file.
func inFile(o *model.Origin) bool {
	return o.File != nil && (o.Node != nil || o.Env() != nil || o.Arg() != nil || !o.Span.IsZero() || !o.Key.IsZero())
}

// isEnvFile reports whether an origin is an env file as a whole.
func isEnvFile(o *model.Origin) bool {
	return o.File != nil && o.Source == model.FromEnv && o.Node == nil && o.Arg() == nil && o.Span.IsZero() && o.Key.IsZero()
}

// locate finds the place of a path.
func locate(st *model.Stack, path model.Path) (place, error) {
	if st.Root == nil {
		return place{}, refuse(ReasonNoPlace, "the stack is empty")
	}
	for i, e := range path {
		if l, ok := e.(model.Loser); ok {
			return locateLoser(st, path, i, int(l))
		}
	}
	found := st.Locate(path)
	if len(found.Missing) == 0 && found.Value.Kind == model.Unknown && !inFile(&found.Value.Origin) {
		return place{}, refuse(ReasonUnknown, "the value is not in the files")
	}
	for i := len(found.Path); i >= 0; i-- {
		v := st.Root.At(path[:i]...)
		if inFile(&v.Origin) || isEnvFile(&v.Origin) && i < len(path) {
			return place{path: path, value: v, origin: &v.Origin, rest: path[i:]}, nil
		}
		if i < len(path) {
			if p, ok := sibling(st, path[:i], path); ok {
				return p, nil
			}
		}
	}
	return place{}, refuse(ReasonNoPlace, "no file has a place for it")
}

// locateLoser finds the place of a path that leads through a value that another one overrides, at element at of path.
func locateLoser(st *model.Stack, path model.Path, at, number int) (place, error) {
	v := st.Root.At(path[:at]...)
	if v == nil || number < 0 || number >= len(v.Losers()) || v.Losers()[number].File == nil || v.Losers()[number].Node == nil {
		return place{}, refuse(ReasonNoPlace, "no file has a place for it")
	}
	o := v.Losers()[number]
	o.Span = o.Node.Span()
	rest := path[at+1:]
	for len(rest) > 0 {
		var next *source.Node
		switch e := rest[0].(type) {
		case string:
			if o.Node.Kind == source.Map {
				next = ownKey(o.Node, e)
			}
		case int:
			if o.Node.Kind == source.List && e >= 0 && e < len(o.Node.Children) {
				next = o.Node.Children[e]
			}
		}
		if next == nil {
			break
		}
		o.Node, o.Key, o.Span, rest = next, source.Span{}, next.Span(), rest[1:]
	}
	if o.Node.Kind == source.Alias {
		return place{}, refuse(ReasonAlias, "the value comes from the anchor it is written in")
	}
	return place{path: path, origin: &o, rest: rest, loser: true}, nil
}

// sibling finds a place for a new variable or argument beside those that are there, when their container was
// written nowhere as a whole.
func sibling(st *model.Stack, container, path model.Path) (place, bool) {
	if len(container) == 0 || len(path) != len(container)+1 {
		return place{}, false
	}
	name, _ := container[len(container)-1].(string)
	if name != "env" && name != "args" {
		return place{}, false
	}
	v := st.Root.At(container...)
	items := v.Items()
	for i := len(items) - 1; i >= 0; i-- {
		o := &items[i].Origin
		if handed := o.Through(); handed != nil {
			o = &handed.Origin
		}
		at := place{path: path, value: v, rest: path[len(container):]}
		switch {
		case o.Via != nil:
		case o.Arg() != nil:
			at.origin = &model.Origin{Source: o.Source, File: o.File, Detail: &model.Detail{Arg: &model.Argument{Line: o.Arg().Line, Flag: -1}}}
			return at, true
		case name == "env" && o.Env() != nil:
			at.origin = &model.Origin{Source: model.FromEnv, File: o.File, Detail: &model.Detail{Env: o.Env()}}
			return at, true
		case name == "env" && o.Node != nil && o.Node.Parent != nil:
			n := o.Node.Parent
			// A chart renders variables from keys of other names.
			if k := o.Node.KeyNode(); n.Kind == source.Map && k.Text != v.Keys()[i] && (k.Text != "value" || n.Get("name") == nil || n.Get("name").Text != v.Keys()[i]) {
				continue
			}
			if n.Kind == source.Map && n.Parent != nil && n.Parent.Kind == source.List && o.Node.Kind != source.List &&
				o.Node.KeyNode() != nil && n.Get("name") != nil {
				n = n.Parent
			}
			if o.Node.Kind == source.Scalar && n.Kind == source.List || n.Kind == source.Map || n.Kind == source.List {
				at.origin = &model.Origin{Source: o.Source, File: o.File, Node: n, Span: n.Span()}
				return at, true
			}
		}
	}
	return place{}, false
}

// name returns the last element of the place's path, when it is a key.
func (p place) name() string {
	if len(p.path) == 0 {
		return ""
	}
	s, _ := p.path[len(p.path)-1].(string)
	return s
}

// isEnv reports whether the place is a variable of an environment.
func (p place) isEnv() bool {
	return p.origin.Source == model.FromEnv || len(p.path) > 1 && p.path[len(p.path)-2] == "env"
}

// isArgument reports whether the place is a value of an argument, which the model holds as text.
func (p place) isArgument() bool {
	return len(p.path) > 2 && p.path[len(p.path)-3] == "args"
}

// likeNumber returns text as a number where n, the value of a key, is a number that text replaces: the schema of a chart
// that renders an argument out of maxModelLen: 32768 takes no text for it.
func likeNumber(n *source.Node, text string) any {
	if n.KeyNode() == nil || n.Kind != source.Scalar || n.Style != source.Plain {
		return text
	}
	if _, err := strconv.ParseFloat(n.Text, 64); err != nil {
		return text
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(i, 10) == text {
		return i
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		if as, _, err := plainText(f); err == nil && as == text {
			return f
		}
	}
	return text
}

func (s *Session) do(st *model.Stack, op model.Op) error {
	switch op.Kind {
	case model.OpSet, model.OpAppend:
		if err := checkValue(op.Value); err != nil {
			return err
		}
		if holdsSecret(op.At, op.Value) {
			return refuse(ReasonSecret, "a fix writes no secret")
		}
	case model.OpRename:
		if op.Name == "" {
			return refuse(ReasonInput, "the new name is empty")
		}
		if err := checkValue(op.Name); err != nil {
			return err
		}
	}
	w, missing := unwritten(st, op)
	if missing {
		if done, err := s.chartKey(st, w, op, false); done {
			return err
		}
	}
	if !missing {
		if done, err := s.chartField(st, op); done {
			return err
		}
	}
	p, err := locate(st, op.At)
	if missing && (noPlace(err) || err == nil && len(p.rest) > 0 && p.rest[0] == w.list) {
		if done, err := s.chartKey(st, w, op, true); done {
			return err
		}
		if done, err := s.newEnvironment(st, w, op); done {
			return err
		}
	}
	if err != nil {
		return err
	}
	if p.origin.Via != nil {
		return refuse(ReasonAlias, "the value comes from the anchor it is written in")
	}
	// The variable itself stands in the compose file, only its value in the .env file.
	if handed := p.origin.Through(); handed != nil && op.Kind != model.OpSet && op.Kind != model.OpReplaceText {
		p.origin = &model.Origin{Source: p.origin.Source, File: handed.Origin.File, Node: handed.Origin.Node, Key: handed.Origin.Key, Span: handed.Origin.Span}
	}
	switch {
	case p.origin.Arg() != nil:
		return s.doArgs(p, op, st)
	case p.origin.Env() != nil || isEnvFile(p.origin):
		return s.doEnv(p, op, st)
	case p.origin.Node != nil:
		return s.doNode(p, op, st)
	}
	return s.doText(p, op)
}

// holdsSecret reports whether v, written at path, holds something that looks like a secret.
func holdsSecret(path model.Path, v any) bool {
	name := ""
	for i := len(path) - 1; i >= 0; i-- {
		if s, ok := path[i].(string); ok {
			name = s
			break
		}
	}
	if s, ok := v.(string); ok {
		return secret.Value(name, s)
	}
	if items, ok := asItems(v); ok {
		return slices.ContainsFunc(items, func(x any) bool { return holdsSecret(path, x) })
	}
	if m, ok := asEntries(v); ok {
		return slices.ContainsFunc(m, func(e entry) bool { return holdsSecret(path.With(e.key), e.value) })
	}
	return false
}

// doNode makes an operation at a node of a YAML or JSON file.
func (s *Session) doNode(p place, op model.Op, st *model.Stack) error {
	v, err := s.view(p.origin.File)
	if err != nil {
		return err
	}
	n, err := v.node(p.origin.Node)
	if err != nil {
		return err
	}
	removal := op.Kind == model.OpRemove || op.Kind == model.OpMove || op.Kind == model.OpSet && isContainer(n)
	if err := v.anchored(n, removal); err != nil {
		return err
	}
	if k := n.KeyNode(); k != nil && (op.Kind == model.OpRemove || op.Kind == model.OpMove || op.Kind == model.OpRename) {
		if err := v.anchored(k, true); err != nil {
			return err
		}
	}
	if len(p.rest) > 0 {
		if op.Kind != model.OpSet && op.Kind != model.OpAppend {
			return refuse(ReasonNoPlace, "it is not written in a file")
		}
		if p.isEnv() && len(p.rest) == 1 {
			return s.addVariable(v, n, p, op.Value)
		}
		first, err := v.first(p.origin.Node)
		if err != nil {
			return err
		}
		if err := mirrors(v, p, first); err != nil {
			return err
		}
		value := op.Value
		if op.Kind == model.OpAppend {
			return s.insert(v, first, p.rest, value, true)
		}
		return s.insert(v, first, p.rest, value, false)
	}
	if name := p.name(); p.isEnv() && n.Kind == source.Scalar && n.Parent != nil && n.Parent.Kind == source.List {
		if op.Kind == model.OpReplaceText {
			return s.replaceText(p.origin, op)
		}
		return s.doPair(v, n, op, name)
	}
	if part := p.origin.Span; !part.IsZero() && part != p.origin.Node.Span() && p.origin.Node.Kind == source.Scalar {
		return s.doPart(v, n, p, op)
	}
	variable := n
	if p.isEnv() {
		item, ok := envItem(n, p.name())
		variable = item
		if k := n.KeyNode(); !ok && (op.Kind == model.OpRemove || op.Kind == model.OpRename) && (k == nil || k.Text != p.name()) {
			return refuse(ReasonForm, "the variable comes from something of another name")
		}
	} else if item, name := parameterItem(n); item != nil && !p.loser {
		switch at := strings.TrimSuffix(name, p.name()); {
		case op.Kind == model.OpReplaceText || op.Kind == model.OpSet && n != item || p.name() == "value" && at == name:
		case item == n || !endsWith(p.path, name) || op.Kind == model.OpMove:
			return refuse(ReasonForm, "the value comes from the parameter %s", name)
		case op.Kind == model.OpRename:
			k := item.Get("name")
			return v.write(func(w *writer) (*change, error) { return w.set(k, at+op.Name) })
		case op.Kind == model.OpRemove && len(item.Parent.Children) == 1 && item.Parent.KeyNode() != nil:
			variable = item.Parent
		default:
			variable = item
		}
	}
	switch op.Kind {
	case model.OpSet:
		value := op.Value
		if text, ok := value.(string); ok && p.isArgument() {
			value = likeNumber(n, text)
		}
		if p.isEnv() {
			text, err := asText(value)
			if err != nil {
				return err
			}
			value = text
			// A map of compose may hold plain numbers, the value of an item only text.
			if variable == n && n.Kind == source.Scalar && n.Style == source.Plain && !n.Empty && looksTyped(n.Text) {
				if i, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(i, 10) == text {
					value = i
				}
			}
		}
		return v.setTree(handle{n, len(v.steps)}, value)
	case model.OpAppend:
		if n.Kind == source.List || isNull(n) {
			for _, c := range n.Children {
				if sh := valueShape(op.Value); sh.equals(c) {
					return refuse(ReasonExists, "the list has the item")
				}
			}
		}
		return v.write(func(w *writer) (*change, error) { return w.insertItem(n, -1, op.Value) })
	case model.OpRemove:
		if p.loser {
			return v.write(func(w *writer) (*change, error) { return w.remove(n) })
		}
		return v.removeAll(variable)
	case model.OpRename:
		if variable != n {
			name := variable.Get("name")
			return v.write(func(w *writer) (*change, error) { return w.set(name, op.Name) })
		}
		return v.write(func(w *writer) (*change, error) { return w.rename(n, op.Name) })
	case model.OpMove:
		return s.move(v, n, p, op, st)
	case model.OpReplaceText:
		return s.replaceText(p.origin, op)
	case model.OpInsertComment:
		return v.write(func(w *writer) (*change, error) { return w.comment(variable, op.Name) })
	}
	return refuse(ReasonInput, "unknown operation %q", op.Kind)
}

// valueShape is what v reads back as when strings that need no quotes have none.
func valueShape(v any) *shape {
	w := &writer{nl: "\n"}
	_, s, err := w.flowValue(v, "", style{})
	if err != nil {
		return &shape{kind: source.Alias}
	}
	return s
}

// write plans a change of the view's text as it is now and makes it.
func (v *view) write(plan func(w *writer) (*change, error)) error {
	ch, err := plan(v.writer())
	if err != nil {
		return err
	}
	return v.apply(ch)
}

// envItem returns the item {name: NAME, value: ...} that n is the value of or stands in.
func envItem(n *source.Node, name string) (*source.Node, bool) {
	m := n.Parent
	for depth := 0; m != nil && depth < 3; m, depth = m.Parent, depth+1 {
		if m.Kind != source.Map || m.Parent == nil || m.Parent.Kind != source.List {
			continue
		}
		if k := ownKey(m, "name"); k != nil && k != n && k.Text == name {
			return m, true
		}
	}
	return n, false
}

// parameterItem returns the item {name: a.b.c, value: x} of a list of chart parameters that n is, or is the value of, and
// the name in it.
func parameterItem(n *source.Node) (*source.Node, string) {
	m := n
	if k := n.KeyNode(); k != nil && k.Text == "value" {
		m = n.Parent
	}
	if m == nil || m.Kind != source.Map || m.Parent == nil || m.Parent.Kind != source.List {
		return nil, ""
	}
	list := m.Parent.KeyNode()
	name := ownKey(m, "name")
	if list == nil || list.Text != "parameters" || name == nil || name.Kind != source.Scalar || ownKey(m, "value") == nil {
		return nil, ""
	}
	return m, name.Text
}

// endsWith reports whether the last elements of a path are those of a dotted name.
func endsWith(path model.Path, name string) bool {
	keys := strings.Split(name, ".")
	if len(keys) > len(path) {
		return false
	}
	for i, k := range keys {
		if path[len(path)-len(keys)+i] != k {
			return false
		}
	}
	return true
}

// anchored refuses a node that other places depend on: one inside an anchor that is used elsewhere, or, when it
// is to go, one that holds such an anchor.
func (v *view) anchored(n *source.Node, removal bool) error {
	for ; v != nil; v, removal = v.host, false {
		if n == nil {
			return refuse(ReasonConflict, "another operation removed the place")
		}
		within := func(x, top *source.Node) bool {
			for ; x != nil; x = x.Parent {
				if x == top {
					return true
				}
			}
			return false
		}
		var found string
		for _, x := range v.aliases() {
			if !within(x, n) && (within(n, x.Target()) || removal && within(x.Target(), n)) {
				found = x.Target().Anchor()
				break
			}
		}
		if found != "" {
			return refuse(ReasonAlias, "other places use the anchor &%s", found)
		}
		if v.host == nil {
			return nil
		}
		n = v.host.current(v.hostNode)
	}
	return nil
}

// mirrors refuses a container whose names in the model are not those in the file, since a new key would have no
// meaning there.
func mirrors(v *view, p place, container *source.Node) error {
	if p.value == nil || p.value.Kind != model.Map {
		return nil
	}
	var written map[string]*source.Node // the container's own, when one by one takes too long
	if p.value.Len() > 16 {
		written = map[string]*source.Node{}
		for _, e := range container.Entries() {
			written[e.Key.Text] = e.Value
		}
	}
	for i, item := range p.value.Items() {
		o := &item.Origin
		if o.Node == nil || o.Via != nil || v.session.views[o.File] != v {
			continue
		}
		n, err := v.first(o.Node)
		if err != nil {
			continue
		}
		own := written[p.value.Keys()[i]]
		if written == nil {
			own = container.Get(p.value.Keys()[i])
		}
		if own != nil && (own == n || own.Deref() == n) {
			continue
		}
		return refuse(ReasonNoPlace, "the file has no place of that name")
	}
	return nil
}

// insert writes a value below a container of the first trees at a path of missing keys. With item set the value
// becomes the only item of a list there.
func (s *Session) insert(v *view, container *source.Node, rest model.Path, value any, item bool) error {
	start := v.atStart(container)
	now := v.current(container)
	first := container
	for len(rest) > 1 {
		key, ok := rest[0].(string)
		if !ok || now == nil || now.Kind != source.Map {
			break
		}
		next := now.Get(key)
		if next == nil {
			break
		}
		if next.Kind == source.Alias {
			return refuse(ReasonAlias, "%q is the alias *%s", key, next.Text)
		}
		first, start = get(first, key), get(start, key)
		if start != nil && first == nil {
			return refuse(ReasonConflict, "another fix wrote %q", key)
		}
		now, rest = next, rest[1:]
	}
	if now == nil {
		return refuse(ReasonConflict, "another operation removed the place")
	}
	if err := v.anchored(now, false); err != nil {
		return err
	}
	key, isKey := rest[0].(string)
	if !isKey {
		i, ok := rest[0].(int)
		if len(rest) == 1 && ok && i == len(now.Children) && (now.Kind == source.List || isNull(now)) {
			return v.write(func(w *writer) (*change, error) { return w.insertItem(now, -1, value) })
		}
		return refuse(ReasonNoPlace, "the list has no item %v", rest[0])
	}
	if now.Kind == source.Map {
		if old := ownKey(now, key); old != nil {
			switch {
			case get(first, key) == nil && get(start, key) != nil:
				return refuse(ReasonConflict, "another fix wrote %q", key)
			case get(start, key) == nil && item && (old.Kind == source.List || isNull(old)):
				return v.write(func(w *writer) (*change, error) { return w.insertItem(old, -1, value) })
			case get(start, key) == nil && !item:
				return v.setTree(handle{old, len(v.steps)}, value)
			}
			return refuse(ReasonExists, "%q is set", key)
		}
	}
	if item {
		value = []any{value}
	}
	for i := len(rest) - 1; i > 0; i-- {
		k, ok := rest[i].(string)
		switch {
		case ok:
			value = entries{{k, value}}
		case rest[i] == 0:
			value = []any{value}
		default:
			return refuse(ReasonNoPlace, "a new list has no item %v", rest[i])
		}
	}
	return v.write(func(w *writer) (*change, error) { return w.insertKey(now, -1, key, value) })
}

// get returns the own value of a key, nil for anything but a map.
func get(n *source.Node, key string) *source.Node {
	if n == nil || n.Kind != source.Map {
		return nil
	}
	return ownKey(n, key)
}

// ownKey returns the value of a key that is written in the map itself.
func ownKey(m *source.Node, key string) *source.Node {
	for i := len(m.Children) - 2; i >= 0; i -= 2 {
		if k := m.Children[i]; k.Kind == source.Scalar && k.Text == key && !k.IsMergeKey() {
			return m.Children[i+1]
		}
	}
	return nil
}

// addVariable adds a variable to an environment that is a map, a list of KEY=value, or a list of name and value.
func (s *Session) addVariable(v *view, n *source.Node, p place, value any) error {
	text, err := asText(value)
	if err != nil {
		return err
	}
	name := p.name()
	pairs := n.Kind == source.List
	if n.Kind != source.Map && n.Kind != source.List && !isNull(n) {
		return refuse(ReasonForm, "the environment is neither a map nor a list")
	}
	key := ""
	if k := n.KeyNode(); k != nil {
		key = k.Text
	}
	if isNull(n) {
		pairs = key == "env" || strings.HasSuffix(key, "Vars") && key != "envVars"
	}
	if !pairs {
		if ownKey(n, name) != nil {
			return refuse(ReasonConflict, "%q is set", name)
		}
		return v.write(func(w *writer) (*change, error) { return w.insertKey(n, -1, name, text) })
	}
	words := key == "environment"
	for _, c := range n.Children {
		words = c.Kind == source.Scalar
		if c.Kind == source.Scalar && (c.Text == name || strings.HasPrefix(c.Text, name+"=")) {
			return refuse(ReasonConflict, "%q is set", name)
		}
		if k := c.Get("name"); k != nil && k.Text == name {
			return refuse(ReasonConflict, "%q is set", name)
		}
	}
	var item any = entries{{"name", name}, {"value", text}}
	if words {
		item = name + "=" + text
	}
	return v.write(func(w *writer) (*change, error) { return w.insertItem(n, -1, item) })
}

// handle is a node as it was after a number of steps.
type handle struct {
	n  *source.Node
	at int
}

// nodeOf returns what the node of a handle has become.
func (v *view) nodeOf(h handle) *source.Node {
	n := h.n
	for _, s := range v.steps[h.at:] {
		if n = s.follow(n); n == nil {
			return nil
		}
	}
	return n
}

// setTree writes a value in the place of a node. In a collection of the same kind only the entries that differ
// are touched.
func (v *view) setTree(h handle, value any) error {
	n := v.nodeOf(h)
	if n == nil {
		return refuse(ReasonConflict, "another operation removed the place")
	}
	if n.Kind == source.Scalar && isTemplate(n.Text) {
		return refuse(ReasonTemplate, "the value is a template expression")
	}
	m, isMap := asEntries(value)
	items, isList := asItems(value)
	switch {
	case isMap && n.Kind == source.Map && len(m) > 0 && len(n.Children) > 0:
		return v.setMap(n, m)
	case isList && n.Kind == source.List && len(items) > 0 && len(n.Children) > 0:
		return v.setList(n, items)
	}
	if sh := valueShape(value); sh.equals(n) {
		return nil
	}
	return v.write(func(w *writer) (*change, error) { return w.set(n, value) })
}

func (v *view) setMap(n *source.Node, m entries) error {
	at := len(v.steps)
	for _, e := range slots(n) {
		if e.key.Kind != source.Scalar || e.key.IsMergeKey() {
			return refuse(ReasonAlias, "the map has keys from elsewhere")
		}
	}
	// What comes in first keeps the map from being empty on the way.
	for _, e := range m {
		var err error
		if old := ownKey(n, e.key); old != nil {
			err = v.setTree(handle{old, at}, e.value)
		} else {
			err = v.write(func(w *writer) (*change, error) {
				return w.insertKey(v.nodeOf(handle{n, at}), -1, e.key, e.value)
			})
		}
		if err != nil {
			return err
		}
	}
	for _, e := range slots(n) {
		if slices.ContainsFunc(m, func(x entry) bool { return x.key == e.key.Text }) && ownKey(n, e.key.Text) == e.value {
			continue
		}
		err := v.write(func(w *writer) (*change, error) { return w.remove(v.nodeOf(handle{e.value, at})) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *view) setList(n *source.Node, items []any) error {
	at := len(v.steps)
	old := n.Children
	same := func(c *source.Node, x any) bool { return valueShape(x).equals(c) }
	lo := 0
	for lo < len(old) && lo < len(items) && same(old[lo], items[lo]) {
		lo++
	}
	hi := 0
	for hi < len(old)-lo && hi < len(items)-lo && same(old[len(old)-1-hi], items[len(items)-1-hi]) {
		hi++
	}
	a, b := old[lo:len(old)-hi], items[lo:len(items)-hi]
	for i := range min(len(a), len(b)) {
		if err := v.setTree(handle{a[i], at}, b[i]); err != nil {
			return err
		}
	}
	for i := len(a); i < len(b); i++ {
		err := v.write(func(w *writer) (*change, error) {
			return w.insertItem(v.nodeOf(handle{n, at}), lo+i, b[i])
		})
		if err != nil {
			return err
		}
	}
	for i := len(b); i < len(a); i++ {
		err := v.write(func(w *writer) (*change, error) { return w.remove(v.nodeOf(handle{a[i], at})) })
		if err != nil {
			return err
		}
	}
	return nil
}

// isTemplate reports whether a text holds an expression that something else fills in.
func isTemplate(s string) bool {
	for _, open := range [...]string{"{{", "{%", "${", "$("} {
		if strings.Contains(s, open) {
			return true
		}
	}
	return false
}

// removeAll removes the entry of n and all entries of the same key in the same map, of which a reader would take
// the next.
func (v *view) removeAll(n *source.Node) error {
	if err := notMerged(n); err != nil {
		return err
	}
	at := len(v.steps)
	doomed := []*source.Node{n}
	if k := n.KeyNode(); k != nil && k.Kind == source.Scalar {
		for _, e := range slots(n.Parent) {
			if e.value != n && e.key.Kind == source.Scalar && e.key.Text == k.Text && !e.key.IsMergeKey() {
				doomed = append(doomed, e.value)
			}
		}
	}
	for _, d := range doomed {
		err := v.write(func(w *writer) (*change, error) { return w.remove(v.nodeOf(handle{d, at})) })
		if err != nil {
			return err
		}
	}
	return nil
}
