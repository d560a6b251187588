package main

import (
	"os"
	"testing"
)

// What the questions claim of agentlint is what it says, at every release that is asked.
func TestClaimsOfQuestions(t *testing.T) {
	if err := os.Chdir(".."); err != nil { // questions are found from the directory of the generators
		t.Fatal(err)
	}
	list, err := readQuestions()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no questions")
	}
	for _, q := range list {
		for _, r := range releases {
			if wrong, err := q.holds(r); err != nil || wrong != "" {
				t.Errorf("%s at %s: %s %v", q.name, r, wrong, err)
			}
			if q.predicted(r) == "" {
				t.Errorf("%s predicts nothing at %s", q.name, r)
			}
		}
	}
}
