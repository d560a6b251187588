package loaders

import (
	"bytes"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// maxSkippedLines bounds how many blank lines and comments are looked over behind a command.
const maxSkippedLines = 20

// brokenLine looks behind the last word of a command in a shell script. When the command is over there although the next line
// begins with a flag, it returns the flag, and under gap the text between the word and the end of what is wrong; nil otherwise.
// The gap's repair is left out when a comment would be lost.
func brokenLine(p *program) *model.Value {
	w := p.start
	if n := len(p.line.Words); n > 0 {
		w = &p.line.Words[n-1]
	}
	if w == nil || w.Args == nil || w.Args.File == nil || w.Args.Form != source.ShellText || w.From != (source.Span{}) {
		return nil
	}
	f := w.Args.File
	text := f.Bytes
	start := min(max(w.Span.End, 0), len(text))
	if at := escapedBlank(text, start); at >= 0 {
		start = at
	}
	// The words of a comment behind a backslash are words too.
	line := text[bytes.LastIndexByte(text[:start], '\n')+1:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	comment := bytes.Contains(line, []byte(`\ #`))
	eol := lineEnd(text, start)
	rest := string(bytes.TrimRight(text[start:eol], "\r"))
	repair := " \\"
	at, end := start, start+len(rest)
	next := eol
	trimmed := strings.TrimLeft(rest, " \t")
	switch {
	case comment:
		repair = ""
	case strings.TrimSpace(trimmed) == "":
	case strings.HasPrefix(trimmed, "#") && trimmed != rest:
		repair = ""
	case strings.TrimRight(trimmed, " \t") == `\` && trimmed != `\`:
	case trimmed == `\` && eol < len(text):
		// The line goes on, and the next one is blank or a comment.
		at, repair = eol+1, ""
		if next = lineEnd(text, at); strings.TrimSpace(string(text[at:next])) == "" && next < len(text) {
			end = next + 1
		} else if !bytes.HasPrefix(bytes.TrimLeft(text[at:next], " \t"), []byte("#")) {
			return nil
		} else {
			end = next
		}
	default:
		return nil
	}
	for range maxSkippedLines {
		if next >= len(text) {
			return nil
		}
		from := next + 1
		next = lineEnd(text, from)
		l := strings.TrimSpace(string(text[from:next]))
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		word, _, _ := strings.Cut(l, " ")
		word, _, _ = strings.Cut(word, "=")
		name := strings.TrimLeft(word, "-")
		if name == word || len(word)-len(name) > 2 || name == "" || !(name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z') {
			return nil
		}
		flagAt := from + bytes.Index(text[from:next], []byte(word))
		out := model.NewMap(spanOrigin(f, source.Span{Start: flagAt, End: flagAt + len(word)}))
		out.Set("flag", model.NewText(word, out.Origin))
		out.Set("gap", model.NewText(string(text[at:end]), model.Origin{Source: model.FromArgs, File: f, Span: source.Span{Start: at, End: end}}))
		switch {
		case repair != "":
			out.Set("repair", model.NewText(repair, model.Origin{}))
		case at == eol+1 && end == next+1 || at == eol+1 && strings.TrimSpace(string(text[at:end])) == "":
			out.Set("repair", model.NewText("", model.Origin{}))
		}
		return out
	}
	return nil
}

// escapedBlank looks for a backslash with nothing but blanks behind it at the end of the line in which a word ends. A shell
// makes a word of the blank, systemd one of the backslash. It returns the place behind what stands before the backslash, -1
// when there is none.
func escapedBlank(text []byte, end int) int {
	rest := text[end:lineEnd(text, end)]
	if len(bytes.Trim(rest, " \t\r")) > 0 {
		return -1
	}
	at := end
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	slashes := 0
	for slashes < at && text[at-1-slashes] == '\\' {
		slashes++
	}
	if slashes%2 == 0 || at == end && len(bytes.TrimRight(rest, "\r")) == 0 {
		return -1
	}
	at--
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	return at
}

func lineEnd(text []byte, from int) int {
	if from >= len(text) {
		return len(text)
	}
	if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(text)
}

func spanOrigin(f *source.File, s source.Span) model.Origin {
	return model.Origin{Source: model.FromArgs, File: f, Key: s, Span: s}
}
