package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// showCommands prints commands, one a line: assignments, words, redirections, marks.
func showCommands(f *File, cmds []Command) string {
	var b strings.Builder
	for _, c := range cmds {
		var parts []string
		for _, a := range c.Assigns {
			mark := ""
			if a.Unknown {
				mark = "?"
			}
			if a.Exported && len(c.Words) == 0 {
				mark += "!"
			}
			parts = append(parts, fmt.Sprintf("%s=%s%s", a.Name, a.Value, mark))
		}
		for _, w := range c.Words {
			s := "[" + w.Text + "]"
			if w.Unknown {
				s += "?"
			}
			if !w.From.IsZero() {
				s += "@" + fmt.Sprint(w.From.Start)
			}
			parts = append(parts, s)
		}
		for _, r := range c.Redirects {
			s := r.Op
			if r.Heredoc != nil {
				s += fmt.Sprintf("%q", r.Heredoc.File.Bytes)
			} else {
				s += r.Target.Text
			}
			parts = append(parts, s)
		}
		if c.Conditional {
			parts = append(parts, "conditional")
		}
		if c.Background {
			parts = append(parts, "background")
		}
		fmt.Fprintln(&b, strings.Join(parts, " "))
	}
	return b.String()
}

func TestParseShell(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "vllm serve m --port 8000\n", "[vllm] [serve] [m] [--port] [8000]\n"},
		{"continuation and comments", "#!/bin/sh\nvllm serve m \\\n  --port 8000 \\\n  --dtype auto # c\n# end\n", "[vllm] [serve] [m] [--port] [8000] [--dtype] [auto]\n"},
		{"crlf", "vllm serve m \\\r\n  --port 8000\r\nexit\r\n", "[vllm] [serve] [m] [--port] [8000]\n[exit]\n"},
		{"bom", "\ufeffvllm serve m\n", "[vllm] [serve] [m]\n"},
		{"quotes", `a 'b c' "d \"e\" \x" f\ g '' "" $'h\ti\x41\u00e9' h'i'"j"`, "[a] [b c] [d \"e\" \\x] [f g] [] [] [h\tiAé] [hij]\n"},
		{"assignments", "A=1 B=\"x y\" vllm serve m\nexport C=2 D\nE=5\ndeclare -x F=6\nreadonly G=7\n",
			"A=1 B=x y [vllm] [serve] [m]\nC=2! D=!\nE=5\nF=6!\nG=7\n"},
		{"variables", "M=org/model\nP=8000\nvllm serve \"$M\" --port=${P} --x ${Q:-4} $R ${S:?no}\n",
			"M=org/model\nP=8000\n[vllm] [serve] [org/model]@2 [--port=8000] [--x] [4]@56 [$R]? [${S:?no}]?\n"},
		{"splitting", "ARGS=\"--a 1  --b 2\"\nx $ARGS \"$ARGS\"\n", "ARGS=--a 1  --b 2\n[x] [--a]@6 [1]@10 [--b]@13 [2]@17 [--a 1  --b 2]@6\n"},
		{"arrays", "A=(--model m 'x y')\nA+=(--port 1)\nrun \"${A[@]}\" ${A[0]} end\n", "A=--model\nA=--model\n[run] [--model]@3 [m]@11 [x y]@14 [--port]@24 [1]@31 [${A[0]}]? [end]\n"},
		{"set -u arrays", "A=(x y)\nrun ${A[@]+\"${A[@]}\"}\n", "A=x\n[run] [x]@3 [y]@5\n"},
		{"alternatives are split too", "x ${U:-d  e} \"${U:-d  e}\" a${U:-b c}d ${U:-'q r'}\n", "[x] [d]@7 [e]@10 [d  e]@19 [ab] [cd] [q r]@44\n"},
		{"continuation inside quotes", "x \"a\\\nb\\\n\" \"\\\n\"c\n", "[x] [ab] [c]\n"},
		{"empty splits away", "E=\nx $E \"$E\" y\n", "E=\n[x] [] [y]\n"},
		{"computed", "x $(date) `id` $((1+2)) \"a$(b)\" <(c) $? $# $$\n", "[x] [$(date)]? [`id`]? [$((1+2))]? [a$(b)]? [<(c)]? [$?]? [$#]? [$$]?\n"},
		{"chains", "cd /x && export A=1 && exec vllm serve $A; a | b &\n", "[cd] [/x]\nA=1!\n[exec] [vllm] [serve] [1]@18\n[a]\n[b]\n"},
		{"or and tests", "[ -n \"$X\" ] && B=1\nfalse || C=2\nx $B $C\n", "[[] [-n] [$X]? []]\nB=1 conditional\n[false]\nC=2 conditional\n[x] [$B]? [$C]?\n"},
		{"conditional append keeps what is certain", "A=\"--x 1\"\nif [ -n \"$D\" ]; then A=\"$A --d\"; fi\nrun $A\n",
			"A=--x 1\n[[] [-n] [$D]? []]\nA=--x 1 --d conditional\n[run] [--x]@3 [1]@7 [$A]?\n"},
		{"conditional value hides", "A=1\nif c; then A=2; x $A; fi\nx $A\nif c; then B=3; else B=3; fi\nx $B\n",
			"A=1\n[c]\nA=2 conditional\n[x] [2]@17 conditional\n[x] [$A]?\n[c]\nB=3 conditional\nB=3 conditional\n[x] [$B]?\n"},
		{"same value stays", "A=1\nif c; then A=1; fi\nx $A\n", "A=1\n[c]\nA=1 conditional\n[x] [1]@2\n"},
		{"default idiom", ": \"${P:=8000}\"\nQ=${Q:-2}\nx $P $Q\n", "[:] [8000]@8\nQ=2\n[x] [8000]@8 [2]@22\n"},
		{"loops", "i=0\nfor g in 0 1; do CUDA=$g x $i; i=$((i+1)); done\nwhile :; do y; done\n",
			"i=0\ng=? conditional\nCUDA=$g? [x] [$i]? conditional\ni=$((i+1))? conditional\n[:] conditional\n[y] conditional\n"},
		{"functions run late", "serve() { local p=1; vllm serve $M --port $p $1; }\nM=m\nserve x\n",
			"p=1 conditional\n[vllm] [serve] [m]@53 [--port] [1]@18 [$1]? conditional\nM=m\n[serve] [x]\n"},
		{"functions hide what they set", "f() { A=2; }\nA=1\nf\nx $A\n", "A=2 conditional\nA=1\n[f]\n[x] [$A]?\n"},
		{"subshells keep to themselves", "A=1\n(A=2; x $A)\nx $A\necho a | A=3\nx $A\n", "A=1\nA=2\n[x] [2]@7\n[x] [1]@2\n[echo] [a]\nA=3\n[x] [1]@2\n"},
		{"case", "case \"$1\" in serve) exec vllm serve m;; *) exec \"$@\";; esac\n", "[exec] [vllm] [serve] [m] conditional\n[exec] [$@]? conditional\n"},
		{"sourcing makes all doubtful", "A=1\n. ./.env\nx $A ${B:-2}\nC=3\nx $C\n", "A=1\n[.] [./.env]\n[x] [$A]? [${B:-2}]?\nC=3\n[x] [$C]?\n"},
		{"read and unset", "A=1\nB=2\nread A\nunset B\nx $A ${B:-3}\n", "A=1\nB=2\n[read] [A]\n[unset] [B]\n[x] [$A]? [3]@33\n"},
		{"positional", "set -- vllm serve m \"$@\"\nexec \"$@\"\n", "[set] [--] [vllm] [serve] [m] [$@]?\n[exec] [vllm]@7 [serve]@12 [m]@18 [$@]?\n"},
		{"here-document", "kubectl apply -f - <<EOF\na: $X\nb: \\$Y\nEOF\ncat > f.yaml <<-'E'\n\tx: $X\n\t\ty: 1\n\tE\nnext\n",
			"[kubectl] [apply] [-f] [-] <<\"a: $X\\nb: $Y\\n\"\n[cat] >f.yaml <<-\"x: $X\\ny: 1\\n\"\n[next]\n"},
		{"redirections", "x > out 2>&1 < in\n{ y; } >> log\n", "[x] >out >&1 <in\n>>log\n[y]\n"},
		{"templates are unknown", "x {{ .Values.a }} --b={{c}} \"{%d%}e\" '{{ f \"g\" }}'\n{{- if .x }}\ny {{ \"'\" }}\n{{- end }}\nz {{ 1\n}} <m>\n",
			"[x] [{{ .Values.a }}]? [--b={{c}}]? [{%d%}e]? [{{ f \"g\" }}]?\n[{{- if .x }}]?\n[y] [{{ \"'\" }}]?\n[{{- end }}]?\n[z] [{{]? [1]\n[}}] [<m>]?\n"},
		{"templates in text that is refused", "x {{ \"'\" }} 'a b'\nfi\n", "[x] [{{ \"'\" }}]? [a b]\n[fi]\n"},
		{"time and coproc", "time x\ncoproc y\n", "[x]\n[y]\n"},
		{"arithmetic hides", "A=1\n((A++))\nx $A\n", "A=1\nA=?\n[x] [$A]?\n"},
		{"computed export", "export $(grep -v '^#' .env | xargs)\nx ${A:-1}\n", "[export] [$(grep -v '^#' .env | xargs)]?\n[x] [${A:-1}]?\n"},
		{"placeholders", "A=1\nvllm serve <model> --port 8000 && x \"y z\"\n", "A=1\n[vllm] [serve] [<model>]? [--port] [8000]\n[x] [y z]\n"},
		{"open quote", "vllm serve 'm --port 1\n", "[vllm] [serve] [m --port 1\n]\n"},
		{"open brace", "if x; then\nvllm serve $M ${P:-1} \"a$(b)\" \\\n --x 'y'\\''z' # c\n",
			"[if] [x]\n[then]\n[vllm] [serve] [$M]? [1]@30 [a$(b)]? [--x] [y'z]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := NewFile("run.sh", []byte(tt.in))
			s, _ := ParseShell(f)
			if diff := cmp.Diff(tt.want, showCommands(f, s.Commands(nil))); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShellErrors(t *testing.T) {
	tests := []struct{ in, want string }{
		{"x\n", ""},
		{"", ""},
		{"a\nif x; then\n", "2:7: `then` must be followed by a statement list"},
		{"a\nb 'c\n", "2:3: reached EOF without closing quote `'`"},
		{"x <<EOF\na\n", "1:3: unclosed here-document `EOF`"},
		{"a\n)\n", "2:1: `)` can only be used to close a subshell"},
		{strings.Repeat("(", 100_000), "1:1: nested too deep"},
		{strings.Repeat("a\n", maxScriptLines+1), "1:1: script too long to follow"},
	}
	for _, tt := range tests {
		f := NewFile("run.sh", []byte(tt.in))
		_, err := ParseShell(f)
		got := ""
		if err != nil {
			e := err.(*SyntaxError)
			p := f.Position(e.Offset)
			got = fmt.Sprintf("%d:%d: %s", p.Line, p.Column, e.Msg)
		}
		if got != tt.want {
			t.Errorf("%.40q: %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestShellSpans(t *testing.T) {
	f := NewFile("run.sh", []byte("export A=\"x y\" B\nC='1' vllm serve \\\n  --a=\"b c\" $D > log # end\n"))
	s, err := ParseShell(f)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Commands(nil)
	a := c[0].Assigns[0]
	if got := []string{f.Text(a.Span), f.Text(a.NameSpan), f.Text(a.ValueSpan)}; !cmp.Equal(got, []string{`A="x y"`, "A", `"x y"`}) {
		t.Errorf("assignment %q", got)
	}
	var words []string
	for _, w := range c[1].Words {
		words = append(words, f.Text(w.Span))
	}
	if !cmp.Equal(words, []string{"vllm", "serve", `--a="b c"`, "$D"}) {
		t.Errorf("words %q", words)
	}
	if got := f.Text(c[1].Args.Span); got != "vllm serve \\\n  --a=\"b c\" $D" {
		t.Errorf("all words %q", got)
	}
	if got := f.Text(c[1].Stmt); got != "C='1' vllm serve \\\n  --a=\"b c\" $D" {
		t.Errorf("statement %q", got)
	}
	if got := f.Text(c[1].Redirects[0].Span); got != "> log" {
		t.Errorf("redirection %q", got)
	}
}

func TestHeredocPlaces(t *testing.T) {
	f := NewFile("run.sh", []byte("cat > c.yaml <<-EOF\n\ta: é\n\tb: \\$X ${Y}\n\tEOF\n"))
	s, err := ParseShell(f)
	if err != nil {
		t.Fatal(err)
	}
	h := s.Commands(nil)[0].Redirects[1].Heredoc
	text := string(h.File.Bytes)
	if text != "a: é\nb: $X ${Y}\n" {
		t.Fatalf("text %q", text)
	}
	for _, want := range []string{"a: é", "b:", "${Y}", "é"} {
		i := strings.Index(text, want)
		of, s := h.File.Outer(Span{i, i + len(want)})
		if of != f || f.Text(s) != want {
			t.Errorf("%q is %q outside", want, f.Text(s))
		}
	}
}

func TestEnvironment(t *testing.T) {
	f := NewFile("run.sh", []byte(`A=0
export B=1 C
export A
B=2
if x; then export D=3; run1; fi
export E=4
unset E
(export F=5; run2)
set -a
G=6
set +a
H=7
I=8 B=9 run3
`))
	s, err := ParseShell(f)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range s.Commands(nil) {
		if len(c.Words) == 0 || !strings.HasPrefix(c.Words[0].Text, "run") {
			continue
		}
		var env []string
		for _, a := range c.Environment() {
			mark := ""
			if a.Conditional {
				mark = "?"
			}
			env = append(env, a.Name+"="+a.Value+mark)
		}
		got[c.Words[0].Text] = strings.Join(env, " ")
	}
	want := map[string]string{
		"run1": "A=0 B=2 D=3",
		"run2": "A=0 B=2 D=3? F=5",
		"run3": "A=0 D=3? G=6 I=8 B=9",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestShellLookup(t *testing.T) {
	f := NewFile("run.sh", []byte("A=1\nx $A $B $C ${C:-d} ${E:-e} $1\n"))
	s, _ := ParseShell(f)
	got := showCommands(f, s.Commands(lookupIn(map[string]string{"A": "no", "B": "b c"}, "C")))
	if want := "A=1\n[x] [1]@2 [b] [c] [$C]? [${C:-d}]? [e]@28 [$1]?\n"; got != want {
		t.Errorf("%s", got)
	}
}

// Scripts made to be slow, deep or large stay within bounds.
func TestHostileScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	n := 4000
	var double strings.Builder
	for i := range 200 {
		fmt.Fprintf(&double, "A%d=$A%d$A%d\nB+=(\"${B[@]}\" x)\n", i+1, i, i)
	}
	for _, in := range []string{
		"A0=0123456789\nB=(x)\n" + double.String(),
		strings.Repeat("$(", n), strings.Repeat("(", n), strings.Repeat("{ ", n), strings.Repeat("`", n), strings.Repeat("\"$(", n),
		strings.Repeat("if ", n), strings.Repeat("if x; then ", n), strings.Repeat("while x; do ", n), strings.Repeat("f() { ", n),
		strings.Repeat("${a:-", n) + strings.Repeat("}", n), strings.Repeat("${a:=", n/10) + strings.Repeat("}", n/10),
		"$((" + strings.Repeat("-", n), "$((" + strings.Repeat("(", n), "$((" + strings.Repeat("a?", n), "[[ " + strings.Repeat("! ", n),
		strings.Repeat("a && ", n) + "b", strings.Repeat("a | ", n) + "b", strings.Repeat("case x in y) ", n),
		strings.Repeat("if x; then A=1; fi\n", n), strings.Repeat("(export a=1);export b=1\n", n), strings.Repeat("export A=1\nx\n", n),
		strings.Repeat("A+=(x)\n", n), strings.Repeat("A=$A\"\"\n", n), strings.Repeat("A=\"$A x\"\n", n), strings.Repeat("unset A\n", n),
		strings.Repeat("f() { A=1; }; f\n", n/10), strings.Repeat("for i in 1; do ", 500) + strings.Repeat("A=1\n", n) + strings.Repeat("done\n", 500),
		strings.Repeat("x <<E\n", 500), "x <<E\n" + strings.Repeat("$A\n", n) + "E\n", strings.Repeat("elif x; then y\n", n),
		"if x; then y\n" + strings.Repeat("elif x; then y\n", n) + "fi\n", strings.Repeat("<a> ", n), "' " + strings.Repeat("\"`$(${", n),
		strings.Repeat("((a=b))\n", n), strings.Repeat("\\\n", n), strings.Repeat("\x00", n), "a" + strings.Repeat("\r", n),
	} {
		f := NewFile("run.sh", []byte(in))
		s, _ := ParseShell(f)
		cmds := s.Commands(nil)
		size := 0
		for _, c := range cmds {
			for _, w := range c.Words {
				size += len(w.Text)
			}
		}
		if size > 20*len(in)+4*maxExpansion {
			t.Errorf("%.40q: %d bytes of words", in, size)
		}
	}
}

func FuzzShellWords(f *testing.F) {
	for _, s := range []string{
		"vllm serve m --port 8000", "A=1 x \"$A\" 'b' \\\n c", "x <<EOF\n$A\nEOF\n", "if a; then b; fi", "x <m> $(y) `z`", "a && b || c | d &",
		"A=(1 2)\nx \"${A[@]}\"", "\ufeffx\r\ny \\\r\n z", "'", "\"${A:-b}\"", "f() { a; }\nf", "set -- a; x \"$@\"", "$'\\x41'", "x <<-'E'\n\ta\n\tE\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		file := NewFile("run.sh", []byte(in))
		s, err := ParseShell(file)
		if err != nil && (err.(*SyntaxError).Offset < 0 || err.(*SyntaxError).Offset > len(in)) {
			t.Fatalf("error at %d of %q", err.(*SyntaxError).Offset, in)
		}
		whole := Span{0, len(in)}
		for _, c := range s.Commands(nil) {
			last := 0
			for _, w := range c.Words {
				if !whole.Contains(w.Span) || w.Span.Start < last || w.Span.Len() < 0 {
					t.Fatalf("word %+v of %q", w, in)
				}
				last = w.Span.Start
				if raw := file.Text(w.Span); !strings.ContainsAny(raw, "\\'\"`$\x00\r") && raw != w.Text {
					t.Fatalf("word %q of %q stands at %q", w.Text, in, raw)
				}
				if !w.From.IsZero() && file.Text(w.From) != w.Text {
					t.Fatalf("word %q of %q comes from %q", w.Text, in, file.Text(w.From))
				}
			}
			for _, a := range c.Assigns {
				if !whole.Contains(a.Span) || !a.Span.Contains(a.NameSpan) || !a.Span.Contains(a.ValueSpan) {
					t.Fatalf("assignment %+v of %q", a, in)
				}
			}
			for _, r := range c.Redirects {
				if !whole.Contains(r.Span) {
					t.Fatalf("redirection %+v of %q", r, in)
				}
				if h := r.Heredoc; h != nil {
					if _, s := h.File.Outer(Span{0, len(h.File.Bytes)}); !whole.Contains(s) {
						t.Fatalf("here-document %+v of %q", s, in)
					}
				}
			}
			checkPrograms(t, in, c.Programs(nil))
		}
	})
}
