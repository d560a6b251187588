package knowledge

import (
	"strings"
	"testing"
)

func TestHumanInt(t *testing.T) {
	for text, want := range map[string]int64{
		"32768": 32768, "-1": -1, "131_072": 131072, " 4096 ": 4096, "32k": 32000, "25.6k": 25600, "32K": 32768, "1m": 1_000_000, "1M": 1 << 20,
		"2g": 2_000_000_000, "2G": 2 << 30, "1t": 1_000_000_000_000, "1T": 1 << 40, "0": 0,
	} {
		if got, ok := HumanInt(text); !ok || got != want {
			t.Errorf("HumanInt(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "auto", "1.5K", "1.5", "k", "1.k", ".5k", "_1", "1_", "1__0", "-1k", "1e3k", "32kb", "0x10", "99999999999999999999", "99999999999t"} {
		if got, ok := HumanInt(text); ok {
			t.Errorf("HumanInt(%q) = %d, want none", text, got)
		}
	}
}

func FuzzHumanInt(f *testing.F) {
	for _, s := range []string{"32k", "1.5K", "-1", "131_072", "999999999T"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, ok := HumanInt(s); ok && n < 0 && !strings.HasPrefix(strings.TrimSpace(s), "-") {
			t.Errorf("HumanInt(%q) = %d", s, n)
		}
	})
}
