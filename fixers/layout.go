package fixers

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"agentlint/internal/source"
)

// writer plans edits of one YAML or JSON text.
type writer struct {
	file  *source.File
	b     []byte
	roots []*source.Node
	json  bool
	nl    string
	// kept are the entries of large containers.
	kept map[*source.Node][]slot
	// whole keeps the indentation of the text.
	whole *wholeIndents
}

// change is a planned edit: what the trees must be afterwards, and the edits to get there, of which the first
// that reads back right is taken.
type change struct {
	patch patch
	tries [][]source.Edit
}

func edit(start, end int, text string) source.Edit {
	return source.Edit{Span: source.Span{Start: start, End: end}, Text: text}
}

// slot is one entry of a container: a key with its value, or an item.
type slot struct {
	lead, end int
	key       *source.Node // nil for an item
	value     *source.Node
}

// manySlots is the number of children from which on the entries of a container are kept.
const manySlots = 64

// slots returns the entries of a container in order. They must not be changed.
func (w *writer) slots(c *source.Node) []slot {
	if w.kept == nil || len(c.Children) < manySlots {
		return slots(c)
	}
	out, ok := w.kept[c]
	if !ok {
		out = slots(c)
		w.kept[c] = out
	}
	return out
}

// slots returns the entries of a container in order.
func slots(c *source.Node) []slot {
	if c.Kind == source.List {
		out := make([]slot, len(c.Children))
		for i, n := range c.Children {
			out[i] = slot{lead: n.Lead, end: n.End, value: n}
		}
		return out
	}
	out := make([]slot, 0, len(c.Children)/2)
	for i := 0; i+1 < len(c.Children); i += 2 {
		k, v := c.Children[i], c.Children[i+1]
		out = append(out, slot{lead: k.Lead, end: max(k.End, v.End), key: k, value: v})
	}
	return out
}

// index returns the number of n's entry in its container, -1 for a root.
func index(n *source.Node) int {
	i := n.Place()
	if i >= 0 && n.Parent.Kind == source.Map {
		return i / 2
	}
	return i
}

func isContainer(n *source.Node) bool { return n.Kind == source.Map || n.Kind == source.List }

// isNull reports whether n is a null, written or not.
func isNull(n *source.Node) bool {
	if n.Kind != source.Scalar || n.Style != source.Plain || n.Tag() != "" {
		return false
	}
	switch n.Text {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// breakLen returns the length of the YAML line break at i, 0 when there is none.
func (w *writer) breakLen(i int) int {
	b := w.b
	if i >= len(b) {
		return 0
	}
	switch c := b[i]; {
	case c == '\n':
		return 1
	case c == '\r':
		if i+1 < len(b) && b[i+1] == '\n' {
			return 2
		}
		return 1
	case c == 0xc2 && i+1 < len(b) && b[i+1] == 0x85:
		return 2
	case c == 0xe2 && i+2 < len(b) && b[i+1] == 0x80 && (b[i+2] == 0xa8 || b[i+2] == 0xa9):
		return 3
	}
	return 0
}

func (w *writer) isBlank(i int) bool { return i < len(w.b) && (w.b[i] == ' ' || w.b[i] == '\t') }

// blanks returns the first offset from i on that is no blank.
func (w *writer) blanks(i int) int {
	for w.isBlank(i) {
		i++
	}
	return i
}

// trivia returns the first offset from i on that is no blank, line break or comment.
func (w *writer) trivia(i int) int {
	for i < len(w.b) {
		switch {
		case w.isBlank(i):
			i++
		case w.b[i] == '#' && !w.json:
			i = w.lineEnd(i)
		default:
			n := w.breakLen(i)
			if n == 0 {
				return i
			}
			i += n
		}
	}
	return len(w.b)
}

// lineStart returns the first byte of the line that holds i.
func (w *writer) lineStart(i int) int { return w.file.Line(w.file.LineAt(i)).Start }

// above returns the start of the line above the one that starts at i; ok is false for the first line.
func (w *writer) above(i int) (start int, ok bool) {
	if i <= 0 {
		return 0, false
	}
	start = w.lineStart(i - 1)
	return start, start < i
}

// lineEnd returns the offset of the line break after i, or the end of the text.
func (w *writer) lineEnd(i int) int {
	for i < len(w.b) && w.breakLen(i) == 0 {
		i++
	}
	return i
}

// nextLine returns the offset after the next line break, or the end of the text.
func (w *writer) nextLine(i int) int {
	i = w.lineEnd(i)
	return i + w.breakLen(i)
}

// startsLine reports whether nothing but blanks stands before i on its line.
func (w *writer) startsLine(i int) bool { return w.blanks(w.lineStart(i)) >= i }

// column returns the number of characters before i on its line.
func (w *writer) column(i int) int { return w.file.Position(i).Column - 1 }

// indent returns the white space that brings the start of a line to the column of i: the blanks before i, or as
// many spaces as there are characters.
func (w *writer) indent(i int) string {
	start := w.lineStart(i)
	if w.blanks(start) >= i {
		return string(w.b[start:i])
	}
	return strings.Repeat(" ", utf8.RuneCount(w.b[start:i]))
}

// closed reports whether the text before i ends with a line break, so that a line can start at i.
func (w *writer) closed(i int) bool {
	if i == 0 || i == 3 && bytes.HasPrefix(w.b, []byte(utf8BOM)) {
		return true
	}
	return w.lineStart(i) == i
}

const utf8BOM = "\xef\xbb\xbf"

// isCommentLine reports whether the line that starts at i holds a comment and nothing else.
func (w *writer) isCommentLine(i int) bool {
	i = w.blanks(i)
	return i < len(w.b) && w.b[i] == '#' && !w.json
}

// isBlankLine reports whether the line that starts at i holds nothing.
func (w *writer) isBlankLine(i int) bool {
	i = w.blanks(i)
	return i < len(w.b) && w.breakLen(i) > 0
}

// propertiesEnd returns the offset after the anchor and tag of n, or -1 when it has none.
func (w *writer) propertiesEnd(n *source.Node) int {
	end := -1
	for i := n.Start; i < len(w.b) && (i < n.Content || n.Content == n.End && i == n.Start); i = w.trivia(end) {
		if c := w.b[i]; c != '&' && c != '!' || end >= 0 && i >= n.Content {
			break
		}
		end = i
		for end < len(w.b) && !w.isBlank(end) && w.breakLen(end) == 0 && !(n.Content > n.Start && end >= n.Content) {
			end++
		}
	}
	return end
}

// valueStart returns the offset after which the value of n's place may stand: after its properties, else after
// the colon, dash or question mark in front of it, else where it stands.
func (w *writer) valueStart(n *source.Node) int {
	if i := w.propertiesEnd(n); i >= 0 {
		return i
	}
	if n.Parent != nil && n.Lead >= 0 && n.Lead < n.Start {
		return n.Lead + 1
	}
	return n.Start
}

// headStart returns the start of the comment lines directly above entry i of c at its column, or of the
// entry's own line when there are none.
func (w *writer) headStart(c *source.Node, es []slot, i int) int {
	limit := max(0, c.Lead)
	if i > 0 {
		limit = es[i-1].end
	}
	start := w.lineStart(es[i].lead)
	col := w.column(es[i].lead)
	for {
		above, ok := w.above(start)
		if !ok || above < limit || !w.isCommentLine(above) || w.column(w.blanks(above)) != col {
			return start
		}
		start = above
	}
}

// ownHead returns the start of what belongs to entry i of c: its line, or the comments above it when they speak
// of this entry alone. A comment that heads a group of entries, or the file, stays.
func (w *writer) ownHead(c *source.Node, es []slot, i int) int {
	line := w.lineStart(es[i].lead)
	head := w.headStart(c, es, i)
	if head == line {
		return line
	}
	if k := es[i].key; k != nil && k.Kind == source.Scalar && k.Text != "" && containsWord(string(w.b[head:line]), k.Text) {
		return head
	}
	if i == 0 && c.Parent == nil && len(es) > 1 {
		return line
	}
	heads := i == 0 || w.belowBlank(head)
	if heads && i+1 < len(es) && w.lineStart(es[i+1].lead) == w.entryEnd(es[i]) {
		return line
	}
	return head
}

// belowBlank reports whether the line above the one that starts at i holds nothing.
func (w *writer) belowBlank(i int) bool {
	above, ok := w.above(i)
	return ok && w.isBlankLine(above)
}

// entryEnd returns the end of what belongs to an entry of a block container: after the line that ends it and
// the comment lines below that stand deeper than the entry.
func (w *writer) entryEnd(e slot) int {
	end := w.nextLine(e.end)
	col := w.column(e.lead)
	for i := end; i < len(w.b); {
		next := w.nextLine(i)
		if w.isCommentLine(i) && w.column(w.blanks(i)) > col {
			end = next
		} else if !w.isBlankLine(i) {
			break
		}
		if next == i {
			break
		}
		i = next
	}
	return end
}

// comma returns the offset of the comma after i, -1 when another token follows.
func (w *writer) comma(i int) int {
	if i = w.trivia(i); i < len(w.b) && w.b[i] == ',' {
		return i
	}
	return -1
}

// lastLeaf returns the last scalar or alias of a tree in the order of the text.
func lastLeaf(n *source.Node) *source.Node {
	for isContainer(n) && len(n.Children) > 0 {
		k := len(n.Children) - 1
		// A value that is not written ends with its key.
		if n.Kind == source.Map && n.Children[k].Empty && n.Children[k].Lead < 0 {
			k--
		}
		n = n.Children[k]
	}
	return n
}

func isBlockScalar(n *source.Node) bool {
	return n.Kind == source.Scalar && (n.Style == source.Literal || n.Style == source.Folded)
}

// containsWord reports whether word stands in s with no letter, digit, "_" or "-" beside it.
func containsWord(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (i == 0 || !isKeyByte(s[i-1])) && (end == len(s) || !isKeyByte(s[end])) {
			return true
		}
		from = i + 1
	}
}

func isKeyByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
