// Package report prints the outcome of a run in the formats that people, editors and CI systems read, one file per
// format. No format shows a secret, and none lets the text of a linted file act on the terminal or the CI system
// that reads it.
package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// Options say how a result is printed.
type Options struct {
	// Version is that of the program, for formats that name their tool.
	Version string
	// Level is the mildest severity that formats for people print one by one; milder findings are counted.
	// json, sarif and the other formats for programs hold everything.
	Level model.Severity
	// Color turns styles on. Width is the number of columns of the terminal, 0 when there is none: text is not
	// wrapped then.
	Color bool
	Width int
	// Links turns on hyperlinks to rule pages, for terminals that know them.
	Links bool
	// Actions neutralises text that GitHub's runner would take for a command.
	Actions bool
	// ExplainSkips lists skipped files instead of counting them; Quiet leaves out everything but findings.
	ExplainSkips, Quiet bool
	// Known is the number of findings that a baseline hid.
	Known int
	// Checked are the paths of the command line as typed, for "nothing found under".
	Checked []string
	// Folder is the way from the top of the repository to the working directory, for formats whose readers start there.
	Folder string
	// Rule returns the metadata of a rule, for formats that describe rules.
	Rule func(id string) (model.Meta, bool)

	secrets Secrets
}

func (o *Options) rule(id string) (model.Meta, bool) {
	if o.Rule == nil {
		return model.Meta{}, false
	}
	return o.Rule(id)
}

// format is one output format.
type format struct {
	name  string
	write func(b *bytes.Buffer, r *engine.Result, o *Options) error
	// stream is there instead of write for a format that is written as it is made.
	stream func(put func([]byte) error, r *engine.Result, o *Options) error
	// text is true for a format whose lines a CI log shows as they are.
	text bool
	// escape is what "##[" becomes in the strings of the format, for formats that can write any character as an
	// escape.
	escape string
}

// formats are all formats in the order in which help lists them.
func formats() []format {
	return []format{
		{name: "pretty", write: writePretty, text: true},
		{name: "concise", write: writeConcise, text: true},
		{name: "json", stream: writeJSON, escape: `#\u0023[`},
		{name: "sarif", write: writeSARIF, escape: `#\u0023[`},
		{name: "github", write: writeGitHub},
		{name: "gitlab", write: writeGitLab, escape: `#\u0023[`},
		{name: "junit", write: writeJUnit, escape: "#&#35;["},
		{name: "checkstyle", write: writeCheckstyle, escape: "#&#35;["},
		{name: "rdjson", write: writeRDJSON, escape: `#\u0023[`},
		{name: "markdown", write: writeMarkdown, text: true},
		{name: "html", write: writeHTML, escape: "#&#35;["},
	}
}

// Formats returns the names of all formats.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// Known reports whether there is a format of that name.
func Known(name string) bool {
	for _, f := range formats() {
		if f.name == name {
			return true
		}
	}
	return false
}

// Write prints a result in a format. Nothing is written when the format fails.
func Write(w io.Writer, name string, r *engine.Result, o Options) error {
	for _, f := range formats() {
		if f.name != name {
			continue
		}
		var failed error // of w
		put := func(out []byte) error {
			if o.Actions {
				switch {
				case f.text:
					out = Neutralise(out)
				case f.escape != "":
					out = bytes.ReplaceAll(out, []byte("##["), []byte(f.escape))
				}
			}
			_, failed = w.Write(out)
			return failed
		}
		o.secrets = Secrets{}
		var err error
		if f.stream != nil {
			err = f.stream(put, r, &o)
		} else {
			var b bytes.Buffer
			if err = f.write(&b, r, &o); err == nil {
				err = put(b.Bytes())
			}
		}
		if err != nil && failed == nil {
			return fmt.Errorf("%s output: %w", name, err)
		}
		return err
	}
	return fmt.Errorf("unknown format %q", name)
}

// Neutralise changes text so that GitHub's runner finds no command in it: a line that starts with "::" after blanks,
// or holds "##[" anywhere, is one (actions/runner, src/Runner.Common/ActionCommand.cs).
func Neutralise(text []byte) []byte {
	if !bytes.Contains(text, []byte("::")) && !bytes.Contains(text, []byte("##[")) {
		return text
	}
	var b bytes.Buffer
	for len(text) > 0 {
		line := text
		if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
			line = text[:i+1]
		}
		text = text[len(line):]
		rest := bytes.TrimSpace(line)
		if bytes.HasPrefix(rest, []byte("::")) {
			i := bytes.Index(line, []byte("::"))
			line = append(append(append([]byte{}, line[:i]...), ": :"...), line[i+2:]...)
		}
		b.Write(bytes.ReplaceAll(line, []byte("##["), []byte("## [")))
	}
	return b.Bytes()
}

// shown returns the findings that formats for people print one by one.
func shown(r *engine.Result, o *Options) []*engine.Finding {
	var out []*engine.Finding
	for _, f := range r.Findings {
		if f.Severity >= o.Level {
			out = append(out, f)
		}
	}
	return out
}

// Counts are numbers of findings.
type Counts struct {
	Error, Warning, Info, Undecided int
	// Safe and Unsafe are findings that a fix repairs, by the safety of their first applicable fix.
	Safe, Unsafe int
}

// Count counts findings.
func Count(findings []*engine.Finding) Counts {
	var c Counts
	for _, f := range findings {
		switch f.Severity {
		case model.Error:
			c.Error++
		case model.Warning:
			c.Warning++
		case model.Info:
			c.Info++
		default:
			c.Undecided++
		}
		switch fix := fixOf(f); {
		case fix == nil:
		case fix.Safety == model.Safe:
			c.Safe++
		default:
			c.Unsafe++
		}
	}
	return c
}

// fixOf returns the fix that `agentlint fix` would choose: the first safe one that can be applied, else the first
// that can.
func fixOf(f *engine.Finding) *engine.Fix {
	var best *engine.Fix
	for i := range f.Fixes {
		x := &f.Fixes[i]
		if x.Refused != "" || x.Safety == model.NoFix {
			continue
		}
		if best == nil || x.Safety < best.Safety {
			best = x
		}
	}
	return best
}

// where returns the path and the positions of a location. A location without a file has the path "".
func where(l model.Location) (path string, start, end source.Position) {
	if l.File == nil {
		p := source.Position{Line: 1, Column: 1}
		return "", p, p
	}
	return l.File.Path, l.File.Position(l.Span.Start), l.File.Position(max(l.Span.Start, l.Span.End))
}

// place returns a location as path:line:column.
func place(l model.Location) string {
	path, start, _ := where(l)
	return fmt.Sprintf("%s:%d:%d", clean(path), start.Line, start.Column)
}

// plural returns a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// list joins words with commas, and the last two with "and".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// few is list for at most n words; more are counted.
func few(words []string, n int) string {
	if len(words) <= n {
		return list(words)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:n], ", "), len(words)-n)
}
