// Command agentlint lints LiteLLM gateways and the vLLM engines behind them.
package main

import (
	"os"
	"runtime/debug"

	"agentlint/internal/cli"
)

// gcPercent lets the heap of a run grow to five times what is in use before memory is collected: most runs end before.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
