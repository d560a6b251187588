package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/internal/report"
)

func (a *app) rulesCommand() *cobra.Command {
	var format, category string
	var s settings
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "list the rules",
		Example: `  agentlint rules
  agentlint rules --category database --format markdown`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := oneOf("--format", format, []string{"text", "json", "markdown"}); err != nil {
				return err
			}
			here, err := s.targets(nil)
			if err != nil {
				return err
			}
			own, err := a.policies(here[0], &s)
			if err != nil {
				return err
			}
			if category != "" {
				if err := oneOf("--category", category, newRulebook(a.own...).categories); err != nil {
					return err
				}
			}
			list, err := rulesOf(category, own)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			switch format {
			case "json":
				err = writeRulesJSON(&b, list)
			case "markdown":
				writeRulesMarkdown(&b, list)
			default:
				writeRulesText(&b, list)
			}
			if err != nil {
				return err
			}
			_, err = a.Out.Write(b.Bytes())
			return err
		},
	}
	s.registerPolicies(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "text, json or markdown")
	cmd.Flags().StringVar(&category, "category", "", "list the rules of one `CATEGORY`")
	completeWords(cmd, "format", []string{"text", "json", "markdown"})
	complete(cmd, "category", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return newRulebook().categories, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// rulesOf returns the rules of a category, or all, by category and id.
func rulesOf(category string, own *policy.Custom) ([]*model.Meta, error) {
	all, err := engine.Metas()
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(append(slices.Clone(all), own.Metas()...), func(m *model.Meta) bool { return category != "" && m.Category != category })
	slices.SortFunc(list, func(a, b *model.Meta) int {
		if d := strings.Compare(a.Category, b.Category); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

func writeRulesText(b *bytes.Buffer, list []*model.Meta) {
	wide := 0
	for _, m := range list {
		wide = max(wide, len(m.ID))
	}
	last := ""
	for _, m := range list {
		if m.Category != last {
			if last != "" {
				b.WriteByte('\n')
			}
			fmt.Fprintf(b, "%s\n", m.Category)
			last = m.Category
		}
		fix := ""
		if m.Fix != model.NoFix {
			fix = " [" + m.Fix.String() + " fix]"
		}
		fmt.Fprintf(b, "  %-*s  %-9s %s%s\n", wide, m.ID, m.Severity, m.Title, fix)
	}
	fmt.Fprintf(b, "\n%s; agentlint explain ID tells more\n", count(len(list), "rule"))
}

func writeRulesMarkdown(b *bytes.Buffer, list []*model.Meta) {
	b.WriteString("| rule | category | severity | confidence | applies | fix | what it finds | evidence |\n|---|---|---|---|---|---|---|---|\n")
	for _, m := range list {
		var evidence []string
		for _, e := range m.Evidence {
			evidence = append(evidence, e.Artefact+" `"+e.File+"`")
		}
		row := []string{"`" + m.ID + "`", m.Category, m.Severity.String(), m.Confidence.String(), strings.Join(m.Applies, ", "), m.Fix.String(), m.Title, strings.Join(evidence, "; ")}
		for i := range row {
			row[i] = report.TableCell(row[i])
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}

// ruleJSON is a rule as `agentlint rules --format json` prints it.
type ruleJSON struct {
	ID         string          `json:"id"`
	Title      string          `json:"title"`
	Category   string          `json:"category"`
	Severity   model.Severity  `json:"severity"`
	Confidence string          `json:"confidence"`
	Applies    []string        `json:"applies"`
	Inputs     []string        `json:"inputs"`
	Why        string          `json:"why"`
	Remedy     string          `json:"remedy"`
	Fix        string          `json:"fix"`
	FixTitle   string          `json:"fix_title,omitempty"`
	Question   string          `json:"question,omitempty"`
	Since      string          `json:"since,omitempty"`
	Aliases    []string        `json:"aliases"`
	Parameters []parameterJSON `json:"parameters"`
	Evidence   []evidenceJSON  `json:"evidence"`
}

type parameterJSON struct {
	Name    string  `json:"name"`
	Default float64 `json:"default"`
	Unit    string  `json:"unit"`
	Why     string  `json:"why"`
}

type evidenceJSON struct {
	Artefact string `json:"artefact"`
	File     string `json:"file"`
	Symbol   string `json:"symbol,omitempty"`
	Checked  string `json:"checked"`
	Note     string `json:"note,omitempty"`
}

func writeRulesJSON(b *bytes.Buffer, list []*model.Meta) error {
	out := []ruleJSON{}
	for _, m := range list {
		j := ruleJSON{
			ID: m.ID, Title: m.Title, Category: m.Category, Severity: m.Severity, Confidence: m.Confidence.String(),
			Applies: full(m.Applies), Inputs: full(m.Inputs), Why: m.Why, Remedy: m.Remedy, Fix: m.Fix.String(), FixTitle: m.FixTitle,
			Question: m.Question, Since: m.Since, Aliases: full(m.Aliases), Parameters: []parameterJSON{}, Evidence: []evidenceJSON{},
		}
		for _, p := range m.Parameters {
			j.Parameters = append(j.Parameters, parameterJSON(p))
		}
		for _, e := range m.Evidence {
			j.Evidence = append(j.Evidence, evidenceJSON(e))
		}
		out = append(out, j)
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// full returns a list that JSON prints as [] when it is empty.
func full(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
