package fixers

import (
	"fmt"
	"strings"
	"testing"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// dashboard is JSON with n panels, each with a query.
func dashboard(n int) *source.File {
	var b strings.Builder
	b.WriteString(`{"panels":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"title":"p","targets":[{"expr":"rate(vllm:a[5m])"}]}`, i)
	}
	b.WriteString(`]}`)
	return source.NewFile("f.json", []byte(b.String()))
}

// BenchmarkSession makes a hundred fixes in one dashboard of 400 kB: each costs a few readings of it.
func BenchmarkSession(b *testing.B) {
	f := dashboard(6000)
	st := mirror(b, f)
	for b.Loop() {
		s := NewSession()
		for i := range 100 {
			if err := s.Add(st, []model.Op{model.ReplaceText(P{"panels", i, "targets", 0, "expr"}, "vllm:a", "vllm:b")}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkParse reads the same dashboard a hundred times.
func BenchmarkParse(b *testing.B) {
	f := dashboard(6000)
	for b.Loop() {
		for range 100 {
			if _, err := source.ParseJSON(f); err != nil {
				b.Fatal(err)
			}
		}
	}
}
