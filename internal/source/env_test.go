package source

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"
)

// show prints the entries of an env file, one a line: name, value as written, decoded value, marks.
func showEnv(e *EnvFile) string {
	var b strings.Builder
	for _, x := range e.Entries {
		fmt.Fprintf(&b, "%s|%s|%q", e.File.Text(x.NameSpan), e.File.Text(x.ValueSpan), x.Value)
		if x.Exported {
			b.WriteString(" exported")
		}
		if x.Bare {
			b.WriteString(" bare")
		}
		if x.Unknown {
			b.WriteString(" unknown")
		}
		for _, m := range x.Missing {
			b.WriteString(" -" + m)
		}
		b.WriteString("\n")
	}
	for _, err := range e.Errors {
		p := e.File.Position(err.Offset)
		fmt.Fprintf(&b, "%d:%d: %s\n", p.Line, p.Column, err.Msg)
	}
	return b.String()
}

func TestParseEnv(t *testing.T) {
	tests := []struct {
		name    string
		dialect EnvDialect
		in      string
		want    string
	}{
		{"plain, comments, blanks", EnvCompose, "# c\nA=1\n\n  B = two words  # c\nC=#x\nD=a#b\n",
			"A|1|\"1\"\nB|two words|\"two words\"\nC|#x|\"#x\"\nD|a#b|\"a#b\"\n"},
		{"quotes", EnvCompose, "A=\"x y\" # c\nB='$X' \nC = \"v\"\nD=\"a\\\"b\\n\"\nE='it\\'s'\nF=\"\"\n",
			"A|\"x y\"|\"x y\"\nB|'$X'|\"$X\"\nC|\"v\"|\"v\"\nD|\"a\\\"b\\n\"|\"a\\\"b\\n\"\nE|'it\\'s'|\"it's\"\nF|\"\"|\"\"\n"},
		{"export, bare, empty", EnvCompose, "export A=1\nexport\tB\nC\nD=\nE= ",
			"A|1|\"1\" exported\nB||\"\" exported bare unknown\nC||\"\" bare unknown\nD||\"\"\nE||\"\"\n"},
		{"bom and crlf", EnvCompose, "\ufeffA=1\r\nB=\"x\"\r\n\r\nC\r\n",
			"A|1|\"1\"\nB|\"x\"|\"x\"\nC||\"\" bare unknown\n"},
		{"multi-line", EnvCompose, "A=\"one\ntwo\"\nB=1\n", "A|\"one\ntwo\"|\"one\\ntwo\"\nB|1|\"1\"\n"},
		{"references", EnvCompose, "B=b\nA=$B\nC=${B}-${X}\nD=${X:-d}\nE=${X-}\nF=$$B\nG=\"${B}\\$B\"\nH=${X:?set X}\nI=${B:+yes}${X:+no}\n",
			"B|b|\"b\"\nA|$B|\"b\"\nC|${B}-${X}|\"b-${X}\" unknown -X\nD|${X:-d}|\"d\"\nE|${X-}|\"\"\nF|$$B|\"$B\"\nG|\"${B}\\$B\"|\"b$B\"\nH|${X:?set X}|\"${X:?set X}\" unknown -X\nI|${B:+yes}${X:+no}|\"yes\"\n"},
		{"nested alternative", EnvCompose, "A=${X:-${Y:-{z}}}\n", "A|${X:-${Y:-{z}}}|\"{z}\"\n"},
		{"hidden value feeds on", EnvCompose, "A=$X\nB=${A:-d}\nC\nD=${C:-d}\n",
			"A|$X|\"$X\" unknown -X\nB|${A:-d}|\"${A:-d}\" unknown -A\nC||\"\" bare unknown\nD|${C:-d}|\"${C:-d}\" unknown -C\n"},
		{"duplicates", EnvCompose, "A=1\nA=2\nB=$A\n", "A|1|\"1\"\nA|2|\"2\"\nB|$A|\"2\"\n"},
		{"yaml style", EnvCompose, "A: 1\n", "A|1|\"1\"\n"},
		{"broken lines", EnvCompose, "A=1\nB C=2\nD!=3\n=4\nE=${\nF=5\nG=\"open\nH=6\n",
			"A|1|\"1\"\nE|${|\"${\"\nF|5|\"5\"\nH|6|\"6\"\n" +
				"2:2: variable \"B C\": a name cannot contain a blank\n3:2: character '!' cannot be part of a variable's name\n" +
				"4:1: no name before '='\n5:3: variable E: ${ is not followed by a name and }\n7:3: quote without an end\n"},
		{"powershell is no env file", EnvCompose, "$env:A=\"1\"\n", "1:1: character '$' cannot be part of a variable's name\n"},

		{"python", EnvPython, "# c\nexport A = \"x\\ty\" # c\nB='a\\'b ${A}'\nC= # c\nD=#v\nE=a b # c\nF\n'G'=1\nH=$A\nI=${X:-d}\nJ=${X}\nK=${C:-d}\n",
			"A|\"x\\ty\"|\"x\\ty\" exported\nB|'a\\'b ${A}'|\"a'b x\\ty\"\nC||\"\"\nD|#v|\"#v\"\nE|a b|\"a b\"\nF||\"\" bare unknown\nG|1|\"1\"\nH|$A|\"$A\"\nI|${X:-d}|\"d\"\nJ|${X}|\"${X}\" unknown -X\nK|${C:-d}|\"\"\n"},
		{"python, errors", EnvPython, "A B=1\n=2\nC=\"x\" y\nD='open\nE=1\n",
			"E|1|\"1\"\n1:3: text after the value of A\n2:1: no name before the value\n3:7: text after the value of C\n4:3: quote without an end\n"},
		{"python, crlf in quotes", EnvPython, "A=\"x\r\ny\"\r\nB='z'\r\n", "A|\"x\r\ny\"|\"x\\ny\"\nB|'z'|\"z\"\n"},

		{"docker takes all as written", EnvDocker, "\ufeff A=\"x\" # c\r\n# c\nB=${X}\n\nC\nD =1\n=2\nE=a=b\n",
			"A|\"x\" # c|\"\\\"x\\\" # c\"\nB|${X}|\"${X}\"\nC||\"\" bare unknown\nE|a=b|\"a=b\"\n6:2: variable \"D \": a name cannot contain a blank\n7:1: no name before '='\n"},

		{"systemd", EnvSystemd, "; c\n# c\nA = x y \nB=\"q \\\"r\\\" \\n\"\nC='s\\t'\nD=\"a\" 'b' c d\nE=a\\\n  b\nF=$A\\ \nG=\"x\\\ny\"\nexport H=1\nI\nJ=\n",
			"A|x y|\"x y\"\nB|\"q \\\"r\\\" \\n\"|\"q \\\"r\\\" \\\\n\"\nC|'s\\t'|\"s\\\\t\"\nD|\"a\" 'b' c d|\"abc d\"\nE|a\\\n  b|\"a  b\"\nF|$A\\ |\"$A \"\nG|\"x\\\ny\"|\"xy\"\nJ||\"\"\n" +
				"12:7: systemd ignores \"export H\": not a variable's name\n13:1: line without '='\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := ParseEnv(NewFile(".env", []byte(tt.in)), tt.dialect)
			if diff := cmp.Diff(tt.want, showEnv(e)); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnvSpans(t *testing.T) {
	f := NewFile(".env", []byte("export A = \"x${B:-d\\te}\" # c\nC=\n"))
	e := ParseEnv(f, EnvCompose)
	a := e.Entries[0]
	if got := f.Text(a.Span); got != `export A = "x${B:-d\te}"` {
		t.Errorf("span %q", got)
	}
	if got := f.Text(a.ContentSpan); got != `x${B:-d\te}` {
		t.Errorf("content %q", got)
	}
	ref := a.Pieces[1]
	if got := f.Text(ref.Span); got != `${B:-d\te}` || !ref.Quoted {
		t.Errorf("reference %q, quoted %v", got, ref.Quoted)
	}
	if got := f.Text(ref.Ref.Alt[0].Span); got != `d\te` || ref.Ref.Alt[0].Text != "d\te" {
		t.Errorf("alternative %q is %q", got, ref.Ref.Alt[0].Text)
	}
	if c := e.Entries[1]; c.ValueSpan != (Span{len(f.Bytes) - 1, len(f.Bytes) - 1}) {
		t.Errorf("empty value at %v", c.ValueSpan)
	}
}

func TestEnvExpand(t *testing.T) {
	e := ParseEnv(NewFile(".env", []byte("A=1\nB=$A$X\nX\nY=$S\n")), EnvCompose)
	got := e.Expand(func(name string) (string, Binding) {
		switch name {
		case "A":
			return "outer", Bound
		case "X":
			return "x", Bound
		case "S":
			return "", Hidden
		}
		return "", Unbound
	})
	want := "A|1|\"1\"\nB|$A$X|\"outerx\"\nX||\"x\" bare\nY|$S|\"$S\" unknown -S\n"
	if diff := cmp.Diff(want, showEnv(got)); diff != "" {
		t.Error(diff)
	}
	if e.Get("B").Value != "1$X" {
		t.Errorf("the file itself changed: %q", e.Get("B").Value)
	}
	if v, b := got.Lookup("Y"); v != "" || b != Hidden {
		t.Errorf("lookup of an unknown value: %q %v", v, b)
	}
}

// A value that doubles on every line must not cost more than its budget.
func TestEnvDoubling(t *testing.T) {
	var b strings.Builder
	b.WriteString("A0=0123456789\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "A%d=$A%d$A%d\n", i+1, i, i)
	}
	e := ParseEnv(NewFile(".env", []byte(b.String())), EnvCompose)
	total := 0
	for _, x := range e.Entries {
		total += len(x.Value)
	}
	if total > 3*maxExpansion || !e.Entries[len(e.Entries)-1].Unknown {
		t.Errorf("%d bytes of values, the last unknown: %v", total, e.Entries[len(e.Entries)-1].Unknown)
	}
}

// checkCompose compares a file with what compose-go reads.
func checkCompose(t *testing.T, text string) {
	t.Helper()
	want, err := dotenv.UnmarshalWithLookup(strings.TrimPrefix(text, "\ufeff"), nil)
	e := ParseEnv(NewFile(".env", []byte(text)), EnvCompose)
	if err != nil {
		required := slices.ContainsFunc(e.Entries, func(x EnvEntry) bool { return strings.Contains(x.Pieces.String(), "?") })
		if len(e.Errors) == 0 && !required {
			t.Fatalf("compose refuses %q (%v), we do not", text, err)
		}
		return
	}
	delete(want, "") // "=x" sets a variable without a name
	// An alternative that is not taken is not looked at by compose.
	lazy := func(at int) bool {
		return slices.ContainsFunc(e.Entries, func(x EnvEntry) bool {
			return slices.ContainsFunc(x.Pieces, func(p Piece) bool { return p.Span.Start < at && at < p.Span.End })
		})
	}
	if i := slices.IndexFunc(e.Errors, func(e *SyntaxError) bool {
		return !strings.HasPrefix(e.Msg, "no name") && !lazy(e.Offset)
	}); i >= 0 {
		p := e.File.Position(e.Errors[i].Offset)
		t.Fatalf("compose accepts %q, we say %d:%d: %s", text, p.Line, p.Column, e.Errors[i])
	}
	got := map[string]string{}
	for _, x := range e.Entries {
		if x.Bare {
			continue
		}
		ex := expander{budget: maxExpansion, blank: true, lookup: func(n string) (string, Binding) {
			if v, ok := got[n]; ok {
				return v, Bound
			}
			return "", Unbound
		}}
		if x.Name == "" {
			continue
		}
		var b strings.Builder
		ex.write(&b, x.Pieces)
		got[x.Name] = b.String()
		if !x.Unknown && x.Value != got[x.Name] {
			t.Fatalf("%s = %q, but its pieces give %q", x.Name, x.Value, got[x.Name])
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q (-compose +ours):\n%s", text, diff)
	}
}

var envCorpus = []string{
	"A=1\nB=2\n", "A=\"x\"B=y\n", "A='x' # c\n", "A=\"x\" y=2\n", "export A=1\nexport\nB=1\n", "A=$$$B\nB=${A}$\n",
	"A=\"\\$X \\\\ \\101 \\0101 \\0999 \\c \\q\"\n", "A=${B-c:-d}\n", "A=${B:-c-d} ${C:+x}\n", "A=${B:-{}} t\n", "A=${B:-{x}\n",
	"A=${B:-${C:-${D-e}}}f${G:-h}\n", "A=${1}\n", "A=$1 $( ${A }\n", "A:b\nC : d\n", "A\t=\t1\n", "A= #x\n", "A=x #y\nB=x\t#y\n",
	"\ufeffA=1\r\nB='\r\n'\r\n", "A=\u00a0x\u00a0\n", "é=1\nA.b-c[0]=2\n", "A=\\\"x\n", "A=x\"y\"\n", "A=\"a\\\nb\"\n", "A=${B:-x\ny}\n",
	"A=${B:+}\nB=${A:-}\nC=${A-x}\n", "A=${A:?no}\n", "# only\n", "", "\n\n", "A", "A=", "=\n", "A=\"\\\n", "A='\\\\'\n", "A={{ x }}\n",
	"A=1\n B\n\tC=2\n", "A=\"{\\\"k\\\": [1]}\"\nB='{\"k\": \"$v\"}'\n", "KEY = \"v\"\n", "A=${B:-a}}\nC=${D:-{{}\n",
}

func TestEnvLikeCompose(t *testing.T) {
	logrus.SetOutput(io.Discard)
	for _, text := range envCorpus {
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		checkCompose(t, text)
	}
}

func FuzzEnv(f *testing.F) {
	logrus.SetOutput(io.Discard)
	for _, text := range envCorpus {
		for d := EnvCompose; d <= EnvSystemd; d++ {
			f.Add(text, uint8(d))
		}
	}
	f.Fuzz(func(t *testing.T, text string, d uint8) {
		dialect := EnvDialect(d % 4)
		e := ParseEnv(NewFile(".env", []byte(text)), dialect)
		last := 0
		for _, x := range e.Entries {
			if x.Span.Start < last || !x.Span.Contains(x.NameSpan) || !x.ValueSpan.Contains(x.ContentSpan) ||
				x.ValueSpan.Start < x.NameSpan.End || x.ValueSpan.End > len(text) {
				t.Fatalf("spans of %q: %+v", text, x)
			}
			last = x.Span.End
			if dialect != EnvPython && e.File.Text(x.NameSpan) != x.Name {
				t.Fatalf("name %q at %v of %q", x.Name, x.NameSpan, text)
			}
			for _, p := range x.Pieces {
				if !x.ValueSpan.Contains(p.Span) {
					t.Fatalf("piece %+v outside %v of %q", p, x.ValueSpan, text)
				}
			}
		}
		// Compose reads a bare name at the end of the file without a line break as the value of no name, folds
		// case with two letters outside ASCII, and lets a tab stand in a name.
		if dialect != EnvCompose || !strings.HasSuffix(text, "\n") || strings.ContainsAny(text, "\u017f\u212a") {
			return
		}
		for _, x := range e.Errors {
			if strings.Contains(x.Msg, "blank") || strings.HasPrefix(x.Msg, "no name") {
				return
			}
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r == unicode.ReplacementChar }) {
			return
		}
		checkCompose(t, text)
	})
}
