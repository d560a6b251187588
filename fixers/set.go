package fixers

import (
	"strings"

	"agentlint/internal/source"
)

// inFlow reports whether n stands inside brackets, where only flow collections can be written.
func (w *writer) inFlow(n *source.Node) bool {
	if w.json {
		return true
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Style == source.Flow {
			return true
		}
	}
	return false
}

// set writes v in the place of n. It does not look into collections: one in the place of another of the same
// kind is the caller's work, entry by entry.
func (w *writer) set(n *source.Node, v any) (*change, error) {
	if n.Kind == source.Alias {
		return nil, refuse(ReasonAlias, "the value is the alias *%s", n.Text)
	}
	if _, text := v.(string); n.Tag() != "" && (n.Tag() != "!!str" || !text) {
		return nil, refuse(ReasonForm, "the value has the tag %s", n.Tag())
	}
	around := n
	if n.Parent != nil {
		around = n.Parent
	}
	st := w.styleAt(around)
	if n.Kind == source.Scalar && (n.Style == source.SingleQuoted || n.Style == source.DoubleQuoted) && n.KeyNode() != nil {
		st.values.style = n.Style
	}
	if !isCollection(v) {
		return w.setScalar(n, v, st)
	}
	// Lists of scalars in the place of a scalar stay on its line, unless the file writes lists otherwise.
	m, isMap := asEntries(v)
	items, _ := asItems(v)
	st.flowLists = st.flowLists || !isMap && n.Kind == source.Scalar && !n.Empty && !isNull(n) && isFlat(v)
	block := !w.inFlow(n) && len(m)+len(items) > 0 && (isMap || !st.flowLists || !isFlat(v)) && !isKey(n)
	if n.Kind == source.Scalar || len(n.Children) == 0 {
		if block && !w.hasInner(n) {
			if ch, err := w.fillBlock(n, v, st); err == nil {
				return ch, nil
			}
		}
	}
	indent := ""
	if w.json && w.jsonIndent(n) != "" {
		indent = w.jsonIndent(n)
		if u := w.jsonUnit(around, st); u == "\t" {
			st.tab = true
		} else {
			st.step = len(u)
		}
	}
	text, s, err := w.flowValue(v, indent, st)
	if err != nil {
		return nil, err
	}
	ch := &change{}
	ch.patch.replace(n, s)
	w.put(ch, n, text)
	return ch, nil
}

// hasInner reports whether n is an empty flow collection with a comment between its brackets.
func (w *writer) hasInner(n *source.Node) bool {
	return isContainer(n) && w.hasComment(n.Content, n.End)
}

// isKey reports whether n is a key.
func isKey(n *source.Node) bool {
	return n.Parent != nil && n.Parent.Kind == source.Map && n.Place()%2 == 0
}

func (w *writer) setScalar(n *source.Node, v any, st style) (*change, error) {
	if isKey(n) {
		st.values = st.keys
		if n.Style == source.SingleQuoted || n.Style == source.DoubleQuoted {
			st.values.style = n.Style
		}
	} else if n.Kind == source.Scalar && n.Style == source.Plain && !n.Empty && !w.json {
		// Where a string stands without quotes, one that needs none gets none.
		if s, ok := v.(string); ok && (!looksTyped(n.Text) || isPlainSafe(s, st.values.flow) && st.values.style == source.Plain) {
			st.values.style = source.Plain
		}
	}
	text, s, err := st.scalar(v)
	if err != nil {
		return nil, err
	}
	ch := &change{}
	ch.patch.replace(n, s)
	w.put(ch, n, text)
	return ch, nil
}

// put writes text, which is on one line or a flow collection, in the place of n's content.
func (w *writer) put(ch *change, n *source.Node, text string) {
	switch {
	case isContainer(n) && n.Style == source.Block && len(n.Children) > 0:
		w.emptyBlock(ch, n, w.slots(n), text)
	case n.Empty && n.Lead < 0 && n.Parent != nil:
		// A key without even a colon.
		if n.Parent.Style == source.Flow {
			ch.try(edit(n.Content, n.Content, " : "+text))
			return
		}
		k := n.KeyNode()
		p := w.nextLine(n.Content)
		line := w.indent(k.Lead) + ": " + text
		if w.closed(p) {
			ch.try(edit(p, p, line+w.nl))
		} else {
			ch.try(edit(p, p, w.nl+line))
		}
	case n.Empty && isKey(n) && n.Lead == n.Content:
		ch.try(edit(n.Content, n.Content, text))
		ch.try(edit(n.Content, n.Content, text+" "))
	case n.Empty:
		if end := w.blanks(n.Content); w.inFlow(n) && end < len(w.b) && strings.IndexByte(",]}", w.b[end]) >= 0 {
			ch.try(edit(n.Content, end, " "+text))
		}
		ch.try(edit(n.Content, n.Content, " "+text))
		// A null in braces may touch what follows.
		ch.try(edit(n.Content, n.Content, " "+text+" "))
	case isBlockScalar(n):
		header := w.blockHeader(n)
		e := w.lineEnd(header)
		if w.blanks(header) == e || e >= n.End {
			ch.try(edit(n.Content, max(header, n.End), text))
			return
		}
		// The comment behind the header stays.
		ch.try(edit(n.Content, header, text), edit(e, n.End, ""))
	default:
		ch.try(edit(n.Content, n.End, text))
		ch.try(edit(n.Content, n.End, text+" "))
		ch.try(edit(n.Content, n.End, " "+text))
	}
}

// insertKey adds an entry to a map, in front of entry number at or, with at negative, after the last one.
func (w *writer) insertKey(m *source.Node, at int, key string, v any) (*change, error) {
	if at < 0 {
		at = len(m.Children) / 2
	}
	st := w.styleAt(m)
	switch {
	case isNull(m) && !w.json || m.Kind == source.Map && len(m.Children) == 0 && !w.inFlow(m) && !w.hasInner(m):
		return w.set(m, entries{{key, v}})
	case m.Kind != source.Map:
		return nil, refuse(ReasonForm, "the place of key %q is no map", key)
	case m.Style == source.Block && len(m.Children) > 0:
		return w.insertBlock(m, at, func(indent string) (string, []*shape, error) {
			text, s, err := w.blockEntries(entries{{key, v}}, indent, st)
			if err != nil {
				return "", nil, err
			}
			return text, s.kids, nil
		})
	}
	return w.insertFlow(m, at, func(indent string) (string, []*shape, error) {
		st := w.flowStyle(m, st)
		colon, _ := w.separators()
		k, ks := st.key(key)
		text, s, err := w.flowValue(v, indent, st)
		return k + colon + text, []*shape{ks, s}, err
	})
}

// insertItem adds an item to a list, in front of item number at or, with at negative, after the last one.
func (w *writer) insertItem(l *source.Node, at int, v any) (*change, error) {
	if at < 0 {
		at = len(l.Children)
	}
	st := w.styleAt(l)
	switch {
	case isNull(l) && !w.json || l.Kind == source.List && len(l.Children) == 0 && !w.inFlow(l) && !w.hasInner(l) && isCollection(v):
		return w.set(l, []any{v})
	case l.Kind != source.List:
		return nil, refuse(ReasonForm, "the place of a new item is no list")
	case l.Style == source.Block && len(l.Children) > 0:
		return w.insertBlock(l, at, func(indent string) (string, []*shape, error) {
			text, s, err := w.blockItem(v, indent, st)
			return text, []*shape{s}, err
		})
	}
	return w.insertFlow(l, at, func(indent string) (string, []*shape, error) {
		text, s, err := w.flowValue(v, indent, w.flowStyle(l, st))
		return text, []*shape{s}, err
	})
}

// flowStyle returns st for the entries of a flow container.
func (w *writer) flowStyle(c *source.Node, st style) style {
	st = st.inFlow()
	if w.json {
		if u := w.jsonUnit(c, st); u == "\t" {
			st.tab = true
		} else {
			st.step = len(u)
		}
	}
	return st
}

// remove takes the entry of n, a value or an item, out of its container.
func (w *writer) remove(n *source.Node) (*change, error) {
	c := n.Parent
	if c == nil {
		return nil, refuse(ReasonForm, "a whole document is not removed")
	}
	i := index(n)
	if c.Style == source.Flow {
		return w.removeFlow(c, i), nil
	}
	return w.removeBlock(c, i), nil
}

// rename gives the key of n another name.
func (w *writer) rename(n *source.Node, name string) (*change, error) {
	k := n.KeyNode()
	switch {
	case k == nil:
		return nil, refuse(ReasonForm, "an item has no name to change")
	case k.Kind != source.Scalar || k.Empty || k.IsMergeKey() || isBlockScalar(k):
		return nil, refuse(ReasonForm, "the key is no plain word")
	}
	for _, e := range w.slots(n.Parent) {
		if e.key != k && e.key.Kind == source.Scalar && e.key.Text == name {
			return nil, refuse(ReasonExists, "%q is set too", name)
		}
	}
	if err := onlyOne(n); err != nil {
		return nil, err
	}
	return w.set(k, name)
}

// notMerged refuses an entry that hides one of the same key from a merged map, which would come to light without it.
func notMerged(n *source.Node) error {
	k := n.KeyNode()
	if k == nil || k.IsMergeKey() {
		return nil
	}
	for _, e := range slots(n.Parent) {
		if !e.key.IsMergeKey() {
			continue
		}
		for _, m := range append([]*source.Node{e.value}, e.value.Items()...) {
			if m.Get(k.Text) != nil {
				return refuse(ReasonAlias, "a merged map has %q, too", k.Text)
			}
		}
	}
	return nil
}

// onlyOne refuses an entry whose key is written more than once, since readers would take the other one.
func onlyOne(n *source.Node) error {
	k := n.KeyNode()
	if k == nil {
		return nil
	}
	if err := notMerged(n); err != nil {
		return err
	}
	for _, e := range slots(n.Parent) {
		if e.value != n && e.key.Kind == source.Scalar && e.key.Text == k.Text {
			return refuse(ReasonExists, "%q is written more than once", k.Text)
		}
	}
	return nil
}

// comment puts a comment line above the entry of n, or above the nearest entry around it that starts a line.
func (w *writer) comment(n *source.Node, text string) (*change, error) {
	if w.json {
		return nil, refuse(ReasonForm, "JSON has no comments")
	}
	for ; n.Parent != nil; n = n.Parent {
		lead := n.Lead
		if k := n.KeyNode(); k != nil {
			lead = k.Lead
		}
		if lead < 0 || !w.startsLine(lead) || n.Parent.Style == source.Flow {
			continue
		}
		indent := w.indent(lead)
		p := w.lineStart(lead)
		ch := &change{}
		ch.try(edit(p, p, commentLines(text, indent, w.nl)))
		return ch, nil
	}
	return nil, refuse(ReasonForm, "no line above which a comment could stand")
}

// commentLines returns text as comment lines.
func commentLines(text, indent, nl string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		b.WriteString(strings.TrimRight(indent+"# "+line, " ") + nl)
	}
	return b.String()
}
