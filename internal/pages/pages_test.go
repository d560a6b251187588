package pages

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestPagesAreUpToDate(t *testing.T) {
	const root = "../.."
	want, err := All(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range want {
		got, err := os.ReadFile(filepath.Join(root, Dir, name))
		if err != nil || !bytes.Equal(got, page) {
			t.Errorf("%s/%s is stale: run go generate ./policies ./rules", Dir, name)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, Dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if want[filepath.Base(f)] == nil {
			t.Errorf("%s/%s is the page of no rule", Dir, filepath.Base(f))
		}
	}
}

func TestAccuracyIsUpToDate(t *testing.T) {
	const root = "../.."
	want, err := Evidence(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range want {
		if got, err := os.ReadFile(filepath.Join(root, EvidenceDir, name)); err != nil || !bytes.Equal(got, page) {
			t.Errorf("%s/%s is stale: run go generate ./rules", EvidenceDir, name)
		}
	}
	page, err := Accuracy(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, AccuracyPage)); err != nil || !bytes.Equal(got, page) {
		t.Errorf("%s is stale: run go generate ./rules", AccuracyPage)
	}
}

// Every statement of the articles whose rule is there has a case in which the rule finds what it warns about.
func TestStatements(t *testing.T) {
	const root = "../.."
	list, err := Statements(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		switch {
		case s.Meta == nil && s.Name != "":
			t.Errorf("%q: there is no rule %s", s.Text, s.Rule)
		case s.Meta != nil && s.Case == nil:
			t.Errorf("%q: %s has no case %s that finds something", s.Text, s.Rule, s.Name)
		}
	}
	want, err := Articles(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, StatementsPage)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run go generate ./rules", StatementsPage)
	}
}
