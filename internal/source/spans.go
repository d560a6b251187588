package source

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// walker turns nodes of yaml.v3, which know only the line and column they start at, into nodes with byte
// spans. It walks the tree and the text in step: a scalar's end is found by matching its value against the
// text with blanks and line breaks ignored on both sides, since folding, indentation and chomping change
// nothing else; everything between two nodes is blanks, comments and indicators.
type walker struct {
	file *File
	src  []byte // the text that was parsed: that of file, or a masked copy of it
	text string // file's text, of which values are substrings where possible
	// masked is true when src differs from file.Bytes.
	masked bool

	cur     int        // end of what has been walked
	after   *yaml.Node // the node that follows the subtree being walked, nil at the end of the document
	inexact bool
	err     error
	depth   int

	// The last offset computed, so that long lines are walked once.
	line, column, off int

	nodes   []Node
	kids    []*Node
	anchors map[string]*Node
}

func newWalker(f *File, src []byte) *walker {
	f.index()
	w := &walker{file: f, src: src, text: f.text(), masked: len(src) > 0 && &src[0] != &f.Bytes[0]}
	return w
}

// document returns the tree of one document, nil for one without content. Documents must be walked in their
// order.
func (w *walker) document(doc *yaml.Node) (*Node, error) {
	w.inexact, w.depth, w.err, w.after = false, 0, nil, nil
	clear(w.anchors)
	w.cur = max(w.cur, w.offset(doc.Line, doc.Column))
	if len(doc.Content) == 0 {
		return nil, nil
	}
	root := doc.Content[0]
	nodes, kids := countNodes(root, 0)
	w.nodes, w.kids = make([]Node, 0, nodes), make([]*Node, 0, kids)
	if isNull(root) && w.empty(root, w.offset(root.Line, root.Column)) {
		return nil, nil
	}
	n := w.node(root, nil)
	n.Lead = n.Start
	if w.err != nil {
		return nil, w.err
	}
	return n, nil
}

// countNodes returns how many nodes there are and how many of them are children.
func countNodes(n *yaml.Node, depth int) (nodes, kids int) {
	nodes, kids = 1, len(n.Content)
	if depth > MaxDepth {
		return nodes, kids
	}
	for _, c := range n.Content {
		a, b := countNodes(c, depth+1)
		nodes, kids = nodes+a, kids+b
	}
	return nodes, kids
}

// offset returns the byte offset of a line and a column counted in code points, both from 1.
func (w *walker) offset(line, column int) int {
	f := w.file
	if line < 1 {
		return 0
	}
	if line > len(f.lines) {
		return len(w.src)
	}
	start := f.lines[line-1]
	if f.ascii {
		return min(start+column-1, len(w.src))
	}
	off, col := start, 1
	if line == w.line && column >= w.column {
		off, col = w.off, w.column
	}
	for ; col < column && off < len(w.src); col++ {
		if w.src[off] < utf8.RuneSelf {
			off++
			continue
		}
		_, n := utf8.DecodeRune(w.src[off:])
		off += n
	}
	w.line, w.column, w.off = line, col, off
	return off
}

// at returns the byte at offset i, 0 at the end of the text.
func (w *walker) at(i int) byte {
	if i < len(w.src) {
		return w.src[i]
	}
	return 0
}

// trivia returns the offset of the first byte from i on that is no blank, line break or comment.
func (w *walker) trivia(i int) int { return skipTrivia(w.src, i) }

func skipTrivia(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '#':
			i = lineEnd(b, i)
		case c >= utf8.RuneSelf:
			n := breakLen(b[i:])
			if n == 0 {
				return i
			}
			i += n
		default:
			return i
		}
	}
	return len(b)
}

// lineEnd returns the offset of the line break that ends the line of offset i, or the end of the text.
func lineEnd(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n' || c == '\r':
			return i
		case c == 0xc2 || c == 0xe2:
			if breakLen(b[i:]) > 0 {
				return i
			}
		}
	}
	return len(b)
}

// skipBreak returns the offset after the line break at i, i itself when there is none.
func skipBreak(b []byte, i int) int {
	switch {
	case i >= len(b):
		return i
	case b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n':
		return i + 2
	case b[i] == '\n' || b[i] == '\r':
		return i + 1
	case b[i] >= utf8.RuneSelf:
		return i + breakLen(b[i:])
	}
	return i
}

// isNull reports whether n is a scalar with no text at all.
func isNull(n *yaml.Node) bool {
	const styled = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&styled == 0
}

// empty reports whether n, a null that yaml.v3 places at off, has no anchor and no tag either. A lone "!"
// leaves no trace in the node.
func (w *walker) empty(n *yaml.Node, off int) bool {
	return n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 && w.at(off) != '!'
}

func (w *walker) new(n *yaml.Node, parent *Node) *Node {
	if len(w.nodes) == cap(w.nodes) {
		w.nodes = make([]Node, 0, 64)
	}
	w.nodes = append(w.nodes, Node{Parent: parent, Lead: -1})
	out := &w.nodes[len(w.nodes)-1]
	if n.Anchor != "" {
		out.mark().anchor = n.Anchor
	}
	return out
}

// null makes the node of a value without any text at offset at.
func (w *walker) null(n *yaml.Node, parent *Node, at int) *Node {
	out := w.new(n, parent)
	out.Start, out.Content, out.End, out.Empty = at, at, at, true
	return out
}

// node makes the node of n and everything below it, and moves on to its end.
func (w *walker) node(n *yaml.Node, parent *Node) *Node {
	out := w.new(n, parent)
	if w.depth++; w.depth > MaxDepth {
		w.fail(w.offset(n.Line, n.Column), fmt.Sprintf("nested deeper than %d levels", MaxDepth))
	}
	defer func() { w.depth-- }()
	if w.err != nil {
		return out
	}
	if n.Anchor != "" {
		if w.anchors == nil {
			w.anchors = map[string]*Node{}
		}
		w.anchors[n.Anchor] = out
	}
	off := w.offset(n.Line, n.Column)
	if off < w.cur {
		w.inexact = true
		off = w.cur
	}
	out.Start, out.Content = off, off
	child := -1
	if len(n.Content) > 0 && n.Kind != yaml.ScalarNode {
		child = w.offset(n.Content[0].Line, n.Content[0].Column)
	}
	if c := w.at(off); (c == '&' || c == '!') && child != off && n.Kind != yaml.AliasNode {
		out.Content = w.properties(n, out, off, child)
	}
	switch n.Kind {
	case yaml.AliasNode:
		w.alias(n, out)
	case yaml.ScalarNode:
		w.scalar(n, out)
	case yaml.SequenceNode:
		out.Kind, out.Style = List, Block
		if n.Style&yaml.FlowStyle != 0 {
			out.Style = Flow
		}
		w.list(n, out)
	case yaml.MappingNode:
		out.Kind, out.Style = Map, Block
		switch {
		case n.Style&yaml.FlowStyle == 0:
			w.blockMap(n, out)
		case child == off || w.at(out.Content) != '{':
			out.Style = Flow
			w.pair(n, out)
		default:
			out.Style = Flow
			w.flowMap(n, out)
		}
	}
	w.cur = out.End
	return out
}

// fail stops the walk with an error at offset at.
func (w *walker) fail(at int, msg string) {
	if w.err == nil {
		w.err = &SyntaxError{w.file, at, msg}
	}
}

// properties reads the anchor and tag at off and returns where the content of the node starts: after them
// and the blanks, breaks and comments that follow, or right after them when there is none. It takes only
// what the node carries, since the next anchor or tag may belong to its first child or to the next key, and
// stops at the first child.
func (w *walker) properties(n *yaml.Node, out *Node, off, child int) int {
	anchor, tag := n.Anchor != "", n.Style&yaml.TaggedStyle != 0
	lone := !tag // a "!" by itself
	end := off
	for i := off; i < len(w.src) && i != child; i = w.trivia(end) {
		switch c := w.src[i]; {
		case c == '&' && anchor:
			anchor = false
			end = i + 1 + len(n.Anchor)
		case c == '!' && (tag || lone && !w.ofNext(n, i) && (i+1 == len(w.src) || isBlankOrBreak(w.at(i+1)) || breakLen(w.src[i+1:]) > 0)):
			tag, lone = false, false
			end = i + 1
			for end < len(w.src) && !isBlankOrBreak(w.src[end]) && breakLen(w.src[end:]) == 0 {
				end++
			}
			out.mark().tag = w.text[i:end]
		default:
			return w.contentAfter(n, end)
		}
	}
	return w.contentAfter(n, end)
}

// ofNext reports whether the lone "!" at i, below the anchor of a null, is that of the next node.
func (w *walker) ofNext(n *yaml.Node, i int) bool {
	return w.after != nil && isNull(n) && w.offset(w.after.Line, w.after.Column) == i
}

func (w *walker) contentAfter(n *yaml.Node, end int) int {
	if isNull(n) {
		return end
	}
	return w.trivia(end)
}

func (w *walker) alias(n *yaml.Node, out *Node) {
	out.Kind, out.Text = Alias, n.Value
	out.End = out.Content + 1 + len(n.Value)
	if w.at(out.Content) != '*' {
		w.inexact = true
	}
	target := w.anchors[n.Value]
	if target == nil {
		w.fail(out.Content, fmt.Sprintf("unknown anchor '%s' referenced", n.Value))
	}
	for p := out.Parent; p != nil; p = p.Parent {
		if p == target {
			target = nil
			break
		}
	}
	out.mark().target = target
}

func (w *walker) scalar(n *yaml.Node, out *Node) {
	out.Kind, out.Text = Scalar, n.Value
	ok := true
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		out.Style = DoubleQuoted
		out.End, ok = quotedEnd(w.src, out.Content, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		out.Style = SingleQuoted
		out.End, ok = quotedEnd(w.src, out.Content, '\'')
	case n.Style&yaml.LiteralStyle != 0:
		out.Style = Literal
		out.End, ok = blockEnd(w.src, out.Content, n.Value)
	case n.Style&yaml.FoldedStyle != 0:
		out.Style = Folded
		out.End, ok = blockEnd(w.src, out.Content, n.Value)
	case n.Value == "":
		out.Empty = true
		out.End = out.Content
	default:
		out.End, ok = matchText(w.src, out.Content, n.Value)
	}
	if !ok {
		w.inexact = true
		out.End = max(out.Content, min(out.End, len(w.src)))
		return
	}
	// A value written as it is costs no memory of its own.
	switch c, e := out.Content, out.End; {
	case w.masked && !bytes.Equal(w.src[c:e], w.file.Bytes[c:e]):
		out.Text = w.unmask(out)
	case out.Style == Plain && e-c == len(n.Value):
		if t := w.text[c:e]; t == n.Value {
			out.Text = t
		}
	case (out.Style == SingleQuoted || out.Style == DoubleQuoted) && e-c == len(n.Value)+2:
		if t := w.text[c+1 : e-1]; t == n.Value {
			out.Text = t
		}
	}
}

// quotedEnd returns the offset after the quote that closes the one at i.
func quotedEnd(b []byte, i int, quote byte) (int, bool) {
	if i >= len(b) || b[i] != quote {
		return i, false
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\' && quote == '"':
			i++
		case c == quote:
			if quote == '\'' && i+1 < len(b) && b[i+1] == '\'' {
				i++
				continue
			}
			return i + 1, true
		}
	}
	return len(b), false
}

// matchText returns the offset after the last character of value in the text from i on, where blanks and line
// breaks on either side count for nothing.
func matchText(b []byte, i int, value string) (int, bool) {
	if len(b)-i >= len(value) && string(b[i:i+len(value)]) == value {
		return i + len(value), true
	}
	end := i
	for j := 0; j < len(value); {
		if n := spaceLen(value[j:]); n > 0 {
			j += n
			continue
		}
		for i < len(b) {
			n := spaceLen(b[i:])
			if n == 0 {
				break
			}
			i += n
		}
		if i >= len(b) || b[i] != value[j] {
			return end, false
		}
		i++
		j++
		end = i
	}
	return end, true
}

// spaceLen returns the length of a blank or of a line break's byte or character at the start of s, or 0.
func spaceLen[T string | []byte](s T) int {
	if len(s) == 0 {
		return 0
	}
	switch c := s[0]; {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		return 1
	case c == 0xc2 && len(s) >= 2 && s[1] == 0x85:
		return 2
	case c == 0xe2 && len(s) >= 3 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9):
		return 3
	}
	return 0
}

// blockEnd returns the end of the block scalar whose indicator is at i: before the line break of its last
// line with content, or with "+" before that of its last blank line. Without content it is the end of the
// header, comment excluded.
func blockEnd(b []byte, i int, value string) (int, bool) {
	if i >= len(b) || b[i] != '|' && b[i] != '>' {
		return i, false
	}
	header := i + 1
	for header < len(b) && (b[header] == '+' || b[header] == '-' || b[header] >= '0' && b[header] <= '9') {
		header++
	}
	if value == "" {
		return header, true
	}
	end := lineEnd(b, header)
	text := strings.TrimRightFunc(value, isSpaceRune)
	tail := value[len(text):]
	lines := 0
	for j := 0; j < len(tail); {
		n := spaceLen(tail[j:])
		if c := tail[j]; c != ' ' && c != '\t' {
			lines++
			if j+n == len(tail) {
				lines--
			}
		}
		j += n
	}
	if text == "" {
		lines++
	} else {
		e, ok := matchText(b, end, text)
		if !ok {
			return e, false
		}
		end = lineEnd(b, e)
	}
	for ; lines > 0; lines-- {
		next := skipBreak(b, end)
		if next == end {
			return end, false
		}
		end = lineEnd(b, next)
	}
	return end, true
}

// isSpaceRune reports whether r is a blank or a YAML line break.
func isSpaceRune(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\r', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// reserve returns an empty slice with room for the children of n.
func (w *walker) reserve(n *yaml.Node) []*Node {
	k := len(n.Content)
	if len(w.kids)+k > cap(w.kids) {
		w.kids = make([]*Node, 0, max(64, k))
	}
	l := len(w.kids)
	w.kids = w.kids[:l+k]
	return w.kids[l : l : l+k]
}

func (w *walker) list(n *yaml.Node, out *Node) {
	out.Children = w.reserve(n)
	w.cur = out.Content
	flow := out.Style == Flow
	if flow {
		if w.at(w.cur) != '[' {
			w.inexact = true
		}
		w.cur++
	}
	after := w.after
	for i, c := range n.Content {
		w.after = after
		if i+1 < len(n.Content) {
			w.after = n.Content[i+1]
		}
		var item *Node
		lead := w.next(flow && i > 0)
		if !flow {
			if w.at(lead) != '-' {
				w.inexact = true
			}
			w.cur = min(lead+1, len(w.src))
		}
		if !flow && isNull(c) && w.empty(c, w.offset(c.Line, c.Column)) {
			item = w.null(c, out, w.cur)
		} else {
			item = w.node(c, out)
		}
		item.Lead = lead
		out.Children = append(out.Children, item)
		out.End = item.End
		if w.err != nil {
			return
		}
	}
	if flow {
		w.closeFlow(out, ']')
	}
}

// next moves on to the next token, past a comma if one is expected.
func (w *walker) next(comma bool) int {
	w.cur = w.trivia(w.cur)
	if comma && w.at(w.cur) == ',' {
		w.cur = w.trivia(w.cur + 1)
	}
	return w.cur
}

// closeFlow finds the bracket that ends a flow container.
func (w *walker) closeFlow(out *Node, bracket byte) {
	i := w.next(true)
	if w.at(i) != bracket {
		w.inexact = true
		out.End = min(i, len(w.src))
		return
	}
	out.End = i + 1
}

func (w *walker) blockMap(n *yaml.Node, out *Node) {
	out.Children = w.reserve(n)
	w.cur = out.Content
	w.entries(n, out, false)
	w.endMap(out)
}

func (w *walker) flowMap(n *yaml.Node, out *Node) {
	out.Children = w.reserve(n)
	w.cur = out.Content + 1
	w.entries(n, out, true)
	w.closeFlow(out, '}')
}

// entries reads the keys and values of a map.
func (w *walker) entries(n *yaml.Node, out *Node, flow bool) {
	after := w.after
	for i := 0; i+1 < len(n.Content) && w.err == nil; i += 2 {
		w.next(flow && i > 0)
		next := after
		if i+2 < len(n.Content) {
			next = n.Content[i+2]
		}
		w.entry(n.Content[i], n.Content[i+1], next, out, flow)
	}
}

// pair reads the only entry of a map that a flow list holds without braces.
func (w *walker) pair(n *yaml.Node, out *Node) {
	out.Children = w.reserve(n)
	out.Content = out.Start
	w.cur = out.Start
	w.entries(n, out, true)
	w.endMap(out)
}

// endMap ends a map that is closed by nothing at its last value.
func (w *walker) endMap(out *Node) {
	out.End = out.Content
	if k := len(out.Children); k > 0 {
		out.End = out.Children[k-1].End
	}
}

// entry reads a key and its value, which are followed by the node after.
func (w *walker) entry(k, v, after *yaml.Node, out *Node, flow bool) {
	lead := w.next(false)
	koff := w.offset(k.Line, k.Column)
	bare := isNull(k) && w.empty(k, koff)
	if w.at(lead) == '?' && (bare || koff > lead) {
		w.cur = lead + 1
	}
	var key, value *Node
	w.after = v
	if bare {
		key = w.null(k, out, w.cur)
	} else {
		key = w.node(k, out)
	}
	key.Lead = lead
	out.Children = append(out.Children, key)
	if w.err != nil {
		return
	}
	w.after = after
	colon := w.trivia(w.cur)
	null := isNull(v)
	switch {
	case w.at(colon) != ':' || null && !flow && w.offset(v.Line, v.Column) <= colon:
		if !null {
			w.inexact = true
			value = w.node(v, out)
			break
		}
		value = w.null(v, out, key.End)
		w.cur = key.End
	case null && (w.offset(v.Line, v.Column) <= colon || w.empty(v, w.offset(v.Line, v.Column))):
		w.cur = colon + 1
		value = w.null(v, out, colon+1)
		value.Lead = colon
	default:
		w.cur = colon + 1
		value = w.node(v, out)
		value.Lead = colon
	}
	out.Children = append(out.Children, value)
}

// unmask returns the value that a scalar of a masked text has in the file.
func (w *walker) unmask(n *Node) string {
	raw := w.file.Bytes[n.Content:n.End]
	if n.Style == DoubleQuoted {
		return unquote(raw[1:len(raw)-1], DoubleQuoted, 0, nil)
	}
	out := []byte(n.Text)
	i := n.Content
	switch n.Style {
	case SingleQuoted:
		i++
	case Literal, Folded:
		i = lineEnd(w.src, i)
	}
	start := i
	for j := 0; j < len(out); {
		if k := spaceLen(out[j:]); k > 0 {
			if k == 1 && i > start && i < n.End && w.src[i] == out[j] {
				// In the middle of a line blanks stand as written.
				out[j] = w.file.Bytes[i]
				i++
			}
			j += k
			continue
		}
		for i < n.End {
			k := spaceLen(w.src[i:])
			if k == 0 {
				break
			}
			i += k
		}
		if i >= n.End || w.src[i] != out[j] {
			w.inexact = true
			break
		}
		out[j] = w.file.Bytes[i]
		if n.Style == SingleQuoted && out[j] == '\'' {
			i++
		}
		i++
		j++
	}
	return string(out)
}
