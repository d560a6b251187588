package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const unitText = "# comment\n[Unit]\nDescription=vLLM\n\n[Service]\nEnvironment=A=1 \"B=x y\" 'C=%i'\nEnvironment=A=2\n" +
	"EnvironmentFile=-/etc/vllm.env\nEnvironmentFile=/etc/%i.env\nExecStartPre=/bin/true\nExecStartPre=\n" +
	"ExecStart=@-/usr/bin/vllm vllm serve ${MODEL} \\\n    # note\n    --port=$PORT $ARGS \\\n    --x \"a \\\"b\" 'c\\x41' $$ %n 50%%\n"

func TestParseUnit(t *testing.T) {
	for _, text := range []string{unitText, strings.ReplaceAll(unitText, "\n", "\r\n"), "\ufeff" + unitText} {
		f := NewFile("vllm.service", []byte(text))
		u := ParseUnit(f)
		if len(u.Errors) > 0 {
			t.Errorf("error %v", u.Errors[0])
		}
		var env []string
		for _, a := range u.Environment() {
			env = append(env, fmt.Sprintf("%s=%s|%s|%s|%v", a.Name, a.Value, f.Text(a.NameSpan), f.Text(a.ValueSpan), a.Unknown))
		}
		if diff := cmp.Diff([]string{"A=2|A|2|false", "B=x y|B|x y|false", "C=%i|C|%i|true"}, env); diff != "" {
			t.Errorf("environment:\n%s", diff)
		}
		var files []string
		for _, p := range u.EnvironmentFiles() {
			files = append(files, fmt.Sprintf("%s|%s|%v|%v", p.Path, f.Text(p.Span), p.Optional, p.Unknown))
		}
		if diff := cmp.Diff([]string{"/etc/vllm.env|/etc/vllm.env|true|false", "/etc/%i.env|/etc/%i.env|false|true"}, files); diff != "" {
			t.Errorf("environment files:\n%s", diff)
		}
		if pre := u.Commands("ExecStartPre", nil); len(pre) != 0 {
			t.Errorf("an empty assignment leaves %v", pre)
		}
		var words []string
		for _, w := range u.Commands("ExecStart", lookupIn(map[string]string{"ARGS": "--a 'b c'"}))[0].Words {
			mark := ""
			if w.Unknown {
				mark = "?"
			}
			words = append(words, w.Text+mark+"|"+f.Text(w.Span))
		}
		want := []string{"/usr/bin/vllm|/usr/bin/vllm", "serve|serve", "${MODEL}?|${MODEL}", "--port=$PORT|--port=$PORT", "--a|$ARGS", "b c|$ARGS",
			"--x|--x", "a \"b|\"a \\\"b\"", "cA|'c\\x41'", "$|$$", "%n?|%n", "50%|50%%"}
		if diff := cmp.Diff(want, words); diff != "" {
			t.Errorf("words:\n%s", diff)
		}
	}
}

func TestUnitCommands(t *testing.T) {
	tests := []struct{ in, want string }{
		{"/bin/a b ; /bin/c d", "/bin/a b|/bin/c d"},
		{"/bin/a \\; ';' x", "/bin/a ; ; x"},
		{":/bin/a ${X} $$", "/bin/a ${X} $$"},
		{"- /bin/a", "/bin/a"},
		{"/bin/a 'open", "/bin/a"},
		{"/bin/sh -c 'vllm serve \"$M\" | tee x'", "/bin/sh -c vllm serve \"$M\" | tee x"},
	}
	for _, tt := range tests {
		u := ParseUnit(NewFile("x.service", []byte("[Service]\nExecStart="+tt.in+"\n")))
		var got []string
		for _, a := range u.Commands("ExecStart", nil) {
			var words []string
			for _, w := range a.Words {
				words = append(words, w.Text)
			}
			got = append(got, strings.Join(words, " "))
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %s, want %s", tt.in, strings.Join(got, "|"), tt.want)
		}
	}
}

func TestUnitErrors(t *testing.T) {
	f := NewFile("x.service", []byte("A=1\n[Service\n[Service]\nB\nC=\n"))
	u := ParseUnit(f)
	var got []string
	for _, e := range u.Errors {
		got = append(got, fmt.Sprintf("%d: %s", f.LineAt(e.Offset), e.Msg))
	}
	want := []string{"1: assignment outside a section", "2: section header without ]", "4: line without '='"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e := u.Entries[0]; e.Key != "C" || e.ValueSpan != (Span{27, 27}) {
		t.Errorf("entry %+v", e)
	}
}

func FuzzUnit(f *testing.F) {
	f.Add(unitText)
	f.Add("[Service]\nExecStart=a ; b \\\n")
	f.Add("[S]\nEnvironment=\"A=\\x41\\")
	f.Fuzz(func(t *testing.T, in string) {
		u := ParseUnit(NewFile("x.service", []byte(in)))
		whole := Span{0, len(in)}
		for _, e := range u.Entries {
			if !whole.Contains(e.Span) || !e.Span.Contains(e.KeySpan) || !e.Span.Contains(e.ValueSpan) {
				t.Fatalf("entry %+v of %q", e, in)
			}
			if strings.HasPrefix(e.Key, "Exec") {
				for _, a := range u.Commands(e.Key, nil) {
					for _, w := range a.Words {
						if !whole.Contains(w.Span) || w.Span.Len() < 0 {
							t.Fatalf("word %+v of %q", w, in)
						}
					}
				}
			}
		}
		for _, a := range u.Environment() {
			if !whole.Contains(a.Span) || !a.Span.Contains(a.NameSpan) || !whole.Contains(a.ValueSpan) {
				t.Fatalf("variable %+v of %q", a, in)
			}
		}
		u.EnvironmentFiles()
	})
}
