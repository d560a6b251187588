package fixers

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// move moves the entry of n to op.To: as it is written, comments included, between block maps of one text; else by
// writing the value there and removing it here.
func (s *Session) move(v *view, n *source.Node, p place, op model.Op, st *model.Stack) error {
	if len(op.To) == 0 {
		return refuse(ReasonInput, "the operation says no place to move to")
	}
	if op.To.HasPrefix(op.At) {
		return refuse(ReasonInput, "a value cannot move into itself")
	}
	if at, ok := op.To[len(op.To)-1].(int); ok {
		return s.moveItem(v, n, op.To[:len(op.To)-1], at, st)
	}
	name, ok := op.To[len(op.To)-1].(string)
	if !ok {
		return refuse(ReasonInput, "an entry moves to a key or to an item")
	}
	if st.State(op.To...) == model.Present && st.Get(op.To...) != nil && inFile(&st.Get(op.To...).Origin) {
		return refuse(ReasonExists, "%s is set", op.To)
	}
	if err := onlyOne(n); err != nil {
		return err
	}
	to, err := locate(st, op.To)
	if err != nil {
		return err
	}
	if to.origin.Via != nil {
		return refuse(ReasonAlias, "the new place is an anchor elsewhere")
	}
	if to.origin.Node != nil && to.origin.Arg() == nil && len(to.rest) > 0 && !to.isEnv() {
		dv, err := s.view(to.origin.File)
		if err != nil {
			return err
		}
		if dv == v && !v.json {
			first, err := dv.first(to.origin.Node)
			if err != nil {
				return err
			}
			if err := mirrors(dv, to, first); err != nil {
				return err
			}
			now := dv.current(first)
			rest := to.rest
			for len(rest) > 1 && now != nil && now.Kind == source.Map {
				key, _ := rest[0].(string)
				next := ownKey(now, key)
				if next == nil {
					break
				}
				now, rest = next, rest[1:]
			}
			if now == nil {
				return refuse(ReasonConflict, "another operation removed the place")
			}
			if err := dv.anchored(now, false); err != nil {
				return err
			}
			if now == n.Parent && len(rest) == 1 {
				return v.write(func(w *writer) (*change, error) { return w.rename(n, name) })
			}
			keys := make([]string, len(rest))
			for i, k := range rest {
				if keys[i], ok = k.(string); !ok {
					return refuse(ReasonNoPlace, "the list has no item %v", k)
				}
			}
			if ch, err := v.writer().move(n, now, keys, p.loser); err == nil {
				return v.apply(ch)
			}
		}
	}
	if p.value == nil || !p.value.Known() {
		return refuse(ReasonUnknown, "the value is not in the files")
	}
	if v.writer().hasOwnComments(n) {
		return refuse(ReasonForm, "its comments cannot move along")
	}
	set := model.Op{Kind: model.OpSet, At: op.To, Value: p.value.Plain()}
	if err := s.do(st, set); err != nil {
		return err
	}
	return s.do(st, model.Op{Kind: model.OpRemove, At: op.At})
}

// moveItem moves the item n of a block list, lines and comments as they are written, in front of item number at of the block
// list at a path of the same text.
func (s *Session) moveItem(v *view, n *source.Node, list model.Path, at int, st *model.Stack) error {
	to, err := locate(st, list)
	if err != nil {
		return err
	}
	if to.origin.Via != nil {
		return refuse(ReasonAlias, "the new place is an anchor elsewhere")
	}
	if to.origin.Node == nil || to.origin.Arg() != nil || len(to.rest) > 0 || s.views[to.origin.File] != v {
		return refuse(ReasonForm, "an item moves within one text only")
	}
	now, err := v.node(to.origin.Node)
	if err != nil {
		return err
	}
	if err := v.anchored(now, false); err != nil {
		return err
	}
	return v.write(func(w *writer) (*change, error) { return w.moveItem(n, now, at) })
}

func (w *writer) moveItem(n, to *source.Node, at int) (*change, error) {
	c := n.Parent
	unable := refuse(ReasonForm, "the item cannot be moved as it is written")
	if c == nil || c.Kind != source.List || c.Style != source.Block || to.Kind != source.List || to.Style != source.Block || len(to.Children) == 0 || to == c {
		return nil, unable
	}
	es := slots(c)
	i := index(n)
	if !w.startsLine(es[i].lead) {
		return nil, unable
	}
	// The list that the item leaves is to go, so that comments that head a group of items go with the first one.
	start, end := w.headStart(c, es, i), w.entryEnd(es[i])
	if !w.closed(end) {
		return nil, unable
	}
	text, from := string(w.b[start:end]), w.indent(es[i].lead)
	inserts, err := w.insertBlock(to, at, func(indent string) (string, []*shape, error) {
		lines := strings.TrimRight(reindent(text, from, indent), "\r\n")
		return strings.TrimPrefix(lines, indent), []*shape{{from: n}}, nil
	})
	if err != nil {
		return nil, err
	}
	ch := w.removeBlock(c, i)
	removals := ch.tries
	ch.tries = nil
	ch.patch.insert(to, max(0, min(at, len(to.Children))), &shape{from: n})
	for _, r := range removals {
		for _, in := range inserts.tries {
			ch.try(append(append([]source.Edit{}, r...), in...)...)
		}
	}
	return ch, nil
}

// hasOwnComments reports whether comments belong to the entry of n.
func (w *writer) hasOwnComments(n *source.Node) bool {
	i := index(n)
	if i < 0 || w.json {
		return false
	}
	es := w.slots(n.Parent)
	start, end := es[i].lead, es[i].end
	if n.Parent.Style == source.Block {
		end = w.entryEnd(es[i])
		if w.startsLine(es[i].lead) {
			start = w.ownHead(n.Parent, es, i)
		}
	}
	return w.hasComment(start, end)
}

// move takes the entry of n, lines and comments as they are written, to map to, below the keys but the last, which
// are missing there, under the last one. With all set it takes comments along that head a group of entries.
func (w *writer) move(n, to *source.Node, keys []string, all bool) (*change, error) {
	c := n.Parent
	k := n.KeyNode()
	unable := refuse(ReasonForm, "the entry cannot be moved as it is written")
	if k == nil || k.Kind != source.Scalar || c.Style != source.Block || n.Lead < 0 || w.inFlow(to) || to.Style == source.Flow && len(to.Children) > 0 {
		return nil, unable
	}
	for p := to; p != nil; p = p.Parent {
		if p == n {
			return nil, unable
		}
	}
	es := w.slots(c)
	i := index(n)
	if !w.startsLine(es[i].lead) || w.file.LineAt(k.Start) != w.file.LineAt(k.End) {
		return nil, unable
	}
	start, end := w.ownHead(c, es, i), w.entryEnd(es[i])
	if all {
		start = w.headStart(c, es, i)
	}
	if !w.closed(end) {
		return nil, unable
	}
	last := keys[len(keys)-1]
	text := string(w.b[start:k.Content]) + string(w.b[k.Content:k.End])
	ks := &shape{from: k}
	if last != k.Text {
		st := w.styleAt(c)
		var kt string
		kt, ks = st.key(last)
		text = string(w.b[start:k.Content]) + kt
	}
	text += string(w.b[k.End:end])
	from := w.indent(es[i].lead)
	ch := w.removeBlock(c, i)
	removals := ch.tries
	ch.tries = nil

	put := func(indent string) string { return reindent(text, from, indent) }
	st := w.styleAt(to)
	var inserts change
	switch {
	case to.Kind == source.Map && len(to.Children) > 0:
		tes := w.slots(to)
		for _, e := range tes {
			if e.key.Kind == source.Scalar && e.key.Text == keys[0] {
				return nil, refuse(ReasonExists, "%q is set", keys[0])
			}
		}
		indent := w.indent(tes[0].lead)
		for _, e := range tes {
			if w.startsLine(e.lead) {
				indent = w.indent(e.lead)
				break
			}
		}
		lines, kids := w.under(keys, indent, st, put, ks, n)
		ch.patch.insert(to, len(to.Children), kids...)
		w.insertBelow(&inserts, tes, strings.TrimRight(lines, "\r\n"))
	case isNull(to) || to.Kind == source.Map:
		tk := to.KeyNode()
		if tk == nil || to.Lead < 0 {
			return nil, unable
		}
		indent := w.indent(tk.Lead) + strings.Repeat(" ", st.step)
		lines, kids := w.under(keys, indent, st, put, ks, n)
		ch.patch.replace(to, &shape{kind: source.Map, kids: kids})
		_, err := w.fillBelow(&inserts, to, st, "", func(string) (string, *shape, error) {
			return strings.TrimRight(lines, "\r\n"), &shape{}, nil
		})
		if err != nil {
			return nil, err
		}
	default:
		return nil, unable
	}
	for _, r := range removals {
		for _, in := range inserts.tries {
			ch.try(append(append([]source.Edit{}, r...), in...)...)
		}
	}
	return ch, nil
}

// under returns lines for the missing keys above a moved entry and the entry itself, and the shapes they have.
func (w *writer) under(keys []string, indent string, st style, put func(indent string) string, ks *shape, n *source.Node) (string, []*shape) {
	var b strings.Builder
	top := &shape{kind: source.Map}
	at := top
	for _, key := range keys[:len(keys)-1] {
		text, s := st.key(key)
		b.WriteString(indent + text + ":" + w.nl)
		inner := &shape{kind: source.Map}
		at.kids = append(at.kids, s, inner)
		at = inner
		indent += strings.Repeat(" ", st.step)
	}
	b.WriteString(put(indent))
	at.kids = append(at.kids, ks, &shape{from: n})
	return b.String(), top.kids
}

// reindent moves lines from one indentation to another. Lines that stand further left keep what blanks they have.
func reindent(text, from, to string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, from)
		switch {
		case strings.TrimSpace(line) == "":
			b.WriteString(line)
		case ok:
			b.WriteString(to + rest)
		default:
			b.WriteString(to + strings.TrimLeft(line, " \t"))
		}
	}
	return b.String()
}
