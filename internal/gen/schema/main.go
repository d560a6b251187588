// Command schema writes the published JSON Schema of policies' input.
package main

import (
	"log"
	"os"

	"agentlint/internal/schema"
)

func main() {
	log.SetFlags(0)
	const root = "../../"
	b, err := schema.Input(root)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(root+schema.InputFile, b, 0o644); err != nil {
		log.Fatal(err)
	}
}
