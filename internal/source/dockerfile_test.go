package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func showStage(d *Dockerfile, s *Stage) string {
	f := d.File
	var b strings.Builder
	fmt.Fprintf(&b, "from %s<%s>", s.Image, f.Text(s.ImageSpan))
	if s.ImageUnknown {
		b.WriteString("?")
	}
	if s.Name != "" {
		fmt.Fprintf(&b, " as %s", s.Name)
	}
	if s.Base >= 0 {
		fmt.Fprintf(&b, " on %d", s.Base)
	}
	b.WriteString("\n")
	for _, a := range s.Env {
		fmt.Fprintf(&b, "env %s=%q<%s>", f.Text(a.NameSpan), a.Value, f.Text(a.ValueSpan))
		if a.Unknown {
			b.WriteString("?")
		}
		b.WriteString("\n")
	}
	if l := s.Line(); l != nil {
		for _, p := range showPrograms(Programs(l, s.Lookup)) {
			fmt.Fprintf(&b, "run %s\n", p)
		}
	}
	for _, c := range s.Copies {
		b.WriteString("copy")
		if c.Add {
			b.WriteString(" add")
		}
		if c.From != "" {
			b.WriteString(" from=" + c.From)
		}
		for _, w := range append(append([]Word{}, c.Sources...), c.Dest) {
			fmt.Fprintf(&b, " %s<%s>", w.Text, f.Text(w.Span))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestParseDockerfile(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"exec forms", "FROM vllm/vllm-openai:v0.17.0\nENTRYPOINT [\"vllm\", \"serve\"]\nCMD [\"org/m\", \\\n  # c\n  \"--port=8\\u0030\"]\n",
			"from vllm/vllm-openai:v0.17.0<vllm/vllm-openai:v0.17.0>\nrun vllm<\"vllm\"> serve<\"serve\"> org/m<\"org/m\"> --port=80<\"--port=8\\u0030\">\n"},
		{"shell form", "from litellm\nENV PORT=4000\nCMD cd /app && exec litellm --port $PORT \\\n    --config \"/app/c.yaml\" \\\n\n    # c\n    --x\n",
			"from litellm<litellm>\nenv PORT=\"4000\"<4000>\nrun cd<cd> /app</app>\nrun litellm<litellm> --port<--port> 4000<$PORT> --config<--config> /app/c.yaml<\"/app/c.yaml\"> --x<--x>\n"},
		{"a shell entrypoint takes no command", "FROM a\nENTRYPOINT run x\nCMD [\"y\"]\n", "from a<a>\nrun run<run> x<x>\n"},
		{"a command alone", "FROM a\nCMD [\"sh\", \"-c\", \"vllm serve \\\"a b\\\"\"]\n", "from a<a>\nrun vllm<vllm> serve<serve> a b<\\\"a b\\\">\n"},
		{"no list after all", "FROM a\nCMD [ \"$X\" = y ] && z\n", "from a<a>\nrun [<[> $X?<\"$X\"> =<=> y<y> ]<]>\nrun z<z>\n"},
		{"env", "FROM a\nENV A=1 B=\"x y\" C=a\\ b \\\n  D='$A'\nENV E $A the rest\nENV F=${A}-${X:-d} G=${A:+y} H=$N I=\\$A J=\"\\$A ${B}\" K= L=${A%x}\n",
			"from a<a>\nenv A=\"1\"<1>\nenv B=\"x y\"<\"x y\">\nenv C=\"a b\"<a\\ b>\nenv D=\"$A\"<'$A'>\nenv E=\"1 the rest\"<$A the rest>\n" +
				"env F=\"1-d\"<${A}-${X:-d}>\nenv G=\"y\"<${A:+y}>\nenv H=\"$N\"<$N>?\nenv I=\"$A\"<\\$A>\nenv J=\"$A x y\"<\"\\$A ${B}\">\nenv K=\"\"<>\nenv L=\"${A%x}\"<${A%x}>?\n"},
		{"two backslashes continue nothing", "FROM a\nENV A=1\\\\\nENV B=$$ C=\"\n", "from a<a>\nenv A=\"1\\\\\"<1\\\\>\nenv B=\"$$\"<$$>?\nenv C=\"\"<\">\n"},
		{"args", "ARG V=v1 W\nFROM --platform=linux/amd64 vllm:$V-${W:-cpu} AS base\nARG V\nARG P=1\nARG Q\nENV A=$V B=$P C=$Q P=2\nARG P=3\nENV D=$P\n",
			"from vllm:v1-${W:-cpu}<vllm:$V-${W:-cpu}>? as base\nenv A=\"v1\"<$V>\nenv B=\"1\"<$P>\nenv C=\"$Q\"<$Q>?\nenv P=\"2\"<2>\nenv D=\"2\"<$P>\n"},
		{"escape directive", "# syntax=x\n# Escape=`\nFROM a\nENV A=c:\\d `\n  B=`$\nCMD x `\n  y\n", "from a<a>\nenv A=\"c:\\\\d\"<c:\\d>\nenv B=\"$\"<`$>\nrun x<x> y<y>\n"},
		{"crlf and bom", "\ufeffFROM a\r\nCMD x \\\r\n y\r\n", "from a<a>\nrun x<x> y<y>\n"},
		{"copies", "FROM a\nCOPY --from=b --chown=1:1 x.yaml y.yaml /app/\nADD [\"a b\", \"/c\"]\nCOPY <<EOF /x\nCMD no\nEOF\nCMD yes\n",
			"from a<a>\nrun yes<yes>\ncopy from=b x.yaml<x.yaml> y.yaml<y.yaml> /app/</app/>\ncopy add a b<\"a b\"> /c<\"/c\">\ncopy <<EOF<<<EOF> /x</x>\n"},
		{"here-documents of RUN", "FROM a\nRUN <<-EOF cat\nCMD no\n\tEOF\nRUN echo \"x << 1\"\nCMD yes\n", "from a<a>\nrun yes<yes>\n"},
		{"custom shell", "FROM a\nSHELL [\"/bin/bash\", \"-euo\", \"pipefail\", \"-c\"]\nCMD x | y\n", "from a<a>\nrun x<x>\nrun y<y>\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := ParseDockerfile(NewFile("Dockerfile", []byte(tt.in)))
			if len(d.Errors) > 0 {
				t.Errorf("error %v", d.Errors[0])
			}
			if diff := cmp.Diff(tt.want, showStage(d, d.Final())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseBuild takes the values of a build for the ARG instructions that name them, and for nothing else.
func TestParseBuild(t *testing.T) {
	in := "ARG V=1\nFROM a:$V-$W\nARG V\nARG P=2\nARG Q=3\nENV A=$V B=$P C=$Q D=$N\n"
	d := ParseBuild(NewFile("Dockerfile", []byte(in)), func(name string) (string, Binding) {
		switch name {
		case "V", "P", "N", "W":
			return "given", Bound
		case "Q":
			return "", Hidden
		}
		return "", Unbound
	})
	want := "from a:given-$W<a:$V-$W>?\nenv A=\"given\"<$V>\nenv B=\"given\"<$P>\nenv C=\"$Q\"<$Q>?\nenv D=\"$N\"<$N>?\n"
	if diff := cmp.Diff(want, showStage(d, d.Final())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDockerfileStages(t *testing.T) {
	in := "FROM a AS base\nENV A=1\nENTRYPOINT [\"e\"]\nCMD [\"c\"]\nUSER 0\nFROM b\nCMD x\nFROM Base\nENV B=$A\nENTRYPOINT [\"f\"]\nWORKDIR /app\n"
	d := ParseDockerfile(NewFile("Dockerfile", []byte(in)))
	s := d.Final()
	want := "from <Base> on 0\nenv A=\"1\"<1>\nenv B=\"1\"<$A>\nrun f<\"f\">\n"
	if diff := cmp.Diff(want, showStage(d, s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.User.Text != "0" || s.Workdir.Text != "/app" || len(d.Stages) != 3 {
		t.Errorf("user %v, directory %v, %d stages", s.User, s.Workdir, len(d.Stages))
	}
}

func TestDockerfileErrors(t *testing.T) {
	f := NewFile("Dockerfile", []byte("CMD x\nFROM\nFRO x\nENV\nENV A\nENV A=1 B\nCOPY x\n"))
	d := ParseDockerfile(f)
	var got []string
	for _, e := range d.Errors {
		p := f.Position(e.Offset)
		got = append(got, fmt.Sprintf("%d:%d: %s", p.Line, p.Column, e.Msg))
	}
	want := []string{"1:1: CMD before the first FROM", "2:1: FROM without an image", "3:1: unknown instruction FRO", "4:4: ENV without a name",
		"5:5: ENV A without a value", "6:9: ENV B without a value", "7:1: COPY and ADD need a source and a destination"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if ParseDockerfile(NewFile("x", nil)).Final() != nil {
		t.Error("a stage in an empty file")
	}
}

func FuzzDockerfile(f *testing.F) {
	f.Add("FROM a\nENV A=1 B=\"${A:-x}\"\nCMD [\"a\", \"\\u0041\"]\nENTRYPOINT x \\\n y\nCOPY a b\n")
	f.Add("# escape=`\nARG A\nFROM $A\nENV X y z\nRUN <<E\nE\n")
	f.Fuzz(func(t *testing.T, in string) {
		d := ParseDockerfile(NewFile("Dockerfile", []byte(in)))
		whole := Span{0, len(in)}
		for i := range d.Stages {
			s := &d.Stages[i]
			if !whole.Contains(s.Span) || !whole.Contains(s.ImageSpan) {
				t.Fatalf("stage %+v of %q", s, in)
			}
			for _, a := range append(append([]Assignment{}, s.Env...), s.Args...) {
				if !whole.Contains(a.Span) || !a.Span.Contains(a.NameSpan) || !a.Span.Contains(a.ValueSpan) {
					t.Fatalf("variable %+v of %q", a, in)
				}
			}
			if l := s.Line(); l != nil {
				for _, w := range l.Words {
					if !whole.Contains(w.Span) || w.Span.Len() < 0 || !whole.Contains(w.Sub(0, len(w.Text))) {
						t.Fatalf("word %+v of %q", w, in)
					}
				}
				for _, p := range Programs(l, s.Lookup) {
					for _, w := range p.Line.Words {
						if _, sp := w.Args.File.Outer(w.Span); !whole.Contains(sp) || sp.Len() < 0 {
							t.Fatalf("word %+v of %q", w, in)
						}
					}
				}
			}
		}
	})
}

func TestHostileDockerfile(t *testing.T) {
	n := 5_000
	var double strings.Builder
	double.WriteString("FROM a\nENV A0=0123456789\n")
	for i := range 500 {
		fmt.Fprintf(&double, "ENV A%d=$A%d$A%d\n", i+1, i, i)
	}
	for _, in := range []string{
		double.String(), "FROM a\nENV " + strings.Repeat("A=1 ", n), "FROM a\nCMD [" + strings.Repeat("\"a\",", n) + "\"b\"]\n",
		"FROM a\nCMD x" + strings.Repeat(" \\\n y", n), "FROM a\nENV A=" + strings.Repeat("${A:-", n), strings.Repeat("FROM a AS b\nENV A=1\n", 2000),
		"FROM a\nENV A=" + strings.Repeat("\\", n), strings.Repeat("FROM a\nRUN <<E\n", 1000), "FROM a\nCMD " + strings.Repeat("[", n),
	} {
		d := ParseDockerfile(NewFile("Dockerfile", []byte(in)))
		total := 0
		for _, a := range d.Final().Env {
			total += len(a.Value)
		}
		if total > 8*len(in)+2*maxExpansion {
			t.Errorf("%.30q: %d bytes of values", in, total)
		}
		Programs(d.Final().Line(), nil)
	}
}
