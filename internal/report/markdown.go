package report

import (
	"bytes"
	"fmt"
	"strings"

	"agentlint/internal/engine"
)

// maxMarkdown leaves room for what other steps write: GitHub takes 1 MiB of summary from one step.
const maxMarkdown = 1<<20 - 64<<10

// maxDiagrams bounds the stacks that are drawn.
const maxDiagrams = 5

// writeMarkdown prints a summary for a pull request or a job's page: counts, a diagram of each stack, a table of
// findings, what was not checked.
func writeMarkdown(b *bytes.Buffer, r *engine.Result, o *Options) error {
	c := Count(r.Findings)
	b.WriteString("## agentlint\n\n")
	switch {
	case len(r.Stacks) == 0 && len(r.Findings) == 0:
		fmt.Fprintf(b, "No LiteLLM or vLLM configuration found (%s looked at).\n", plural(r.FilesLooked, "file"))
		return nil
	case len(r.Findings) == 0:
		fmt.Fprintf(b, "No findings in %s.\n", plural(r.FilesRead, "file"))
	default:
		fmt.Fprintf(b, "| errors | warnings | info | undecided | `agentlint fix` repairs | need a decision |\n|---|---|---|---|---|---|\n| %d | %d | %d | %d | %d | %d |\n",
			c.Error, c.Warning, c.Info, c.Undecided, c.Safe, c.Unsafe)
	}
	changes := ChangesOf(r)
	if changes != nil {
		fmt.Fprintf(b, "\n%s.\n", markdownText(changes.Line()))
	}
	for _, s := range r.Stacks {
		fmt.Fprintf(b, "\n**%s**: %s\n", markdownText(s.Title()), markdownText(redact(s.Line)))
	}
	findings := shown(r, o)
	if len(findings) > 0 {
		b.WriteString("\n### Findings\n\n| | where | rule | what |\n|---|---|---|---|\n")
	}
	for i, f := range findings {
		row := markdownRow(f)
		if b.Len()+len(row) > maxMarkdown {
			fmt.Fprintf(b, "\n%s more do not fit here.\n", plural(len(findings)-i, "finding"))
			break
		}
		b.WriteString(row)
	}
	if hidden := len(r.Findings) - len(findings); hidden > 0 {
		fmt.Fprintf(b, "\n%s not shown (`--level undecided` shows them).\n", plural(hidden, "milder finding"))
	}
	if changes != nil {
		rules := map[string]bool{}
		for i := range r.Findings {
			rules[r.Findings[i].Rule] = true
		}
		changes.WriteMarkdown(b, rules)
	}
	if groups := Unchecked(r); len(groups) > 0 {
		b.WriteString("\n### Not checked\n\n")
		for _, u := range groups {
			fmt.Fprintf(b, "- needs %s: %s\n", markdownText(list(u.Needs)), markdownText(few(u.Rules, 8)))
		}
	}
	var drawn int
	for _, s := range r.Stacks {
		if s.Stack == nil || drawn == maxDiagrams {
			continue
		}
		picture := Mermaid(s.Stack)
		if strings.Count(picture, "\n") < 3 || b.Len()+len(picture) > maxMarkdown {
			continue
		}
		drawn++
		fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n```mermaid\n%s```\n\n</details>\n", htmlText(s.Title()), picture)
	}
	return nil
}

func markdownRow(f *engine.Finding) string {
	what := markdownText(redact(f.Message))
	for _, g := range f.Figures {
		what += "<br>" + markdownText(figure(g))
	}
	for i, x := range f.Related {
		if i == 5 {
			what += fmt.Sprintf("<br>and %d more places", len(f.Related)-i)
			break
		}
		what += "<br>" + markdownText(place(x.Location))
		if x.Message != "" {
			what += ": " + markdownText(redact(x.Message))
		}
	}
	rule := "`" + strings.ReplaceAll(clean(f.Rule), "`", "") + "`"
	if strings.HasPrefix(f.URL, "https://") {
		rule = "[" + rule + "](" + strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "|", "%7C", "<", "%3C", ">", "%3E", `"`, "%22").Replace(clean(f.URL)) + ")"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", f.Severity, markdownText(place(f.Location)), rule, what)
}

// markdownText makes text safe in a cell or a paragraph of Markdown: it can end no cell, start no markup, mention
// nobody and hold no HTML.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range clean(s) {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '#', '|', '~', '!', '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@':
			b.WriteString("&#64;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func htmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "@", "&#64;").Replace(clean(s))
}
