package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testFlags is a spec out of lines "option[=name] arity".
type testFlags map[string]FlagInfo

func (s testFlags) Lookup(option string) (FlagInfo, bool) { i, ok := s[option]; return i, ok }

func (s testFlags) Prefix(prefix string) []string {
	var out []string
	for o := range s {
		if strings.HasPrefix(o, prefix) {
			out = append(out, o)
		}
	}
	return out
}

var vllmFlags = testFlags{
	"--tensor-parallel-size":   {Name: "tensor-parallel-size", Arity: ArityOne},
	"-tp":                      {Name: "tensor-parallel-size", Arity: ArityOne},
	"--max-model-len":          {Name: "max-model-len", Arity: ArityOne},
	"--max-num-seqs":           {Name: "max-num-seqs", Arity: ArityOne},
	"--served-model-name":      {Name: "served-model-name", Arity: ArityMany},
	"--enable-prefix-caching":  {Name: "enable-prefix-caching", Arity: AritySwitch},
	"--disable-prefix-caching": {Name: "enable-prefix-caching", Arity: AritySwitch, Negated: true},
	"--speculative-config":     {Name: "speculative-config", Arity: ArityOne},
	"--compilation-config":     {Name: "compilation-config", Arity: ArityOne},
	"-cc":                      {Name: "compilation-config", Arity: ArityOne},
	"--optimization-level":     {Name: "optimization-level", Arity: ArityOne},
	"-O":                       {Name: "optimization-level", Arity: ArityOne},
	"--opt":                    {Name: "opt", Arity: ArityOptional},
	"--any":                    {Name: "any", Arity: ArityAny},
}

// line makes a command line of a shell text.
func line(t *testing.T, text string) *CommandLine {
	t.Helper()
	s, err := ParseShell(NewFile("run.sh", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Commands(nil) {
		if len(c.Words) > 0 {
			return JoinArgs(&c.Args)
		}
	}
	return &CommandLine{}
}

func showFlags(f *Flags) string {
	var out []string
	file := func(i int) *File { return f.Line.Words[i].Args.File }
	for _, x := range f.Flags {
		s := x.Name
		if !x.Known {
			s += "!"
		}
		if x.Negated {
			s = "no:" + s
		}
		if x.Append {
			s += "+"
		}
		s += "<" + file(x.Index).Text(x.NameSpan) + ">"
		for _, v := range x.Values {
			s += "=" + v.Text
			if v.Unknown {
				s += "?"
			}
			s += "<" + file(v.Index).Text(v.Span) + ">"
		}
		if x.Attached {
			s += "^"
		}
		if len(x.Ambiguous) > 0 {
			s += fmt.Sprint(len(x.Ambiguous))
		}
		out = append(out, s)
	}
	for _, i := range f.Positionals {
		out = append(out, f.Line.Words[i].Text)
	}
	if f.Open {
		out = append(out, "open")
	}
	return strings.Join(out, " ")
}

func TestParseFlags(t *testing.T) {
	tests := []struct{ in, want string }{
		{"m --max-model-len 8192 --max_num_seqs=4 -tp 2 -tp=8", "max-model-len<--max-model-len>=8192<8192> max-num-seqs<--max_num_seqs>=4<4>^ " +
			"tensor-parallel-size<-tp>=2<2> tensor-parallel-size<-tp>=8<8>^ m"},
		{"--served-model-name a b -tp 1 m", "served-model-name<--served-model-name>=a<a>=b<b> tensor-parallel-size<-tp>=1<1> m"},
		{"--enable-prefix-caching m --no-enable-prefix-caching --disable-prefix-caching", "enable-prefix-caching<--enable-prefix-caching> " +
			"no:enable-prefix-caching<--no-enable-prefix-caching> no:enable-prefix-caching<--disable-prefix-caching> m"},
		{"--no-disable-prefix-caching --no-enable-pre", "enable-prefix-caching<--no-disable-prefix-caching> no:enable-prefix-caching<--no-enable-pre>"},
		{"--tensor-par 2 --max 3", "tensor-parallel-size<--tensor-par>=2<2> max!<--max>=3<3>2"},
		{"--speculative-config '{\"method\": \"ngram\"}' --speculative_config.num_tokens 3 --compilation-config.sizes+=1,2 -cc.mode=3 --speculative-config.x+ y",
			"speculative-config<--speculative-config>={\"method\": \"ngram\"}<{\"method\": \"ngram\"}> " +
				"speculative-config.num_tokens<--speculative_config.num_tokens>=3<3> compilation-config.sizes+<--compilation-config.sizes+>=1,2<1,2>^ " +
				"compilation-config.mode<-cc.mode>=3<3>^ speculative-config.x+<--speculative-config.x+>=y<y>"},
		{"-O3 -O 2 '-O{\"level\": 1}' -O.level=0", "optimization-level<-O>=3<3>^ optimization-level<-O>=2<2> optimization-level<-O>={\"level\": 1}<{\"level\": 1}>^ optimization-level.level<-O.level>=0<0>^"},
		{"--max-model-len -1 --x -0.5 --y -z", "max-model-len<--max-model-len>=-1<-1> x!<--x>=-0.5<-0.5> y!<--y> z!<-z>"},
		{"--max-model-len --max-num-seqs 3", "max-model-len<--max-model-len> max-num-seqs<--max-num-seqs>=3<3>"},
		{"--opt --any a b --opt c d -- --x -tp", "opt<--opt> any<--any>=a<a>=b<b> opt<--opt>=c<c> d --x -tp"},
		{"'--max-model-len 8192' - -tp '' --max-num-seqs=", "tensor-parallel-size<-tp>=<> max-num-seqs<--max-num-seqs>=<>^ --max-model-len 8192 -"},
		{"--max-model-len=\"$LEN\" -tp $TP $EXTRA --$X=1 --max-num-seqs=a$B \"--max-model-len=${L:-4}\"",
			"max-model-len<--max-model-len>=$LEN?<$LEN>^ tensor-parallel-size<-tp>=$TP?<$TP> max-num-seqs<--max-num-seqs>=a$B?<a$B>^ max-model-len<--max-model-len>=4<4>^ $EXTRA --$X=1 open"},
		{"--served-model-name $A", "served-model-name<--served-model-name>=$A?<$A> open"},
	}
	for _, tt := range tests {
		if got := showFlags(ParseFlags(line(t, "x "+tt.in).from(1), vllmFlags)); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func (c *CommandLine) from(i int) *CommandLine { return &CommandLine{Words: c.Words[i:]} }

func TestParseFlagsWithoutSpec(t *testing.T) {
	got := showFlags(ParseFlags(line(t, "--num_workers 8 --config=a.yaml --debug -v --a.b_c=1 --x $Y end"), nil))
	want := "num-workers!<--num_workers>=8<8> config!<--config>=a.yaml<a.yaml>^ debug!<--debug> v!<-v> a.b_c!<--a.b_c>=1<1>^ x!<--x>=$Y?<$Y> end open"
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestFlagSyntax(t *testing.T) {
	spec := testFlags{"-i": {Name: "interactive", Arity: AritySwitch}, "-t": {Name: "tty", Arity: AritySwitch}, "-p": {Name: "publish", Arity: ArityOne},
		"--rm": {Name: "rm", Arity: AritySwitch}}
	s := FlagSyntax{Spec: spec, Clustered: true, Leading: true, Greedy: true}
	got := showFlags(s.Parse(line(t, "-it --rm -ip80:80 -p 1:1 -tp -x -iz img --port -it")))
	want := "interactive<-i> tty<t> rm<--rm> interactive<-i> publish<p>=80:80<80:80>^ publish<-p>=1:1<1:1> tty<-t> publish<p>=-x<-x> iz!<-iz>=img<img> port!<--port> interactive<-i> tty<t>"
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	got = showFlags(s.Parse(line(t, "-i img --port -it")))
	if want := "interactive<-i> img --port -it"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestFlagsInLists(t *testing.T) {
	f := NewFile("x.yaml", []byte("args:\n- \"--max-model-len=8\\u0031\"\n- '--served-model-name=$(N)'\n- --tensor-parallel-size={{ .tp }}\n- '--x={\"a\": $(B)}'\n"))
	docs, err := ParseYAML(f)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ArgsFromNode(f, docs[0].Root.Get("args"), KubernetesExpansion, lookupIn(map[string]string{"N": "name"}))
	if err != nil {
		t.Fatal(err)
	}
	flags := ParseFlags(JoinArgs(a), vllmFlags)
	want := "max-model-len<--max-model-len>=81<8\\u0031>^ served-model-name<--served-model-name>=name<$(N)>^ " +
		"tensor-parallel-size<--tensor-parallel-size>={{ .tp }}?<{{ .tp }}>^ x!<--x>={\"a\": $(B)}?<{\"a\": $(B)}>^"
	if got := showFlags(flags); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if v, ok := flags.Last("max-model-len").Value(); v != "81" || !ok {
		t.Errorf("value %q, %v", v, ok)
	}
	if _, ok := flags.Last("tensor-parallel-size").Value(); ok {
		t.Error("an unknown value counts as known")
	}
	if flags.Last("none") != nil || len(flags.All("x")) != 1 {
		t.Error("wrong uses")
	}
}

func FuzzFlags(f *testing.F) {
	for _, s := range []string{"m --max-model-len 1 -tp=2", "-O3 --x.y+=1 -- a", "--served-model-name a b --opt", "-it '--a b' -1 $X --$Y=\"$Z\""} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(7))
	}
	f.Fuzz(func(t *testing.T, in string, how uint8) {
		s, _ := ParseShell(NewFile("run.sh", []byte(in)))
		for _, c := range s.Commands(nil) {
			l := JoinArgs(&c.Args)
			spec := FlagSyntax{Spec: vllmFlags, Clustered: how&1 > 0, Leading: how&2 > 0, Greedy: how&4 > 0}
			if how&8 > 0 {
				spec.Spec = nil
			}
			flags := spec.Parse(l)
			uses := make([]int, len(l.Words))
			whole := Span{0, len(in)}
			for _, x := range flags.Flags {
				uses[x.Index] = 1
				if !whole.Contains(x.NameSpan) || x.NameSpan.Len() < 0 {
					t.Fatalf("flag %+v of %q", x, in)
				}
				for _, v := range x.Values {
					if v.Index != x.Index {
						uses[v.Index]++
					}
					if !whole.Contains(v.Span) || v.Span.Len() < 0 || !strings.HasSuffix(l.Words[v.Index].Text, v.Text) {
						t.Fatalf("value %+v of %q", v, in)
					}
				}
			}
			for _, i := range flags.Positionals {
				uses[i]++
			}
			for i, n := range uses {
				if n != 1 && !(n == 0 && l.Words[i].Text == "--") {
					t.Fatalf("word %d of %q is used %d times", i, in, n)
				}
			}
		}
	})
}

func TestFlagsDiff(t *testing.T) {
	// The spans of flags in a script whose values come from variables point at the variables.
	f := NewFile("run.sh", []byte("LEN=8192\nvllm serve --max-model-len=$LEN\n"))
	s, _ := ParseShell(f)
	flags := ParseFlags(JoinArgs(&s.Commands(nil)[1].Args).from(2), vllmFlags)
	v := flags.Flags[0].Values[0]
	if diff := cmp.Diff(Span{4, 8}, v.Span); diff != "" || v.Text != "8192" {
		t.Errorf("%q at %v", v.Text, v.Span)
	}
}
