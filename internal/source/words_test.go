package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-shellwords"
)

var composeCommands = []string{
	"\\$()", "'$\\'(a)", "'$'(a)",
	"vllm serve m --port 8000", "  a  b ", "a 'b c' \"d e\" f\\ g", "a 'b\\c' \"d\\\"e\\n\"", "--x={\"a\":1} '{\"b\": [1, 2]}'", "a | b", "a && b", "a > b",
	"a 2> b", "a $(b c) d", "a `b c` d", "a ( b", "a ) b", "a '", "a \"", "a \\", "", "'' \"\"", "a''b", "a # b", "\na\n  b\\\n c\n", "é 'ü'", "a;b",
	"'a' 2>b", "2>b", "\"2\">b", "$(a '(' )", "a\\", "''", "\\ ", "a=\"b\"c", "$a", "''>", "'\\'", "\"'\" '\"'",
}

func checkComposeWords(t *testing.T, text string) {
	t.Helper()
	want, err := shellwords.Parse(text)
	p := Pieces{{Span: Span{0, len(text)}, Text: text}}
	s := composeSplitter{b: []byte(text)}
	s.run(p)
	if err != nil {
		if s.msg == "" {
			t.Fatalf("compose refuses %q, we do not", text)
		}
		return
	}
	if strings.Contains(s.msg, "refuses") {
		t.Fatalf("compose accepts %q, we say %s", text, s.msg)
	}
	got := []string{}
	for _, w := range s.words {
		got = append(got, w.Text)
		if raw := text[w.Span.Start:w.Span.End]; !strings.ContainsAny(raw, "\\'\"") && raw != w.Text {
			t.Fatalf("word %q of %q stands at %q", w.Text, text, raw)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q (-compose +ours):\n%s", text, diff)
	}
}

func TestLikeShellwords(t *testing.T) {
	for _, text := range composeCommands {
		checkComposeWords(t, text)
	}
}

func FuzzComposeWords(f *testing.F) {
	for _, text := range composeCommands {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkComposeWords(t, strings.ToValidUTF8(text, "?"))
		ComposeWords(NewFile("x", []byte(text)), nil)
	})
}

func TestComposeWords(t *testing.T) {
	f := NewFile("compose.yaml", []byte("serve ${M:-org/m} --a=\"${A}\" ${X} ${E---x --y} $$H ${B}"))
	a, err := ComposeWords(f, lookupIn(map[string]string{"A": "1 2", "B": "b c"}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range a.Words {
		mark := ""
		if w.Unknown {
			mark = "?"
		}
		got = append(got, w.Text+mark+"@"+f.Text(w.Span))
	}
	want := []string{"serve@serve", "org/m@org/m", "--a=1 2@--a=\"${A}\"", "${X}?@${X}", "--x@--x", "--y@--y", "$H@$$H", "b@${B}", "c@${B}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a.Span != (Span{0, len(f.Bytes)}) || a.Form != ShellText {
		t.Errorf("span %v, form %v", a.Span, a.Form)
	}

	for in, want := range map[string]string{"a ${": "${ is not followed by a name and }", "a && b": "compose ends the command here: & needs a shell"} {
		if _, err := ComposeWords(NewFile("x", []byte(in)), nil); err == nil || err.Error() != want {
			t.Errorf("%q: %v", in, err)
		}
	}
}
