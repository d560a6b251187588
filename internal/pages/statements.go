package pages

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"strings"

	"agentlint/internal/cases"
	"agentlint/internal/engine"
	"agentlint/internal/model"
)

// StatementsPage is the page of what the articles say; StatementsTable is what it is written from.
const (
	StatementsPage  = "docs/statements.md"
	StatementsTable = "testdata/statements.tsv"
)

// Statement is what an article says that a file can decide, with the rule that checks it.
type Statement struct {
	Article, Text, Rule string
	// Name is the case of the rule that shows it; empty for the rule's example.
	Name string
	// Meta is the rule, nil as long as it is not built.
	Meta *model.Meta
	// Case is the case in which the rule finds what the statement warns about; nil when there is none.
	Case *cases.Case
}

// Statements reads the table of the articles' statements and looks for their cases. Root is the module's directory.
func Statements(root string) ([]Statement, error) {
	metas, err := engine.Metas()
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(root + "/" + StatementsTable)
	if err != nil {
		return nil, err
	}
	var out []Statement
	for i, l := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")[1:] {
		c := strings.Split(l, "\t")
		if len(c) != 4 {
			return nil, fmt.Errorf("%s:%d: %d columns, want 4", StatementsTable, i+2, len(c))
		}
		s := Statement{Article: c[0], Text: c[1], Rule: c[2], Name: c[3]}
		for _, m := range metas {
			if m.ID == s.Rule {
				s.Meta = m
			}
		}
		list, err := cases.Load(root+"/"+Cases, s.Rule)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			if (s.Name == caseName(x) || s.Name == "" && x.Example) && finds(x, s.Rule) {
				s.Case = x
			}
		}
		out = append(out, s)
	}
	return out, nil
}

func caseName(c *cases.Case) string { return strings.TrimSuffix(path.Base(c.Path), ".txtar") }

// finds reports whether a case expects a finding of the rule, and not only a fact that is missing.
func finds(c *cases.Case, rule string) bool {
	for l := range strings.Lines(c.Want) {
		if strings.Contains(l, "["+rule+"]") && !strings.HasPrefix(l, "unchecked:") {
			return true
		}
	}
	return false
}

// Articles writes the page of the articles' statements.
func Articles(root string) ([]byte, error) {
	list, err := Statements(root)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(`# What the articles say, and the case that shows it

agentlint began with three articles of one series on operating a gateway for agents. Each of their statements that a file can decide
stands here with its rules, and with the case in testdata/rules in which the rule finds it. "Corrected" means that the released source
says something else than the article: the rule follows the source, by release, and its page says how. The page is written from
testdata/statements.tsv, and a test runs that table.
`)
	for _, a := range [...][2]string{{"sizing", "Sizing for agents"}, {"routing", "Prefix routing"}, {"rag", "Aggressive RAG"}} {
		fmt.Fprintf(&b, "\n## %s\n\n| Statement | Rule | Shown by |\n| --- | --- | --- |\n", a[1])
		last := ""
		for _, s := range list {
			if s.Article != a[0] {
				continue
			}
			text := s.Text
			if text == last {
				text = ""
			}
			last = s.Text
			switch {
			case s.Meta == nil:
				fmt.Fprintf(&b, "| %s | %s | not built yet |\n", cell(text), s.Rule)
			case s.Case == nil:
				fmt.Fprintf(&b, "| %s | [%s](rules/%s.md) | no case |\n", cell(text), s.Rule, s.Rule)
			default:
				fmt.Fprintf(&b, "| %s | [%s](rules/%s.md) | [%s](../%s) |\n", cell(text), s.Rule, s.Rule, caseName(s.Case), Cases+"/"+s.Rule+"/"+path.Base(s.Case.Path))
			}
		}
	}
	return b.Bytes(), nil
}
