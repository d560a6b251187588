package fixers

import (
	"strings"

	"agentlint/internal/source"
)

// style is how new text is laid out in a YAML block: as the text around it is.
type style struct {
	step     int    // spaces that a map stands deeper than its key
	listStep int    // spaces that a list stands deeper than its key
	gap      string // blanks between a dash and its item
	// flowLists is true where the file writes short lists in brackets.
	flowLists bool
	// tab is true for JSON that is indented by tabs.
	tab    bool
	keys   quoting
	values quoting
}

// maxNeighbours is how many entries of a container are looked at for its style.
const maxNeighbours = 1000

// indents is how nodes are indented: the first steps seen, 0 and -1 without one, and how many short lists are written
// in brackets and how many are not.
type indents struct {
	step, listStep, flowLists, blockLists int
}

// see adds the indentation of a node.
func (w *writer) see(n *source.Node, in *indents) {
	if n.Kind == source.List && len(n.Children) > 0 && !isContainer(n.Children[0]) {
		if n.Style == source.Flow {
			in.flowLists++
		} else {
			in.blockLists++
		}
	}
	p := n.Parent
	if p == nil || p.Kind != source.Map || p.Style != source.Block || !isContainer(n) || n.Style != source.Block || len(n.Children) == 0 {
		return
	}
	if n.Kind == source.Map && in.step > 0 || n.Kind == source.List && in.listStep >= 0 {
		return
	}
	k := n.KeyNode()
	if k == nil || !w.startsLine(n.Children[0].Lead) {
		return
	}
	d := w.column(n.Children[0].Lead) - w.column(k.Lead)
	if n.Kind == source.Map && d > 0 {
		in.step = d
	}
	if n.Kind == source.List && d >= 0 {
		in.listStep = d
	}
}

// indents returns that of the first part of the text, which is looked through once.
func (w *writer) indents() indents {
	if w.whole != nil && w.whole.seen {
		return w.whole.indents
	}
	in := indents{listStep: -1}
	budget := 5000
	var visit func(n *source.Node)
	visit = func(n *source.Node) {
		w.see(n, &in)
		for _, k := range n.Children {
			if budget--; budget < 0 {
				return
			}
			visit(k)
		}
	}
	for _, r := range w.roots {
		if budget--; r != nil && budget >= 0 {
			visit(r)
		}
	}
	if w.whole != nil {
		*w.whole = wholeIndents{in, true}
	}
	return in
}

// wholeIndents is the indentation of a text once it is known.
type wholeIndents struct {
	indents
	seen bool
}

// styleAt returns the style for new entries of container c, or for new content in the place of node c.
func (w *writer) styleAt(c *source.Node) style {
	st := style{step: 2, listStep: 2, gap: " "}
	inFlow := w.json
	for n := c; n != nil; n = n.Parent {
		if n.Style == source.Flow && isContainer(n) && len(n.Children) > 0 {
			inFlow = true
		}
	}
	st.values = quoting{style: w.stringStyle(c), flow: inFlow, json: w.json}
	st.keys = quoting{style: w.keyStyle(c), flow: inFlow, json: w.json}

	// The nearest neighbours decide, then the rest of the document.
	near := indents{listStep: -1}
	for n := c; n != nil; n = n.Parent {
		w.see(n, &near)
		for _, k := range n.Children[:min(len(n.Children), maxNeighbours)] {
			w.see(k, &near)
		}
	}
	all := w.indents()
	step, listStep := near.step, near.listStep
	if step == 0 {
		step = all.step
	}
	if listStep < 0 {
		listStep = all.listStep
	}
	if step > 0 {
		st.step, st.listStep = step, step
	}
	if listStep >= 0 {
		st.listStep = listStep
	}
	st.flowLists = near.flowLists+all.flowLists > near.blockLists+all.blockLists
	if c.Kind == source.List && c.Style == source.Block && len(c.Children) > 0 {
		last := c.Children[len(c.Children)-1]
		if !last.Empty && last.Start > last.Lead && w.file.LineAt(last.Start) == w.file.LineAt(last.Lead) {
			st.gap = string(w.b[last.Lead+1 : last.Start])
		}
	}
	return st
}

// stringStyle returns how the strings near container c are quoted.
func (w *writer) stringStyle(c *source.Node) source.Style {
	for depth := 0; c != nil && depth < 3; c, depth = c.Parent, depth+1 {
		var votes [3]int
		count := func(n *source.Node) {
			switch {
			case n.Kind != source.Scalar || n.Empty:
			case n.Style == source.SingleQuoted, n.Style == source.DoubleQuoted:
				votes[n.Style]++
			case n.Style == source.Plain && !looksTyped(n.Text):
				votes[source.Plain]++
			}
		}
		for _, e := range w.slots(c) {
			count(e.value)
			if depth == 0 && c.Kind == source.List && isContainer(e.value) {
				for _, f := range w.slots(e.value) {
					count(f.value)
				}
			}
		}
		best := source.Plain
		for s, n := range votes {
			if n > votes[best] {
				best = source.Style(s)
			}
		}
		if votes[best] > 0 {
			return best
		}
	}
	return source.Plain
}

// keyStyle returns how the keys of map c are quoted.
func (w *writer) keyStyle(c *source.Node) source.Style {
	if c.Kind != source.Map || len(c.Children) == 0 {
		return source.Plain
	}
	first := c.Children[0].Style
	for _, e := range w.slots(c) {
		if e.key.Style != first {
			return source.Plain
		}
	}
	if first == source.SingleQuoted || first == source.DoubleQuoted {
		return first
	}
	return source.Plain
}

// key returns a key as st writes it.
func (st style) key(key string) (string, *shape) {
	text, quoted, _ := st.keys.text(key)
	return text, &shape{kind: source.Scalar, text: key, plain: !quoted}
}

// scalar returns a scalar value as st writes it.
func (st style) scalar(v any) (string, *shape, error) {
	text, quoted, err := st.values.text(v)
	s := &shape{kind: source.Scalar, text: text, plain: !quoted}
	if t, ok := v.(string); ok {
		s.text = t
	}
	return text, s, err
}

// inFlow returns st for use inside brackets.
func (st style) inFlow() style {
	st.values.flow, st.keys.flow = true, true
	return st
}

// isFlat reports whether v is a container that fits on one line: empty, or a list of scalars.
func isFlat(v any) bool {
	if items, ok := asItems(v); ok {
		for _, x := range items {
			if isCollection(x) {
				return false
			}
		}
		return true
	}
	m, ok := asEntries(v)
	return ok && len(m) == 0
}

func isCollection(v any) bool {
	if _, ok := asItems(v); ok {
		return true
	}
	_, ok := asEntries(v)
	return ok
}

// blockValue returns v as it follows a key that stands at indent: a scalar or flow collection with a blank in
// front, or lines of their own without a final line break.
func (w *writer) blockValue(v any, indent string, st style) (string, *shape, error) {
	if !isCollection(v) {
		text, s, err := st.scalar(v)
		return " " + text, s, err
	}
	if m, ok := asEntries(v); ok && len(m) > 0 {
		inner := indent + strings.Repeat(" ", st.step)
		text, s, err := w.blockEntries(m, inner, st)
		return w.nl + inner + text, s, err
	}
	items, _ := asItems(v)
	if len(items) == 0 || st.flowLists && isFlat(v) {
		text, s, err := w.flowValue(v, "", st)
		return " " + text, s, err
	}
	inner := indent + strings.Repeat(" ", st.listStep)
	var b strings.Builder
	list := &shape{kind: source.List}
	for _, x := range items {
		text, s, err := w.blockItem(x, inner, st)
		if err != nil {
			return "", nil, err
		}
		b.WriteString(w.nl + inner + text)
		list.kids = append(list.kids, s)
	}
	return b.String(), list, nil
}

// blockItem returns the item of a block list whose dashes stand at indent, without indent in front.
func (w *writer) blockItem(v any, indent string, st style) (string, *shape, error) {
	lead := "-" + st.gap
	if m, ok := asEntries(v); ok && len(m) > 0 {
		text, s, err := w.blockEntries(m, indent+strings.Repeat(" ", len(lead)), st)
		return lead + text, s, err
	}
	if isCollection(v) {
		text, s, err := w.flowValue(v, "", st)
		return lead + text, s, err
	}
	text, s, err := st.scalar(v)
	return lead + text, s, err
}

// blockEntries returns the entries of a block map whose keys stand at indent, without indent before the first.
func (w *writer) blockEntries(m entries, indent string, st style) (string, *shape, error) {
	out := &shape{kind: source.Map}
	lines := make([]string, len(m))
	for i, e := range m {
		k, ks := st.key(e.key)
		text, s, err := w.blockValue(e.value, indent, st)
		if err != nil {
			return "", nil, err
		}
		lines[i] = k + ":" + text
		out.kids = append(out.kids, ks, s)
	}
	return strings.Join(lines, w.nl+indent), out, nil
}

// flowValue returns v in brackets: on one line, or with indent set, in JSON, with every entry on a line of its
// own, deeper by st.step than indent.
func (w *writer) flowValue(v any, indent string, st style) (string, *shape, error) {
	st = st.inFlow()
	if !isCollection(v) {
		return st.scalar(v)
	}
	colon, comma := w.separators()
	open, end := "[", "]"
	out := &shape{kind: source.List}
	var parts []string
	inner := ""
	pretty := w.json && indent != ""
	if pretty {
		inner = indent + st.unit()
	}
	if m, ok := asEntries(v); ok {
		open, end, out.kind = "{", "}", source.Map
		for _, e := range m {
			k, ks := st.key(e.key)
			text, s, err := w.flowValue(e.value, inner, st)
			if err != nil {
				return "", nil, err
			}
			parts = append(parts, k+colon+text)
			out.kids = append(out.kids, ks, s)
		}
	} else {
		items, _ := asItems(v)
		for _, x := range items {
			text, s, err := w.flowValue(x, inner, st)
			if err != nil {
				return "", nil, err
			}
			parts = append(parts, text)
			out.kids = append(out.kids, s)
		}
	}
	if pretty && len(parts) > 0 {
		return open + w.nl + inner + strings.Join(parts, ","+w.nl+inner) + w.nl + indent + end, out, nil
	}
	return open + strings.Join(parts, comma) + end, out, nil
}

// separators returns what the text writes between a key and its value and between two entries of a flow
// collection: JSON without blanks keeps that way.
func (w *writer) separators() (colon, comma string) {
	colon, comma = ": ", ", "
	if !w.json || len(w.roots) == 0 || w.roots[0] == nil {
		return colon, comma
	}
	budget := 200
	var visit func(n *source.Node) bool
	visit = func(n *source.Node) bool {
		budget--
		if budget > 0 && n.Kind == source.Map && len(n.Children) > 0 {
			k, v := n.Children[0], n.Children[1]
			if gap := string(w.b[k.End:v.Start]); !strings.ContainsAny(gap, "\r\n") {
				colon = gap
			}
			if !strings.ContainsRune(colon, ' ') {
				comma = ","
			}
			return true
		}
		for _, c := range n.Children {
			if budget <= 0 || visit(c) {
				return true
			}
		}
		return false
	}
	visit(w.roots[0])
	return colon, comma
}

// unit returns one level of indentation of JSON.
func (st style) unit() string {
	if st.tab {
		return "\t"
	}
	return strings.Repeat(" ", st.step)
}
