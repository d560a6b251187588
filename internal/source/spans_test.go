package source

import (
	"fmt"
	"strings"
	"testing"
)

// dump renders a tree by what its spans cover: key=lead|content of every node, so that a test reads like the
// document it is about.
func dump(f *File, n *Node) string {
	if n == nil {
		return "-"
	}
	var b strings.Builder
	var visit func(n *Node)
	visit = func(n *Node) {
		if n.Content > n.Start {
			fmt.Fprintf(&b, "<%s>", strings.TrimSpace(f.Text(Span{n.Start, n.Content})))
		}
		switch n.Kind {
		case Scalar, Alias:
			fmt.Fprintf(&b, "%q", f.Text(n.Span()))
			if n.Empty {
				fmt.Fprintf(&b, "@%d", n.Content)
			}
		case List:
			fmt.Fprintf(&b, "[%d-%d:", n.Content, n.End)
			for _, c := range n.Children {
				b.WriteByte(' ')
				visit(c)
			}
			b.WriteByte(']')
		case Map:
			fmt.Fprintf(&b, "{%d-%d:", n.Content, n.End)
			for i := 0; i+1 < len(n.Children); i += 2 {
				k, v := n.Children[i], n.Children[i+1]
				b.WriteByte(' ')
				if k.Lead != k.Start {
					b.WriteString("? ")
				}
				visit(k)
				if v.Lead >= 0 {
					b.WriteString(f.Text(Span{v.Lead, v.Lead + 1}))
				} else {
					b.WriteString("!")
				}
				visit(v)
			}
			b.WriteByte('}')
		}
	}
	visit(n)
	return b.String()
}

// spanCases are the constructs in which positions of yaml.v3 mislead.
var spanCases = []struct{ name, in, want string }{
	{"f2 line separator", "a: x\u2028b: y\n", `{0-11: "a":"x" "b":"y"}`},
	{"f2 next line in comment", "a: b # c\u0085d: e\n", `{0-14: "a":"b" "d":"e"}`},
	{"f2 carriage return", "a: b\rc: d\r", `{0-9: "a":"b" "c":"d"}`},
	{"f3 outer colon", "? a: 1\n  ? b\n: c\n", `{0-16: ? {2-12: "a":"1" ? "b"!""@12}:"c"}`},
	{"f3 no colon", "? a\n# c\n? b\n", `{0-11: ? "a"!""@3 ? "b"!""@11}`},
	{"f4 next key", "key: &x1\n&x2 k: v\n", `{0-17: "key":<&x1>""@8 <&x2>"k":"v"}`},
	{"f4 first child", "a: !t\n  &x k: v\n", `{0-15: "a":<!t>{8-15: <&x>"k":"v"}}`},
	{"f4 key of an item", "- &k a: b\n  c: d\n", `[0-16: {2-16: <&k>"a":"b" "c":"d"}]`},
	{"f5 lone tag", "a: !\nb: 1\n", `{0-9: "a":<!>""@4 "b":"1"}`},
	{"f5 lone tag in list", "- !\n- 1\n", `[0-7: <!>""@3 "1"]`},
	{"f6 pair", "a: [x: 1, ? y : 2]\n", `{0-18: "a":[3-18: {4-8: "x":"1"} {10-17: ? "y":"2"}]}`},
	{"f6 pair of map", "a: [&x {k: v}: w]\n", `{0-17: "a":[3-17: {4-16: <&x>{7-13: "k":"v"}:"w"}]}`},
	{"f6 pair without value", "a: [p: ]\n", `{0-8: "a":[3-8: {4-6: "p":""@6}]}`},
	{"f7 null and comment", "a: {k0: # c\n }\n", `{0-14: "a":{3-14: "k0":""@7}}`},
	{"f7 absent value", "? d\n\n# c\n", `{0-3: ? "d"!""@3}`},
	{"f8 blank tail", "a: |\n  x\n     \n \nb: 1\n", `{0-21: "a":"|\n  x\n     " "b":"1"}`},
	{"f8 keep only", "a: |+\n\n\nb: 1\n", `{0-12: "a":"|+\n\n" "b":"1"}`},
	{"f8 no content", "a: |\nb: 1\n", `{0-9: "a":"|" "b":"1"}`},
	{"f8 no final newline", "a: |\n  x", `{0-8: "a":"|\n  x"}`},
	{"f8 indicator", "a: |2-\n    x\n  y\n", `{0-16: "a":"|2-\n    x\n  y"}`},
	{"f8 glued comment", "a: |# c\n  x\n", `{0-11: "a":"|# c\n  x"}`},
	{"f8 keep", "a: |+\n  x\n\nb: 1\n", `{0-15: "a":"|+\n  x\n" "b":"1"}`},
	{"f9 comments in list", "a: [ # ]\n x, # }\n]\n", `{0-18: "a":[3-18: "x"]}`},
	{"f9 quotes in list", "a: [ '[', \"}]\" ] # ]\n", `{0-16: "a":[3-16: "'['" "\"}]\""]}`},
	{"f9 quote in quotes", "a: 'it''s' # '\n", `{0-10: "a":"'it''s'"}`},
	{"f10 late byte order mark", "\n\ufeff\n", `"\ufeff"`},

	{"r7 lone tag below an anchor", "k: &x\n! j: v\n", `{0-12: "k":<&x>""@5 <!>"j":"v"}`},
	{"r7 lone tag of the anchor's value", "k: &x\n  !\nj: v\n", "{0-14: \"k\":<&x\n  !>\"\"@9 \"j\":\"v\"}"},

	{"byte order mark", "\ufeffa: b\n", `{3-7: "a":"b"}`},
	{"emoji and combining mark", "a: [😀, e\u0301, b]\n", `{0-17: "a":[3-17: "😀" "é" "b"]}`},
	{"tab after colon", "a:\tb\n", `{0-4: "a":"b"}`},
	{"crlf", "a: b\r\nc: |\r\n  d\r\n", `{0-15: "a":"b" "c":"|\r\n  d"}`},
	{"properties on their own line", "a:\n  &x\n  !t # c\n  k: v\n", `{0-23: "a":<&x
  !t # c>{19-23: "k":"v"}}`},
	{"empty anchored value", "a: &x\nb: *x\n", `{0-11: "a":<&x>""@5 "b":"*x"}`},
	{"plain on several lines", "a: b\n  c # d\ne: f\n", `{0-17: "a":"b\n  c" "e":"f"}`},
	{"folded in list", "- >-\n  a\n  b\n\n- c\n", `[0-17: ">-\n  a\n  b" "c"]`},
	{"list at the key's column", "a:\n- 1\n- 2\nb: 3\n", `{0-15: "a":[3-10: "1" "2"] "b":"3"}`},
	{"nested lists", "- - a\n  - b\n-\n- c\n", `[0-17: [2-11: "a" "b"] ""@13 "c"]`},
	{"null in flow map", "{b: , c: 1, d}\n", `{0-14: "b":""@3 "c":"1" "d"!""@13}`},
	{"trailing comma", "[a, b, ]\n", `[0-8: "a" "b"]`},
	{"complex key", "? - a\n  - b\n: - c\n", `{0-17: ? [2-11: "a" "b"]:[14-17: "c"]}`},
	{"empty key", "? \n: v\n", `{0-6: ? ""@1:"v"}`},
	{"merge", "a: &x {b: 1}\nc:\n  <<: *x\n", `{0-24: "a":<&x>{6-12: "b":"1"} "c":{18-24: "<<":"*x"}}`},
	{"merge list", "c:\n  <<: [*x]\n", ""},
	{"root scalar", "--- text\n", `"text"`},
	{"root null", "---\n", "-"},
	{"directive", "%YAML 1.1\n---\na: 1\n", `{14-18: "a":"1"}`},

	{"mask version", "%YAML 1.2\n---\na: 1\n", `{14-18: "a":"1"}`},
	{"mask slash", `{"a": "b\/c", "d": "\\/"}`, `{0-25: "\"a\"":"\"b\\/c\"" "\"d\"":"\"\\\\/\""}`},
	{"mask surrogates", `{"a": "\ud83d\ude00", b: c}`, `{0-27: "\"a\"":"\"\\ud83d\\ude00\"" "b":"c"}`},
	{"mask tab", "-\ta: b\n- |\n  -\tx\n", `[0-16: {2-6: "a":"b"} "|\n  -\tx"]`},
}

func TestYAMLSpans(t *testing.T) {
	for _, c := range spanCases {
		t.Run(c.name, func(t *testing.T) {
			f := NewFile("a.yaml", []byte(c.in))
			docs, err := ParseYAML(f)
			if c.want == "" {
				if err == nil {
					t.Fatal("no error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(docs) != 1 {
				t.Fatalf("%d documents", len(docs))
			}
			if docs[0].Inexact {
				t.Error("inexact")
			}
			if got := dump(f, docs[0].Root); got != c.want {
				t.Errorf("%q:\n got %s\nwant %s", c.in, got, c.want)
			}
		})
	}
}

// TestYAMLMaskedText checks that masking for the parser leaves the values those of the file.
func TestYAMLMaskedText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`- "\ud83d\ude00 \/ \\/"`, "😀 / \\/"},
		{`- "\ud83d"`, "\ufffd"},
		{"-\t\"x\"\n", "x"},
		{"-\t- |2-\n    -\t?\tx -\ty\n", "-\t?\tx -\ty"},
		{"-\ta\n- x -\ty\n", "a"},
		{"-\t'it''s\n -\ty'\n", "it's -\ty"},
	} {
		docs, err := ParseYAML(NewFile("a", []byte(c.in)))
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		n := docs[0].Root
		for n.Kind != Scalar {
			n = n.Children[0]
		}
		if n.Text != c.want || docs[0].Inexact {
			t.Errorf("%q: %q, inexact %t, want %q", c.in, n.Text, docs[0].Inexact, c.want)
		}
	}
}

// TestYAMLLateMarks checks that a byte order mark after the first bytes is a character like any other, which it
// is not for yaml.v3: it drops the first character of the lines below.
func TestYAMLLateMarks(t *testing.T) {
	f, root := mustYAML(t, "\ufeff\ufeffa: 1\nbc: \ufeffx\ufeff # \ufeff\n")
	if got, want := dump(f, root), "{3-22: \"\ufeffa\":\"1\" \"bc\":\"\ufeffx\ufeff\"}"; strings.ReplaceAll(got, `\ufeff`, "\ufeff") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if v := root.Get("bc"); v == nil || v.Text != "\ufeffx\ufeff" {
		t.Errorf("value %+v", v)
	}
}

func TestYAMLErrors(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+1)
	for _, c := range []struct {
		name, in  string
		line, col int
		msg       string
		docs      int
	}{
		{"nested mapping on a line", "x: 1\ny: 2\na: b: c\n", 3, 5, "mapping values are not allowed", 0},
		{"nested mapping on line 1", "a: b: c\n", 1, 5, "mapping values are not allowed", 0},
		{"unclosed quote", "x: 1\ny: \"abc\nz: 1\n", 2, 4, "unexpected end of stream", 0},
		{"dedent", "a:\n    b: 1\n  c: 2\n", 3, 3, "did not find expected key", 0},
		{"dedent in a nested block", "r: 1\nx:\n  a:\n      b: 1\n      d: 1\n    c: 2\n  z: 1\n", 6, 5, "did not find expected key", 0},
		{"item in a map", "a: 1\n- b\n", 2, 1, "", 0},
		{"comment inside a plain scalar", "a: x\n  # c\n  y\n", 3, 3, "", 0},
		{"unclosed list", "x: 1\na: [b, c\nd: e\n", 2, 4, "expected ',' or ']'", 0},
		{"unclosed list on line 1", "a: [b, c\nd: e\n", 1, 4, "expected ',' or ']'", 0},
		{"unclosed map", "x: 1\na: {b: c\nd\n", 2, 4, "expected ',' or '}'", 0},
		{"unknown anchor", "x: 1\na: [b, *nope]\n", 2, 8, "unknown anchor 'nope'", 0},
		{"anchor of an earlier document", "a: &x 1\n---\nb: *x\n", 3, 4, "unknown anchor 'x'", 1},
		{"later document", "a: 1\n---\nb: [\n", 3, 4, "", 1},
		{"third document", "a: 1\n---\nb: 1\n---\nc: d: e\n", 5, 5, "mapping values", 2},
		{"escape", "a: 1\nb: \"x \\q\"\n", 2, 7, "unknown escape", 0},
		{"at sign", "a: 1\nb: @x\n", 2, 4, "cannot start any token", 0},
		{"tab as indentation", "a:\n\tb: 1\n", 2, 1, "cannot start any token", 0},
		{"control character", "a: 1\nb: x\x01\n", 2, 5, "control character 0x01", 0},
		{"invalid utf-8", "a: 1\nb: é\xff\n", 2, 5, "invalid UTF-8", 0},
		{"utf-16", "\xff\xfea\x00", 1, 1, "UTF-16", 0},
		{"depth", deep, 1, MaxDepth + 1, "nested deeper", 0},
		{"depth of blocks", strings.Repeat("- ", MaxDepth+2) + "x", 1, 2*MaxDepth + 1, "nested deeper", 0},
		{"size", strings.Repeat("#", MaxFileSize+1), 1, 1, "larger than 8 MiB", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFile("a.yaml", []byte(c.in))
			if c.name == "depth" {
				f = NewFile("a.yaml", []byte(c.in+strings.Repeat("]", MaxDepth+1)))
			}
			docs, err := ParseYAML(f)
			if err == nil {
				t.Fatal("no error")
			}
			se, ok := err.(*SyntaxError)
			if !ok {
				t.Fatalf("error is a %T", err)
			}
			p := f.Position(se.Offset)
			if p.Line != c.line || p.Column != c.col || !strings.Contains(se.Msg, c.msg) {
				t.Errorf("%d:%d: %s, want %d:%d: %s", p.Line, p.Column, se.Msg, c.line, c.col, c.msg)
			}
			if len(docs) != c.docs {
				t.Errorf("%d documents before the error, want %d", len(docs), c.docs)
			}
		})
	}
}

func TestYAMLDocuments(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"# only a comment\n", nil},
		{"\n\n", nil},
		{"a: 1\n---\n---\n# c\nb: 2\n...\n---\n- x\n", []string{`{0-4: "a":"1"}`, "-", `{17-21: "b":"2"}`, `[30-33: "x"]`}},
		{"--- # first\n!!str\n--- |\n  x\n--- 'y'\n", []string{`<!!str>""@17`, `"|\n  x"`, `"'y'"`}},
	} {
		f := NewFile("a.yaml", []byte(c.in))
		docs, err := ParseYAML(f)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		var got []string
		for i, d := range docs {
			if d.Index != i || d.File != f {
				t.Errorf("%q: document %d has index %d", c.in, i, d.Index)
			}
			got = append(got, dump(f, d.Root))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q:\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestYAMLAliases(t *testing.T) {
	docs, err := ParseYAML(NewFile("a", []byte("a: &x 1\nb: *x\nc: &x 2\nd: *x\ne: &y [*y, *x]\n")))
	if err != nil {
		t.Fatal(err)
	}
	r := docs[0].Root
	if got := r.Get("b").Deref().Text + r.Get("d").Deref().Text; got != "12" {
		t.Errorf("aliases are %s", got)
	}
	if n := r.Get("e").Children[0]; n.Target() != nil || n.Deref() != nil {
		t.Error("an alias of its own container has a target")
	}
	if n := r.Get("e").Children[1].Deref(); n == nil || n.Text != "2" {
		t.Error("alias in a list")
	}
}

func TestComments(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"# only\n", []string{"own # only"}},
		{"\ufeff# bom\na: 1\n", []string{"own # bom"}},
		{"a: [ #1\n  b, #2\n ]# 3\nc: 'x # y' # 4\r\n  # 5\n", []string{"#1", "#2", "# 3", "# 4", "own # 5"}},
		{"a: | # header\n  # text\n # text 2\n# c\nb: x#y # d\n", []string{"# header", "own # text 2", "own # c", "# d"}},
		{"a: |-\n  # text\n\n  x\nb: >+ # h\n  # t\n\n", []string{"# h"}},
		{"%YAML 1.1 # d\n--- # e\na: &x # f\n  !t # g\n  b: c\n... # h\n", []string{"# d", "# e", "# f", "# g", "# h"}},
		{"a: b # c\u0085#d\n", []string{"# c", "own #d"}},
		{"a: |", nil},
	} {
		f := NewFile("a.yaml", []byte(c.in))
		docs, err := ParseYAML(f)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		var got []string
		for _, k := range Comments(f, docs) {
			s := f.Text(k.Span)
			if k.OwnLine {
				s = "own " + s
			}
			got = append(got, s)
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%q:\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}
