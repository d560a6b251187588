package report

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// maxFrameNotes is how many places a code frame marks; the others are counted.
const maxFrameNotes = 12

// note is one marked place of a code frame.
type note struct {
	model.Location
	text    string
	primary bool
	line    int
}

// notes returns the places of a finding: its own, then the related ones, grouped by file in order of appearance and
// sorted by line within a file.
func notes(f *engine.Finding) (files [][]note, more int) {
	add := func(l model.Location, text string, primary bool) {
		if l.File == nil {
			return
		}
		n := note{Location: l, text: text, primary: primary, line: l.File.LineAt(l.Span.Start)}
		for i := range files {
			if files[i][0].File == l.File {
				files[i] = append(files[i], n)
				return
			}
		}
		files = append(files, []note{n})
	}
	add(f.Location, "", true)
	for i, r := range f.Related {
		if i+1 >= maxFrameNotes {
			more++
			continue
		}
		add(r.Location, r.Message, false)
	}
	for _, ns := range files {
		slices.SortStableFunc(ns, func(a, b note) int {
			if a.line != b.line {
				return a.line - b.line
			}
			return b.Span.Start - a.Span.Start
		})
	}
	return files, more
}

// writeFrame prints the lines of a finding with carets under its places, and returns the blanks as wide as its line
// numbers.
func writeFrame(b *bytes.Buffer, f *engine.Finding, o *Options, s *styles) (gutter string) {
	files, more := notes(f)
	digits := 1
	for _, ns := range files {
		for _, n := range ns {
			digits = max(digits, len(strconv.Itoa(n.line)))
		}
	}
	gutter = strings.Repeat(" ", digits)
	for i, ns := range files {
		arrow, head := "-->", ns[0]
		if i > 0 {
			arrow = ":::"
		}
		for _, n := range ns {
			if n.primary {
				head = n
			}
		}
		at := place(head.Location)
		if p := breadcrumb(head.Path); p != "" && p != "-" {
			at += " (" + p + ")"
		}
		fmt.Fprintf(b, "%s%s %s\n", gutter, s.faint(arrow), at)
		fmt.Fprintf(b, "%s %s\n", gutter, s.faint("|"))
		last := 0
		for j := 0; j < len(ns); {
			line := ns[j].line
			k := j
			for k < len(ns) && ns[k].line == line {
				k++
			}
			switch {
			case last > 0 && line == last+2:
				writeLine(b, head.File, line-1, nil, digits, f.Severity, o, s)
			case last > 0 && line > last+2:
				fmt.Fprintf(b, "%s\n", s.faint("..."))
			}
			writeLine(b, head.File, line, ns[j:k], digits, f.Severity, o, s)
			last, j = line, k
		}
	}
	if more > 0 {
		fmt.Fprintf(b, "%s %s and %s\n", gutter, s.faint("="), plural(more, "more place"))
	}
	return gutter
}

// window is how many bytes of a long line are looked at on each side of the first marked place.
const window = 240

// writeLine prints one line of a file and a row of carets for each of its notes.
func writeLine(b *bytes.Buffer, f *source.File, line int, ns []note, digits int, sev model.Severity, o *Options, s *styles) {
	span := f.Line(line)
	text := f.Bytes[span.Start:span.End]
	hide := o.secrets.in(f, span)
	from, to := 0, runeStart(text, min(len(text), 2*window))
	if len(ns) > 0 {
		first, end := len(text), 0
		for _, n := range ns {
			first = min(first, max(0, n.Span.Start-span.Start))
			end = max(end, min(len(text), n.Span.End-span.Start))
		}
		from = runeStart(text, max(0, first-window))
		to = runeStart(text, min(len(text), max(end, first)+window))
		if to-from > 4*window {
			to = runeStart(text, from+4*window)
		}
	}
	row := show(string(text[from:to]), shift(hide, -from))
	columns := o.Width - digits - 3
	if columns < 20 {
		columns = 20
	}
	if o.Width <= 0 {
		columns = 120
	}
	col := func(offset int) int {
		return row.at[max(0, min(offset-span.Start-from, len(row.at)-1))]
	}
	skip := 0
	total := row.at[len(row.at)-1]
	if len(ns) > 0 && total > columns {
		start, end := total, 0
		for _, n := range ns {
			start, end = min(start, col(n.Span.Start)), max(end, col(n.Span.End))
		}
		if end > columns {
			skip = min(start, max(0, start-columns/4))
		}
	}
	visible := slice(row.text, skip, columns, from > 0, to < len(text))
	number := fmt.Sprintf("%*d |", digits, line)
	fmt.Fprintln(b, strings.TrimRight(s.faint(number)+" "+visible, " "))
	gutter := strings.Repeat(" ", digits+1) + s.faint("|") + " "
	for _, n := range ns {
		start := max(0, col(n.Span.Start)-skip)
		end := max(start+1, min(col(n.Span.End)-skip, columns))
		if n.Span.End > span.End {
			end = max(start+1, min(total-skip, columns))
		}
		start = min(start, columns-1)
		mark := strings.Repeat("^", max(1, end-start))
		if !n.primary {
			mark = strings.Repeat("-", max(1, end-start))
			mark = s.faint(mark)
		} else {
			mark = s.severity(sev, mark)
		}
		label := clean(redact(n.text))
		switch room := columns - max(end, start+1) - 1; {
		case label == "":
			fmt.Fprintf(b, "%s%s%s\n", gutter, strings.Repeat(" ", start), mark)
		case o.Width <= 0 || width(label) <= room:
			fmt.Fprintf(b, "%s%s%s %s\n", gutter, strings.Repeat(" ", start), mark, label)
		default:
			// The label does not fit beside the mark: it stands below, from the left.
			fmt.Fprintf(b, "%s%s%s\n", gutter, strings.Repeat(" ", start), mark)
			for _, l := range strings.Split(wrap(label, columns, ""), "\n") {
				fmt.Fprintf(b, "%s%s\n", gutter, l)
			}
		}
	}
}

// slice returns the given number of columns of a shown line from column skip on. Dots stand where something is left
// out, also when that happened before or after the text given.
func slice(text string, skip, columns int, before, after bool) string {
	if skip == 0 && !before && !after && width(text) <= columns {
		return text
	}
	before = before || skip > 0
	after = after || width(text)-skip > columns
	last := columns
	if after {
		last -= 3
	}
	var b strings.Builder
	col := -skip
	for rest, state := text, -1; rest != ""; {
		var char string
		char, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		w := width(char)
		switch {
		case col+w > last && col >= 0:
			b.WriteString("...")
			return b.String()
		case before && col < 3:
			b.WriteString(strings.Repeat(".", max(0, min(w, col+w))))
		case col >= 0:
			b.WriteString(char)
		}
		col += w
	}
	if after {
		b.WriteString("...")
	}
	return b.String()
}

// runeStart is the first byte of the character that byte i of a text belongs to.
func runeStart[T string | []byte](s T, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// shift moves spans by n bytes and drops what falls before 0.
func shift(spans []source.Span, n int) []source.Span {
	var out []source.Span
	for _, s := range spans {
		s.Start, s.End = max(0, s.Start+n), s.End+n
		if s.End > s.Start {
			out = append(out, s)
		}
	}
	return out
}

// breadcrumb returns a path in a file as text: model_list[2].litellm_params.rpm.
func breadcrumb(p []any) string { return clean(redact(model.Path(p).String())) }
