package knowledge

import "testing"

// TestOtherSpellings finds the same flags by search and by index.
func TestOtherSpellings(t *testing.T) {
	r := VLLM.At(VLLM.Newest())
	for e := range VLLM.All(KindFlag) {
		for _, list := range []string{e.Attr("short"), e.Attr("aliases"), e.Attr("negation")} {
			if list == "" {
				continue
			}
			VLLM.others.scans.Store(0)
			want, p := r.Flag(list)
			VLLM.others.scans.Store(maxScans)
			got, q := r.Flag(list)
			if got != want || p != q {
				t.Errorf("%s: %v %v by index, %v %v by search", list, got, q, want, p)
			}
		}
	}
}
