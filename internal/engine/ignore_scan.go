package engine

import (
	"bytes"
	"strings"

	"agentlint/internal/source"
)

// directives returns the ignore comments of a file: in YAML those that are comments to YAML, in block scalars those of
// the text inside, in any other format those of lines.
func (g *ignores) directives(f *source.File) []*directive {
	if !bytes.Contains(f.Bytes, []byte(marker)) || len(f.Bytes) > source.MaxFileSize {
		return nil
	}
	out := g.scan(f, 0)
	for _, d := range out {
		if d.file != f {
			d.toOuter()
		}
	}
	return out
}

// maxNesting bounds texts in texts in texts.
const maxNesting = 4

// scan reads one file, which may be nested in another one. The places of the result are those of f.
func (g *ignores) scan(f *source.File, depth int) []*directive {
	docs, err := source.ParseYAML(f)
	tree := false
	for _, d := range docs {
		tree = tree || d.Root != nil && d.Root.Kind != source.Scalar
	}
	if err != nil || !tree {
		return g.scanLines(f)
	}
	var out []*directive
	comments := source.Comments(f, docs)
	own := map[int]bool{}
	for _, c := range comments {
		if c.OwnLine {
			own[f.LineAt(c.Start)] = true
		}
	}
	for _, c := range comments {
		d := g.parse(f.Text(c.Span), c.Start)
		if d == nil {
			continue
		}
		d.file = f
		d.whole = wholeComment(f, d.span)
		line := f.LineAt(c.Start)
		for c.OwnLine && own[line] {
			line++
		}
		if f.Line(line).Len() > 0 || !c.OwnLine {
			d.covers = append(d.covers, f.Line(line))
			for _, doc := range docs {
				if doc.Root != nil {
					d.covers = entriesOn(doc.Root, f, line, c.OwnLine, d.covers)
				}
			}
		}
		out = append(out, d)
	}
	for _, doc := range docs {
		if doc.Root != nil {
			out = g.scanScalars(doc.Root, f, depth, out)
		}
	}
	return out
}

// entriesOn adds the extents of the map entries whose key stands on a line, so that a comment at a key speaks for all
// that stands under it. For a comment on a line of its own, list items count too.
func entriesOn(n *source.Node, f *source.File, line int, items bool, out []source.Span) []source.Span {
	if n.Kind != source.Map && n.Kind != source.List {
		return out
	}
	span := f.Line(line)
	for i := 0; i < len(n.Children); i++ {
		start := n.Children[i]
		end := start
		if n.Kind == source.Map && i+1 < len(n.Children) {
			i++
			end = n.Children[i]
		}
		if end.End < span.Start {
			continue
		}
		at := start.Start
		if n.Kind == source.List && start.Lead >= 0 {
			at = start.Lead
		}
		if at > span.End {
			break
		}
		if at >= span.Start && (n.Kind == source.Map || items) {
			out = append(out, source.Span{Start: at, End: end.End})
		}
		out = entriesOn(end, f, line, items, out)
	}
	return out
}

// scanScalars adds the directives of texts in block scalars.
func (g *ignores) scanScalars(n *source.Node, f *source.File, depth int, out []*directive) []*directive {
	switch {
	case n.Kind == source.Map || n.Kind == source.List:
		for _, c := range n.Children {
			out = g.scanScalars(c, f, depth, out)
		}
	case n.Kind == source.Scalar && (n.Style == source.Literal || n.Style == source.Folded) && strings.Contains(n.Text, marker) && depth < maxNesting:
		inner := source.Nested(f, n)
		for _, d := range g.scan(inner, depth+1) {
			if d.file == inner {
				d.toOuter()
			}
			out = append(out, d)
		}
	}
	return out
}

// toOuter moves a directive from a nested file to the outermost one.
func (d *directive) toOuter() {
	f := d.file
	d.file, d.span = f.Outer(d.span)
	_, d.whole = f.Outer(d.whole)
	for i := range d.covers {
		_, d.covers[i] = f.Outer(d.covers[i])
	}
	for i := range d.names {
		_, d.names[i].span = f.Outer(d.names[i].span)
	}
	// A nested line begins after the indentation of the text around it, so the deletion begins there too. Deleting
	// from the start of the outer line keeps no blank line behind.
	if b := d.file.Bytes; d.whole.End > d.whole.Start && d.whole.End <= len(b) && isBreak(b[d.whole.End-1]) {
		line := d.file.Line(d.file.LineAt(d.whole.Start))
		if strings.TrimLeft(string(b[line.Start:d.whole.Start]), " \t") == "" {
			d.whole.Start = line.Start
		}
	}
}

// scanLines reads a file whose comments start with "#" at the start of a line or after a blank, outside quotes: env
// files, scripts, Dockerfiles, units, INI files. A comment on a line of its own speaks for the next line and the lines
// that continue it.
func (g *ignores) scanLines(f *source.File) []*directive {
	var out []*directive
	n := f.LineCount()
	hashes := make([]int, n+2)
	for i := 1; i <= n; i++ {
		hashes[i] = lineComment(f.Text(f.Line(i)))
	}
	for i := 1; i <= n; i++ {
		at := hashes[i]
		if at < 0 {
			continue
		}
		span := f.Line(i)
		text := f.Text(span)
		d := g.parse(text[at:], span.Start+at)
		if d == nil {
			continue
		}
		d.file = f
		d.whole = wholeComment(f, d.span)
		ownLine := func(line int) bool {
			return hashes[line] >= 0 && strings.TrimLeft(f.Text(f.Line(line))[:hashes[line]], " \t") == ""
		}
		line := i
		for line <= n && ownLine(line) {
			line++
		}
		if line <= n && f.Line(line).Len() > 0 {
			cover := f.Line(line)
			for line < n && (strings.HasSuffix(strings.TrimRight(f.Text(f.Line(line)), " \t"), `\`) || ownLine(line)) {
				line++
				cover.End = f.Line(line).End
			}
			d.covers = []source.Span{cover}
		}
		out = append(out, d)
	}
	return out
}

// lineComment returns the offset of the "#" that starts a comment in a line, or -1.
func lineComment(s string) int {
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t'):
			return i
		}
	}
	return -1
}

// wholeComment returns what to delete to remove a comment: its line when nothing else stands there, else the comment
// with the blanks before it.
func wholeComment(f *source.File, span source.Span) source.Span {
	line := f.LineAt(span.Start)
	l := f.Line(line)
	start := span.Start
	for start > l.Start && (f.Bytes[start-1] == ' ' || f.Bytes[start-1] == '\t') {
		start--
	}
	if start > l.Start {
		return source.Span{Start: start, End: span.End}
	}
	if line < f.LineCount() {
		return source.Span{Start: l.Start, End: f.Line(line + 1).Start}
	}
	return l
}

func isBreak(c byte) bool { return c == '\n' || c == '\r' }
