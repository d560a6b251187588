package source

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"agentlint/internal/source/sourcetest"

	"gopkg.in/yaml.v3"
)

// sameTree compares a tree with the nodes it was made from.
func sameTree(n *Node, y *yaml.Node) error {
	switch y.Kind {
	case yaml.ScalarNode, yaml.AliasNode:
		if (n.Kind == Alias) != (y.Kind == yaml.AliasNode) || strings.ReplaceAll(n.Text, "\ufeff", "\ufefe") != y.Value {
			return fmt.Errorf("%v %q is not %q", n.Kind, n.Text, y.Value)
		}
	case yaml.MappingNode, yaml.SequenceNode:
		if (n.Kind == Map) != (y.Kind == yaml.MappingNode) || len(n.Children) != len(y.Content) || (n.Style == Flow) != (y.Style&yaml.FlowStyle != 0) {
			return fmt.Errorf("container with %d children is not one with %d", len(n.Children), len(y.Content))
		}
	}
	if n.Anchor() != y.Anchor {
		return fmt.Errorf("anchor %q is not %q", n.Anchor(), y.Anchor)
	}
	if y.Style&yaml.TaggedStyle != 0 && n.Tag() == "" {
		return fmt.Errorf("tag %q is lost", y.Tag)
	}
	for i, c := range n.Children {
		if err := sameTree(c, y.Content[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkFile parses a file and checks all that holds for any input. It returns nil when the file is refused.
func checkFile(t testing.TB, in []byte) (*File, []Document) {
	t.Helper()
	f := NewFile("a.yaml", in)
	docs, err := ParseYAML(f)
	if err != nil {
		se, ok := err.(*SyntaxError)
		if !ok || se.Offset < 0 || se.Offset > len(in) || se.Msg == "" {
			t.Fatalf("%q: error %#v", in, err)
		}
	}
	for _, d := range docs {
		if d.Root != nil && !d.Inexact {
			checkSpans(t, f, d.Root)
		}
	}
	last := 0
	for _, c := range Comments(f, docs) {
		if c.Start < last || in[c.Start] != '#' || c.End != lineEnd(in, c.Start) {
			t.Fatalf("%q: comment %v", in, c)
		}
		last = c.End
	}
	if err != nil {
		return nil, nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(maskMarks(in)))
	for i := 0; ; i++ {
		var y yaml.Node
		err := dec.Decode(&y)
		if err == io.EOF && i == len(docs) {
			break
		}
		if err != nil && (maskYAML(in) != nil || strings.Contains(err.Error(), "excessive")) {
			break
		}
		if err != nil || i == len(docs) {
			t.Fatalf("%q: document %d of %d: %v", in, i, len(docs), err)
		}
		if docs[i].Root == nil {
			if y.Content[0].Value != "" {
				t.Fatalf("%q: document %d is not empty", in, i)
			}
			continue
		}
		if err := sameTree(docs[i].Root, y.Content[0]); err != nil {
			t.Fatalf("%q: document %d: %v", in, i, err)
		}
	}
	return f, docs
}

// checkReplace replaces a node by another scalar, by its span, and checks that this node and no other changed.
func checkReplace(t testing.TB, f *File, docs []Document, doc int, n *Node) {
	t.Helper()
	text := `"zz"`
	switch {
	case n.Empty && n.Lead < 0:
		return // a colon would have to be written
	case n.Empty && n.Parent == nil:
		return
	case n.Empty:
		text = ` "zz"`
	case n.Style == Flow && n.Kind == Map && f.Bytes[n.Content] != '{':
		text = "{}" // a pair can only become another map
	}
	got, err := Apply(f.Bytes, []Edit{{n.Span(), text}})
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseYAML(NewFile("b", got))
	if err != nil {
		t.Fatalf("%q\nwith %q at %v: %v", f.Bytes, text, n.Span(), err)
	}
	if len(again) != len(docs) {
		t.Fatalf("%q\nwith %q at %v: %d documents", f.Bytes, text, n.Span(), len(again))
	}
	for i := range docs {
		if docs[i].Root == nil {
			if again[i].Root != nil {
				t.Fatalf("%q\nwith %q at %v: document %d has content", f.Bytes, text, n.Span(), i)
			}
			continue
		}
		m, except := again[i].Root, (*Node)(nil)
		if i == doc {
			except = n
			for _, j := range indices(n) {
				if m == nil || j >= len(m.Children) {
					t.Fatalf("%q\nwith %q at %v: node is gone", f.Bytes, text, n.Span())
				}
				m = m.Children[j]
			}
			if m.Anchor() != n.Anchor() || m.Tag() != n.Tag() || m.Text != strings.Trim(text, ` "{}`) {
				t.Fatalf("%q\nwith %q at %v: becomes %q", f.Bytes, text, n.Span(), m.Text)
			}
		} else {
			m = nil
		}
		if a, b := shape(docs[i].Root, except), shape(again[i].Root, m); a != b {
			t.Fatalf("%q\nwith %q at %v:\n%s\n%s", f.Bytes, text, n.Span(), a, b)
		}
	}
}

func anchored(n *Node) bool {
	if n.Anchor() != "" {
		return true
	}
	for _, c := range n.Children {
		if anchored(c) {
			return true
		}
	}
	return false
}

// TestYAMLProperty checks random documents: every span is that of its node, since writing something else there
// changes that node and no other.
func TestYAMLProperty(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	const want = 2000
	valid, nodes, tried := 0, 0, 0
	for seed := uint64(1); valid < want; seed++ {
		tried++
		r := rand.New(rand.NewPCG(seed, 0))
		f, docs := checkFile(t, []byte(sourcetest.YAML(r)))
		if f == nil {
			continue
		}
		valid++
		for i, d := range docs {
			if d.Root == nil {
				continue
			}
			if d.Inexact {
				t.Fatalf("%q: inexact", f.Bytes)
			}
			var all []*Node
			var visit func(n *Node)
			visit = func(n *Node) {
				all = append(all, n)
				for _, c := range n.Children {
					visit(c)
				}
			}
			visit(d.Root)
			nodes += len(all)
			for range min(len(all), 6) {
				n := all[r.IntN(len(all))]
				inner := false
				for _, c := range n.Children {
					inner = inner || anchored(c)
				}
				if !inner {
					checkReplace(t, f, docs, i, n)
				}
			}
		}
	}
	if valid*2 < tried {
		t.Errorf("only %d of %d documents were valid", valid, tried)
	}
	t.Logf("%d nodes in %d documents, %d tried", nodes, valid, tried)
}

func FuzzYAMLSpans(f *testing.F) {
	for _, c := range spanCases {
		f.Add([]byte(c.in))
	}
	f.Add([]byte("\ufeff\ufeff0:\né0:"))
	for seed := range uint64(50) {
		f.Add([]byte(sourcetest.YAML(rand.New(rand.NewPCG(seed, 9)))))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkFile(t, b) })
}
