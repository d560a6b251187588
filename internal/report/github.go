package report

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
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
	// What stands on changed lines comes first, within each kind.
	slices.SortStableFunc(list, func(a, b *engine.Finding) int {
		switch {
		case a.Touched == b.Touched:
			return 0
		case a.Touched:
			return -1
		}
		return 1
	})
	found := make([]jsonFinding, len(list))
	for i := range list {
		found[i] = *toJSON(list[i])
	}
	rest := writeAnnotations(b, found, o.Folder)
	var log bytes.Buffer
	for _, i := range rest {
		fmt.Fprintln(&log, Line(list[i]))
	}
	if !o.Quiet {
		writeSummary(&log, r, o, &styles{})
	}
	b.Write(Neutralise(log.Bytes()))
	return nil
}

// WriteAnnotations prints the findings of a report from a level on as workflow commands, and those that GitHub would
// drop as plain lines. Folder is the way from the top of the repository to where the paths of the report start.
func WriteAnnotations(w io.Writer, d *Document, level model.Severity, folder string) error {
	var list []jsonFinding
	for _, f := range d.Findings {
		if s, ok := model.ParseSeverity(f.Severity); ok && s >= level {
			list = append(list, f)
		}
	}
	var b, log bytes.Buffer
	for _, i := range writeAnnotations(&b, list, folder) {
		f := &list[i]
		fmt.Fprintf(&log, "%s:%d:%d: %s: %s [%s]\n", clean(path.Join(folder, f.File)), f.Start.Line, f.Start.Column, clean(f.Severity), clean(redact(f.Message)), clean(f.Rule))
	}
	b.Write(Neutralise(log.Bytes()))
	_, err := w.Write(b.Bytes())
	return err
}

// writeAnnotations prints at most ten commands of each kind and returns the indices of the other findings.
func writeAnnotations(b *bytes.Buffer, list []jsonFinding, folder string) (rest []int) {
	for _, command := range []string{"error", "warning", "notice"} {
		var of []int
		for i := range list {
			if commandOf(list[i].Severity) == command {
				of = append(of, i)
			}
		}
		n := len(of)
		if n > annotationBudget {
			n = annotationBudget - 1
		}
		for _, i := range of[:n] {
			writeAnnotation(b, command, &list[i], folder)
		}
		if more := len(of) - n; more > 0 {
			fmt.Fprintf(b, "::%s title=agentlint::%s\n", command, escapeData(plural(more, "more "+command)+": see the log of this step"))
			rest = append(rest, of[n:]...)
		}
	}
	return rest
}

func commandOf(severity string) string {
	switch severity {
	case "error", "warning":
		return severity
	}
	return "notice"
}

// writeAnnotation prints one workflow command. GitHub gives columns a meaning only within one line.
func writeAnnotation(b *bytes.Buffer, command string, f *jsonFinding, folder string) {
	fmt.Fprintf(b, "::%s file=%s,line=%d", command, escapeProperty(within(folder, f.File)), f.Start.Line)
	if f.End.Line == f.Start.Line {
		fmt.Fprintf(b, ",endLine=%d,col=%d", f.End.Line, f.Start.Column)
		if f.End.Column > f.Start.Column {
			fmt.Fprintf(b, ",endColumn=%d", f.End.Column)
		}
	}
	text := clean(redact(f.Message))
	for _, g := range f.Figures {
		text += "\n" + figure(g)
	}
	for _, x := range f.Related {
		text += fmt.Sprintf("\n%s:%d:%d", clean(within(folder, x.File)), x.Start.Line, x.Start.Column)
		if x.Message != "" {
			text += ": " + clean(redact(x.Message))
		}
	}
	if f.Undecided != nil && len(f.Undecided.Needs) > 0 {
		text += "\nneeds " + strings.Join(cleaned(f.Undecided.Needs), ", ")
	}
	fmt.Fprintf(b, ",title=%s::%s\n", escapeProperty(f.Rule), escapeData(text))
}

// within returns a path from the top of the repository.
func within(folder, name string) string {
	if folder == "" || name == "" || path.IsAbs(name) {
		return name
	}
	return path.Join(folder, name)
}

// escapeData and escapeProperty are those of actions/toolkit, packages/core/src/command.ts.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
