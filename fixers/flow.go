package fixers

import (
	"strings"

	"agentlint/internal/source"
)

// insertFlow adds an entry to a flow container, in front of entry number at or after the last one.
func (w *writer) insertFlow(c *source.Node, at int, render func(indent string) (string, []*shape, error)) (*change, error) {
	if c.Content >= len(w.b) || w.b[c.Content] != '{' && w.b[c.Content] != '[' || c.Kind == source.Map && w.b[c.Content] == '[' {
		return nil, refuse(ReasonForm, "a pair without braces has room for one entry")
	}
	es := w.slots(c)
	at = max(0, min(at, len(es)))
	ch := &change{}
	raw := at
	if c.Kind == source.Map {
		raw = 2 * at
	}
	_, comma := w.separators()
	if len(es) == 0 {
		return w.insertFirst(ch, c, render)
	}
	last := es[len(es)-1]
	// Entries that stand on lines of their own get a line of their own.
	indent, lines := "", false
	if w.startsLine(last.lead) {
		indent, lines = w.indent(last.lead), true
	}
	text, kids, err := render(indent)
	if err != nil {
		return nil, err
	}
	ch.patch.insert(c, raw, kids...)
	if at < len(es) {
		p := es[at].lead
		if lines && w.startsLine(p) {
			ch.try(edit(p, p, text+","+w.nl+w.indent(p)))
		} else {
			ch.try(edit(p, p, text+comma))
		}
		return ch, nil
	}
	end := last.end
	blank := ""
	if w.needsBlank(last) {
		blank = " "
	}
	own := w.comma(end)
	tail := ""
	if own >= 0 {
		end, blank, tail = own+1, "", ","
	}
	if !lines {
		if own >= 0 {
			ch.try(edit(end, end, " "+text+","))
		} else {
			if stop := w.blanks(end); last.value.Empty && blank != "" && stop == c.End-1 {
				ch.try(edit(end, stop, blank+comma+text))
			}
			ch.try(edit(end, end, blank+comma+text))
		}
		return ch, nil
	}
	// A comment after the last entry stays with it.
	p := end
	if e := w.blanks(end); w.breakLen(e) > 0 || e < len(w.b) && w.b[e] == '#' && !w.json {
		p = w.lineEnd(end)
	}
	switch {
	case own >= 0:
		ch.try(edit(p, p, w.nl+indent+text+tail))
	case p == end:
		ch.try(edit(p, p, blank+","+w.nl+indent+text))
	default:
		ch.try(edit(end, end, blank+","), edit(p, p, w.nl+indent+text))
	}
	return ch, nil
}

// insertFirst adds an entry to an empty flow container.
func (w *writer) insertFirst(ch *change, c *source.Node, render func(indent string) (string, []*shape, error)) (*change, error) {
	close := c.End - 1
	blank := w.blanks(c.Content+1) == close
	if w.json {
		outer := w.jsonIndent(c)
		if outer != "" || c.Parent == nil && !blank {
			st := w.styleAt(c)
			inner := outer + w.jsonUnit(c, st)
			text, kids, err := render(inner)
			if err != nil {
				return nil, err
			}
			ch.patch.insert(c, 0, kids...)
			ch.try(edit(c.Content+1, close, w.nl+inner+text+w.nl+outer))
			return ch, nil
		}
	}
	text, kids, err := render("")
	if err != nil {
		return nil, err
	}
	ch.patch.insert(c, 0, kids...)
	if blank || w.json {
		ch.try(edit(c.Content+1, close, text))
	} else {
		ch.try(edit(close, close, text+" "))
		ch.try(edit(close, close, text))
	}
	return ch, nil
}

// jsonIndent returns the indentation of the line on which an entry of pretty-printed JSON stands, "" when c's
// text is on one line with what is around it.
func (w *writer) jsonIndent(c *source.Node) string {
	for n := c; n.Parent != nil; n = n.Parent {
		lead := n.Lead
		if k := n.KeyNode(); k != nil {
			lead = k.Lead
		}
		if w.startsLine(lead) {
			return w.indent(lead)
		}
	}
	return ""
}

// jsonUnit returns one level of indentation, as the entries of c or around it have.
func (w *writer) jsonUnit(c *source.Node, st style) string {
	for n := c; n != nil; n = n.Parent {
		es := w.slots(n)
		if len(es) == 0 || !w.startsLine(es[0].lead) {
			continue
		}
		inner, outer := w.indent(es[0].lead), w.jsonIndent(n)
		if unit, ok := strings.CutPrefix(inner, outer); ok && unit != "" {
			return unit
		}
	}
	return st.unit()
}

// needsBlank reports whether a comma right after an entry would become part of it: after "k0:", a plain "-", a
// plain text that ends with a colon, or a bare tag.
func (w *writer) needsBlank(e slot) bool {
	if w.json || e.end == 0 {
		return false
	}
	if e.value.Empty || e.value.Kind == source.Alias {
		return true
	}
	c := w.b[e.end-1]
	return e.value.Kind == source.Scalar && e.value.Style == source.Plain && (c == ':' || c == '-' || c == '?')
}

// removeFlow removes entry i of a flow container.
func (w *writer) removeFlow(c *source.Node, i int) *change {
	es := w.slots(c)
	e := es[i]
	ch := &change{}
	if c.Kind == source.Map && w.b[c.Content] != '{' {
		// A pair without braces.
		ch.patch.replace(c, &shape{kind: source.Map})
		ch.try(edit(c.Content, c.End, "{}"))
		return ch
	}
	ch.patch.remove(e.value)
	if e.key != nil {
		ch.patch.remove(e.key)
	}
	comma := w.comma(e.end)
	// An entry alone on its lines takes the lines along.
	lines := false
	stop := e.end
	if comma >= 0 {
		stop = comma + 1
	}
	lineEnd := w.blanks(stop)
	if lineEnd < len(w.b) && w.b[lineEnd] == '#' && !w.json {
		lineEnd = w.lineEnd(lineEnd)
	}
	if w.startsLine(e.lead) && w.breakLen(lineEnd) > 0 {
		lines = true
		lineEnd += w.breakLen(lineEnd)
	}
	start := w.lineStart(e.lead)
	if lines && !w.json {
		start = w.ownHead(c, es, i)
	}
	switch {
	case len(es) == 1:
		open, close := c.Content+1, c.End-1
		if w.trivia(open) == e.lead && w.trivia(stop) == close && !w.hasComment(open, e.lead) && !w.hasComment(stop, close) {
			ch.try(edit(open, close, ""))
		}
		ch.try(edit(e.lead, stop, ""))
	case i+1 < len(es):
		if lines {
			ch.try(edit(start, lineEnd, ""))
		}
		ch.try(edit(e.lead, es[i+1].lead, ""))
	case comma >= 0:
		if lines {
			ch.try(edit(start, lineEnd, ""))
		}
		ch.try(edit(w.blanksBefore(e.lead), stop, ""), w.glue(stop))
		ch.try(edit(e.lead, stop, ""))
	default:
		prev := es[i-1]
		before := w.comma(prev.end)
		if before < 0 {
			before = prev.end
		}
		keep := w.needsBlank(prev)
		if lines {
			if !keep {
				ch.try(edit(before, before+1, ""), edit(start, lineEnd, ""))
			}
			ch.try(edit(start, lineEnd, ""))
		}
		if !keep && !w.hasComment(before+1, e.lead) {
			ch.try(edit(before, e.end, ""), w.glue(e.end))
		}
		if !keep {
			ch.try(edit(before, before+1, ""), edit(e.lead, e.end, ""), w.glue(e.end))
		}
		ch.try(edit(e.lead, e.end, ""))
	}
	return ch
}

// glue puts a blank in front of a comment that would otherwise touch the text before it.
func (w *writer) glue(i int) source.Edit {
	if i < len(w.b) && w.b[i] == '#' {
		return edit(i, i, " ")
	}
	return edit(i, i, "")
}

// blanksBefore returns the start of the blanks that end at i.
func (w *writer) blanksBefore(i int) int {
	for i > 0 && (w.b[i-1] == ' ' || w.b[i-1] == '\t') {
		i--
	}
	return i
}

// hasComment reports whether a comment stands between two tokens.
func (w *writer) hasComment(from, to int) bool {
	return !w.json && strings.IndexByte(string(w.b[from:max(from, to)]), '#') >= 0
}
