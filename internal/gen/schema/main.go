// Command schema writes the published JSON Schemas under docs/schema.
package main

import (
	"log"
	"os"

	"agentlint/internal/schema"
)

func main() {
	log.SetFlags(0)
	const root = "../.."
	for name, write := range schema.Published() {
		b, err := write(root)
		if err != nil {
			log.Fatalf("write %s: %v", name, err)
		}
		if err := os.WriteFile(root+"/"+name, b, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
