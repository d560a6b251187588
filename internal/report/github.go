package report

import (
	"bytes"
	"fmt"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

// annotationBudget is how many annotations of each kind GitHub keeps of one step
// (actions/toolkit, docs/problem-matchers.md).
const annotationBudget = 10

// writeGitHub prints workflow commands that GitHub turns into annotations: the first ten of each kind, since it drops
// the others. When there are more, the last one says how many, and they follow as plain lines of the log.
func writeGitHub(b *bytes.Buffer, r *engine.Result, o *Options) error {
	list := shown(r, o)
	var rest []engine.Finding
	for _, k := range []struct {
		command string
		is      func(model.Severity) bool
	}{
		{"error", func(s model.Severity) bool { return s == model.Error }},
		{"warning", func(s model.Severity) bool { return s == model.Warning }},
		{"notice", func(s model.Severity) bool { return s < model.Warning }},
	} {
		var of []engine.Finding
		for _, f := range list {
			if k.is(f.Severity) {
				of = append(of, f)
			}
		}
		n := len(of)
		if n > annotationBudget {
			n = annotationBudget - 1
		}
		for i := range of[:n] {
			writeAnnotation(b, k.command, &of[i])
		}
		if more := len(of) - n; more > 0 {
			fmt.Fprintf(b, "::%s title=agentlint::%s\n", k.command, escapeData(plural(more, "more "+k.command)+": see the log of this step"))
			rest = append(rest, of[n:]...)
		}
	}
	var log bytes.Buffer
	for i := range rest {
		fmt.Fprintln(&log, Line(&rest[i]))
	}
	if !o.Quiet {
		writeSummary(&log, r, o, &styles{})
	}
	b.Write(Neutralise(log.Bytes()))
	return nil
}

// writeAnnotation prints one workflow command. GitHub gives columns a meaning only within one line.
func writeAnnotation(b *bytes.Buffer, command string, f *engine.Finding) {
	path, start, end := where(f.Location)
	fmt.Fprintf(b, "::%s file=%s,line=%d", command, escapeProperty(path), start.Line)
	if end.Line == start.Line {
		fmt.Fprintf(b, ",endLine=%d,col=%d", end.Line, start.Column)
		if end.Column > start.Column {
			fmt.Fprintf(b, ",endColumn=%d", end.Column)
		}
	}
	text := clean(redact(f.Message))
	for _, g := range f.Figures {
		text += "\n" + figure(g)
	}
	for _, x := range f.Related {
		text += "\n" + place(x.Location)
		if x.Message != "" {
			text += ": " + clean(redact(x.Message))
		}
	}
	if f.Severity == model.Undecided && len(f.Needs) > 0 {
		text += "\nneeds " + strings.Join(cleaned(f.Needs), ", ")
	}
	fmt.Fprintf(b, ",title=%s::%s\n", escapeProperty(f.Rule), escapeData(text))
}

// escapeData and escapeProperty are those of actions/toolkit, packages/core/src/command.ts.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
