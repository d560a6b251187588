package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentlint/internal/pages"
)

// writeEvidence replaces what docs/evidence holds of the suites and releases that were asked, or with some of the
// questions only, of these. The pages are written from these tables by go generate.
func writeEvidence(answers []answer, some bool, now time.Time) error {
	old, err := pages.Answers(root)
	if err != nil {
		return err
	}
	tallies, err := pages.Tallies(root)
	if err != nil {
		return err
	}
	type run struct{ suite, release string }
	type question struct {
		run
		name string
	}
	fresh := map[run]*pages.Tally{}
	for _, a := range answers {
		k := run{a.suite, a.release}
		if fresh[k] == nil {
			fresh[k] = &pages.Tally{Suite: a.suite, Release: a.release, Asked: now.Format(time.DateOnly)}
		}
	}
	kept := map[question]pages.Answer{}
	for _, a := range old {
		if k := (run{a.Suite, a.Release}); some || fresh[k] == nil {
			kept[question{k, a.Name}] = a
		}
	}
	count := func(a answer) {
		t := fresh[run{a.suite, a.release}]
		t.Questions++
		switch a.verdict() {
		case "agrees":
			t.Agree++
		case "differs":
			t.Differ++
		default:
			t.Unanswered++
		}
	}
	for _, a := range answers {
		q := question{run{a.suite, a.release}, a.name}
		delete(kept, q)
		if a.suite == "behaviour" || a.verdict() != "agrees" || a.observed == "refuses" {
			kept[q] = pages.Answer{Suite: a.suite, Release: a.release, Name: a.name, Rules: a.rules,
				Question: a.question, Predicted: a.predicted, Observed: a.observed, Unanswered: a.unanswered}
		}
		if !some {
			count(a)
		}
	}
	if some {
		// All answers about behaviour are kept, so they can be counted.
		for q, a := range kept {
			if fresh[q.run] != nil {
				count(answer{suite: a.Suite, release: a.Release, predicted: a.Predicted, observed: a.Observed, unanswered: a.Unanswered})
			}
		}
	}
	tallies = slices.DeleteFunc(tallies, func(t pages.Tally) bool { return fresh[run{t.Suite, t.Release}] != nil })
	for _, t := range fresh {
		tallies = append(tallies, *t)
	}
	var rows []string
	for _, a := range kept {
		rows = append(rows, row(a.Suite, a.Release, a.Name, strings.Join(a.Rules, " "), a.Question, a.Predicted, a.Observed, a.Unanswered))
	}
	if err := writeTable(pages.AnswersTable, pages.AnswersHeader, rows); err != nil {
		return err
	}
	rows = nil
	for _, t := range tallies {
		rows = append(rows, row(t.Suite, t.Release, t.Asked, fmt.Sprint(t.Questions), fmt.Sprint(t.Agree), fmt.Sprint(t.Differ), fmt.Sprint(t.Unanswered)))
	}
	return writeTable(pages.TalliesTable, pages.TalliesHeader, rows)
}

// row is one line of a table; line breaks and tabs of a cell become blanks.
func row(cells ...string) string {
	for i, c := range cells {
		cells[i] = strings.Join(strings.Fields(c), " ")
	}
	return strings.Join(cells, "\t")
}

func writeTable(name, header string, rows []string) error {
	dir := filepath.Join(root, pages.EvidenceDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	slices.Sort(rows)
	return os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(append([]string{header}, rows...), "\n")+"\n"), 0o644)
}
