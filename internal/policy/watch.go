package policy

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// loadTime bounds the compilation of users' policies, which cannot be stopped from outside.
const loadTime = 10 * time.Second

// loadMemory is how many bytes compiling users' policies may hold.
const loadMemory = 1 << 30

// watchEvery is how often a watched piece of work is looked at.
const watchEvery = 10 * time.Millisecond

// errMemory ends what holds too much memory.
var errMemory = errors.New("it holds too much memory")

// guarded runs work that cannot be stopped. When it takes too long or holds too much memory, guarded returns an error
// and the work is left to itself: the program is about to end.
func guarded(ctx context.Context, limit time.Duration, work func()) error {
	done := make(chan error, 1)
	before := heap()
	go func() {
		defer func() {
			if x := recover(); x != nil {
				done <- fmt.Errorf("the compiler failed: %v\n%s", x, debug.Stack())
			}
		}()
		work()
		done <- nil
	}()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	deadline := time.Now().Add(limit)
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if time.Now().After(deadline) {
				return fmt.Errorf("that takes more than %s", limit)
			}
			if over(before, loadMemory) {
				return errMemory
			}
		}
	}
}

// heap returns the bytes of the objects on the heap, dead ones that were not collected yet included.
func heap() uint64 {
	s := [...]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s[:])
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s[0].Value.Uint64()
}

// over reports whether more live bytes than allowed are held than before.
func over(before uint64, allowed int64) bool {
	if heap() < before+uint64(allowed) {
		return false
	}
	// Much of it may be dead.
	runtime.GC()
	return heap() >= before+uint64(allowed)
}
