package source

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// mustYAML parses one document.
func mustYAML(t testing.TB, in string) (*File, *Node) {
	t.Helper()
	f := NewFile("a.yaml", []byte(in))
	docs, err := ParseYAML(f)
	if err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	return f, docs[0].Root
}

// TestNestedOffsets checks for every byte of a nested text where it stands in the file.
func TestNestedOffsets(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		// want repeats in, with a mark before each byte that some inner offset maps to, the end included.
		{"literal", "a: |\n  x\n\n    y\nb: 1\n", "a: |\n  ^x^\n^\n  ^ ^ ^y^\n^b: 1\n"},
		{"literal crlf", "a: |\r\n  x\r\n  y\r\n", "a: |\r\n  ^x^\r\n  ^y^\r\n^"},
		{"literal strip", "a: |-\n  x\n", "a: |-\n  ^x^\n"},
		{"literal keep", "a: |+\n  x\n\nb: 1\n", "a: |+\n  ^x^\n^\n^b: 1\n"},
		{"literal indicator", "a:\n - |1 # c\n   x\n", "a:\n - |1 # c\n  ^ ^x^\n^"},
		{"folded", "a: >\n  x y\n  z\n\n  w\n", "a: >\n  ^x^ ^y^\n  ^z^\n\n  ^w^\n"},
		{"folded deeper", "a: >\n  x\n    y\n  z\n", "a: >\n  ^x^\n  ^ ^ ^y^\n  ^z^\n"},
		{"plain", "a: x y # c\n", "a: ^x^ ^y^ # c\n"},
		{"plain lines", "a: x\n   y\n", "a: ^x^\n   ^y^\n"},
		{"single", "a: 'x''y\n  z'\n", "a: '^x^''^y^\n  ^z^'\n"},
		{"double", `a: "x\n\u00e9y"`, `a: "^x^\n^\u00e9^y^"`},
		{"double lines", "a: \"x \\\n  y\"\n", "a: \"^x^ \\\n  ^y^\"\n"},
		{"surrogates", `a: "\ud83d\ude00z"`, `a: "^\ud83d\ude00^z^"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, root := mustYAML(t, c.in)
			n := root.Get("a")
			for n.Kind == List {
				n = n.Children[0]
			}
			in := Nested(f, n)
			if string(in.Bytes) != n.Text {
				t.Fatalf("text %q, want %q", in.Bytes, n.Text)
			}
			if h, hn := in.Host(); h != f || hn != n {
				t.Error("host")
			}
			marks := map[int]bool{}
			for i := 0; i <= len(in.Bytes); i++ {
				o, s := in.Outer(Span{i, i})
				if o != f || s.Start != s.End {
					t.Fatalf("offset %d maps to %v", i, s)
				}
				marks[s.Start] = true
			}
			var got strings.Builder
			for i := 0; i <= len(c.in); i++ {
				if marks[i] {
					got.WriteByte('^')
				}
				if i < len(c.in) {
					got.WriteByte(c.in[i])
				}
			}
			if got.String() != c.want {
				t.Errorf("\n got %q\nwant %q", got.String(), c.want)
			}
		})
	}
}

func TestNestedNothing(t *testing.T) {
	f, root := mustYAML(t, "a: [x]\nb: &y z\nc: *y\n")
	if Nested(f, root.Get("a")) != nil || Nested(f, nil) != nil {
		t.Error("a container is no text")
	}
	in := Nested(f, root.Get("c"))
	if string(in.Bytes) != "z" {
		t.Errorf("behind an alias: %q", in.Bytes)
	}
	if _, _, err := in.OuterEdits([]Edit{{Span{0, 1}, "w"}}); err == nil {
		t.Error("edited behind an alias")
	}
	if g, s := f.Outer(Span{1, 2}); g != f || (s != Span{1, 2}) {
		t.Error("outer of a file")
	}
}

func TestOuterEdits(t *testing.T) {
	for _, c := range []struct {
		name, in string
		edits    func(inner string) []Edit
		want     string // "" for refused
	}{
		{"literal word", "a: |\n  x: 1\n  y: 2\n", sub("1", "10"), "a: |\n  x: 10\n  y: 2\n"},
		{"literal new line", "a: |\n  x: 1\n  y: 2\n", sub("y: 2\n", "y: 2\nz: 3\n"), "a: |\n  x: 1\n  y: 2\n  z: 3\n"},
		{"literal line removed", "a: |\n    x: 1\n    y: 2\n    z: 3\n", sub("y: 2\n", ""), "a: |\n    x: 1\n    z: 3\n"},
		{"literal last line removed", "a: |\n  x: 1\n  y: 2\nb: 1\n", sub("y: 2\n", ""), "a: |\n  x: 1\nb: 1\n"},
		{"literal blank line", "a: |\n  x\n\n  y\n", sub("x\n\ny", "x\n\n\nq\n\ny"), "a: |\n  x\n\n\n  q\n\n  y\n"},
		{"literal into blank line", "a: |\n  x\n \n  y\n", sub("x\n\ny", "x\nq\ny"), "a: |\n  x\n  q\n  y\n"},
		{"literal crlf", "a: |\r\n  x: 1\r\n  y: 2\r\n", sub("x: 1\n", "x: 1\nz: 3\n"), "a: |\r\n  x: 1\r\n  z: 3\r\n  y: 2\r\n"},
		{"literal strip", "a: |-\n  x\nb: 1\n", sub("x", "x\ny"), "a: |-\n  x\n  y\nb: 1\n"},
		{"literal strip cannot end with a break", "a: |-\n  x\nb: 1\n", sub("x", "x\n"), ""},
		{"literal keep", "a: |+\n  x\n\nb: 1\n", sub("x\n\n", "x\n\n\n"), "a: |+\n  x\n\n\nb: 1\n"},
		{"literal clip cannot lose its break", "a: |\n  x\nb: 1\n", sub("x\n", "x"), ""},
		{"literal clip cannot end with two breaks", "a: |\n  x\nb: 1\n", sub("x\n", "x\n\n"), ""},
		{"literal leading blank", "a: |\n  x\n", sub("x", " x"), ""},
		{"literal leading blank with indicator", "a: |2\n  x\n", sub("x", " x"), "a: |2\n   x\n"},
		{"literal carriage return", "a: |\n  x\n", sub("x", "x\ry"), ""},
		{"literal control character", "a: |\n  x\n", sub("x", "x\x01y"), ""},
		{"literal in list", "- - |\n    x\n  - y\n", sub("x\n", "x\nz\n"), "- - |\n    x\n    z\n  - y\n"},
		{"literal without newline at the end", "a: |\n  x", sub("x", "y\nz"), "a: |\n  y\n  z"},
		{"folded word", "a: >\n  x y\n  z\n", sub("y", "w"), "a: >\n  x w\n  z\n"},
		{"folded line break", "a: >\n  x y\n  z\n", sub("y", "w\nv"), ""},
		{"folded across lines", "a: >\n  x y\n  z\n", sub("y z", "w"), "a: >\n  x w\n"},
		{"folded blank", "a: >\n  x y\n  z\n", sub("z", " z"), ""},
		{"plain", "a: x y # c\n", sub("y", "y z"), "a: x y z # c\n"},
		{"plain colon", "a: x y\n", sub("y", "y: z"), ""},
		{"plain comment", "a: x y\n", sub("y", "y #z"), ""},
		{"plain to number", "a: x 1\n", sub("x ", ""), ""},
		{"plain in flow", "a: [x y]\n", sub("y", "y, z"), ""},
		{"plain in block", "a: x y\n", sub("y", "y, z"), "a: x y, z\n"},
		{"plain second line", "a: x\n  y\n", sub("y", "z"), "a: x\n  z\n"},
		{"plain emptied", "a: x\n", sub("x", ""), ""},
		{"single", "a: 'x y'\n", sub("y", "it's"), "a: 'x it''s'\n"},
		{"single quote removed", "a: 'it''s'\n", sub("'", ""), "a: 'its'\n"},
		{"single line break", "a: 'x'\n", sub("x", "x\ny"), ""},
		{"double", `a: "x y"`, sub("y", "\"q\"\n\\\té\u2028\x01"), `a: "x \"q\"\n\\\té\u2028\u0001"`},
		{"double escape removed", `a: "x\ny"`, sub("\n", ""), `a: "xy"`},
		{"double inside an escape", `a: "x\u00e9"`, func(s string) []Edit { return []Edit{{Span{2, 2}, "z"}} }, ""},
		{"double folded", "a: \"x\n  y z\"\n", sub("z", "w"), "a: \"x\n  y w\"\n"},
		{"two edits on a line", "a: |\n  x: 1, y: 2\n  z\n", func(string) []Edit { return []Edit{{Span{9, 10}, "3"}, {Span{3, 4}, "4\n"}} }, "a: |\n  x: 4\n  , y: 3\n  z\n"},
		{"literal emptied above a comment", "k:\n  a: |+\n          x\n       #c\n", sub("x", ""), ""},
		{"inside a character", "a: \"\u00e9\"\n", func(string) []Edit { return []Edit{{Span{1, 2}, ""}} }, ""},
		{"no text", "a:\n", func(string) []Edit { return []Edit{{Span{0, 0}, "x"}} }, ""},
		{"overlap", "a: |\n  xyz\n", func(string) []Edit { return []Edit{{Span{0, 2}, ""}, {Span{1, 3}, ""}} }, ""},
		{"outside", "a: x\n", func(string) []Edit { return []Edit{{Span{0, 5}, ""}} }, ""},
		{"invalid utf-8", "a: \"x\"\n", sub("x", "\xff"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, n := mustYAML(t, c.in)
			for n.Kind != Scalar {
				if n.Kind == Map {
					n = n.Children[1]
				} else {
					n = n.Children[0]
				}
			}
			in := Nested(f, n)
			of, edits, err := in.OuterEdits(c.edits(string(in.Bytes)))
			if err != nil {
				if c.want != "" {
					t.Fatal(err)
				}
				return
			}
			if of != f {
				t.Error("edits of another file")
			}
			got, err := Apply(f.Bytes, edits)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

// sub replaces the first old of the text by repl.
func sub(old, repl string) func(string) []Edit {
	return func(s string) []Edit {
		i := strings.Index(s, old)
		return []Edit{{Span{i, i + len(old)}, repl}}
	}
}

func TestNestedInNested(t *testing.T) {
	f, root := mustYAML(t, "kind: ConfigMap\r\ndata:\r\n  values: |\r\n    proxy_config: |\r\n      args: \"{\\\"a\\\": 1}\"\r\n    x: y\r\n")
	values := Nested(f, root.At("data", "values"))
	docs, err := ParseYAML(values)
	if err != nil {
		t.Fatal(err)
	}
	config := Nested(values, docs[0].Root.Get("proxy_config"))
	docs, err = ParseYAML(config)
	if err != nil {
		t.Fatal(err)
	}
	args := Nested(config, docs[0].Root.Get("args"))
	j, err := ParseJSON(args)
	if err != nil {
		t.Fatal(err)
	}
	of, s := args.Outer(j.Get("a").Span())
	if of != f || f.Text(s) != "1" || f.Position(s.Start).Line != 5 {
		t.Errorf("outer span %v %q", s, f.Text(s))
	}
	of, edits, err := args.OuterEdits([]Edit{{j.Get("a").Span(), "\"é\""}})
	if err != nil || of != f {
		t.Fatal(err)
	}
	got, _ := Apply(f.Bytes, edits)
	want := strings.Replace(string(f.Bytes), `{\"a\": 1}`, `{\"a\": \"é\"}`, 1)
	if string(got) != want {
		t.Errorf("got %q", got)
	}
	// A new line in the innermost block scalar gets both indentations and the outer line end.
	_, edits, err = config.OuterEdits([]Edit{{Span{len(config.Bytes), len(config.Bytes)}, "b: 2\n"}})
	if err != nil {
		t.Fatal(err)
	}
	got, _ = Apply(f.Bytes, edits)
	if want := strings.Replace(string(f.Bytes), "    x: y", "      b: 2\r\n    x: y", 1); string(got) != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// hostOf writes text as a scalar of a random style in a random place; it returns "" when the style cannot hold
// the text.
func hostOf(r *rand.Rand, text string) (in string, path []any) {
	nl := "\n"
	if r.IntN(4) == 0 {
		nl = "\r\n"
	}
	indent := r.IntN(3) * 2
	pad := strings.Repeat(" ", indent)
	var before, after string
	path = []any{"a"}
	switch r.IntN(3) {
	case 0:
		before, after = pad+"a: ", "# c"+nl+pad+"b: 1"+nl
	case 1:
		before, after, path = pad+"- x"+nl+pad+"- a: ", "\t# c"+nl+pad+"  b: 1"+nl+pad+"- y"+nl, []any{1, "a"}
	case 2:
		before, after, path = pad+"k:"+nl+pad+"  # é"+nl+pad+"  a: &n ", "", []any{"k", "a"}
		indent += 2
	}
	if len(path) == 2 && path[0] == 1 {
		indent += 2
	}
	block := func(header string, width int, line func(string) string) string {
		s := before + header
		margin := strings.Repeat(" ", width)
		body := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for _, l := range body {
			s += nl
			if l = line(l); l != "" {
				s += margin + l
			}
		}
		after = strings.TrimLeft(after, "\t")
		if after == "" && r.IntN(2) == 0 {
			return s
		}
		return s + nl + after
	}
	chomp := func() string {
		t := strings.TrimRight(text, "\n")
		switch k := len(text) - len(t); {
		case k == 0:
			return "-"
		case k == 1 && t != "":
			return ""
		}
		return "+"
	}
	flow := func(s string) string {
		if after == "" {
			return before + s + nl
		}
		return before + s + " " + after
	}
	same := func(l string) string { return l }
	width := 1 + r.IntN(5)
	switch r.IntN(6) {
	case 0:
		return block("|"+chomp(), indent+width, same), path
	case 1:
		return block(fmt.Sprintf("|%d%s # h", width, chomp()), indent+width, same), path
	case 2:
		return block(">"+chomp(), indent+width, same), path
	case 3:
		return flow(`"` + strings.ReplaceAll(escapeText(text), "é", `\u00e9`) + `"`), path
	case 4:
		return flow("'" + strings.ReplaceAll(strings.ReplaceAll(text, "'", "''"), "\n", nl+strings.Repeat(" ", indent+1)) + "'"), path
	}
	return flow(strings.ReplaceAll(text, "\n", nl+strings.Repeat(" ", indent+1))), path
}

func lookup(n *Node, path []any) *Node {
	for _, p := range path {
		if n == nil {
			return nil
		}
		switch p := p.(type) {
		case string:
			n = n.Get(p)
		case int:
			if l := n.Items(); p < len(l) {
				n = l[p]
			} else {
				return nil
			}
		}
	}
	return n
}

func randomText(r *rand.Rand) string {
	words := []string{"a", "b: 1", "é", "- x", "#c", "it's", "\"q\"", "\\n", "😀", " ", "  ", "key: [v]", "--flag", "'", "\t", "{}", "\u00a0"}
	var b strings.Builder
	for range r.IntN(5) + 1 {
		for range r.IntN(4) {
			b.WriteString(words[r.IntN(len(words))])
			if r.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		if r.IntN(3) > 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// shape renders a tree without spans, with the scalar at one place left out.
func shape(n, except *Node) string {
	if n == except {
		return "#"
	}
	switch n.Kind {
	case Scalar, Alias:
		return fmt.Sprintf("%d%d%q%s%s", n.Kind, n.Style, n.Text, n.Tag(), n.Anchor())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d%d%s%s(", n.Kind, n.Style, n.Tag(), n.Anchor())
	for _, c := range n.Children {
		b.WriteString(shape(c, except))
		b.WriteByte(',')
	}
	return b.String() + ")"
}

// indices returns the places among their parents' children that lead from the root to n.
func indices(n *Node) []int {
	var out []int
	for ; n.Parent != nil; n = n.Parent {
		for i, c := range n.Parent.Children {
			if c == n {
				out = append([]int{i}, out...)
			}
		}
	}
	return out
}

// checkNested translates random edits of one scalar and checks that it decodes to the edited text and that
// nothing else changed. It reports whether the edits were accepted.
func checkNested(t testing.TB, r *rand.Rand, f *File, root, n *Node) bool {
	t.Helper()
	in := Nested(f, n)
	if in.outer.inexact {
		// A folded scalar with an indentation indicator whose text starts with a line of blanks is given up.
		if n.Style == Folded && strings.TrimLeft(n.Text, "\n") != strings.TrimLeft(n.Text, "\n ") {
			return false
		}
		t.Fatalf("%q: text of %q is inexact", f.Bytes, n.Text)
	}
	last := n.Content
	for _, s := range in.outer.segs {
		if s.outer < last || string(in.Bytes[s.inner:s.inner+s.length]) != string(f.Bytes[s.outer:s.outer+s.length]) {
			t.Fatalf("%q: segment %+v of %q", f.Bytes, s, n.Text)
		}
		last = s.outer + s.length
	}
	var edits []Edit
	for at := 0; at <= len(in.Bytes) && len(edits) < 3; {
		start := at + r.IntN(len(in.Bytes)-at+1)
		end := start + r.IntN(min(6, len(in.Bytes)-start+1))
		text := ""
		if r.IntN(3) > 0 {
			text = randomText(r)
		}
		if r.IntN(2) == 0 {
			text = strings.TrimSpace(strings.ReplaceAll(text, "\n", ""))
		}
		edits = append(edits, Edit{Span{start, end}, text})
		at = end + 1
		if r.IntN(2) == 0 {
			break
		}
	}
	want, err := Apply(in.Bytes, edits)
	if err != nil {
		t.Fatalf("edits %v: %v", edits, err)
	}
	_, outer, err := in.OuterEdits(edits)
	if err != nil {
		return false
	}
	got, err := Apply(f.Bytes, outer)
	if err != nil {
		t.Fatalf("%q, edits %v become %v: %v", f.Bytes, edits, outer, err)
	}
	docs, err := ParseYAML(NewFile("b", got))
	if err != nil {
		t.Fatalf("%q, edits %+v, become %q: %v", f.Bytes, edits, got, err)
	}
	m := docs[0].Root
	for _, i := range indices(n) {
		if m == nil || i >= len(m.Children) {
			t.Fatalf("%q, edits %+v, become %q: scalar is gone", f.Bytes, edits, got)
		}
		m = m.Children[i]
	}
	if m == nil || m.Text != string(want) {
		t.Fatalf("%q, edits %+v, become %q: %q, want %q", f.Bytes, edits, got, m.Text, want)
	}
	if a, b := shape(root, n), shape(docs[0].Root, m); a != b {
		t.Fatalf("%q, edits %+v, become %q: %s, want %s", f.Bytes, edits, got, b, a)
	}
	return true
}

func TestNestedProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var done, tried [Flow + 1]int
	for range 6000 {
		text := randomText(r)
		in, path := hostOf(r, text)
		f := NewFile("a", []byte(in))
		docs, err := ParseYAML(f)
		if err != nil {
			continue
		}
		n := lookup(docs[0].Root, path)
		if n == nil || n.Kind != Scalar {
			continue
		}
		tried[n.Style]++
		if checkNested(t, r, f, docs[0].Root, n) {
			done[n.Style]++
		}
	}
	for s, least := range map[Style]int{Plain: 50, SingleQuoted: 200, DoubleQuoted: 500, Literal: 500, Folded: 200} {
		if done[s] < least {
			t.Errorf("%s: only %d of %d edits were accepted", s, done[s], tried[s])
		}
	}
	t.Logf("accepted %v of %v", done, tried)
}

func FuzzNested(f *testing.F) {
	for _, c := range spanCases {
		f.Add([]byte(c.in), uint64(1))
	}
	r := rand.New(rand.NewPCG(4, 5))
	for range 50 {
		in, _ := hostOf(r, randomText(r))
		f.Add([]byte(in), r.Uint64())
	}
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		file := NewFile("a", b)
		docs, err := ParseYAML(file)
		if err != nil || len(docs) != 1 || docs[0].Root == nil || docs[0].Inexact {
			return
		}
		r := rand.New(rand.NewPCG(seed, 0))
		var scalars []*Node
		var visit func(n *Node)
		visit = func(n *Node) {
			if n.Kind == Scalar {
				scalars = append(scalars, n)
			}
			for _, c := range n.Children {
				visit(c)
			}
		}
		visit(docs[0].Root)
		for range min(4, len(scalars)) {
			checkNested(t, r, file, docs[0].Root, scalars[r.IntN(len(scalars))])
		}
	})
}
