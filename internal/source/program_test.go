package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func showPrograms(programs []Program) []string {
	var out []string
	for _, p := range programs {
		var s []string
		for _, a := range p.Env {
			mark := ""
			if a.Unknown {
				mark = "?"
			}
			s = append(s, a.Name+"="+a.Value+mark)
		}
		if p.OpenEnv {
			s = append(s, "open")
		}
		for _, w := range p.Line.Words {
			mark := ""
			if w.Unknown {
				mark = "?"
			}
			f, sp := w.Args.File.Outer(w.Span)
			s = append(s, fmt.Sprintf("%s%s<%s>", w.Text, mark, f.Text(sp)))
		}
		out = append(out, strings.Join(s, " "))
	}
	return out
}

func TestPrograms(t *testing.T) {
	tests := []struct{ in, want string }{
		{"vllm serve m", "vllm<vllm> serve<serve> m<m>"},
		{"exec -a v nohup nice -n 5 ionice -c 2 -n 0 timeout -k 5 10m stdbuf -oL vllm serve", "vllm<vllm> serve<serve>"},
		{"A=1 env -i -u X B=2 'C=3 4' vllm", "A=1 B=2 C=3 4 vllm<vllm>"},
		{"sudo -E -u vllm numactl --cpunodebind=0 -m 0 taskset -c 0-3 vllm", "vllm<vllm>"},
		{"uv run --with x --no-sync vllm serve m", "vllm<vllm> serve<serve> m<m>"},
		{"conda run -n e --no-capture-output vllm serve", "vllm<vllm> serve<serve>"},
		{"doppler run --token x -- litellm --config c", "open litellm<litellm> --config<--config> c<c>"},
		{"tini -g -- dumb-init litellm", "litellm<litellm>"},
		{"uv pip install x", "uv<uv> pip<pip> install<install> x<x>"},
		{"env", "env<env>"},
		{"exec", "exec<exec>"},
		{`bash -euo pipefail -c 'cd /x && A=1 exec vllm serve "$M" --x "y z"; echo $B'`,
			`cd<cd> /x</x>|A=1 vllm<vllm> serve<serve> $M?<"$M"> --x<--x> y z<"y z">|echo<echo> $B?<$B>`},
		{`B=2 sh -c "echo \$B \"q\" $B"`, `B=2 echo<echo> 2<\$B> q<\"q\"> $B?<$B>`},
		{`sh -c 'exec vllm serve "$@" $1' name --a b`, `vllm<vllm> serve<serve> --a<"$@"> b<"$@"> $1?<$1>`},
		{`/bin/bash -lc -- "vllm serve m"`, `vllm<vllm> serve<serve> m<m>`},
		{"bash -c '. ./.env; vllm serve $A'", ".<.> ./.env<./.env>|open vllm<vllm> serve<serve> $A?<$A>"},
		{"tmux new-session -d -s v 'vllm serve m'", "vllm<vllm> serve<serve> m<m>"},
		{"tmux -L x new -d -s v vllm serve m", "vllm<vllm> serve<serve> m<m>"},
		{"tmux attach -t v", "tmux<tmux> attach<attach> -t<-t> v<v>"},
		{"screen -dmS v bash -c 'vllm serve m'", "vllm<vllm> serve<serve> m<m>"},
		{"su - vllm -c 'vllm serve m'", "vllm<vllm> serve<serve> m<m>"},
		{"su - vllm", "su<su> -<-> vllm<vllm>"},
		{"bash run.sh", "bash<bash> run.sh<run.sh>"},
		{"bash -c", "bash<bash> -c<-c>"},
		{`sh -c "sh -c 'x y'"`, `x<x> y<y>`},
	}
	for _, tt := range tests {
		f := NewFile("run.sh", []byte(tt.in))
		s, err := ParseShell(f)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range s.Commands(nil) {
			got = append(got, showPrograms(c.Programs(nil))...)
		}
		if diff := cmp.Diff(strings.Split(tt.want, "|"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.in, diff)
		}
	}
}

func TestArgsFromNode(t *testing.T) {
	lookup := lookupIn(map[string]string{"M": "org/m", "P": "80 00"})
	tests := []struct {
		name, in string
		how      Expansion
		want     []string
	}{
		{"kubernetes", "command: [sh, -c]\nargs:\n- |\n  set -e\n  vllm serve $(M) \\\n    --port \"$(P)\" --x $(Y) $Z $$HOME\n", KubernetesExpansion,
			[]string{"set<set> -e<-e>", "vllm<vllm> serve<serve> org/m<$(M)> --port<--port> 80 00<\"$(P)\"> --x<--x> $(Y)?<$(Y)> $Z?<$Z> $HOME?<$$HOME>"}},
		{"kubernetes list", "command: [vllm, serve]\nargs:\n- '$(M)'\n- \"--a=$(Y)\"\n- --b={{ .x }}\n- 8000\n- {a: b}\n- ''\n", KubernetesExpansion,
			[]string{"vllm<vllm> serve<serve> org/m<'$(M)'> --a=$(Y)?<\"--a=$(Y)\"> --b={{ .x }}?<--b={{ .x }}> 8000<8000> ?<{a: b}> <''>"}},
		{"compose text", "command: >\n  serve ${M} --p ${P:-1}\n  --a '${Y:-x y}'\n", ComposeExpansion,
			[]string{"serve<serve> org/m<${M}> --p<--p> 80<${P:-1}> 00<${P:-1}> --a<--a> x y<'${Y:-x y}'>"}},
		{"compose list", "command:\n- bash\n- -c\n- |-\n  exec vllm serve ${M} $$N ${Y}\n", ComposeExpansion,
			[]string{"vllm<vllm> serve<serve> org/m<${M}> $N?<$$N> ${Y}?<${Y}>"}},
		{"compose text with a shell", "command: sh -c \"litellm --port $${PORT:-4000}\"\n", ComposeExpansion,
			[]string{"litellm<litellm> --port<--port> 4000<$${PORT:-4000}>"}},
		{"text of several commands", "command: cd /x && vllm serve $M\n", NoExpansion, []string{"cd<cd> /x</x>", "vllm<vllm> serve<serve> $M?<$M>"}},
		{"templates in a compose text", "command: serve {{ model }} --port={{ port | default('a b') }} x\n", ComposeExpansion,
			[]string{"serve<serve> {{ model }}?<{{ model }}> --port={{ port | default('a b') }}?<--port={{ port | default('a b') }}> x<x>"}},
		{"text for a shell", "command: vllm serve 'a b' # c\n", NoExpansion, []string{"vllm<vllm> serve<serve> a b<'a b'>"}},
		{"alias", "x: &a [vllm, serve]\ncommand: *a\n", NoExpansion, []string{"vllm<vllm> serve<serve>"}},
		{"empty", "command:\n", ComposeExpansion, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := NewFile("x.yaml", []byte(tt.in))
			docs, err := ParseYAML(f)
			if err != nil {
				t.Fatal(err)
			}
			var lists []*Args
			for _, key := range []string{"command", "args"} {
				if n := docs[0].Root.Get(key); n != nil {
					a, err := ArgsFromNode(f, n, tt.how, lookup)
					if err != nil {
						t.Fatal(err)
					}
					lists = append(lists, a)
				}
			}
			got := showPrograms(Programs(JoinArgs(lists...), nil))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What compose or Kubernetes could not replace is not the shell's to replace either.
func TestHolesStayUnknown(t *testing.T) {
	f := NewFile("x.yaml", []byte("command: [sh, -c, 'x ${A} $$A']\n"))
	docs, err := ParseYAML(f)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ArgsFromNode(f, docs[0].Root.Get("command"), ComposeExpansion, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := showPrograms(Programs(JoinArgs(a), lookupIn(map[string]string{"A": "inside"})))
	if want := []string{"x<x> ${A}?<${A}> inside<$$A>"}; !cmp.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestExpandArgs(t *testing.T) {
	f := NewFile("x.yaml", []byte("command: [sh, -c, \"exec x --a=$(A)\\t$(B)\"]\n"))
	docs, err := ParseYAML(f)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := ArgsFromNode(f, docs[0].Root.Get("command"), NoExpansion, nil)
	b := a.Expand(KubernetesExpansion, lookupIn(map[string]string{"A": "1"}))
	got := showPrograms(Programs(JoinArgs(b), nil))
	if want := []string{"x<x> --a=1<--a=$(A)> $(B)?<$(B)>"}; !cmp.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if a.Words[2].Text != "exec x --a=$(A)\t$(B)" {
		t.Error("the list itself changed")
	}
	var none *Args
	if none.Expand(KubernetesExpansion, nil) != nil {
		t.Error("words out of nothing")
	}
}

func TestComposeListErrors(t *testing.T) {
	f := NewFile("x.yaml", []byte("command: [a, '${']\n"))
	docs, _ := ParseYAML(f)
	a, err := ArgsFromNode(f, docs[0].Root.Get("command"), ComposeExpansion, nil)
	if err == nil || len(a.Words) != 2 || err.(*SyntaxError).Offset != 13 {
		t.Errorf("%v, %d words", err, len(a.Words))
	}
}

// Scripts in scripts, and wrappers without end, stay bounded.
func TestHostilePrograms(t *testing.T) {
	for _, in := range []string{
		strings.Repeat("env ", 5_000) + "x", strings.Repeat("sh -c ", 5_000), strings.Repeat("nice -n ", 5_000),
		"sh -c '" + strings.Repeat("a;", 20_000) + "'", strings.Repeat("A=1 ", 2000) + "env " + strings.Repeat("A=1 ", 2000) + "x",
	} {
		s, err := ParseShell(NewFile("run.sh", []byte(in)))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Commands(nil) {
			if p := c.Programs(nil); len(p) > maxPrograms {
				t.Errorf("%.30q: %d programs", in, len(p))
			}
		}
	}
}

func checkPrograms(t *testing.T, in string, programs []Program) {
	t.Helper()
	whole := Span{0, len(in)}
	for _, p := range programs {
		for i := range p.Line.Words {
			w := &p.Line.Words[i]
			for _, s := range []Span{w.Span, w.Sub(0, len(w.Text)), w.Sub(len(w.Text)/2, len(w.Text))} {
				if _, o := w.Args.File.Outer(s); !whole.Contains(o) || o.Len() < 0 {
					t.Fatalf("word %q of %q stands at %v", w.Text, in, o)
				}
			}
		}
		for _, a := range p.Env {
			for _, s := range []Span{a.Span, a.NameSpan, a.ValueSpan} {
				if _, o := a.File.Outer(s); !whole.Contains(o) || o.Len() < 0 {
					t.Fatalf("variable %q of %q stands at %v", a.Name, in, o)
				}
			}
		}
	}
}

func FuzzArgs(f *testing.F) {
	for _, s := range []string{
		"command: [sh, -c, \"A=1 x \\\"$A\\\" $$B ${C}\"]\n", "command: |\n  sh -c 'x <<E\n  y\n  E\n  '\n", "command: >-\n  a $(b) \"${c:-d e}\"\n  'f'\n",
		"command: [env, 'A=$(B)', bash, -lc, 'exec \"$@\"', x, y]\n", "command:\n- a\n- &x b\n- *x\n- {c: d}\n-\n", "command: \"a \\u0041 \\\"b c\\\"\"\n",
	} {
		for how := NoExpansion; how <= SystemdExpansion; how++ {
			f.Add(s, uint8(how))
		}
	}
	f.Fuzz(func(t *testing.T, in string, how uint8) {
		file := NewFile("x.yaml", []byte(in))
		docs, err := ParseYAML(file)
		if err != nil {
			return
		}
		for _, d := range docs {
			n := d.Root.Get("command")
			if n == nil {
				n = d.Root
			}
			a, _ := ArgsFromNode(file, n, Expansion(how%4), lookupIn(map[string]string{"B": "b c", "c": "x"}))
			checkPrograms(t, in, Programs(JoinArgs(a), nil))
		}
	})
}
