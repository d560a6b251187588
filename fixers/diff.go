package fixers

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"

	"agentlint/internal/secret"

	"github.com/aymanbagabas/go-udiff"
)

// Content is a file before and after a run, or a suggestion for it.
type Content struct {
	Path     string // slash-separated, as the patch names it
	Old, New []byte
}

// Withheld is a change that a patch leaves out because it, or the line that must follow it, holds a secret.
type Withheld struct {
	Path string
	// Line is the first line of the change in the old file, from 1.
	Line int
}

// contextLines is how many unchanged lines a patch shows around a change, as git does.
const contextLines = 3

// Diff returns a patch in the form of git, which `git apply` takes: with the line ends of the files, a note where
// there is no final line break, and quoted paths. No line of it holds a secret: context is cut short in front of
// one, and a change that cannot be shown is returned instead. Files that are the same are left out.
func Diff(files []Content) (patch []byte, withheld []Withheld) {
	var out bytes.Buffer
	for _, f := range files {
		hunks, held := fileHunks(f)
		withheld = append(withheld, held...)
		if len(hunks) == 0 {
			continue
		}
		a, b := gitPath("a/"+f.Path), gitPath("b/"+f.Path)
		fmt.Fprintf(&out, "diff --git %s %s\n", a, b)
		// A name with a blank in it ends at a tab.
		tail := ""
		if strings.ContainsRune(f.Path, ' ') && a[0] != '"' {
			tail = "\t"
		}
		fmt.Fprintf(&out, "--- %s%s\n+++ %s%s\n", a, tail, b, tail)
		for _, h := range hunks {
			out.WriteString(h)
		}
	}
	return out.Bytes(), withheld
}

// lineChange replaces old lines from start to end by new ones; numbers count from 0.
type lineChange struct {
	start, end       int
	newStart, newEnd int
}

// fileLines is a text as lines with their line feeds.
type fileLines struct {
	lines  []string
	secret []bool
}

func linesOf(b []byte) fileLines {
	var f fileLines
	text := string(b)
	var starts []int
	for pos := 0; pos < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		starts = append(starts, pos)
		f.lines = append(f.lines, text[pos:end])
		pos = end
	}
	f.secret = make([]bool, len(f.lines))
	for _, s := range secret.Find(text) {
		first := sort.SearchInts(starts, s.Start+1) - 1
		for i := max(0, first); i < len(starts) && starts[i] < s.End; i++ {
			f.secret[i] = true
		}
	}
	return f
}

// changes returns the changed runs of lines in order.
func changes(before, after fileLines, old, new []byte) []lineChange {
	lineAt := func(starts []int, offset int) int { return sort.SearchInts(starts, offset) }
	starts := make([]int, 0, len(before.lines)+1)
	pos := 0
	for _, l := range before.lines {
		starts = append(starts, pos)
		pos += len(l)
	}
	starts = append(starts, pos)
	var out []lineChange
	shift := 0
	for _, e := range udiff.Lines(string(old), string(new)) {
		c := lineChange{start: lineAt(starts, e.Start), end: lineAt(starts, e.End)}
		n := strings.Count(e.New, "\n")
		if e.New != "" && !strings.HasSuffix(e.New, "\n") {
			n++
		}
		c.newStart = c.start + shift
		c.newEnd = c.newStart + n
		shift += n - (c.end - c.start)
		if k := len(out) - 1; k >= 0 && out[k].end == c.start {
			out[k].end, out[k].newEnd = c.end, c.newEnd
			continue
		}
		out = append(out, c)
	}
	// Lines that stay at the ends of a change are none of it.
	for i := range out {
		c := &out[i]
		for c.start < c.end && c.newStart < c.newEnd && before.lines[c.start] == after.lines[c.newStart] {
			c.start, c.newStart = c.start+1, c.newStart+1
		}
		for c.start < c.end && c.newStart < c.newEnd && before.lines[c.end-1] == after.lines[c.newEnd-1] {
			c.end, c.newEnd = c.end-1, c.newEnd-1
		}
	}
	return out
}

func fileHunks(f Content) (hunks []string, withheld []Withheld) {
	if bytes.Equal(f.Old, f.New) {
		return nil, nil
	}
	before, after := linesOf(f.Old), linesOf(f.New)
	all := changes(before, after, f.Old, f.New)
	var shown []lineChange
	for _, c := range all {
		hidden := false
		for i := c.start; i < c.end; i++ {
			hidden = hidden || before.secret[i]
		}
		for i := c.newStart; i < c.newEnd; i++ {
			hidden = hidden || after.secret[i]
		}
		// git wants a line behind a change, unless the file ends there.
		if hidden || c.end < len(before.lines) && before.secret[c.end] {
			withheld = append(withheld, Withheld{f.Path, min(c.start, max(0, len(before.lines)-1)) + 1})
			continue
		}
		shown = append(shown, c)
	}
	shift := 0 // of new line numbers, by what the patch itself changes
	done := 0  // old lines that hunks have shown
	for i := 0; i < len(shown); {
		// Changes that are close share a hunk, when all lines between them can be shown.
		j := i + 1
		for j < len(shown) && shown[j].start-shown[j-1].end <= 2*contextLines && !slices.Contains(before.secret[shown[j-1].end:shown[j].start], true) {
			j++
		}
		from := shown[i].start
		for from > done && shown[i].start-from < contextLines && !before.secret[from-1] {
			from--
		}
		to := shown[j-1].end
		for to < len(before.lines) && to-shown[j-1].end < contextLines && !before.secret[to] && (j == len(shown) || to < shown[j].start) {
			to++
		}
		done = to
		var body strings.Builder
		oldCount, newCount := 0, 0
		line := func(sign byte, text string) {
			body.WriteByte(sign)
			body.WriteString(text)
			if !strings.HasSuffix(text, "\n") {
				body.WriteString("\n\\ No newline at end of file\n")
			}
			if sign != '+' {
				oldCount++
			}
			if sign != '-' {
				newCount++
			}
		}
		pos := from
		for _, c := range shown[i:j] {
			for ; pos < c.start; pos++ {
				line(' ', before.lines[pos])
			}
			for ; pos < c.end; pos++ {
				line('-', before.lines[pos])
			}
			for k := c.newStart; k < c.newEnd; k++ {
				line('+', after.lines[k])
			}
		}
		for ; pos < to; pos++ {
			line(' ', before.lines[pos])
		}
		hunks = append(hunks, fmt.Sprintf("@@ -%s +%s @@\n%s", hunkRange(from, oldCount), hunkRange(from+shift, newCount), body.String()))
		shift += newCount - oldCount
		i = j
	}
	return hunks, withheld
}

// hunkRange prints where count lines from line start (from 0) on stand; none stand behind the line before.
func hunkRange(start, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, count)
}

// gitPath quotes a path as git does: in double quotes with escapes, when it holds a control character, a quote, a
// backslash or a byte that is no ASCII.
func gitPath(p string) string {
	plain := true
	for i := range len(p) {
		c := p[i]
		plain = plain && c >= 0x20 && c < 0x7f && c != '"' && c != '\\'
	}
	if plain {
		return p
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		switch c := p[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
