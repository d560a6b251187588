package fixers

import (
	"strings"

	"agentlint/internal/source"
)

// insertBlock adds an entry to a block container that has some, in front of entry number at or after the last
// one. render returns its text for an indentation, without it in front of the first line, and its shapes.
func (w *writer) insertBlock(c *source.Node, at int, render func(indent string) (string, []*shape, error)) (*change, error) {
	es := w.slots(c)
	at = max(0, min(at, len(es)))
	indent := w.indent(es[0].lead)
	for _, e := range es {
		if w.startsLine(e.lead) {
			indent = w.indent(e.lead)
			break
		}
	}
	text, kids, err := render(indent)
	if err != nil {
		return nil, err
	}
	ch := &change{}
	raw := at
	if c.Kind == source.Map {
		raw = 2 * at
	}
	ch.patch.insert(c, raw, kids...)
	if at < len(es) {
		e := es[at]
		if !w.startsLine(e.lead) {
			ch.try(edit(e.lead, e.lead, text+w.nl+indent))
			return ch, nil
		}
		p := w.ownHead(c, es, at)
		ch.try(edit(p, p, indent+text+w.nl))
		return ch, nil
	}
	w.insertBelow(ch, es, indent+text)
	return ch, nil
}

// insertBelow puts lines after the last of some block entries.
func (w *writer) insertBelow(ch *change, es []slot, lines string) {
	last := es[len(es)-1]
	p := w.entryEnd(last)
	leaf := lastLeaf(last.value)
	if last.value.Empty && last.value.Lead < 0 && last.key != nil {
		leaf = lastLeaf(last.key)
	}
	if w.closed(p) {
		blank := ""
		if w.separated(es) && !isBlockScalar(leaf) && (strings.Contains(lines, w.nl) || w.file.LineAt(last.lead) != w.file.LineAt(last.end)) {
			blank = w.nl
		}
		ch.try(edit(p, p, blank+lines+w.nl))
		return
	}
	// The file has no final line break. A block scalar without one would get it.
	if isBlockScalar(leaf) {
		if strip, ok := w.stripHeader(leaf); ok {
			ch.try(strip, edit(p, p, w.nl+lines))
			return
		}
	}
	ch.try(edit(p, p, w.nl+lines))
}

// separated reports whether the last two of some block entries have a blank line between them.
func (w *writer) separated(es []slot) bool {
	if len(es) < 2 {
		return false
	}
	end := w.entryEnd(es[len(es)-2])
	return end < w.lineStart(es[len(es)-1].lead) && w.isBlankLine(end)
}

// stripHeader makes a block scalar drop its final line breaks.
func (w *writer) stripHeader(n *source.Node) (source.Edit, bool) {
	for i := n.Content + 1; i < len(w.b); i++ {
		switch c := w.b[i]; {
		case c == '-':
			return source.Edit{}, false
		case c == '+':
			return edit(i, i+1, "-"), true
		case c < '0' || c > '9':
			return edit(i, i, "-"), true
		}
	}
	return source.Edit{}, false
}

// try adds a way to make the change.
func (ch *change) try(edits ...source.Edit) { ch.tries = append(ch.tries, edits) }

// removeBlock removes entry i of a block container.
func (w *writer) removeBlock(c *source.Node, i int) *change {
	es := w.slots(c)
	e := es[i]
	ch := &change{}
	ch.patch.remove(e.value)
	if e.key != nil {
		ch.patch.remove(e.key)
	}
	end := w.entryEnd(e)
	if len(es) == 1 {
		w.emptyBlock(ch, c, es, "")
		return ch
	}
	if !w.startsLine(e.lead) {
		// The first entry shares its line with the dash in front of the container: the next one takes its place.
		for end < len(w.b) && (w.isBlank(end) || w.breakLen(end) > 0) {
			end += max(1, w.breakLen(end))
		}
		ch.try(edit(e.lead, end, ""))
		return ch
	}
	start := w.ownHead(c, es, i)
	ch.try(w.cut(start, end))
	// Blank lines below would become content of a block scalar above.
	if more := w.skipBlankLines(end); more > end {
		ch.try(w.cut(start, more))
	}
	if head := w.headStart(c, es, i); head < start {
		ch.try(w.cut(head, end))
	}
	// A text in a block scalar cannot end with blank lines.
	if end == len(w.b) {
		for w.belowBlank(start) {
			start, _ = w.above(start)
		}
		ch.try(edit(start, end, ""))
	}
	return ch
}

// cut removes whole lines. At the end of a file without a final line break it removes the one in front instead.
func (w *writer) cut(start, end int) source.Edit {
	if end == len(w.b) && !w.closed(end) {
		if above, ok := w.above(start); ok {
			start = min(start, w.lineEnd(above))
		}
	}
	return edit(start, end, "")
}

func (w *writer) skipBlankLines(i int) int {
	for i < len(w.b) && (w.isBlankLine(i) || w.blanks(i) == len(w.b)) {
		next := w.nextLine(i)
		if next == i {
			return len(w.b)
		}
		i = next
	}
	return i
}

// emptyBlock writes text, or the empty collection of its kind, in the place of a block container.
func (w *writer) emptyBlock(ch *change, c *source.Node, es []slot, text string) {
	if text == "" {
		text = "[]"
		if c.Kind == source.Map {
			text = "{}"
		}
	}
	first, last := es[0], es[len(es)-1]
	p := w.valueStart(c)
	if c.Parent == nil && p == c.Start || !w.startsLine(first.lead) {
		ch.try(edit(c.Content, c.End, text))
		return
	}
	start, end := w.headStart(c, es, 0), w.entryEnd(last)
	ch.try(edit(p, p, " "+text), w.cut(start, end))
	if more := w.skipBlankLines(end); more > end {
		ch.try(edit(p, p, " "+text), w.cut(start, more))
	}
}

// fillBlock writes v, a container with content, as block lines in the place of n, which is a scalar or an empty
// collection, in a block context.
func (w *writer) fillBlock(n *source.Node, v any, st style) (*change, error) {
	ch := &change{}
	m, isMap := asEntries(v)
	items, _ := asItems(v)
	lines := func(indent string) (string, *shape, error) {
		if isMap {
			return w.blockEntries(m, indent, st)
		}
		out := &shape{kind: source.List}
		var texts []string
		for _, x := range items {
			text, s, err := w.blockItem(x, indent, st)
			if err != nil {
				return "", nil, err
			}
			texts = append(texts, text)
			out.kids = append(out.kids, s)
		}
		return strings.Join(texts, w.nl+indent), out, nil
	}
	p := n.Parent
	switch {
	case p == nil || p.Kind == source.List:
		// In the place of the root, or after a dash on its line.
		at, lead := n.Content, ""
		if p != nil && n.Empty && n.Start == n.Content && w.propertiesEnd(n) < 0 {
			lead = st.gap
		}
		if w.propertiesEnd(n) >= 0 && p == nil {
			return nil, refuse(ReasonForm, "the value has an anchor or a tag")
		}
		if p != nil && w.propertiesEnd(n) >= 0 {
			return w.fillBelow(ch, n, st, w.indent(n.Lead)+strings.Repeat(" ", st.step), lines)
		}
		indent := w.indent(at) + strings.Repeat(" ", len(lead))
		if p == nil && !w.startsLine(at) {
			indent, lead = "", w.nl // after "---"
		}
		text, s, err := lines(indent)
		if err != nil {
			return nil, err
		}
		ch.patch.replace(n, s)
		ch.try(edit(at, n.End, lead+text))
		return ch, nil
	default:
		k := n.KeyNode()
		if k == nil || n.Lead < 0 {
			return nil, refuse(ReasonForm, "a key without a colon cannot take a block")
		}
		step := st.step
		if !isMap {
			step = st.listStep
		}
		indent := w.indent(k.Lead) + strings.Repeat(" ", step)
		// Comments that stand below the key already say how deep its entries go.
		if c := w.nextLine(n.End); n.Empty && c < len(w.b) && w.isCommentLine(c) && w.column(w.blanks(c)) > w.column(k.Lead) {
			indent = w.indent(w.blanks(c))
		}
		return w.fillBelow(ch, n, st, indent, lines)
	}
}

// fillBelow writes lines below the line on which the scalar or empty collection n ends, and removes n itself.
func (w *writer) fillBelow(ch *change, n *source.Node, st style, indent string, lines func(string) (string, *shape, error)) (*change, error) {
	text, s, err := lines(indent)
	if err != nil {
		return nil, err
	}
	ch.patch.replace(n, s)
	var edits []source.Edit
	from := w.valueStart(n)
	rest := from // the comment on the key's line stays
	if n.End > n.Content {
		if isBlockScalar(n) {
			header := w.blockHeader(n)
			edits = append(edits, edit(from, header, ""))
			if e := w.lineEnd(header); e < n.End {
				edits = append(edits, edit(e, n.End, ""))
				rest = n.End
			} else {
				rest = header
			}
		} else {
			edits = append(edits, edit(from, n.End, ""))
			rest = n.End
		}
	}
	p := w.lineEnd(rest)
	edits = append(edits, edit(p, p, w.nl+indent+text))
	ch.try(edits...)
	return ch, nil
}

// blockHeader returns the offset after the indicators of a block scalar's header.
func (w *writer) blockHeader(n *source.Node) int {
	i := n.Content + 1
	for i < len(w.b) && (w.b[i] == '+' || w.b[i] == '-' || w.b[i] >= '0' && w.b[i] <= '9') {
		i++
	}
	return i
}
