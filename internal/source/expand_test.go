package source

import (
	"slices"
	"strings"
	"testing"
)

func lookupIn(env map[string]string, hidden ...string) Lookup {
	return func(name string) (string, Binding) {
		if slices.Contains(hidden, name) {
			return "", Hidden
		}
		if v, ok := env[name]; ok {
			return v, Bound
		}
		return "", Unbound
	}
}

func TestComposeInterpolate(t *testing.T) {
	lookup := lookupIn(map[string]string{"A": "a", "E": ""}, "S")
	tests := []struct{ in, want, missing, err string }{
		{"plain", "plain", "", ""},
		{"$A ${A} $$A $1 $", "a a $A $1 $", "", ""},
		{"${E:-d}|${E-d}|${X:-d}|${X-d}|${S:-d}", "d||d|d|${S:-d}", "S", ""},
		{"${A:+y}|${E:+y}|${E+y}|${X+y}|${S+y}", "y||y||${S+y}", "S", ""},
		{"${A:?m}|${E:?m}|${E?m}|${X?m}", "a|${E:?m}||${X?m}", "E X", ""},
		{"${X:-${Y:-$A}}b}", "ab}", "", ""},
		{"${MAIN_ARGS---enforce-eager --port 1}", "--enforce-eager --port 1", "", ""},
		{"${X:-}", "", "", ""},
		{"${}", "${}", "", "${ is not followed by a name and }"},
		{"${A", "${A", "", "${ is not followed by a name and }"},
		{"${A!x}", "${A!x}", "", "${ is not followed by a name and }"},
	}
	for _, tt := range tests {
		got, missing, err := ComposeInterpolate(tt.in, lookup)
		msg := ""
		if err != nil {
			msg = err.Error()
		}
		if got != tt.want || strings.Join(missing, " ") != tt.missing || msg != tt.err {
			t.Errorf("%s: %q, missing %v, error %q; want %q, %q, %q", tt.in, got, missing, msg, tt.want, tt.missing, tt.err)
		}
	}
}

func TestKubernetesExpand(t *testing.T) {
	lookup := lookupIn(map[string]string{"A": "a", "E": ""}, "S")
	tests := []struct{ in, want, missing string }{
		{"plain", "plain", ""},
		{"--x=$(A)/$(E)", "--x=a/", ""},
		{"$$(A) $A ${A} $", "$(A) $A ${A} $", ""},
		{"$(X) $(S)", "$(X) $(S)", "X S"},
		{"$(A $(A", "$(A $(A", ""},
		{"$(open $$", "$(open $", ""},
		{"$$$(A)", "$a", ""},
	}
	for _, tt := range tests {
		got, missing := KubernetesExpand(tt.in, lookup)
		if got != tt.want || strings.Join(missing, " ") != tt.missing {
			t.Errorf("%s: %q, missing %v; want %q, %q", tt.in, got, missing, tt.want, tt.missing)
		}
	}
}

func TestPieces(t *testing.T) {
	p, err := ComposePieces("x${A:-${B}$C}$$${A}")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Names(), " "); got != "A B C" {
		t.Errorf("names %q", got)
	}
	if p.Literal() || p.String() != "x${A:-${B}$C}$${A}" {
		t.Errorf("text %q", p.String())
	}
	alt := p[1].Ref.Alt
	if alt[0].Span != (Span{6, 10}) || alt[1].Span != (Span{10, 12}) || p[2].Span != (Span{13, 15}) {
		t.Errorf("spans %v %v %v", alt[0].Span, alt[1].Span, p[2].Span)
	}
}

// Deep and unclosed references stay cheap.
func TestHostileReferences(t *testing.T) {
	for _, in := range []string{
		strings.Repeat("${A:-", 40_000) + strings.Repeat("}", 40_000),
		strings.Repeat("${A:-{", 20_000) + "}",
		strings.Repeat("${", 40_000),
		strings.Repeat("${A}", 40_000),
		strings.Repeat("${A:-b}", 40_000),
		strings.Repeat("$(", 40_000),
	} {
		if _, missing, _ := ComposeInterpolate(in, nil); len(missing) > 101 {
			t.Errorf("%d missing", len(missing))
		}
		KubernetesExpand(in, nil)
		e := ParseEnv(NewFile(".env", []byte("A="+in+"\nB=\""+in+"\"\n")), EnvPython)
		if len(e.Entries) != 2 {
			t.Errorf("%d entries", len(e.Entries))
		}
	}
}
