// Command docs writes the pages of the rules and removes those of rules that are gone, docs/rules/*.md, and the page of
// what the articles say, docs/statements.md.
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
	dir := filepath.Join(root, pages.Dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range old {
		if all[filepath.Base(f)] == nil {
			if err := os.Remove(f); err != nil {
				log.Fatal(err)
			}
		}
	}
	for name, page := range all {
		if err := os.WriteFile(filepath.Join(dir, name), page, 0o644); err != nil {
			log.Fatal(err)
		}
	}
	articles, err := pages.Articles(root)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, pages.StatementsPage), articles, 0o644); err != nil {
		log.Fatal(err)
	}
}
