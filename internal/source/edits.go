package source

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Edit replaces the bytes of a span by a text.
type Edit struct {
	Span
	Text string
}

// Apply returns b with edits made, which may be in any order but must lie inside b and not overlap.
func Apply(b []byte, edits []Edit) ([]byte, error) {
	edits, err := sortEdits(edits, len(b))
	if err != nil {
		return nil, err
	}
	size := len(b)
	for _, e := range edits {
		size += len(e.Text) - e.Len()
	}
	out := make([]byte, 0, size)
	pos := 0
	for _, e := range edits {
		out = append(append(out, b[pos:e.Start]...), e.Text...)
		pos = e.End
	}
	return append(out, b[pos:]...), nil
}

// sortEdits returns a sorted copy of edits; it refuses those that overlap or lie outside size bytes.
func sortEdits(edits []Edit, size int) ([]Edit, error) {
	edits = append([]Edit(nil), edits...)
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].Start < edits[j].Start })
	pos := 0
	for i, e := range edits {
		switch {
		case e.Start < 0 || e.End < e.Start || e.End > size:
			return nil, fmt.Errorf("edit of bytes %d to %d: outside the text", e.Start, e.End)
		case e.Start < pos || i > 0 && e.Span == edits[i-1].Span && e.Len() == 0:
			return nil, fmt.Errorf("edit of bytes %d to %d: overlaps another one", e.Start, e.End)
		}
		pos = e.End
	}
	return edits, nil
}

// OuterEdits translates edits of f's text into edits of the outermost file around it, so that the scalar that
// holds f decodes to exactly the edited text. It refuses what cannot be written in the scalar's style. For a
// file that is not nested the result is f and edits.
//
// Only the scalar itself is proven: whether the file around it still parses to the same tree is for the caller
// to check.
func (f *File) OuterEdits(edits []Edit) (*File, []Edit, error) {
	for f.outer != nil {
		out, err := f.HostEdits(edits)
		if err != nil {
			return nil, nil, err
		}
		f, edits = f.outer.file, out
	}
	return f, edits, nil
}

// HostEdits is [File.OuterEdits] for one level: edits of the file that [File.Host] returns.
func (f *File) HostEdits(edits []Edit) ([]Edit, error) {
	if f.outer == nil {
		return edits, nil
	}
	out, err := f.outer.translate(f.Bytes, edits)
	if err != nil {
		return nil, fmt.Errorf("edit the text inside %s: %w", f.Path, err)
	}
	return out, nil
}

// translate turns edits of the embedded text inner into edits of the file around it.
func (e *embedding) translate(inner []byte, edits []Edit) ([]Edit, error) {
	if e.node == nil {
		return e.wordOfShell(inner, edits)
	}
	switch {
	case e.inexact:
		return nil, errors.New("its bytes could not be made out")
	case e.alias:
		return nil, errors.New("it stands behind an alias, which other places may share")
	case e.node.isKey():
		return nil, errors.New("it is a key")
	case e.node.Empty:
		return nil, errors.New("it has no text yet")
	case e.node.Start < e.node.Content && spaceLen(e.file.Bytes[e.node.Content-1:]) == 0 && !isBreakEnd(e.file.Bytes[:e.node.Content]):
		return nil, errors.New("its anchor or tag is glued to it")
	}
	edits, err := sortEdits(edits, len(inner))
	if err != nil {
		return nil, err
	}
	want, err := Apply(inner, edits)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(want) {
		return nil, errors.New("the new text is not UTF-8")
	}
	for _, ed := range edits {
		for _, at := range [...]int{ed.Start, ed.End} {
			if at < len(inner) && !utf8.RuneStart(inner[at]) {
				return nil, fmt.Errorf("edit of bytes %d to %d: starts or ends inside a character", ed.Start, ed.End)
			}
		}
	}
	var out []Edit
	if e.node.Style == Literal {
		out, err = e.literalEdits(inner, edits)
	} else {
		out, err = e.wordEdits(edits)
	}
	if err != nil {
		return nil, err
	}
	if err := e.prove(out, string(want)); err != nil {
		return nil, err
	}
	return out, nil
}

// wordOfShell translates edits of a script that is a word of another one. They write nothing that would mean
// something else inside the quotes of that word.
func (e *embedding) wordOfShell(inner []byte, edits []Edit) ([]Edit, error) {
	edits, err := sortEdits(edits, len(inner))
	if err != nil {
		return nil, err
	}
	special := ""
	if len(e.segs) > 0 && e.segs[0].outer > 0 {
		switch e.file.Bytes[e.segs[0].outer-1] {
		case '\'':
			special = "'"
		case '"':
			special = "\"\\$`"
		}
	}
	out := make([]Edit, 0, len(edits))
	for _, ed := range edits {
		start, ok1 := e.exact(ed.Start)
		end, ok2 := e.exact(ed.End)
		if !ok1 || !ok2 || end < start || end-start != ed.Len() && ed.Text != "" {
			return nil, fmt.Errorf("edit of bytes %d to %d: starts or ends inside an escape or an expansion", ed.Start, ed.End)
		}
		if strings.ContainsFunc(ed.Text, func(r rune) bool { return r < ' ' || strings.ContainsRune(special, r) }) {
			return nil, fmt.Errorf("%q cannot be written inside a quoted script", ed.Text)
		}
		out = append(out, Edit{Span{start, end}, ed.Text})
	}
	return out, nil
}

// wordEdits translates edits one by one, each within what its style writes as it is.
func (e *embedding) wordEdits(edits []Edit) ([]Edit, error) {
	out := make([]Edit, 0, len(edits))
	for _, ed := range edits {
		start, ok1 := e.exact(ed.Start)
		end, ok2 := e.exact(ed.End)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("edit of bytes %d to %d: starts or ends inside an escape or a folded line break", ed.Start, ed.End)
		}
		text := ed.Text
		switch e.node.Style {
		case DoubleQuoted:
			text = escapeText(text)
		case SingleQuoted:
			text = strings.ReplaceAll(text, "'", "''")
		}
		if e.node.Style != DoubleQuoted && strings.ContainsFunc(text, func(r rune) bool { return isSpaceRune(r) && r != ' ' && r != '\t' }) {
			return nil, fmt.Errorf("a line break cannot be written in a %s scalar", e.node.Style)
		}
		out = append(out, Edit{Span{start, end}, text})
	}
	return out, nil
}

// escapeText escapes s for a double-quoted scalar, with escapes that YAML and JSON share.
func escapeText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// literalEdits rewrites the lines of a literal block scalar that edits touch.
func (e *embedding) literalEdits(inner []byte, edits []Edit) ([]Edit, error) {
	host := e.file.Bytes
	lines, indent, ok := literalLines(host, e.node)
	if !ok || indent < 0 {
		return nil, errors.New("a block scalar without text has no indentation to write at")
	}
	// starts are the inner offsets of the lines; the last may be the empty one after a final line break, which
	// is not in lines.
	starts := []int{0}
	for rest := string(inner); ; {
		line, br, after := cutBreak(rest)
		if br == "" {
			break
		}
		starts = append(starts, starts[len(starts)-1]+len(line)+len(br))
		rest = after
	}
	ends := make([]int, len(starts)) // where the text of a line ends
	for i := range starts {
		ends[i] = len(inner)
		if i+1 < len(starts) {
			line, _, _ := cutBreak(string(inner[starts[i]:starts[i+1]]))
			ends[i] = starts[i] + len(line)
		}
	}
	lineOf := func(at int) int { return sort.SearchInts(starts, at+1) - 1 }
	newline, margin := e.file.Newline(), strings.Repeat(" ", indent)

	var out []Edit
	for i := 0; i < len(edits); {
		// Edits that touch the same line are made together.
		first, last := lineOf(edits[i].Start), lineOf(edits[i].End)
		j := i + 1
		for j < len(edits) && lineOf(edits[j].Start) <= last {
			last = lineOf(edits[j].End)
			j++
		}
		base, end := starts[first], ends[last]
		part := make([]Edit, 0, j-i)
		for _, ed := range edits[i:j] {
			part = append(part, Edit{Span{ed.Start - base, ed.End - base}, ed.Text})
		}
		i = j
		text, err := Apply(inner[base:end], part)
		if err != nil {
			return nil, err
		}
		tail := last >= len(lines) // the empty line after the final line break is touched
		var b strings.Builder
		for rest := string(text); ; {
			line, br, after := cutBreak(rest)
			if line != "" {
				b.WriteString(margin)
				b.WriteString(line)
			}
			if br == "" {
				if tail && line != "" {
					return nil, errors.New("the last line needs a line break")
				}
				break
			}
			b.WriteString(newline)
			rest = after
		}
		span := Span{e.lineStart(lines, first), 0}
		if tail {
			span.End = e.lineStart(lines, len(lines))
		} else {
			span.End = lines[last].end
		}
		if tail && span.End > 0 && !isBreakEnd(host[:span.End]) {
			return nil, errors.New("the last line needs a line break")
		}
		ed := trimEdit(host, Edit{span, b.String()})
		if ed.Len() > 0 || ed.Text != "" {
			out = append(out, ed)
		}
	}
	return out, nil
}

// lineStart returns where line i of a literal block scalar starts in the file; the line after the last starts
// behind its line break.
func (e *embedding) lineStart(lines []blockLine, i int) int {
	if i < len(lines) {
		return lines[i].start
	}
	return skipBreak(e.file.Bytes, lines[len(lines)-1].end)
}

// trimEdit takes away what an edit replaces by itself, at both ends.
func trimEdit(b []byte, e Edit) Edit {
	old := b[e.Start:e.End]
	n := 0
	for n < len(old) && n < len(e.Text) && old[n] == e.Text[n] {
		n++
	}
	for n > 0 && (n < len(old) && !utf8.RuneStart(old[n]) || n < len(e.Text) && !utf8.RuneStart(e.Text[n]) || old[n-1] == '\r') {
		n--
	}
	e.Start, e.Text, old = e.Start+n, e.Text[n:], old[n:]
	n = 0
	for n < len(old) && n < len(e.Text) && old[len(old)-1-n] == e.Text[len(e.Text)-1-n] {
		n++
	}
	for n > 0 && (!utf8.RuneStart(old[len(old)-n]) || old[len(old)-n] == '\n' && n < len(old) && old[len(old)-n-1] == '\r' ||
		old[len(old)-n] == '\n' && n < len(e.Text) && e.Text[len(e.Text)-n-1] == '\r') {
		n--
	}
	e.End -= n
	e.Text = e.Text[:len(e.Text)-n]
	return e
}

// prove applies edits to the scalar alone and compares what it then decodes to.
func (e *embedding) prove(edits []Edit, want string) error {
	n, host := e.node, e.file.Bytes
	refuse := errors.New("the new text would not survive in a " + n.Style.String() + " scalar")
	end := n.End
	block := n.Style == Literal || n.Style == Folded
	if block {
		// Blank lines and comments below can become text of the scalar.
		end = skipTrivia(host, end)
		for end > n.End && !isBreakEnd(host[:end]) && end < len(host) {
			end--
		}
	}
	inside := make([]Edit, 0, len(edits))
	for _, ed := range edits {
		inside = append(inside, Edit{Span{ed.Start - n.Content, ed.End - n.Content}, ed.Text})
	}
	raw, err := Apply(host[n.Content:end], inside)
	if err != nil {
		return refuse
	}
	if n.Style == DoubleQuoted && len(raw) >= 2 && unquoteJSON(raw[1:len(raw)-1], 0, nil) == want && !bytes.ContainsAny(raw, "\n\r") {
		return nil
	}
	// The scalar is read again as the value of a key of its own, as far to the left as it needs.
	prefix := "k: "
	switch {
	case block:
		column := blockParent(host, n)
		if column < 0 {
			prefix = "--- "
		} else {
			prefix = strings.Repeat(" ", column) + prefix
		}
	case n.Parent == nil && (n.Start == 0 || isBreakEnd(host[:n.Start])):
		prefix = ""
	case n.inFlow():
		prefix = "[k: "
		raw = append(raw, ']')
	}
	docs, err := ParseYAML(NewFile(e.file.Path, append([]byte(prefix), raw...)))
	if err != nil || len(docs) != 1 || docs[0].Root == nil {
		return refuse
	}
	got := docs[0].Root
	for got.Kind == List || got.Kind == Map {
		if k := len(got.Children); k == 0 || k > 2 {
			return refuse
		}
		got = got.Children[len(got.Children)-1]
	}
	if got.Kind != Scalar || got.Empty || got.Text != want || got.Style != n.Style || got.Tag() != "" || got.Anchor() != "" {
		return refuse
	}
	if n.Style == Plain {
		for _, d := range []Dialect{PyYAML, SigsYAML, GoYAML} {
			if was := Resolve(&Node{Text: n.Text, Parent: n.Parent}, d).Kind; was != Resolve(got, d).Kind {
				return fmt.Errorf("the new text would no longer be %s", was)
			}
		}
	}
	return nil
}

// inFlow reports whether n stands between brackets.
func (n *Node) inFlow() bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Style == Flow {
			return true
		}
	}
	return false
}

// blockParent returns the column (from 0) that the indentation indicator of a block scalar counts from; where
// there is none, one that lies left of the text, -1 when the text is not indented at all.
func blockParent(b []byte, n *Node) int {
	digit := 0
	for _, c := range b[n.Content+1 : min(n.Content+3, len(b))] {
		if c >= '1' && c <= '9' {
			digit = int(c - '0')
		}
	}
	if digit == 0 {
		for pos := skipBreak(b, lineEnd(b, n.Content)); pos < len(b); {
			end := lineEnd(b, pos)
			if k := len(b[pos:end]) - len(bytes.TrimLeft(b[pos:end], " ")); k < end-pos {
				if k == 0 {
					return -1
				}
				return 0
			}
			next := skipBreak(b, end)
			if next == end {
				break
			}
			pos = next
		}
		return 0
	}
	if n.Style == Literal {
		if _, indent, ok := literalLines(b, n); ok && indent >= 0 {
			return indent - digit
		}
		return 0
	}
	var m mapping
	if !m.folded(b, n) {
		return 0
	}
	for _, s := range m.segs {
		if s.length > 0 {
			start := s.outer
			for start > 0 && !isBreakEnd(b[:start]) {
				start--
			}
			return s.outer - start - digit
		}
	}
	return 0
}

// String returns the name of the style as people call it.
func (s Style) String() string {
	return [...]string{"plain", "single-quoted", "double-quoted", "literal", "folded", "block", "flow"}[s]
}
