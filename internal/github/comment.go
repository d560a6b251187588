package github

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/report"
	"agentlint/internal/secret"
)

// maxBody is how long GitHub lets a comment be, in characters; bytes are no fewer.
const maxBody = 65_536

// The hidden marks of what this program wrote.
const (
	commentMark = "<!-- agentlint comment v1 "
	reviewMark  = "<!-- agentlint review v1 -->"
	summaryMark = "<!-- agentlint summary v1 -->"
	markEnd     = " -->"
)

// keyOf identifies the comment of a finding: the same fingerprint may stand in two files of two roots.
func keyOf(path, fingerprint string) string {
	sum := sha256.Sum256([]byte(path + "\x00" + fingerprint))
	return hex.EncodeToString(sum[:16])
}

// markedKey returns the key in the last line of a comment, "" for a comment of somebody else.
func markedKey(body string) string {
	body = strings.TrimRight(body, " \t\r\n")
	line := body[strings.LastIndexByte(body, '\n')+1:]
	key, ok := strings.CutPrefix(line, commentMark)
	if !ok {
		return ""
	}
	key, ok = strings.CutSuffix(key, markEnd)
	if !ok || len(key) != 32 || strings.Trim(key, "0123456789abcdef") != "" {
		return ""
	}
	return key
}

// marked reports whether a body ends with a mark.
func marked(body, mark string) bool {
	return strings.HasSuffix(strings.TrimRight(body, " \t\r\n"), mark)
}

// sameBody compares bodies as GitHub keeps them.
func sameBody(a, b string) bool { return normalBody(a) == normalBody(b) }

func normalBody(s string) string {
	return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \t\n")
}

// safe makes a text from files or from a report safe in Markdown.
func safe(s string) string { return report.MarkdownText(secret.Redact(s)) }

// maxMessage bounds a message in a comment, in bytes.
const maxMessage = 4 << 10

func short(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	cut := maxMessage
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}

// ruleName is a rule's id as code, with a link where it has a page.
func ruleName(f *report.DocumentFinding) string {
	name := "`" + strings.ReplaceAll(strings.Join(strings.Fields(report.Clean(f.Rule)), " "), "`", "") + "`"
	if strings.HasPrefix(f.URL, "https://") && !strings.ContainsAny(f.URL, " ()<>\"'|\\\n\r\t`[]") {
		return "[" + name + "](" + f.URL + ")"
	}
	return name
}

// severityName is one of the known words.
func severityName(s string) string {
	switch s {
	case "error", "warning", "info", "undecided":
		return s
	}
	return "finding"
}

// maxRelated is how many related places a comment lists.
const maxRelated = 8

// body is the text of a comment on a finding. Fix is its fix, shown the suggestion or patch.
func (p *placement) body(f *report.DocumentFinding, fix *report.DocumentFix, shown, key string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** %s: %s\n", severityName(f.Severity), ruleName(f), safe(short(f.Message)))
	var lines []string
	for _, g := range f.Figures {
		line := safe(short(report.FigureText(g)))
		if f.Since != nil {
			for _, was := range f.Since.Before {
				if was.Name == g.Name && was.Value != g.Value {
					line += safe(" (before: " + report.NumberText(was.Value) + ")")
				}
			}
		}
		lines = append(lines, line)
	}
	for i, x := range f.Related {
		if i == maxRelated {
			lines = append(lines, fmt.Sprintf("and %d more places", len(f.Related)-i))
			break
		}
		line := safe(fmt.Sprintf("%s:%d", x.File, x.Start.Line))
		if name, ok := p.path(x.File); ok {
			line = safe(fmt.Sprintf("%s:%d", name, x.Start.Line))
		}
		if x.Message != "" {
			line += ": " + safe(short(x.Message))
		}
		lines = append(lines, line)
	}
	if f.Undecided != nil {
		lines = append(lines, safe(short("needs "+strings.Join(f.Undecided.Needs, ", "))))
	}
	if len(lines) > 0 {
		b.WriteString("\n- " + strings.Join(lines, "\n- ") + "\n")
	}
	if fix != nil {
		fmt.Fprintf(&b, "\nFix: %s", safe(short(fix.Title)))
		if fix.Safety == "unsafe" && fix.Question != "" {
			fmt.Fprintf(&b, ". First: %s", safe(short(fix.Question)))
		}
		b.WriteString("\n")
		if shown != "" {
			b.WriteString("\n" + shown)
		}
	}
	b.WriteString("\n" + commentMark + key + markEnd + "\n")
	return b.String()
}

// line is a finding in one line of the review's body or the summary.
func (p *placement) line(f *report.DocumentFinding) string {
	name := f.File
	if full, ok := p.path(f.File); ok {
		name = full
	}
	return fmt.Sprintf("- **%s** %s:%d %s: %s\n", severityName(f.Severity), safe(name), f.Start.Line, ruleName(f), safe(short(f.Message)))
}

// reviewBody is the text of a review: the findings that no line of the diff can hold.
func (p *placement) reviewBody(commented int, outside []*report.DocumentFinding) string {
	var b strings.Builder
	switch {
	case commented > 0 && len(outside) > 0:
		fmt.Fprintf(&b, "agentlint: %s on lines of this pull request, %d more outside its diff or too many for comments:\n\n", count(commented, "finding"), len(outside))
	case len(outside) > 0:
		fmt.Fprintf(&b, "agentlint: %s outside the diff of this pull request or too many for comments:\n\n", count(len(outside), "finding"))
	default:
		fmt.Fprintf(&b, "agentlint: %s on lines of this pull request.\n", count(commented, "finding"))
	}
	writeLines(&b, p, outside)
	b.WriteString("\n" + reviewMark + "\n")
	return b.String()
}

// writeLines lists findings as far as a comment holds them.
func writeLines(b *strings.Builder, p *placement, list []*report.DocumentFinding) {
	for i, f := range list {
		line := p.line(f)
		if b.Len()+len(line) > maxBody-1000 {
			fmt.Fprintf(b, "- and %d more\n", len(list)-i)
			break
		}
		b.WriteString(line)
	}
}

// summaryBody is the text of the one summary of a pull request.
func (p *placement) summaryBody(d *report.Document, list []*report.DocumentFinding) string {
	var b strings.Builder
	b.WriteString("### agentlint\n\n")
	rules := map[string]bool{}
	for _, f := range list {
		rules[f.Rule] = true
	}
	switch {
	case d.Since != nil:
		fmt.Fprintf(&b, "%s.\n", safe(capital(d.Since.Line())))
	case len(list) == 0:
		b.WriteString("No findings.\n")
	default:
		fmt.Fprintf(&b, "%s.\n", count(len(list), "finding"))
	}
	if len(list) > 0 {
		b.WriteString("\n")
		var lines strings.Builder
		for i, f := range list {
			line := p.line(f)
			if lines.Len()+len(line) > maxBody/2 {
				fmt.Fprintf(&lines, "- and %d more\n", len(list)-i)
				break
			}
			lines.WriteString(line)
		}
		b.WriteString(lines.String())
	}
	if d.Since != nil {
		// What does not fit is left out from the end: diagrams first.
		c := *d.Since
		for _, less := range []func(){func() {}, func() { c.Diagrams = nil }, func() { c.Still = nil }, func() { c.Fixed = nil }, func() { c.Figures = nil }} {
			less()
			var part bytes.Buffer
			c.WriteMarkdown(&part, rules)
			if b.Len()+part.Len()+len(summaryMark)+2 <= maxBody {
				b.Write(part.Bytes())
				break
			}
		}
	}
	b.WriteString("\n" + summaryMark + "\n")
	return b.String()
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// SummaryText is the text of the summary without its mark, for places other than the pull request.
func SummaryText(d *report.Document, level model.Severity, prefix string) string {
	r := &Review{Document: d, Level: level}
	p := &placement{prefix: prefix}
	return strings.TrimSuffix(p.summaryBody(d, r.shown()), "\n"+summaryMark+"\n")
}
