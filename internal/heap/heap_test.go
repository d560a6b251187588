package heap

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The memory for many files belongs to the heap and counts as used by nobody, so that it does not set the pace.
func TestExpect(t *testing.T) {
	t.Setenv("GOGC", "")
	if pace.ready {
		t.Skip("memory is taken once a process")
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if Expect(1000); pace.ready {
		t.Error("memory was taken before a pace was set")
	}
	Pace()
	before, collections := m.HeapSys-m.HeapReleased, m.NumGC
	Expect(1000)
	Expect(1 << 40)
	runtime.ReadMemStats(&m)
	if grown := m.HeapSys - m.HeapReleased - before; grown > 2*goal {
		t.Errorf("the heap grew by %d bytes, want about %d", grown, goal)
	}
	if huge, ok := advised(t); ok && huge < goal {
		t.Errorf("huge pages were asked for in %d bytes, want %d", huge, goal)
	}
	// The first collection begins when more is used, and finds next to nothing.
	first := func() bool { return m.NumGC > collections && m.HeapAlloc < goal/2 }
	for deadline := time.Now().Add(10 * time.Second); !first() && time.Now().Before(deadline); runtime.ReadMemStats(&m) {
		kept = make([]byte, 1<<16)
	}
	if !first() {
		t.Errorf("after the first collection %d bytes are used", m.HeapAlloc)
	}
	// A finalizer sets the next one.
	set := func() bool { return goal/2 <= m.NextGC && m.NextGC <= 2*goal }
	for deadline := time.Now().Add(10 * time.Second); !set() && time.Now().Before(deadline); runtime.ReadMemStats(&m) {
		time.Sleep(time.Millisecond)
	}
	if !set() {
		t.Errorf("the next collection comes at %d bytes, want about %d", m.NextGC, goal)
	}
}

var kept []byte

// advised returns how many bytes of the process may have huge pages; false where the system does not say.
func advised(t *testing.T) (int, bool) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	size, sum, said := 0, 0, false
	for s := bufio.NewScanner(f); s.Scan(); {
		name, value, _ := strings.Cut(s.Text(), ":")
		switch name {
		case "Size":
			kb, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatal(err)
			}
			size = kb << 10
		case "VmFlags":
			said = true
			if strings.Contains(value, " hg") {
				sum += size
			}
		}
	}
	_, err = os.Stat("/sys/kernel/mm/transparent_hugepage")
	return sum, said && err == nil
}
