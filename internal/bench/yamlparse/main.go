// Command yamlparse parses all files of a folder with yaml.v3 on all cores.
package main

import (
	"fmt"
	"os"

	"agentlint/internal/bench/bare"
)

func main() {
	if err := bare.ParseAll(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "yamlparse:", err)
		os.Exit(1)
	}
}
