package source

import "bytes"

// quickYAML reads the YAML that people mostly write, in one pass and without yaml.v3: block maps and lists, plain and
// quoted scalars on one line, block scalars, flow containers, anchors of values, aliases, comments and several documents.
// It declines everything else - tags, other multi-line scalars, "?" keys, tabs, CRLF, a byte order mark, directives, empty
// documents, whatever is not right - which the general reader then reads or refuses. What it does read is what the
// general reader reads, node by node and byte by byte; a fuzz target compares the two.
//
// The trees lie in scratch, or in memory of their own when it is nil.
func quickYAML(f *File, ascii bool, scratch *Scratch) ([]Document, bool) {
	b := f.Bytes
	if bytes.IndexByte(b, '\r') >= 0 || bytes.IndexByte(b, '\t') >= 0 && tabOutsideText(b) {
		return nil, false
	}
	if !ascii && (bytes.Contains(b, bom) || bytes.Contains(b, []byte("\u0085")) || bytes.Contains(b, []byte("\u2028")) || bytes.Contains(b, []byte("\u2029"))) {
		return nil, false
	}
	q := quick{src: b, text: f.text()}
	if scratch != nil {
		q.room, q.reused = scratch.room, true
		defer func() { scratch.room = q.room }()
	}
	var docs []Document
	for q.line(0); !q.declined; {
		if q.marker {
			q.line(q.pos + 3)
		}
		if q.column < 0 {
			q.decline() // an empty document
			break
		}
		clear(q.anchors)
		root := q.block(nil, -1)
		if q.column >= 0 {
			q.decline()
		}
		if q.declined {
			break
		}
		root.Lead = root.Start
		docs = append(docs, Document{File: f, Root: root, Index: len(docs)})
		if !q.marker {
			return docs, true
		}
	}
	return nil, false
}

// tabOutsideText reports whether a tab stands where it may be taken for indentation or for the end of a scalar: anywhere
// but in a comment that has a line of its own.
func tabOutsideText(b []byte) bool {
	for i := 0; ; {
		j := bytes.IndexByte(b[i:], '\t')
		if j < 0 {
			return false
		}
		i += j
		line := b[bytes.LastIndexByte(b[:i], '\n')+1 : i]
		if line = bytes.TrimLeft(line, " "); len(line) == 0 || line[0] != '#' {
			return true
		}
		i = lineEnd(b, i)
	}
}

// maxQuickDepth is how deep containers may be nested for [quickYAML].
const maxQuickDepth = 100

// maxQuickKey is the length in bytes up to which a key is read, below the limit of YAML for keys on one line.
const maxQuickKey = 1000

type quick struct {
	src  []byte
	text string // src, of which values are substrings

	// pos is where the next content stands, at column of its line; column is -1 at the end of a document.
	pos, column int
	// marker is true when it is "---" that ended the document.
	marker   bool
	declined bool
	depth    int

	// anchor is the name of the anchor at anchorAt, which belongs to the next node.
	anchor   string
	anchorAt int
	anchors  map[string]*Node // of the document so far

	room
	reused bool    // whether the room is that of a scratch
	open   []*Node // children of the containers being read
}

// decline stops reading: nothing that follows counts.
func (q *quick) decline() {
	q.declined, q.marker, q.column, q.pos = true, false, -1, len(q.src)
}

// piece is how many nodes, or children, the next piece of memory has room for, after one with room for last. A line of a
// configuration has about 30 bytes and two nodes.
func (q *quick) piece(last, start int) int {
	n := 8 + (len(q.src)-start)/16
	if q.reused {
		return max(n, 2*last)
	}
	return n
}

func (q *quick) new(parent *Node, kind Kind, style Style, start int) *Node {
	if len(q.nodes) == cap(q.nodes) {
		q.nodes = make([]Node, 0, q.piece(cap(q.nodes), start))
	}
	q.nodes = append(q.nodes, Node{Kind: kind, Style: style, Parent: parent, Start: start, Content: start, End: start, Lead: -1})
	n := &q.nodes[len(q.nodes)-1]
	if q.anchor != "" {
		if q.anchors == nil {
			q.anchors = map[string]*Node{}
		}
		q.anchors[q.anchor] = n
		n.Start, n.mark().anchor, q.anchor = q.anchorAt, q.anchor, ""
	}
	return n
}

// close gives a container the children that were read since mark.
func (q *quick) close(n *Node, mark int) {
	list := q.open[mark:]
	if len(q.kids)+len(list) > cap(q.kids) {
		q.kids = make([]*Node, 0, max(len(list), q.piece(cap(q.kids), n.Start)))
	}
	at := len(q.kids)
	q.kids = append(q.kids, list...)
	n.Children = q.kids[at:len(q.kids):len(q.kids)]
	q.open = q.open[:mark]
}

func (q *quick) at(i int) byte {
	if i < len(q.src) {
		return q.src[i]
	}
	return '\n'
}

// blank reports whether the byte at i is a space or the end of a line or of the text.
func (q *quick) blank(i int) bool {
	c := q.at(i)
	return c == ' ' || c == '\n'
}

// line moves on to the next content from i on, which must stand at the start of a line or be blank to its end.
func (q *quick) line(i int) {
	b := q.src
	q.marker = false
	if i > 0 && i < len(b) && b[i-1] != '\n' {
		if i = q.rest(i); q.declined {
			return
		}
	}
	for i < len(b) {
		start := i
		for i < len(b) && b[i] == ' ' {
			i++
		}
		if i == len(b) {
			break
		}
		switch c := b[i]; c {
		case '\n':
			i++
			continue
		case '#':
			i = q.lineEnd(i) + 1
			continue
		case '-', '.':
			if i == start && i+3 <= len(b) && b[i+1] == c && b[i+2] == c && q.blank(i+3) {
				if c == '.' {
					q.decline()
					return
				}
				q.pos, q.column, q.marker = i, -1, true
				return
			}
		case '\t':
			q.decline()
			return
		}
		q.pos, q.column = i, i-start
		return
	}
	q.pos, q.column = len(b), -1
}

// lineEnd returns the offset of the next line feed, or the end of the text.
func (q *quick) lineEnd(i int) int {
	if i >= len(q.src) {
		return len(q.src)
	}
	if j := bytes.IndexByte(q.src[i:], '\n'); j >= 0 {
		return i + j
	}
	return len(q.src)
}

// rest returns the start of the next line when nothing but blanks and a comment follows i on this one.
func (q *quick) rest(i int) int {
	start := i
	for q.at(i) == ' ' {
		i++
	}
	if q.at(i) == '#' && (i > start || i == 0 || q.src[i-1] == ' ') {
		i = q.lineEnd(i)
	}
	if q.at(i) != '\n' {
		q.decline()
	}
	return min(i+1, len(q.src))
}

// dash reports whether an item of a block list starts at i.
func (q *quick) dash(i int) bool { return q.at(i) == '-' && q.blank(i+1) }

// block reads the node that starts at the current content, which is indented by more than outer, and moves on to the
// content after it.
func (q *quick) block(parent *Node, outer int) *Node {
	if q.depth++; q.depth > maxQuickDepth {
		q.decline()
	}
	defer func() { q.depth-- }()
	if q.declined {
		return q.new(parent, Scalar, Plain, 0)
	}
	if q.dash(q.pos) {
		return q.list(parent, q.column)
	}
	switch q.at(q.pos) {
	case '[', '{':
		return q.flowValue(parent, outer)
	}
	start := q.pos
	if colon := q.keyEnd(start); colon >= 0 {
		return q.blockMap(parent)
	}
	if parent == nil {
		q.decline() // a text of its own
		return q.new(parent, Scalar, Plain, 0)
	}
	return q.scalarValue(parent, start, outer)
}

// blockMap reads a block map, the first key of which stands at the current content, which is one.
func (q *quick) blockMap(parent *Node) *Node {
	column := q.column
	out := q.new(parent, Map, Block, q.pos)
	mark := len(q.open)
	for {
		start := q.pos
		colon := q.keyEnd(start)
		if colon < 0 {
			q.decline()
		}
		if q.declined {
			return out
		}
		end := colon
		for q.src[end-1] == ' ' {
			end--
		}
		key := q.scalar(out, start, end)
		key.Lead = start
		value := q.valueAfter(out, colon+1, column, true)
		value.Lead = colon
		q.open = append(q.open, key, value)
		out.End = value.End
		if q.column != column || q.declined {
			break
		}
		if q.dash(q.pos) {
			q.decline()
			break
		}
	}
	if q.column > column {
		q.decline()
	}
	q.close(out, mark)
	return out
}

// list reads a block list whose dashes stand at column, the first at the current content.
func (q *quick) list(parent *Node, column int) *Node {
	out := q.new(parent, List, Block, q.pos)
	mark := len(q.open)
	for {
		dash := q.pos
		item := q.valueAfter(out, dash+1, column, false)
		item.Lead = dash
		q.open = append(q.open, item)
		out.End = item.End
		if q.column != column || q.declined || !q.dash(q.pos) {
			break
		}
	}
	if q.column > column {
		q.decline()
	}
	q.close(out, mark)
	return out
}

// valueAfter reads the value that follows the colon or dash before i, of an entry of a container at column, and moves
// on to the content after it. After a dash a container may start on the same line; after a colon a list may stand at
// the column of the map.
func (q *quick) valueAfter(parent *Node, i, column int, colon bool) *Node {
	after := i
	for q.at(i) == ' ' {
		i++
	}
	switch c := q.at(i); c {
	case '\n', '#':
		q.line(after)
		if q.column > column || colon && q.column == column && q.dash(q.pos) {
			if q.column == column {
				if q.depth++; q.depth > maxQuickDepth {
					q.decline()
				}
				n := q.list(parent, column)
				q.depth--
				return n
			}
			return q.block(parent, column)
		}
		n := q.new(parent, Scalar, Plain, after)
		n.Empty = true
		return n
	case '[', '{':
		q.pos = i
		return q.flowValue(parent, column)
	case '|', '>':
		return q.blockScalar(parent, i, column)
	case '*':
		n := q.alias(parent, i)
		if !q.declined {
			q.ended(n.End, column)
		}
		return n
	case '&':
		return q.anchored(parent, i, column, colon)
	}
	if !colon {
		q.pos, q.column = i, column+i-(after-1)
		return q.block(parent, column)
	}
	return q.scalarValue(parent, i, column)
}

// name returns the offset after the name of an anchor at i.
func (q *quick) name(i int) int {
	start := i
	for i < len(q.src) && isNameByte(q.src[i]) {
		i++
	}
	if i == start {
		q.decline()
	}
	return i
}

// alias reads the alias at i.
func (q *quick) alias(parent *Node, i int) *Node {
	n := q.new(parent, Alias, Plain, i)
	n.End = q.name(i + 1)
	n.Text = q.text[i+1 : n.End]
	target := q.anchors[n.Text]
	if target == nil || n.marks != nil {
		q.decline() // no such anchor, or an anchor of its own
		return n
	}
	for p := parent; p != nil; p = p.Parent {
		if p == target {
			target = nil
			break
		}
	}
	n.mark().target = target
	return n
}

// anchored reads the value whose anchor stands at i, as valueAfter.
func (q *quick) anchored(parent *Node, i, column int, colon bool) *Node {
	end := q.name(i + 1)
	next := end
	for q.at(next) == ' ' {
		next++
	}
	if !q.blank(end) {
		q.decline()
	}
	if !q.declined {
		switch c := q.at(next); {
		case c == '*' || c == '&' || !colon && q.dash(next):
			q.decline()
		case !colon && c != '\n' && c != '#' && c != '[' && c != '{' && c != '|' && c != '>' && q.keyEnd(next) >= 0:
			q.decline() // the anchor is that of the key
		}
	}
	if q.declined {
		return q.new(parent, Scalar, Plain, 0)
	}
	q.anchor, q.anchorAt = q.text[i+1:end], i
	n := q.valueAfter(parent, end, column, colon)
	if n.Empty {
		q.decline() // how far such a value reaches is a matter for the general reader
	}
	return n
}
