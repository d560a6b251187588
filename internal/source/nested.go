package source

import (
	"bytes"
	"sort"
	"strings"
)

// embedding says where the bytes of a nested file stand in the file around it.
type embedding struct {
	file *File
	node *Node
	segs []segment
	// alias is true when the text was reached through an alias, so that it stands elsewhere too.
	alias bool
	// inexact is true when the text could not be matched with the bytes of the node.
	inexact bool
}

// segment maps a run of inner bytes to outer bytes one to one. Inner bytes between segments (a folded line
// break, an escape) map to the end of the segment before them; a segment without length marks where they
// start.
type segment struct{ inner, outer, length int }

// find returns the segment that inner lies in or behind, nil when it lies before the first.
func (e *embedding) find(inner int) *segment {
	i := sort.Search(len(e.segs), func(i int) bool { return e.segs[i].inner > inner }) - 1
	if i < 0 {
		return nil
	}
	return &e.segs[i]
}

// offset translates an inner offset to the outer file.
func (e *embedding) offset(inner int) int {
	s := e.find(inner)
	if s == nil {
		return e.node.Content
	}
	return s.outer + min(inner-s.inner, s.length)
}

// exact translates an inner offset between two characters that are written one by one; ok is false inside an
// escape or a folded line break.
func (e *embedding) exact(inner int) (outer int, ok bool) {
	s := e.find(inner)
	if s == nil || inner-s.inner > s.length {
		return 0, false
	}
	return s.outer + inner - s.inner, true
}

// Outer returns the outermost file around f and the place of s in it. For a file that is not nested that is f
// and s themselves.
func (f *File) Outer(s Span) (*File, Span) {
	for f.outer != nil {
		e := f.outer
		s = Span{e.offset(s.Start), max(e.offset(s.Start), e.offset(s.End))}
		f = e.file
	}
	return f, s
}

// Host returns the file and scalar that f's text stands in, nil and nil when f is not nested.
func (f *File) Host() (*File, *Node) {
	if f.outer == nil {
		return nil, nil
	}
	return f.outer.file, f.outer.node
}

// Nested returns the text of a scalar of f as a file of its own, whose offsets [File.Outer] translates to
// those of f. n may be an alias; for anything but a scalar the result is nil.
func Nested(f *File, n *Node) *File {
	e := &embedding{file: f, node: n.Deref()}
	if e.node == nil || e.node.Kind != Scalar {
		return nil
	}
	e.alias = e.node != n
	n = e.node
	var m mapping
	got, ok := n.Text, false
	if n.End <= len(f.Bytes) && n.Content <= n.End {
		raw := f.Bytes[n.Content:n.End]
		switch n.Style {
		case Literal:
			ok = m.literal(f.Bytes, n)
		case Folded:
			ok = m.folded(f.Bytes, n)
		case SingleQuoted, DoubleQuoted:
			if len(raw) >= 2 {
				got, ok = unquote(raw[1:len(raw)-1], n.Style, n.Content+1, &m), true
			}
			if n.Style == DoubleQuoted && ok && got != n.Text {
				// JSON does not fold lines.
				m = mapping{}
				got = unquoteJSON(raw[1:len(raw)-1], n.Content+1, &m)
			}
		default:
			got, ok = unquote(raw, Plain, n.Content, &m), true
		}
	}
	if !ok || got != n.Text {
		e.inexact = true
		m.segs = nil
		m.point(0, n.Content)
	}
	e.segs = m.segs
	return &File{Path: f.Path, Bytes: []byte(n.Text), outer: e}
}

// blockLine is one line of a block scalar: its text after the indentation, and where its line starts and ends
// (before the line break) in the file.
type blockLine struct{ text, start, end int }

// cutBreak returns the text before the first line break of s, the break itself, and what follows.
func cutBreak(s string) (line, br, rest string) {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == ' ' || c == '\t' {
			continue
		}
		if n := spaceLen(s[i:]); n > 0 {
			return s[:i], s[i : i+n], s[i+n:]
		}
	}
	return s, "", ""
}

// literalLines returns the lines of a literal block scalar and the width of its indentation.
func literalLines(b []byte, n *Node) (lines []blockLine, indent int, ok bool) {
	indent = -1
	pos := skipBreak(b, lineEnd(b, n.Content))
	for text, br := n.Text, "\n"; br != "" && text != ""; {
		var line string
		line, br, text = cutBreak(text)
		end := lineEnd(b, pos)
		at := end - len(line)
		if at < pos || string(b[at:end]) != line {
			return nil, 0, false
		}
		if line != "" {
			indent = at - pos
		}
		lines = append(lines, blockLine{at, pos, end})
		pos = skipBreak(b, end)
	}
	return lines, indent, true
}

// literal maps the lines of a literal block scalar, which stand in the file as they are behind their
// indentation.
func (m *mapping) literal(b []byte, n *Node) bool {
	lines, _, ok := literalLines(b, n)
	if !ok {
		return false
	}
	inner, outer := 0, skipBreak(b, lineEnd(b, n.Content))
	rest := n.Text
	for _, l := range lines {
		var line, br string
		line, br, rest = cutBreak(rest)
		// A segment is started even for an empty line.
		m.segs = append(m.segs, segment{inner, l.text, len(line)})
		inner, outer = inner+len(line), l.end
		if br == "" {
			break
		}
		outer = skipBreak(b, l.end)
		if string(b[l.end:outer]) == br {
			m.run(inner, l.end, len(br))
		} else {
			m.point(inner, l.end)
		}
		inner += len(br)
	}
	m.point(inner, outer)
	return true
}

// folded maps the lines of a folded block scalar: each stands in the file as it is behind its indentation, and
// between two there are line breaks or one blank in their place.
func (m *mapping) folded(b []byte, n *Node) bool {
	text := n.Text
	inner := 0
	breaks := func() {
		for inner < len(text) {
			k := spaceLen(text[inner:])
			if k == 0 || text[inner] == ' ' || text[inner] == '\t' {
				return
			}
			inner += k
		}
	}
	pos := skipBreak(b, lineEnd(b, n.Content))
	m.point(0, pos)
	breaks()
	indent := -1
	end := pos
	for inner < len(text) {
		if pos >= len(b) {
			return false
		}
		end = lineEnd(b, pos)
		if indent < 0 {
			blank := len(bytes.TrimLeft(b[pos:end], " "))
			if blank > 0 {
				lead := len(text[inner:]) - len(strings.TrimLeft(text[inner:], " "))
				if indent = end - pos - blank - lead; indent < 0 {
					return false
				}
			}
		}
		if indent >= 0 && end-pos > indent {
			line := b[pos+indent : end]
			if !strings.HasPrefix(text[inner:], string(line)) {
				return false
			}
			m.segs = append(m.segs, segment{inner, pos + indent, len(line)})
			inner += len(line)
			if inner < len(text) {
				m.point(inner, end)
				gap := inner
				breaks()
				if inner == gap {
					if text[inner] != ' ' {
						return false
					}
					inner++
				}
			}
		}
		pos = skipBreak(b, end)
	}
	m.point(len(text), end)
	return true
}
