package source

import (
	"fmt"
	"strings"
	"testing"
)

func entries(n *Node) string {
	var b strings.Builder
	for _, e := range n.Entries() {
		fmt.Fprintf(&b, "%s=%s", e.Key.Text, e.Value.Deref().Text)
		if e.Merge != nil {
			fmt.Fprintf(&b, "<%s", e.Merge.Text)
		}
		b.WriteString(strings.Repeat("!", len(e.Shadowed)))
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

func TestEntries(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "m: {a: 1, b: 2}", "a=1 b=2"},
		{"duplicate", "m: {a: 1, b: 2, a: 3}", "a=3! b=2"},
		{"merge", "x: &x {a: 1, b: 2}\nm: {b: 3, <<: *x}", "b=3 a=1<x"},
		{"first of a list wins", "x: &x {a: 1}\ny: &y {a: 2, b: 3}\nm: {<<: [*x, *y]}", "a=1<x b=3<y"},
		{"last merge key wins", "x: &x {a: 1}\ny: &y {a: 2}\nm: {<<: *x, <<: *y}", "a=2<y"},
		{"chain", "x: &x {a: 1}\ny: &y {b: 2, <<: *x}\nm: {<<: *y}", "b=2<y a=1<y"},
		{"alias", "x: &x {a: 1}\nm: *x", "a=1"},
		{"duplicate in a merged map", "x: &x {a: 1, a: 2}\nm: {<<: *x}", "a=2<x!"},
		{"quoted merge key is a key", "m: {'<<': 1}", "<<=1"},
		{"complex key", "m: {[a]: 1, b: 2}", "b=2"},
		{"cycle", "m: &m {a: 1, <<: *m}", "a=1"},
		{"scalar", "m: 1", ""},
		{"merge of a scalar", "m: {<<: 1, a: 2}", "a=2"},
	} {
		_, root := mustYAML(t, c.in)
		if got := entries(root.Get("m")); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestEntriesBounded merges maps that merge each other nine times over, forty levels deep.
func TestEntriesBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("m0: &m0 {a: 1}\n")
	for i := range 40 {
		fmt.Fprintf(&b, "m%[2]d: &m%[2]d {k%[1]d: 1, <<: [%[3]s]}\n", i, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*m%d, ", i), 9), ", "))
	}
	_, root := mustYAML(t, b.String())
	if got := len(root.Get("m40").Entries()); got != 41 {
		t.Errorf("%d entries, want 41", got)
	}
	if v := root.Get("m40").Get("a"); v == nil || v.Text != "1" {
		t.Error("merged key is not found")
	}
}

func TestPath(t *testing.T) {
	_, root := mustYAML(t, "a:\n  - x\n  - b: {c: d}\n")
	n := root.Get("a").Items()[1].At("b", "c")
	if got := fmt.Sprint(n.Path(), n.KeyNode().Path(), root.Path()); got != "[a 1 b c] [a 1 b c] []" {
		t.Errorf("paths %s", got)
	}
	if root.At("a", "b") != nil || root.KeyNode() != nil {
		t.Error("found what is not there")
	}
}
