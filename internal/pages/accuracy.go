package pages

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"agentlint/internal/cases"
	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/policies"
)

// AccuracyPage is the page of the figures.
const AccuracyPage = "docs/accuracy.md"

// accuracyNotes is the page on public deployments, whose figure is repeated.
const accuracyNotes = "docs/accuracy-notes.md"

// Accuracy writes the page of the figures: rules, cases, evidence, and what running releases and public deployments said.
func Accuracy(root string) ([]byte, error) {
	metas, err := engine.Metas()
	if err != nil {
		return nil, err
	}
	inRego := map[string]bool{}
	for _, e := range policies.Index() {
		inRego[e.ID] = true
	}
	rego, fixes := 0, map[model.Safety]int{}
	var all, firing, fixed, pieces int
	artefacts := map[string]int{}
	var latest string
	for _, m := range metas {
		if inRego[m.ID] {
			rego++
		}
		fixes[m.Fix]++
		for _, e := range m.Evidence {
			pieces++
			artefacts[e.Artefact]++
			latest = max(latest, e.Checked)
		}
		list, err := cases.Load(root+"/"+Cases, m.ID)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			all++
			if finds(c, m.ID) {
				firing++
			}
			if len(c.Fixed) > 0 {
				fixed++
			}
		}
	}
	var b bytes.Buffer
	b.WriteString("# How right agentlint is\n\nWritten by `go generate ./rules` from the rules, their cases, and the tables in docs/evidence.\n")
	fmt.Fprintf(&b, `
## Rules and cases

| | |
|---|---|
| rules | %d: %d in Go, %d in Rego |
| repaired by a safe fix, by one that asks first, by hand | %d, %d, %d |
| cases | %d: %d find something, %d stay silent |
| cases with the files after the fix | %d |

Every rule has at least two cases in which it finds something and two in which it must stay silent. Each case is also run with every value in it made unknown, one at a time: a rule must not find then what it found without.

## Evidence

%d pieces in %d releases, the newest read on %s. `+"`go run -C internal/gen ./evidence`"+` opens each release and looks for the quoted symbol
in the quoted file. The releases cited most:

| release | pieces |
|---|---|
`, len(metas), len(metas)-rego, rego, fixes[model.Safe], fixes[model.Unsafe], fixes[model.NoFix], all, firing, all-firing, fixed, pieces, len(artefacts), latest)
	names := make([]string, 0, len(artefacts))
	for name := range artefacts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		if artefacts[x] != artefacts[y] {
			return artefacts[y] - artefacts[x]
		}
		return strings.Compare(x, y)
	})
	for _, name := range names[:min(10, len(names))] {
		fmt.Fprintf(&b, "| %s | %d |\n", cell(name), artefacts[name])
	}
	if err := oracleFigures(&b, root); err != nil {
		return nil, err
	}
	b.WriteString("\n## Public deployments\n\n")
	share, err := boldLine(root + "/" + accuracyNotes)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "%s How each was judged: [accuracy-notes.md](accuracy-notes.md).\n", share)
	b.WriteString(limits)
	return b.Bytes(), nil
}

// oracleFigures writes how the questions to running releases went.
func oracleFigures(b *bytes.Buffer, root string) error {
	tallies, err := Tallies(root)
	if err != nil {
		return err
	}
	b.WriteString("\n## Asked of the real thing\n\n`make oracle` starts released proxies on loopback, with mock providers and a Redis, and runs vLLM's own argument parser. What agentlint\nsays is written down before; a question without an answer counts as none.\n")
	head := "\n| asked | release | on | questions | agree | differ | no answer |\n|---|---|---|---|---|---|---|\n"
	for _, s := range suites {
		for _, t := range tallies {
			if t.Suite != s.name {
				continue
			}
			b.WriteString(head)
			head = ""
			fmt.Fprintf(b, "| %s | [%s %s](evidence/%s) | %s | %d | %d | %d | %d |\n", strings.ToLower(s.title), product(t.Suite), t.Release, evidencePage(t.Suite, t.Release), t.Asked, t.Questions, t.Agree, t.Differ, t.Unanswered)
		}
	}
	return nil
}

// boldLine is the paragraph of a page that is set in bold, the figure that the page is about.
func boldLine(name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(text), "\n**")
	bold, _, end := strings.Cut(rest, "**")
	if !ok || !end {
		return "", fmt.Errorf("%s: no paragraph begins in bold", name)
	}
	return "**" + bold + "**", nil
}

const limits = `
## Known limits

* What the files do not say is not guessed: the report names the fact that would settle it. A deployment whose values come from a
  Secret manager, an operator or an interface is checked less.
* Helm templates are not rendered. The charts that agentlint knows are tables of which key becomes what; other charts are read as far
  as their values look like those of the known ones.
* GPU memory is arithmetic over the geometry of a model and the memory of a device, not a measurement; its rules have confidence medium.
* A release newer than the tables is taken for the newest one that they hold, and the report says so.
* Mock providers answer as the interface says, so what a real provider does differently was not seen.
`
