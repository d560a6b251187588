// Command agentlint lints LiteLLM gateways and the vLLM engines behind them.
package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"agentlint/internal/cli"
)

// gcPercent lets the heap of a run grow to five times what is in use before memory is collected: most runs end before.
const gcPercent = 400

// heapGoal is the size in bytes that the heap grows to at that pace; above it collections come as memory is used.
const heapGoal = 56 << 20

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
		pace(gcPercent)
	}
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// pace sets after each collection when the next one comes.
func pace(percent int) {
	type cycle struct{ _ *byte }
	runtime.SetFinalizer(&cycle{new(byte)}, func(*cycle) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		used := max(1, m.NextGC*100/uint64(100+percent))
		next := gcPercent
		if used*(100+gcPercent)/100 > heapGoal {
			next = int(max(used, heapGoal-min(heapGoal, used)) * 100 / used)
		}
		if next != percent {
			debug.SetGCPercent(next)
		}
		pace(next)
	})
}
