package source

import "unicode/utf8"

// Comment is one comment of a YAML file, from its "#" to before the end of its line.
type Comment struct {
	Span
	// OwnLine is true when nothing but blanks stands before it on its line.
	OwnLine bool
}

// Comments returns the comments of a YAML file in order. docs are all documents read from it: what looks like
// a comment inside their scalars is none. Comments inside a block scalar that holds YAML are those of the
// nested file.
func Comments(f *File, docs []Document) []Comment {
	var out []Comment
	b := f.Bytes
	pos := 0
	// gap collects the comments between pos and end, where there are no scalars.
	gap := func(end int) {
		for pos < end {
			if b[pos] != '#' {
				pos++
				continue
			}
			stop := lineEnd(b, pos)
			i := pos
			for i > 0 && (b[i-1] == ' ' || b[i-1] == '\t') {
				i--
			}
			own := i == 0 || isBreakEnd(b[:i]) || i == len(bom) && string(b[:i]) == string(bom)
			out = append(out, Comment{Span{pos, stop}, own})
			pos = stop
		}
	}
	var visit func(n *Node)
	visit = func(n *Node) {
		switch {
		case n.Kind == Map || n.Kind == List:
			for _, c := range n.Children {
				visit(c)
			}
		case n.Style == Literal || n.Style == Folded:
			gap(n.Content)
			// The header's own line may end with a comment.
			gap(lineEnd(b, n.Content))
			pos = max(pos, n.End)
		default:
			gap(n.Content)
			pos = max(pos, n.End)
		}
	}
	for _, d := range docs {
		if d.Root != nil {
			visit(d.Root)
		}
	}
	gap(len(b))
	return out
}

// isBreakEnd reports whether b ends with a YAML line break.
func isBreakEnd(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	switch c := b[len(b)-1]; {
	case c == '\n' || c == '\r':
		return true
	case c >= utf8.RuneSelf:
		return len(b) >= 2 && breakLen(b[len(b)-2:]) == 2 || len(b) >= 3 && breakLen(b[len(b)-3:]) == 3
	}
	return false
}
