package pages

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// EvidenceDir holds the pages of what releases answered, and the tables that they are written from.
const EvidenceDir = "docs/evidence"

// The tables of EvidenceDir, which internal/gen/oracle writes.
const (
	AnswersTable = "answers.tsv"
	TalliesTable = "tallies.tsv"
)

// AnswersHeader and TalliesHeader are the first lines of the tables.
const (
	AnswersHeader = "suite\trelease\tname\trules\tquestion\tpredicted\tobserved\tunanswered"
	TalliesHeader = "suite\trelease\tasked\tquestions\tagree\tdiffer\tunanswered"
)

// Answer is what came of one question put to one release. Of the large suites only those that differ, those without an
// answer and the configurations that were refused are kept.
type Answer struct {
	Suite, Release, Name string
	Rules                []string
	Question             string
	// Predicted is what agentlint says; several answers are separated by " or ". Unanswered says why there is no Observed.
	Predicted, Observed, Unanswered string
}

// Tally is how a suite went at one release. Asked is a date, YYYY-MM-DD.
type Tally struct {
	Suite, Release, Asked                string
	Questions, Agree, Differ, Unanswered int
}

// Tallies reads how the suites went; none when nothing was asked yet.
func Tallies(root string) ([]Tally, error) {
	rows, err := table(root, TalliesTable, TalliesHeader)
	if err != nil {
		return nil, err
	}
	var out []Tally
	for _, c := range rows {
		t := Tally{Suite: c[0], Release: c[1], Asked: c[2]}
		for i, n := range []*int{&t.Questions, &t.Agree, &t.Differ, &t.Unanswered} {
			if *n, err = strconv.Atoi(c[3+i]); err != nil {
				return nil, fmt.Errorf("%s/%s: %w", EvidenceDir, TalliesTable, err)
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// Answers reads what releases answered; none when nothing was asked yet.
func Answers(root string) ([]Answer, error) {
	rows, err := table(root, AnswersTable, AnswersHeader)
	if err != nil {
		return nil, err
	}
	var out []Answer
	for _, c := range rows {
		out = append(out, Answer{Suite: c[0], Release: c[1], Name: c[2], Rules: strings.Fields(c[3]), Question: c[4], Predicted: c[5], Observed: c[6], Unanswered: c[7]})
	}
	return out, nil
}

func table(root, name, header string) ([][]string, error) {
	b, err := os.ReadFile(root + "/" + EvidenceDir + "/" + name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	head, text, _ := strings.Cut(string(b), "\n")
	if head != header {
		return nil, fmt.Errorf("%s/%s: the first line is not %q", EvidenceDir, name, header)
	}
	var out [][]string
	for line := range strings.Lines(text) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(c) != strings.Count(header, "\t")+1 {
			return nil, fmt.Errorf("%s/%s: %q has %d columns", EvidenceDir, name, c[0], len(c))
		}
		out = append(out, c)
	}
	return out, nil
}

// suites are the headings and explanations of the oracle's suites, in the order of a page.
var suites = [...]struct{ name, title, text string }{
	{"behaviour", "Behaviour", "Each deployment was started and used, and agentlint was asked about the same files."},
	{"starts", "What loads", "Every configuration in the cases of the rules, and every fixed one, was given to the proxy's own loader. Listed are those that it refused; some of them for want of what stands around them: a module, a licence, a host that answers."},
	{"settings", "Effective settings", "Random combinations of configuration, environment and command line: the effective values of the model against those that the started application holds."},
	{"arguments", "Command lines", "Random command lines in every spelling that the parser takes, parsed by vLLM's own parser class with the flags of the knowledge base, against the flags and values of the model."},
}

// product is whose releases a suite asks.
func product(suite string) string {
	if suite == "arguments" {
		return "vllm"
	}
	return "litellm"
}

// evidencePage is the name of the page of a release.
func evidencePage(suite, release string) string { return product(suite) + "-" + release + ".md" }

// Evidence returns a page for each release that was asked, by its name in EvidenceDir.
func Evidence(root string) (map[string][]byte, error) {
	tallies, err := Tallies(root)
	if err != nil {
		return nil, err
	}
	answers, err := Answers(root)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, t := range tallies {
		name := evidencePage(t.Suite, t.Release)
		if out[name] == nil {
			out[name] = releasePage(product(t.Suite), t.Release, tallies, answers)
		}
	}
	return out, nil
}

func releasePage(of, release string, tallies []Tally, answers []Answer) []byte {
	var b bytes.Buffer
	title := map[string]string{"litellm": "the LiteLLM proxy", "vllm": "the argument parser of vLLM"}[of]
	fmt.Fprintf(&b, "# What %s %s does\n\nAsked with `go run -C internal/gen ./oracle -write`, against predictions that were committed before.\n", title, release)
	for _, s := range suites {
		for _, t := range tallies {
			if t.Suite != s.name || t.Release != release || product(s.name) != of {
				continue
			}
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\nOn %s: %s.\n", s.title, s.text, t.Asked, t.text())
			answersOf(&b, s.name, release, answers)
		}
	}
	return b.Bytes()
}

func (t Tally) text() string {
	return fmt.Sprintf("%d questions, %d agree, %d differ, %d without an answer", t.Questions, t.Agree, t.Differ, t.Unanswered)
}

func answersOf(b *bytes.Buffer, suite, release string, answers []Answer) {
	head := "\n| Question | Predicted | Seen | Rules |\n|---|---|---|---|\n"
	for _, a := range answers {
		if a.Suite != suite || a.Release != release {
			continue
		}
		b.WriteString(head)
		head = ""
		seen := a.Observed
		if a.Unanswered != "" {
			seen = "not answered: " + a.Unanswered
		}
		links := make([]string, len(a.Rules))
		for i, id := range a.Rules {
			links[i] = fmt.Sprintf("[%s](../rules/%s.md)", id, id)
		}
		what := a.Question
		if suite != "behaviour" {
			what = "`" + a.Name + "`: " + what
		}
		fmt.Fprintf(b, "| <a id=\"%s\"></a>%s | %s | %s | %s |\n", anchor(a.Name), cell(what), cell(a.Predicted), cell(seen), strings.Join(links, ", "))
	}
}

// anchor is a name as the anchor of a row.
func anchor(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
}
