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

// writeEvidence replaces what docs/evidence holds of the suites and releases that were asked. The pages are written from
// these tables by go generate.
func writeEvidence(answers []answer, now time.Time) error {
	old, err := pages.Answers(root)
	if err != nil {
		return err
	}
	tallies, err := pages.Tallies(root)
	if err != nil {
		return err
	}
	kept := map[string]pages.Answer{}
	for _, a := range old {
		kept[a.Suite+"\t"+a.Release+"\t"+a.Name] = a
	}
	fresh := map[[2]string]*pages.Tally{}
	for _, a := range answers {
		k := [2]string{a.suite, a.release}
		if fresh[k] == nil {
			fresh[k] = &pages.Tally{Suite: a.suite, Release: a.release, Asked: now.Format(time.DateOnly)}
		}
		t := fresh[k]
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
	for k := range kept {
		suite, rest, _ := strings.Cut(k, "\t")
		release, _, _ := strings.Cut(rest, "\t")
		if fresh[[2]string{suite, release}] != nil {
			delete(kept, k)
		}
	}
	for _, a := range answers {
		if a.suite == "behaviour" || a.verdict() != "agrees" || a.observed == "refuses" {
			kept[a.suite+"\t"+a.release+"\t"+a.name] = pages.Answer{Suite: a.suite, Release: a.release, Name: a.name, Rules: a.rules,
				Question: a.question, Predicted: a.predicted, Observed: a.observed, Unanswered: a.unanswered}
		}
	}
	tallies = slices.DeleteFunc(tallies, func(t pages.Tally) bool { return fresh[[2]string{t.Suite, t.Release}] != nil })
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
	return os.WriteFile(filepath.Join(dir, name), []byte(header+"\n"+strings.Join(rows, "\n")+"\n"), 0o644)
}
