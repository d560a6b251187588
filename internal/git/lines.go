package git

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Lines is a run of lines that replaces another: the lines Start to End of the new text stand where OldStart to OldEnd
// stood in the old one. Numbers count from 1, ends are exclusive, and either run may be empty.
type Lines struct {
	OldStart, OldEnd int
	Start, End       int
}

// DiffLines returns how the lines of two texts differ. Line ends do not count.
func DiffLines(before, after []byte) []Lines {
	a, b := normal(before), normal(after)
	if a == b {
		return nil
	}
	var out []Lines
	shift, line, at := 0, 1, 0
	for _, e := range udiff.Lines(a, b) {
		line += strings.Count(a[at:e.Start], "\n")
		at = e.Start
		removed, added := countLines(a[e.Start:e.End]), countLines(e.New)
		l := Lines{OldStart: line, OldEnd: line + removed, Start: line + shift, End: line + shift + added}
		shift += added - removed
		if n := len(out); n > 0 && out[n-1].OldEnd == l.OldStart && out[n-1].End == l.Start {
			out[n-1].OldEnd, out[n-1].End = l.OldEnd, l.End
			continue
		}
		out = append(out, l)
	}
	return out
}

// normal returns a text with line feeds as line ends, and one at its end.
func normal(b []byte) string {
	s := strings.ReplaceAll(strings.ReplaceAll(string(b), "\r\n", "\n"), "\r", "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// Touches reports whether a run of lines of the new text (from first to last, both included) holds a line that changed.
func Touches(changes []Lines, first, last int) bool {
	for _, l := range changes {
		if l.Start <= last && first < l.End {
			return true
		}
	}
	return false
}

// OldLine returns the number that an unchanged line of the new text had in the old one.
func OldLine(changes []Lines, line int) (int, bool) {
	shift := 0
	for _, l := range changes {
		if line < l.Start {
			break
		}
		if line < l.End {
			return 0, false
		}
		shift = l.OldEnd - l.End
	}
	return line + shift, true
}
