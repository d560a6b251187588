package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/rivo/uniseg"

	"agentlint/internal/source"
)

// clean makes text safe to print on a terminal: control characters, line breaks, and characters that reorder or hide
// others are written as escapes. Broken UTF-8 becomes U+FFFD.
func clean(s string) string {
	ok := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			ok = false
			break
		}
	}
	if ok {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		writeClean(&b, r)
	}
	return b.String()
}

func writeClean(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r < 0x20 || r == 0x7f:
		fmt.Fprintf(b, `\x%02x`, r)
	case hidden(r):
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		b.WriteRune(r)
	}
}

// hidden reports whether a character changes how others are shown, or is not shown at all.
func hidden(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	}
	// Joiners are kept: they are part of ordinary text in several scripts and of emoji.
	return r != 0x200c && r != 0x200d && r != 0xad && unicode.Is(unicode.Cf, r)
}

// width returns the columns that text takes on a terminal.
func width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return wide().StringWidth(s)
		}
	}
	return len(s)
}

// wide measures without regard to the locale, so that a report is the same everywhere.
func wide() *runewidth.Condition {
	return &runewidth.Condition{StrictEmojiNeutral: true}
}

// tabWidth is how many columns a tab takes in a code frame.
const tabWidth = 4

// cells is one line of a file as it is shown, with the column at which each byte of the file starts.
type cells struct {
	text string
	// at has len(line)+1 entries: the columns before each byte, and the width of the whole.
	at []int
}

// show prepares a line for a code frame. Each range of bytes in hide (sorted, not overlapping) is shown as mask.
func show(line string, hide []source.Span) cells {
	var b strings.Builder
	at := make([]int, 0, len(line)+1)
	col := 0
	for i := 0; i < len(line); {
		if len(hide) > 0 && i >= hide[0].Start {
			end := max(i, min(hide[0].End, len(line)))
			for range end - i {
				at = append(at, col)
			}
			if end > i {
				b.WriteString(mask)
				col += len(mask)
			}
			i, hide = end, hide[1:]
			continue
		}
		// A character is what a reader takes for one: a letter with its accents, an emoji of several code points.
		n := 1
		if line[i] >= utf8.RuneSelf || i+1 < len(line) && line[i+1] >= utf8.RuneSelf {
			cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(line[i:], -1)
			n = len(cluster)
		}
		if len(hide) > 0 {
			n = max(1, min(n, hide[0].Start-i))
		}
		for range n {
			at = append(at, col)
		}
		start := b.Len()
		if line[i] == '\t' {
			b.WriteString(strings.Repeat(" ", tabWidth-col%tabWidth))
		} else {
			for _, r := range line[i : i+n] {
				writeClean(&b, r)
			}
		}
		col += width(b.String()[start:])
		i += n
	}
	return cells{text: b.String(), at: append(at, col)}
}

// wrap breaks text at blanks so that no line is wider than columns; following lines start with indent. With columns
// 0 it returns the text as it is.
func wrap(s string, columns int, indent string) string {
	if columns <= 0 || width(s) <= columns {
		return s
	}
	columns = max(columns, 20+len(indent))
	var b strings.Builder
	col := 0
	for i, word := range strings.Split(s, " ") {
		w := width(word)
		switch {
		case i == 0:
		case col+1+w > columns:
			b.WriteString("\n" + indent)
			col = len(indent)
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += w
	}
	return b.String()
}

// hang wraps text that starts with a blank and follows head on its line. Only the text is returned.
func hang(head, text string, columns int) string {
	fill := strings.Repeat("x", width(head))
	return wrap(fill+text, columns, "  ")[len(fill):]
}

// Clean makes text of several lines safe to print: line breaks stay, other control characters, and characters that
// reorder or hide others, become escapes.
func Clean(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = clean(l)
	}
	return strings.Join(lines, "\n")
}
