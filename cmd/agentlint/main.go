// Command agentlint lints LiteLLM gateways and the vLLM engines behind them.
package main

import (
	"os"

	"agentlint/internal/cli"
	"agentlint/internal/heap"
)

func main() {
	heap.Pace()
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
