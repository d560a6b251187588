package source

import (
	"testing"
)

// checkSpans fails the test when the spans of a tree cannot be right: nodes out of order or overlapping, a
// container that does not hold its children, anything but blanks, comments and indicators between two nodes.
func checkSpans(t testing.TB, f *File, root *Node) {
	t.Helper()
	b := f.Bytes
	var visit func(n *Node)
	visit = func(n *Node) {
		if n.Start < 0 || n.Start > n.Content || n.Content > n.End || n.End > len(b) {
			t.Fatalf("%q: node %q at %d, %d, %d", b, n.Text, n.Start, n.Content, n.End)
		}
		if n.Kind != Map && n.Kind != List {
			return
		}
		pos := n.Content
		if n.Style == Flow && pos < n.End && (b[pos] == '[' || b[pos] == '{') && (len(n.Children) == 0 || n.Children[0].Start > pos) {
			pos++
		}
		comma := false
		for i, c := range n.Children {
			if c.Parent != n {
				t.Fatalf("%q: parent of %q", b, c.Text)
			}
			value := n.Kind == Map && i%2 == 1
			lead := c.Lead
			if lead < 0 {
				if !value || !c.Empty || c.Start != n.Children[i-1].End {
					t.Fatalf("%q: node %q has no lead", b, c.Text)
				}
				lead = c.Start
			}
			gap := skipTrivia(b, pos)
			if comma && !value && gap < len(b) && b[gap] == ',' {
				gap = skipTrivia(b, gap+1)
			}
			if lead != gap && lead != pos {
				t.Fatalf("%q: entry %q at %d leads at %d, expected %d", b, c.Text, c.Start, lead, gap)
			}
			if c.Start < lead || n.End < c.End {
				t.Fatalf("%q: entry %q at %d-%d leaves %d-%d", b, c.Text, c.Start, c.End, lead, n.End)
			}
			if between := c.Start - lead; between > 0 && !c.Empty {
				if s := skipTrivia(b, lead+1); s != c.Start {
					t.Fatalf("%q: entry %q starts at %d, expected %d", b, c.Text, c.Start, s)
				}
			}
			visit(c)
			pos = c.End
			comma = n.Style == Flow
		}
	}
	visit(root)
}
