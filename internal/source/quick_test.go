package source

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/source/sourcetest"
)

// describe writes all of a tree but its pointers.
func describe(b *strings.Builder, n *Node, parent *Node) {
	if n.Parent != parent {
		b.WriteString("another parent ")
	}
	fmt.Fprintf(b, "%d %d %q %q %q %d %d %d %d %v %v\n", n.Kind, n.Style, n.Tag(), n.Anchor(), n.Text, n.Start, n.Content, n.End, n.Lead, n.Target() != nil, n.Empty)
	for _, c := range n.Children {
		describe(b, c, n)
	}
	b.WriteString("end\n")
}

func describeAll(docs []Document) string {
	var b strings.Builder
	for _, d := range docs {
		fmt.Fprintf(&b, "document %d %v\n", d.Index, d.Inexact)
		if d.Root != nil {
			describe(&b, d.Root, nil)
		}
	}
	return b.String()
}

// compareReaders checks that the quick reader, where it reads a text, says what the general one says. It reports whether
// it read it.
func compareReaders(t testing.TB, in []byte) bool {
	t.Helper()
	ascii, err := checkText(NewFile("a.yaml", in))
	if err != nil {
		return false
	}
	docs, ok := quickYAML(NewFile("a.yaml", in), ascii, nil)
	if !ok {
		return false
	}
	want, err := parseYAML(NewFile("a.yaml", in))
	if err != nil {
		t.Fatalf("%q: the general reader says: %v", in, err)
	}
	if a, b := describeAll(docs), describeAll(want); a != b {
		t.Fatalf("%q:\nquick\n%sgeneral\n%s", in, a, b)
	}
	return true
}

var quickCases = []struct {
	name, in string
	declined bool
}{
	{name: "map", in: "a: 1\nb:\n  c: x y  # z\n  d: \"q\\\"\\n\" \n\n# end\ne: 'it''s'\n"},
	{name: "no final line feed", in: "a: 1\nb: c"},
	{name: "nothing at the end", in: "a: 1\nb:"},
	{name: "nulls", in: "a:\nb: # c\nc:\n  - \n  -\n  - # d\n  - x\n"},
	{name: "lists", in: "a:\n- 1\n- b: 2\n  c: 3\n-   d: 4\n    e:\n    - 5\n- - 6\n  - - 7\nf: 8\n"},
	{name: "list at the root", in: "- a\n-\n  b: c\n- [d, {e: f}]\n"},
	{name: "indented root", in: "  a: 1\n  b: 2\n"},
	{name: "text on a line of its own", in: "a:\n  http://b:80/c#d\ne:\n  - \n    'f'\n"},
	{name: "flow", in: "a: [1, \"b\", 'c', d e, -5, http://f:80/g, ]\nb: {c: 1, \"d\":2, e: [ ], f: { }}  # g\nh: [\n  1,\n2\n]\n"},
	{name: "json", in: "{\n  \"a\": [1, 2],\n  \"b\": {\"c\": \"d\"}\n}\n"},
	{name: "literal", in: "a: |\n  b\n\n    c\n  # d\n\n\ne: |- # f\n    g\nh: |+\n  i\n\n\nj:\n  - |\n   k\n # l\n  - m\n"},
	{name: "literal at the end", in: "a: |+\n  b\n\n"},
	{name: "documents", in: "# a\n---\nb: 1\n---   # c\nd: 2\n"},
	{name: "not ASCII", in: "a: é # ü\n\"ö\": [ß]\n"},
	{name: "key like text", in: "a b: c\nhttp://d:80: e\n<<: {f: g}\n-h: i\n"},
	{name: "tab in a comment", in: "a: 1\n  #\tb\n"},

	{name: "anchors", in: "a: &b 1\nc: &d\n  e: *b\n  f: &g [1, *b]\nh:\n  <<: *d\n  i: &j\n  - *g # k\n  - &l\n    m: *b\n  - &n 'o'\n  - &p |\n    q\n<<: [*d, *l ]\n"},
	{name: "alias inside of what it refers to", in: "a: &b\n  - c: *b\n  - &b x\n  - *b\n"},
	{name: "anchor at the column of the map", in: "a: &b\n- c\nd: *b\n"},
	{name: "folded", in: "a: >\n  b\n  c\n\nd: >-\n  e\nf:\n- >+\n  g\n\n"},

	{name: "unknown alias", in: "a: 1\nb: *c\n", declined: true},
	{name: "alias of another document", in: "a: &b 1\n---\nc: *b\n", declined: true},
	{name: "anchor of nothing", in: "a: &b\nc: *b\n", declined: true},
	{name: "anchor of an empty item", in: "- &b\n- *b\n", declined: true},
	{name: "anchor of a key", in: "a:\n- &b c: 1\n", declined: true},
	{name: "anchor of an item in an item", in: "a:\n- &b - c\n", declined: true},
	{name: "anchor of an alias", in: "a: &b 1\nc: &d *b\n", declined: true},
	{name: "two anchors", in: "a: &b &c 1\n", declined: true},
	{name: "folded with an empty line", in: "a: >\n  b\n\n  c\n", declined: true},
	{name: "folded with an indented line", in: "a: >\n  b\n    c\n", declined: true},
	{name: "tag", in: "a: !!str 1\n", declined: true},
	{name: "two lines", in: "a: b\n  c\n", declined: true},
	{name: "two quoted lines", in: "a: \"b\n  c\"\n", declined: true},
	{name: "carriage return", in: "a: 1\r\nb: 2\r\n", declined: true},
	{name: "tab", in: "a:\t1\n", declined: true},
	{name: "byte order mark", in: "\ufeffa: 1\n", declined: true},
	{name: "line separator", in: "a: 1 # \u2028b: 2\n", declined: true},
	{name: "no document", in: "# a\n", declined: true},
	{name: "empty document", in: "a: 1\n---\n", declined: true},
	{name: "document end", in: "a: 1\n...\n", declined: true},
	{name: "text alone", in: "a\n", declined: true},
	{name: "question mark", in: "? a\n: b\n", declined: true},
	{name: "colon twice", in: "a: b: c\n", declined: true},
	{name: "item after a colon", in: "a: - b\n", declined: true},
	{name: "wrong column", in: "a:\n    b: 1\n  c: 2\n", declined: true},
	{name: "deeper after a value", in: "a: 1\n  b: 2\n", declined: true},
	{name: "item in a map", in: "a: 1\n- b\n", declined: true},
	{name: "text after a quote", in: "a: \"b\" c\n", declined: true},
	{name: "comment after a quote", in: "a: \"b\"#c\n", declined: true},
	{name: "template", in: "a: {{ .Values.b }}\n", declined: true},
	{name: "open list", in: "a: [1, 2\n", declined: true},
	{name: "pair in a list", in: "a: [b: c]\n", declined: true},
	{name: "two lines in a list", in: "a: [b\n  c]\n", declined: true},
	{name: "container as key", in: "[a]: b\n", declined: true},
	{name: "deep", in: strings.Repeat("[", 200) + strings.Repeat("]", 200), declined: true},
	{name: "long key", in: strings.Repeat("k", 1100) + ": 1\n", declined: true},
	{name: "literal without content", in: "a: |\nb: 1\n", declined: true},
	{name: "literal with an indicator", in: "a: |2\n   b\n", declined: true},
	{name: "blanks before a literal", in: "a: |\n    \n  b\n", declined: true},
}

func TestQuickYAML(t *testing.T) {
	for _, c := range quickCases {
		t.Run(c.name, func(t *testing.T) {
			if read := compareReaders(t, []byte(c.in)); read == c.declined {
				t.Errorf("read %v", read)
			}
		})
	}
}

// TestQuickYAMLOnFiles compares the readers on every YAML file of the repository and on random ones.
func TestQuickYAMLOnFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	files, read := 0, 0
	err := filepath.WalkDir("../..", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".yaml") && !strings.HasSuffix(p, ".yml") && !strings.HasSuffix(p, ".txtar") {
			return err
		}
		b, err := os.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) || len(b) > 1<<20 {
			return nil
		}
		if err != nil {
			return err
		}
		parts := []string{string(b)}
		if strings.HasSuffix(p, ".txtar") {
			parts = strings.Split(string(b), "\n-- ")
			for i, part := range parts {
				_, parts[i], _ = strings.Cut(part, "\n")
			}
		}
		for _, part := range parts {
			files++
			if compareReaders(t, []byte(part)) {
				read++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d files", read, files)
	read = 0
	for seed := range uint64(5000) {
		if compareReaders(t, []byte(sourcetest.YAML(rand.New(rand.NewPCG(seed, 11))))) {
			read++
		}
	}
	t.Logf("%d random texts", read)
}

// TestQuickYAMLOnSlips compares the readers on texts that the quick one reads, with a few bytes of them changed.
func TestQuickYAMLOnSlips(t *testing.T) {
	const slips = " :-#[]{}\"'|>&*!?,\n\n  %a0.\\"
	read := 0
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 12))
		b := []byte(quickCases[r.IntN(len(quickCases))].in)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(b))
			switch c := slips[r.IntN(len(slips))]; r.IntN(3) {
			case 0:
				b[at] = c
			case 1:
				b = slices.Insert(b, at, c)
			default:
				if len(b) > 1 {
					b = slices.Delete(b, at, at+1)
				}
			}
		}
		if compareReaders(t, b) {
			read++
		}
	}
	t.Logf("%d of 20000 texts", read)
}

func FuzzQuickYAML(f *testing.F) {
	for _, c := range quickCases {
		f.Add([]byte(c.in))
	}
	for seed := range uint64(50) {
		f.Add([]byte(sourcetest.YAML(rand.New(rand.NewPCG(seed, 9)))))
	}
	f.Fuzz(func(t *testing.T, b []byte) { compareReaders(t, b) })
}

// TestScratch reads texts into one scratch: the trees are those of memory of their own, whatever lay there before.
func TestScratch(t *testing.T) {
	var scratch Scratch
	for range 2 {
		for _, c := range quickCases {
			f := NewFile("a.yaml", []byte(c.in))
			want, err := ParseYAML(f)
			if err != nil {
				continue
			}
			first, err := ParseYAMLIn(f, &scratch)
			if err != nil {
				t.Fatal(err)
			}
			// A second tree leaves the first as it is.
			second, err := ParseYAMLIn(f, &scratch)
			if err != nil {
				t.Fatal(err)
			}
			if w := describeAll(want); describeAll(first) != w || describeAll(second) != w {
				t.Errorf("%q:\n%s\n%s", c.in, describeAll(first), w)
			}
			scratch.Reset()
		}
	}
	large := NewFile("a.yaml", []byte(strings.Repeat("a: 1\n", 2*maxScratch)))
	if _, err := ParseYAMLIn(large, &scratch); err != nil {
		t.Fatal(err)
	}
	if scratch.Reset(); cap(scratch.nodes) > maxScratch {
		t.Errorf("room for %d nodes is kept", cap(scratch.nodes))
	}
}

func TestPrintable(t *testing.T) {
	for at := range 8 {
		for c := range 256 {
			b := []byte("key: val")
			b[at] = byte(c)
			f := NewFile("a.yaml", append(b, "key: val"...))
			plain := c >= 0x20 && c < 0x7f
			if got := printable(binary.LittleEndian.Uint64(b)); got && !plain {
				t.Errorf("%q is taken for printable", b)
			}
			ascii, err := checkText(f)
			if allowed := plain || c == '\t' || c == '\n' || c == '\r'; allowed != (err == nil) || allowed != ascii {
				t.Errorf("%q: %v, %v", b, ascii, err)
			}
		}
	}
	if !printable(binary.LittleEndian.Uint64([]byte("key: val"))) {
		t.Error("a key is not printable")
	}
}
