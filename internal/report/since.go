package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

// Document is a report as --format json prints it.
type Document = jsonReport

// DocumentFinding, DocumentFix and DocumentEdit are parts of a [Document].
type (
	DocumentFinding = jsonFinding
	DocumentFix     = jsonFix
	DocumentEdit    = jsonEdit
)

// Decode reads a report that --format json printed. It may come from elsewhere: nothing in it is trusted but its shape.
func Decode(b []byte) (*Document, error) {
	var d Document
	if err := json.Unmarshal(b, &d); err != nil {
		return nil, err
	}
	if d.Schema != Schema {
		return nil, fmt.Errorf("schema is %q, want %q", d.Schema, Schema)
	}
	for _, f := range d.Findings {
		if f.Start.Line < 1 || f.End.Line < f.Start.Line || f.End.Line > maxLine || f.Start.Column < 1 {
			return nil, errors.New("a finding has no place")
		}
	}
	return &d, nil
}

// maxLine bounds the lines that a report may name.
const maxLine = 1 << 28

// Changes is what a comparison with an older revision says, as it stands in JSON under since.
type Changes struct {
	Rev    string `json:"rev"`
	Commit string `json:"commit,omitempty"`
	// LinesOnly means that only the changed lines were known: fixed and figures say nothing then.
	LinesOnly bool           `json:"lines_only"`
	New       int            `json:"new"`
	Worse     int            `json:"worse"`
	Ignored   int            `json:"ignored"`
	Fixed     []ChangedPlace `json:"fixed"`
	Still     []ChangedPlace `json:"still"`
	Figures   []FigureChange `json:"figures"`
	Diagrams  []Diagram      `json:"diagrams"`
}

// ChangedPlace is a finding in short.
type ChangedPlace struct {
	Rule        string `json:"rule"`
	Severity    string `json:"severity"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	Message     string `json:"message"`
	Fingerprint string `json:"fingerprint"`
}

// FigureChange is a number that changed; a nil one was not there.
type FigureChange struct {
	Stack       string   `json:"stack"`
	Rule        string   `json:"rule"`
	Name        string   `json:"name"`
	Unit        string   `json:"unit"`
	Before      *float64 `json:"before"`
	After       *float64 `json:"after"`
	LimitBefore *float64 `json:"limit_before"`
	Limit       *float64 `json:"limit"`
}

// Diagram is a stack whose shape changed, as Mermaid flowcharts; "" for a state that does not exist.
type Diagram struct {
	Stack  string `json:"stack"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// findingChange is what a comparison says of one finding.
type findingChange struct {
	Status string         `json:"status"`
	Moved  bool           `json:"moved"`
	Cause  *changeCause   `json:"cause,omitempty"`
	Before []model.Figure `json:"before"`
}

type changeCause struct {
	Key  string `json:"key"`
	From string `json:"from"`
	To   string `json:"to"`
}

func changeOf(f *engine.Finding) *findingChange {
	if f.Status == engine.Uncompared {
		return nil
	}
	c := &findingChange{Status: f.Status.String(), Moved: f.Moved, Before: []model.Figure{}}
	if f.Cause != nil {
		c.Cause = &changeCause{redact(f.Cause.Key), redact(f.Cause.From), redact(f.Cause.To)}
	}
	for _, g := range f.Before {
		g.Name, g.Unit, g.Formula = redact(g.Name), redact(g.Unit), redact(g.Formula)
		c.Before = append(c.Before, g)
	}
	return c
}

// maxChanged bounds the findings that are listed as fixed or still there.
const maxChanged = 1000

// ChangesOf returns what a comparison says, nil for a result that was not compared.
func ChangesOf(r *engine.Result) *Changes {
	s := r.Since
	if s == nil {
		return nil
	}
	c := &Changes{Rev: s.Rev, Commit: s.Commit, LinesOnly: s.Lines, Ignored: s.Ignored, Fixed: places(s.Fixed), Still: places(s.Still), Figures: []FigureChange{}, Diagrams: []Diagram{}}
	for i := range r.Findings {
		switch r.Findings[i].Status {
		case engine.New:
			c.New++
		case engine.Worse:
			c.Worse++
		}
	}
	for _, x := range s.Figures {
		g := FigureChange{Stack: x.Stack, Rule: x.Rule}
		for _, f := range []*model.Figure{x.Before, x.After} {
			if f != nil {
				g.Name, g.Unit = redact(f.Name), redact(f.Unit)
			}
		}
		if x.Before != nil {
			g.Before, g.LimitBefore = &x.Before.Value, x.Before.Limit
		}
		if x.After != nil {
			g.After, g.Limit = &x.After.Value, x.After.Limit
		}
		c.Figures = append(c.Figures, g)
	}
	for _, x := range s.Stacks {
		if len(c.Diagrams) == maxDiagrams || x.Before == nil && x.After == nil {
			continue
		}
		if x.Before != nil && x.After != nil && slices.Equal(shapeOf(x.Before), shapeOf(x.After)) {
			continue
		}
		d := Diagram{Stack: x.Name}
		if x.Before != nil {
			d.Before = Mermaid(x.Before)
		}
		if x.After != nil {
			d.After = Mermaid(x.After)
		}
		if strings.Count(d.Before, "\n") > 2 || strings.Count(d.After, "\n") > 2 {
			c.Diagrams = append(c.Diagrams, d)
		}
	}
	return c
}

func places(list []*engine.Finding) []ChangedPlace {
	out := []ChangedPlace{}
	for _, f := range list[:min(maxChanged, len(list))] {
		path, start, _ := where(f.Location)
		out = append(out, ChangedPlace{f.Rule, f.Severity.String(), path, start.Line, redact(f.Message), f.Fingerprint})
	}
	return out
}

// shapeOf is the shape of a stack: its parts and what leads where, without numbers and versions.
func shapeOf(s *model.Stack) []string {
	d := draw(s)
	name := map[string]string{}
	var out []string
	for _, n := range d.nodes {
		text := strings.Join(n.lines, " ")
		switch words := strings.Fields(text); {
		case strings.HasPrefix(text, "gateway "), strings.HasPrefix(text, "Postgres"):
			text = words[0]
		case strings.HasPrefix(text, "router "), strings.HasPrefix(text, "pooler "):
			text = strings.Join(words[:min(2, len(words))], " ")
		case n.shape == box || n.shape == rounded:
			text = n.lines[0]
		}
		name[n.id] = text
		out = append(out, text)
	}
	for _, e := range d.edges {
		out = append(out, name[e.from]+" -> "+name[e.to])
	}
	slices.Sort(out)
	return out
}

// Line says in one line what a comparison found.
func (c *Changes) Line() string {
	var parts []string
	parts = append(parts, fmt.Sprintf("%d new", c.New))
	if c.Worse > 0 {
		parts = append(parts, fmt.Sprintf("%d worse", c.Worse))
	}
	if !c.LinesOnly {
		parts = append(parts, fmt.Sprintf("%d fixed", len(c.Fixed)))
	}
	if c.Ignored > 0 {
		parts = append(parts, fmt.Sprintf("%d ignored now", c.Ignored))
	}
	parts = append(parts, fmt.Sprintf("%d still there", len(c.Still)))
	head := "since " + shortRev(c.Rev)
	if c.LinesOnly {
		head = "on changed lines"
	}
	return clean(redact(head + ": " + strings.Join(parts, ", ")))
}

// shortRev shortens the full name of a commit.
func shortRev(rev string) string {
	if len(rev) >= 40 && strings.Trim(rev, "0123456789abcdef") == "" {
		return rev[:12]
	}
	return rev
}

// text is a change in one line: connections 96 -> 240 of 197.
func (g *FigureChange) text() string {
	value := func(x *float64) string {
		if x == nil {
			return "none"
		}
		return number(*x)
	}
	s := g.Name + " "
	if g.Before != nil && g.After != nil && *g.Before == *g.After {
		s += value(g.After)
	} else {
		s += value(g.Before) + " -> " + value(g.After)
	}
	if g.Unit != "" && g.Unit != g.Name {
		s += " " + g.Unit
	}
	switch {
	case g.Limit != nil && g.LimitBefore != nil && *g.Limit != *g.LimitBefore:
		s += " of " + number(*g.Limit) + " (was " + number(*g.LimitBefore) + ")"
	case g.Limit != nil:
		s += " of " + number(*g.Limit)
	case g.LimitBefore != nil:
		s += " of " + number(*g.LimitBefore)
	}
	return s
}

// maxListed bounds the findings of one list in Markdown.
const maxListed = 50

// WriteMarkdown prints figures, what is fixed and what is still there, and the diagrams of stacks whose shape changed.
// Reported are the rules that have findings.
func (c *Changes) WriteMarkdown(b *bytes.Buffer, reported map[string]bool) {
	if len(c.Figures) > 0 {
		b.WriteString("\n### Figures\n\n| stack | before -> after |\n|---|---|\n")
		for i := range c.Figures {
			g := &c.Figures[i]
			text := markdownText(redact(g.text()))
			if reported[g.Rule] {
				text = "**" + text + "**"
			}
			fmt.Fprintf(b, "| %s | %s |\n", markdownText(g.Stack), text)
		}
	}
	list := func(title string, of []ChangedPlace) {
		if len(of) == 0 {
			return
		}
		fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", title)
		for i, x := range of {
			if i == maxListed {
				fmt.Fprintf(b, "- and %d more\n", len(of)-i)
				break
			}
			fmt.Fprintf(b, "- %s:%d `%s`: %s\n", markdownText(x.File), x.Line, strings.ReplaceAll(clean(x.Rule), "`", ""), markdownText(redact(x.Message)))
		}
		b.WriteString("\n</details>\n")
	}
	list(plural(len(c.Fixed), "finding")+" fixed", c.Fixed)
	list(plural(len(c.Still), "finding")+" still there", c.Still)
	for i, d := range c.Diagrams {
		if i == maxDiagrams || b.Len()+len(d.Before)+len(d.After) > maxMarkdown {
			break
		}
		switch {
		case d.After == "":
			fmt.Fprintf(b, "\n%s is gone.\n", markdownText(d.Stack))
		case d.Before == "":
			fmt.Fprintf(b, "\n%s is new:\n\n```mermaid\n%s```\n", markdownText(d.Stack), fenced(d.After))
		default:
			fmt.Fprintf(b, "\n%s has another shape:\n\n```mermaid\n%s```\n\n<details><summary>before</summary>\n\n```mermaid\n%s```\n\n</details>\n", markdownText(d.Stack), fenced(d.After), fenced(d.Before))
		}
	}
}

// fenced keeps a text inside a fence of three backticks.
func fenced(s string) string {
	s = strings.ReplaceAll(s, "`", "'")
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

// MarkdownText makes text safe in a cell or a paragraph of Markdown.
func MarkdownText(s string) string { return markdownText(s) }

// FigureText is a computed number with its formula, in one line.
func FigureText(g model.Figure) string { return figure(g) }

// NumberText is a number as reports print it.
func NumberText(x float64) string { return number(x) }
