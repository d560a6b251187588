// Command evidence opens, for every rule, the released artefact that its evidence names and looks for the quoted
// symbol in the quoted file. It ends with 1 when a file or symbol is not there. What cannot be opened from the
// Python package index is read at its tag in a git clone (-clone OWNER/NAME=FOLDER, repeatable), and without one it is
// listed with the reason. It downloads several hundred megabytes once and keeps them in the user's cache; it needs
// python3 with pip.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"sort"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

type question struct {
	Artefact string `json:"artefact"`
	File     string `json:"file"`
	Symbol   string `json:"symbol"`
}

func main() {
	log.SetFlags(0)
	clones := map[string]string{}
	flag.Func("clone", "a git clone of a repository whose releases are evidence: `OWNER/NAME=FOLDER`", func(s string) error {
		name, folder, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return fmt.Errorf("%q: write OWNER/NAME=FOLDER", s)
		}
		clones[name] = folder
		return nil
	})
	flag.Parse()
	metas, err := engine.Metas()
	if err != nil {
		log.Fatal(err)
	}
	questions, owners := ask(metas)
	in, err := json.Marshal(map[string]any{"questions": questions, "clones": clones})
	if err != nil {
		log.Fatal(err)
	}
	cmd := exec.Command("python3", "evidence/evidence.py")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("evidence.py: %v", err)
	}
	var answers []string
	if err := json.Unmarshal(out, &answers); err != nil {
		log.Fatalf("evidence.py: %v", err)
	}
	if len(answers) != len(questions) {
		log.Fatalf("evidence.py: %d answers to %d questions", len(answers), len(questions))
	}
	if bad := print(questions, owners, answers); bad > 0 {
		os.Exit(1)
	}
}

// ask lists every piece of evidence once, with the rules that cite it.
func ask(metas []*model.Meta) ([]question, [][]string) {
	index := map[question]int{}
	var questions []question
	var owners [][]string
	for _, m := range metas {
		for _, e := range m.Evidence {
			q := question{e.Artefact, e.File, e.Symbol}
			i, ok := index[q]
			if !ok {
				i = len(questions)
				index[q] = i
				questions, owners = append(questions, q), append(owners, nil)
			}
			owners[i] = append(owners[i], m.ID)
		}
	}
	return questions, owners
}

// print writes the answers, wrong ones first, and returns how many files or symbols are not where the rules say.
func print(questions []question, owners [][]string, answers []string) int {
	order := make([]int, len(questions))
	for i := range order {
		order[i] = i
	}
	rank := func(a string) int {
		switch {
		case strings.HasPrefix(a, "no "):
			return 0
		case a == "found":
			return 2
		}
		return 1
	}
	sort.SliceStable(order, func(i, j int) bool { return rank(answers[order[i]]) < rank(answers[order[j]]) })
	count := map[int]int{}
	checked := map[string]bool{}
	all := map[string]bool{}
	for _, i := range order {
		q, a := questions[i], answers[i]
		count[rank(a)]++
		for _, id := range owners[i] {
			all[id] = true
			checked[id] = checked[id] || a == "found"
		}
		fmt.Printf("%-10s %s %s %q (%s)\n", strings.SplitN(a, ":", 2)[0], q.Artefact, q.File, q.Symbol, strings.Join(owners[i], ", "))
		if r := rank(a); r == 1 {
			fmt.Printf("           %s\n", a)
		}
	}
	n := 0
	for _, ok := range checked {
		if ok {
			n++
		}
	}
	fmt.Printf("%d pieces of evidence: %d found, %d not where the rule says, %d unchecked; %d of %d rules have evidence that was opened\n",
		len(questions), count[2], count[0], count[1], n, len(all))
	return count[0]
}
