package github

import (
	"strings"
	"testing"

	"agentlint/internal/source"
)

func editsOf(start, end int, text string) []source.Edit {
	return []source.Edit{{Span: source.Span{Start: start, End: end}, Text: text}}
}

// FuzzSuggest makes every suggestion as GitHub would and compares with the edited file.
func FuzzSuggest(f *testing.F) {
	f.Add("a: 1\nb: 2\n", 3, 4, "5", 2)
	f.Add("a\r\nb", 0, 4, "", 1)
	f.Add("\n\n", 1, 1, "\n\n", 0)
	f.Fuzz(func(t *testing.T, text string, start, end int, with string, line int) {
		edits := editsOf(start, end, with)
		s, ok := suggest([]byte(text), edits, line)
		if !ok {
			return
		}
		want, err := source.Apply([]byte(text), edits)
		if err != nil {
			t.Fatal(err)
		}
		lines := splitLines([]byte(text))
		if s.first < 1 || s.last < s.first || s.last > len(lines) {
			t.Fatalf("lines %d to %d of %d", s.first, s.last, len(lines))
		}
		got := strings.Join(lines[:s.first-1], "") + s.text + strings.Join(lines[s.last:], "")
		if got != string(want) {
			t.Fatalf("suggestion of lines %d to %d makes %q, the edit %q", s.first, s.last, got, want)
		}
	})
}
