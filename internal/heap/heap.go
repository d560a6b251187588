// Package heap sets when memory is collected, and where it comes from.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// few lets the heap of a run grow to five times what is in use before memory is collected: most runs end before.
const few = 400

// goal is the size in bytes that the heap grows to at that pace; above it collections come as memory is used.
const goal = 56 << 20

// smallest is the size in bytes that Go takes a smaller heap for when it sets the next collection.
const smallest = 4 << 20

// perFile is how much of the heap a file comes to in a run over very many, in bytes, and most what is taken for them all.
const (
	perFile = 40 << 10
	most    = 512 << 20
)

// pace is the percentage that is set. It is changed by who holds the lock.
var pace struct {
	sync.Mutex
	percent int
	// ready is true when the memory was taken.
	ready bool
}

// Pace sets when memory is collected. It does nothing when GOGC is set.
func Pace() {
	if os.Getenv("GOGC") != "" {
		return
	}
	pace.Lock()
	defer pace.Unlock()
	set(few)
	afterCollection()
}

func set(percent int) {
	if percent != pace.percent {
		debug.SetGCPercent(percent)
		pace.percent = percent
	}
}

// afterCollection sets after each collection when the next one comes.
func afterCollection() {
	type cycle struct{ _ *byte }
	runtime.SetFinalizer(&cycle{new(byte)}, func(*cycle) {
		pace.Lock()
		defer pace.Unlock()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		used := max(smallest, m.NextGC*100/uint64(100+pace.percent))
		if pace.ready || used*(100+few)/100 > goal {
			set(toGoal(used))
		} else {
			set(few)
		}
		afterCollection()
	})
}

// toGoal is the percentage that lets a heap grow to its goal, or to twice what is in use when that is more.
func toGoal(used uint64) int { return int(max(used, goal-min(goal, used)) * 100 / used) }

// Expect makes ready for a run over many files. The heap will come to its goal: it gets the memory for that in one
// piece, for which [reserve] can ask the system better than Go does bit by bit, and is not collected before. It does
// nothing when GOGC is set, and the second time.
func Expect(files int) {
	pace.Lock()
	defer pace.Unlock()
	if pace.ready || pace.percent == 0 {
		return
	}
	pace.ready = true
	// No collection may begin while the memory counts as used: it would keep it, and set the next one by it. The first
	// one after that, which begins at once, gives it to the heap.
	set(-1)
	reserve(min(max(goal, files*perFile), most))
	set(toGoal(smallest))
}
