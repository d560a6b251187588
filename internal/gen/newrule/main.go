// Command newrule writes the two places of a new rule, its file and its folder of cases, out of a row of the table of
// rules that are planned:
//
//	go run -C internal/gen ./newrule [--lang go|rego] [--catalogue FILE] ID
//
// The table, planned.tsv beside this file or another one, has tab-separated columns id, category, tier, severity,
// confidence, lang, inputs, applies, fix, statement and guard, named in its first line. Rows of tier X are those that are
// not to be built, with the reason as their guard. Nothing that exists is overwritten. A row leaves the table with the
// rule that it became.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/policy"
)

// planned are the rules that nobody has written yet.
//
//go:embed planned.tsv
var planned string

func main() {
	log.SetFlags(0)
	catalogue := flag.String("catalogue", "", "another table of planned rules than the repository's, a `FILE`")
	lang := flag.String("lang", "", "go or rego instead of the table's")
	root := flag.String("root", "../..", "the module's directory")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: newrule [--lang go|rego] [--catalogue FILE] ID")
	}
	table := planned
	if *catalogue != "" {
		text, err := os.ReadFile(*catalogue)
		if err != nil {
			log.Fatal(err)
		}
		table = string(text)
	}
	r, err := find(table, flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	if *lang != "" {
		r.lang = *lang
	}
	if err := write(os.Stdout, *root, r); err != nil {
		log.Fatal(err)
	}
}

// row is one line of the table.
type row struct {
	id, category, severity, confidence, lang, statement, guard string

	inputs, applies  []string
	safety, fixTitle string
}

// find reads the row of a rule.
func find(table, id string) (*row, error) {
	var header []string
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if header == nil {
			header = cells
			continue
		}
		get := func(name string) string {
			for i, h := range header {
				if h == name && i < len(cells) {
					return strings.TrimSpace(cells[i])
				}
			}
			return ""
		}
		if get("id") != id {
			continue
		}
		if get("tier") == "X" {
			return nil, fmt.Errorf("rule %s is not to be built: %s", id, get("guard"))
		}
		r := &row{id: id, category: get("category"), severity: get("severity"), confidence: get("confidence"), lang: get("lang"),
			statement: get("statement"), guard: get("guard")}
		for input := range strings.SplitSeq(get("inputs"), ",") {
			r.inputs = append(r.inputs, strings.TrimSpace(input))
		}
		r.applies = ranges(get("applies"))
		r.safety, r.fixTitle, _ = strings.Cut(get("fix"), ":")
		r.fixTitle = strings.TrimSpace(r.fixTitle)
		return r, nil
	}
	return nil, fmt.Errorf("rule %s is not in the table of planned rules", id)
}

// ranges splits "litellm>=1.83,<1.91" at the names of products.
func ranges(s string) []string {
	if s == "any" || s == "" {
		return nil
	}
	var out []string
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		if strings.ContainsAny(part[:1], "<>=!") && len(out) > 0 {
			out[len(out)-1] += " " + part
			continue
		}
		out = append(out, part)
	}
	return out
}

// write writes the rule's file and its cases below root and lists them.
func write(w io.Writer, root string, r *row) error {
	files := map[string]string{}
	switch r.lang {
	case "go":
		src, err := format.Source([]byte(r.goSource()))
		if err != nil {
			return fmt.Errorf("format: %w", err)
		}
		files["rules/"+strings.ReplaceAll(r.id, "-", "_")+".go"] = string(src)
	case "rego":
		files["policies/"+policy.FileOf(&model.Meta{ID: r.id, Inputs: r.inputs})] = r.regoSource()
	default:
		return fmt.Errorf("language %q: want go or rego", r.lang)
	}
	dir := "testdata/rules/" + r.id + "/"
	files[dir+"fires.txtar"] = "# example\n" + r.statement + "\n" + caseInput
	files[dir+"fires-elsewhere.txtar"] = "The same in another kind of file.\n" + caseInput
	for i, s := range sentences(r.guard) {
		files[fmt.Sprintf("%ssilent-%d.txtar", dir, i+1)] = s + "\n" + caseInput
	}
	for name := range files {
		if _, err := os.Stat(filepath.Join(root, name)); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s exists", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(w, name)
	}
	return nil
}

const caseInput = `-- config.yaml --
model_list:
  - model_name: coder
    litellm_params:
      model: hosted_vllm/coder
      api_base: http://vllm:8000/v1
-- want --
`

// sentences splits a guard; abbreviations in it have no blank after their period.
func sentences(guard string) []string {
	var out []string
	for s := range strings.SplitSeq(guard, ". ") {
		if s = strings.TrimSuffix(strings.TrimSpace(s), "."); s != "" {
			out = append(out, s+".")
		}
	}
	return out
}

// wrap breaks a text into lines of at most width bytes, where it has blanks.
func wrap(text string, width int) []string {
	var out []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			out = append(out, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(out, line)
}

// title is the statement up to its first comma, without the period.
func (r *row) title() string {
	t, _, _ := strings.Cut(r.statement, ",")
	return strings.TrimSuffix(t, ".")
}

func (r *row) regoSource() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# METADATA")
	line("# title: %s", strconv.Quote(r.title()))
	line("# description: |")
	for _, l := range wrap(r.statement, 114) {
		line("#   %s", l)
	}
	line("# custom:")
	line("#   category: %s", r.category)
	line("#   severity: %s", r.severity)
	line("#   confidence: %s", r.confidence)
	line("#   inputs: [%s]", strings.Join(r.inputs, ", "))
	if len(r.applies) > 0 {
		line("#   applies: [%s]", quoted(r.applies))
	}
	line("#   remedy: |")
	line("#     %s", strings.ToUpper(r.fixTitle[:min(1, len(r.fixTitle))])+r.fixTitle[min(1, len(r.fixTitle)):])
	line("#   since: \"0.1\"")
	if r.safety != "none" {
		line("#   fix:")
		line("#     safety: %s", r.safety)
		line("#     title: %s", strconv.Quote(r.fixTitle))
		if r.safety == "unsafe" {
			line("#     question: \"\"")
		}
	}
	line("#   evidence:")
	line("#     - artefact: \"\"")
	line("#       file: \"\"")
	line("#       symbol: \"\"")
	line("#       checked: \"\"")
	line("#   messages:")
	line("#     main: %s", strconv.Quote(r.title()))
	line("package agentlint.rules[%q]", r.id)
	line("")
	line("import data.agentlint.lib")
	line("")
	for _, s := range sentences(r.guard) {
		for _, l := range wrap(s, 116) {
			line("# %s", l)
		}
	}
	line("findings contains {\"at\": path} if {")
	line("\tpath := %s", pathLiteral(r.inputs[0]))
	line("\tlib.present(path)")
	line("}")
	return b.String()
}

// pathLiteral is an input's name as a Rego path.
func pathLiteral(input string) string {
	return "[" + quoted(strings.Split(strings.Replace(input, "engine.", "engines.", 1), ".")) + "]"
}

func quoted(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = strconv.Quote(s)
	}
	return strings.Join(out, ", ")
}

func (r *row) goSource() string {
	severity := map[string]string{"error": "model.Error", "warning": "model.Warning", "info": "model.Info"}[r.severity]
	confidence := map[string]string{"high": "model.High", "medium": "model.Medium", "low": "model.Low"}[r.confidence]
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("package rules\n\nimport \"agentlint/internal/model\"\n")
	line("var _ = register(Rule{")
	line("Meta: model.Meta{")
	line("ID: %q, Title: %q, Category: %q,", r.id, r.title(), r.category)
	line("Why: %q,", r.statement)
	line("Remedy: %q,", r.fixTitle)
	line("Severity: %s, Confidence: %s,", severity, confidence)
	line("Inputs: []string{%s},", quoted(r.inputs))
	if len(r.applies) > 0 {
		line("Applies: []string{%s},", quoted(r.applies))
	}
	switch r.safety {
	case "safe":
		line("Fix: model.Safe, FixTitle: %q,", r.fixTitle)
	case "unsafe":
		line("Fix: model.Unsafe, FixTitle: %q, Question: \"\",", r.fixTitle)
	}
	line("Since: \"0.1\",")
	line("Evidence: []model.Evidence{{Artefact: \"\", File: \"\", Symbol: \"\", Checked: \"\"}},")
	line("},")
	line("Check: func(p *Pass) {")
	for _, s := range sentences(r.guard) {
		for _, l := range wrap(s, 106) {
			line("// %s", l)
		}
	}
	line("at := model.Path{%s}", quoted(strings.Split(strings.Replace(r.inputs[0], "engine.", "engines.", 1), ".")))
	line("if p.State(at...) == model.Present {")
	line("p.Report(at, %q)", r.title())
	line("}")
	line("},")
	line("})")
	return b.String()
}
