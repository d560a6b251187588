// Package pages writes the documentation of rules, one page each, out of what a rule says of itself and of its case
// that is marked as the example: its input, what the rule prints for it, and its fix. Generators and tests use it.
package pages

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"agentlint/internal/cases"
	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/report"
)

// Dir is where the pages are, below the module's root; Cases is where the cases are.
const (
	Dir   = "docs/rules"
	Cases = "testdata/rules"
)

// indexName is the page that lists all others.
const indexName = "README.md"

// All returns every page of the rules with a case, by name below Dir. Root is the module's directory.
func All(root string) (map[string][]byte, error) {
	metas, err := engine.Metas()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(metas, func(a, b *model.Meta) int { return strings.Compare(a.ID, b.ID) })
	answers, err := Answers(root)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{indexName: index(metas)}
	for _, m := range metas {
		list, err := cases.Load(root+"/"+Cases, m.ID)
		if err != nil {
			return nil, err
		}
		page, err := Page(m, list, answers)
		if err != nil {
			return nil, err
		}
		out[m.ID+".md"] = page
	}
	return out, nil
}

// Page returns the page of one rule with its example among its cases, and with what running releases answered about it.
func Page(m *model.Meta, list []*cases.Case, answers []Answer) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", m.Title)
	fmt.Fprintf(&b, "`%s` · %s\n\n", m.ID, strings.Join(facts(m), " · "))
	fmt.Fprintf(&b, "%s\n\n## What to write instead\n\n%s\n", m.Why, m.Remedy)
	for _, c := range list {
		if c.Example {
			if err := example(&b, m, c); err != nil {
				return nil, err
			}
		}
	}
	parameters(&b, m)
	fmt.Fprintf(&b, "\n## Turning it off\n\nOn the line, the line above or a parent key, with the reason:\n\n```yaml\n# agentlint: ignore[%s] reason\n```\n\n", m.ID)
	fmt.Fprintf(&b, "or for the whole repository, in `.agentlint.yaml`:\n\n```yaml\nrules:\n  %s: off\n```\n", m.ID)
	evidence(&b, m)
	observed(&b, m, answers)
	return b.Bytes(), nil
}

// facts are the short facts below the title.
func facts(m *model.Meta) []string {
	out := []string{m.Category, with(m.Severity.String(), m.Severities), "confidence " + with(m.Confidence.String(), m.Confidences)}
	if len(m.Applies) > 0 {
		out = append(out, strings.Join(m.Applies, ", "))
	}
	switch m.Fix {
	case model.Safe:
		out = append(out, "fixed by `agentlint fix`")
	case model.Unsafe:
		out = append(out, fmt.Sprintf("fixed by `agentlint fix --unsafe --only %s`", m.ID))
	default:
		out = append(out, "no automatic fix")
	}
	out = append(out, "since "+m.Since)
	if len(m.Aliases) > 0 {
		out = append(out, "formerly "+strings.Join(m.Aliases, ", "))
	}
	return out
}

// with adds the other values that a guard may choose.
func with[T fmt.Stringer](value string, others []T) string {
	if len(others) == 0 {
		return value
	}
	names := make([]string, len(others))
	for i, o := range others {
		names[i] = o.String()
	}
	return value + " (or " + strings.Join(names, ", ") + ")"
}

func example(b *bytes.Buffer, m *model.Meta, c *cases.Case) error {
	r, err := c.Run(c.Input)
	if err != nil {
		return err
	}
	b.WriteString("\n## Example\n")
	for _, name := range c.Files() {
		fmt.Fprintf(b, "\n`%s`:\n\n```%s\n%s```\n", name, language(name), ended(c.Input[name]))
	}
	var out bytes.Buffer
	if err := report.Write(&out, "pretty", r, report.Options{Quiet: true, Level: model.Undecided, Width: 110}); err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	command := append([]string{"agentlint check"}, c.Args()...)
	fmt.Fprintf(b, "\n`%s` prints:\n\n```text\n%s\n```\n", strings.Join(command, " "), strings.TrimSpace(out.String()))
	after, _, _, err := c.Fix(c.Input)
	if err != nil {
		return err
	}
	changed := cases.Changed(c.Input, after)
	if len(changed) == 0 {
		return nil
	}
	b.WriteString("\nThe fix")
	if m.Question != "" {
		fmt.Fprintf(b, ", once this is answered: %s", m.Question)
	}
	b.WriteString("\n\n```diff\n")
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		b.WriteString(udiff.Unified("a/"+name, "b/"+name, string(c.Input[name]), string(changed[name])))
	}
	b.WriteString("```\n")
	return nil
}

// language is the name of a fenced block's language.
func language(name string) string {
	switch ext := path.Ext(name); ext {
	case ".yaml", ".yml":
		return "yaml"
	case ".json", ".toml", ".ini", ".sh":
		return ext[1:]
	}
	if strings.HasPrefix(path.Base(name), "Dockerfile") {
		return "dockerfile"
	}
	return "text"
}

func ended(b []byte) []byte {
	if !bytes.HasSuffix(b, []byte("\n")) {
		return append(slices.Clone(b), '\n')
	}
	return b
}

func parameters(b *bytes.Buffer, m *model.Meta) {
	if len(m.Parameters) == 0 {
		return
	}
	b.WriteString("\n## Parameters\n\n| name | default | unit | why |\n|---|---|---|---|\n")
	for _, p := range m.Parameters {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.Name, model.Number(p.Default), p.Unit, cell(p.Why))
	}
	p := m.Parameters[0]
	fmt.Fprintf(b, "\n```yaml\nrules:\n  %s: {%s: %s}\n```\n", m.ID, p.Name, model.Number(p.Default))
}

func evidence(b *bytes.Buffer, m *model.Meta) {
	if len(m.Evidence) == 0 {
		return
	}
	b.WriteString("\n## Where this was read\n\n")
	for _, e := range m.Evidence {
		fmt.Fprintf(b, "* %s", e.Artefact)
		if e.File != "" {
			fmt.Fprintf(b, ", `%s`", e.File)
		}
		if e.Symbol != "" {
			fmt.Fprintf(b, " (`%s`)", e.Symbol)
		}
		fmt.Fprintf(b, ", %s.", e.Checked)
		if e.Note != "" {
			fmt.Fprintf(b, " %s", e.Note)
		}
		b.WriteByte('\n')
	}
}

// observed lists the questions about a rule that a running proxy answered as predicted.
func observed(b *bytes.Buffer, m *model.Meta, answers []Answer) {
	head := "\n## Seen in a running proxy\n\n"
	for _, a := range answers {
		if a.Suite != "behaviour" || a.Unanswered != "" || !slices.Contains(a.Rules, m.ID) {
			continue
		}
		b.WriteString(head)
		head = ""
		fmt.Fprintf(b, "* litellm %s: [%s](../evidence/%s#%s) %s.\n", a.Release, a.Question, evidencePage(a.Suite, a.Release), anchor(a.Name), strings.TrimSuffix(a.Observed, "."))
	}
}

// cell is a text in a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

// index lists the rules, one a line.
func index(metas []*model.Meta) []byte {
	var b bytes.Buffer
	b.WriteString("# Rules\n\n| rule | category | severity | fix | what it finds |\n|---|---|---|---|---|\n")
	for _, m := range metas {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s | %s |\n", m.ID, m.ID, m.Category, m.Severity, m.Fix, cell(m.Title))
	}
	return b.Bytes()
}
