// Package fixers turns operations over the paths of a stack into edits of bytes, proves that they change what
// they say and nothing else, and writes them back: one writer per format, a unified diff, and an atomic
// replacement of files. Nothing is ever printed from a tree: what an edit does not touch stays as it was
// written, comments, blank lines, quotes and line ends included.
package fixers

import (
	"slices"
	"strings"

	"agentlint/internal/source"
)

// FileEdit replaces a span of one outermost file.
type FileEdit struct {
	File *source.File
	source.Edit
}

// piece is a run of a file's original bytes, or a text that edits put there.
type piece struct {
	start, end int
	text       string
	added      bool
}

func (p piece) size() int {
	if p.added {
		return len(p.text)
	}
	return p.end - p.start
}

// part returns the bytes of p from offset i to j.
func (p piece) part(i, j int) piece {
	if p.added {
		return piece{text: p.text[i:j], added: true}
	}
	return piece{start: p.start + i, end: p.start + j}
}

// pieces is the content of a file after edits, so that several rounds of them come out as edits of the file as
// it was read.
type pieces []piece

// edit returns the pieces after edits, whose spans count in the content that ps stands for. The edits are valid
// for [source.Apply].
func (ps pieces) edit(edits []source.Edit) pieces {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(x, y source.Edit) int { return x.Start - y.Start })
	var out pieces
	i, used, pos := 0, 0, 0
	// forward moves up to the content's offset to, keeping what is passed or not.
	forward := func(to int, keep bool) {
		for pos < to {
			p := ps[i]
			n := min(p.size()-used, to-pos)
			if keep && n > 0 {
				out = append(out, p.part(used, used+n))
			}
			used += n
			pos += n
			if used == p.size() {
				i, used = i+1, 0
			}
		}
	}
	total := 0
	for _, p := range ps {
		total += p.size()
	}
	for _, e := range sorted {
		forward(e.Start, true)
		if e.Text != "" {
			out = append(out, piece{text: e.Text, added: true})
		}
		forward(e.End, false)
	}
	forward(total, true)
	return out
}

// edits returns what was changed in a file of n bytes.
func (ps pieces) edits(n int) []source.Edit {
	var out []source.Edit
	pos := 0
	var text strings.Builder
	flush := func(to int) {
		if to > pos || text.Len() > 0 {
			out = append(out, source.Edit{Span: source.Span{Start: pos, End: to}, Text: text.String()})
			text.Reset()
		}
	}
	for _, p := range ps {
		if p.added {
			text.WriteString(p.text)
			continue
		}
		if p.start != pos || text.Len() > 0 {
			flush(p.start)
		}
		pos = p.end
	}
	flush(n)
	return out
}
