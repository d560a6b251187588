// Command docs writes the pages of the rules and removes those of rules that are gone, docs/rules/*.md, the pages of what
// releases answered, docs/evidence/*.md, the page of what the articles say, docs/statements.md, and the figures about all of
// it, docs/accuracy.md.
package main

import (
	"log"
	"os"
	"path/filepath"

	"agentlint/internal/pages"
)

func main() {
	log.SetFlags(0)
	const root = "../.."
	all, err := pages.All(root)
	if err != nil {
		log.Fatal(err)
	}
	sync(filepath.Join(root, pages.Dir), all)
	evidence, err := pages.Evidence(root)
	if err != nil {
		log.Fatal(err)
	}
	sync(filepath.Join(root, pages.EvidenceDir), evidence)
	articles, err := pages.Articles(root)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, pages.StatementsPage), articles, 0o644); err != nil {
		log.Fatal(err)
	}
	accuracy, err := pages.Accuracy(root)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, pages.AccuracyPage), accuracy, 0o644); err != nil {
		log.Fatal(err)
	}
}

// sync makes the pages of a folder those given; other files stay.
func sync(dir string, want map[string][]byte) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range old {
		if want[filepath.Base(f)] == nil {
			if err := os.Remove(f); err != nil {
				log.Fatal(err)
			}
		}
	}
	for name, page := range want {
		if err := os.WriteFile(filepath.Join(dir, name), page, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
