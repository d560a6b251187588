package github

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"agentlint/fixers"
	"agentlint/internal/report"
	"agentlint/internal/secret"
	"agentlint/internal/source"
)

// suggestion is a replacement of whole lines.
type suggestion struct {
	// first and last are the lines that are replaced, from 1; lines the new ones with their ends.
	first, last int
	text        string
}

// maxSuggestion is how many lines a suggestion may replace; a longer one is shown as a patch.
const maxSuggestion = 60

// suggest turns the edits of a fix into a replacement of lines of one file that includes a line of the finding (0 for
// none). Edits of another file, and those that would show a secret, give none.
func suggest(content []byte, edits []source.Edit, line int) (suggestion, bool) {
	if len(edits) == 0 || len(content) == 0 || !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		return suggestion{}, false
	}
	after, err := source.Apply(content, edits)
	if err != nil || bytes.Equal(after, content) || !utf8.Valid(after) || bytes.IndexByte(after, 0) >= 0 {
		return suggestion{}, false
	}
	old, now := splitLines(content), splitLines(after)
	head := 0
	for head < len(old) && head < len(now) && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(now)-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	// At least one line must be there to be replaced, and the finding's own belongs to it.
	first, last := head, len(old)-tail-1
	if first > last {
		if first < len(old) {
			last = first
		} else {
			first, last = first-1, len(old)-1
		}
	}
	if line > 0 && line <= len(old) {
		first, last = min(first, line-1), max(last, line-1)
	}
	if last-first+1 > maxSuggestion {
		return suggestion{}, false
	}
	end := len(now) - (len(old) - 1 - last)
	if first > end {
		return suggestion{}, false
	}
	text := strings.Join(now[first:end], "")
	if secret.In(text) || secret.In(strings.Join(old[first:last+1], "")) {
		return suggestion{}, false
	}
	return suggestion{first + 1, last + 1, text}, true
}

// splitLines splits a text behind its line feeds.
func splitLines(b []byte) []string {
	lines := strings.SplitAfter(string(b), "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}

// block is the suggestion as GitHub reads it. The line ends of the file stay; the fence is longer than any run of
// backticks in the text.
func (s suggestion) block() string {
	fence := fenceFor(s.text)
	text := s.text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + "suggestion\n" + text + fence + "\n"
}

func fenceFor(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return strings.Repeat("`", longest+1)
}

// maxPatch bounds the patch in a comment.
const maxPatch = 8 << 10

// patch shows a fix that is no suggestion.
func (p *placement) patch(x *report.DocumentFix) string {
	byFile := map[string][]source.Edit{}
	var names []string
	for _, e := range x.Edits {
		if byFile[e.File] == nil {
			names = append(names, e.File)
		}
		byFile[e.File] = append(byFile[e.File], source.Edit{Span: source.Span{Start: e.Start, End: e.End}, Text: e.Text})
	}
	var files []fixers.Content
	for _, name := range names {
		path, ok := p.path(name)
		if !ok {
			return ""
		}
		f := p.file(path)
		if f == nil || f.local == nil {
			return ""
		}
		after, err := source.Apply(f.local, byFile[name])
		if err != nil {
			return ""
		}
		files = append(files, fixers.Content{Path: path, Old: f.local, New: after})
	}
	diff, held := fixers.Diff(files)
	if len(diff) == 0 || len(diff) > maxPatch || !utf8.Valid(diff) || bytes.IndexByte(diff, 0) >= 0 {
		return ""
	}
	fence := fenceFor(string(diff))
	note := ""
	for _, h := range held {
		note += fmt.Sprintf("\nNot in the patch: line %d of %s, which holds a secret.\n", h.Line, report.MarkdownText(h.Path))
	}
	return "<details><summary>patch</summary>\n\n" + fence + "diff\n" + string(diff) + fence + "\n" + note + "\n</details>\n"
}
