package fixers

import (
	"strings"
	"testing"

	"agentlint/internal/model"
)

// TestNoDamage sets one value in files with everything that rewriting YAML from its nodes loses or changes (yaml.v3
// 3.0.1 and 4.0.0, goccy/go-yaml 1.19.2): each stays as it was, byte for byte.
func TestNoDamage(t *testing.T) {
	for _, c := range []struct{ name, in string }{
		{"blank lines between keys", "a: 1\n\n\n\nb: 2\n\nk: OLD\n\n"},
		{"blanks before a comment", "a: 1      # far\nb: 2 # near\nk: OLD    # here\n"},
		{"list at its key's indent", "l:\n- x\n- y\nm:\n    - z\nk: OLD\n"},
		{"CRLF", "a: 1\r\n\r\nb:\r\n  - x\r\nk: OLD\r\n"},
		{"comment inside a flow list", "l: [\n  x, # one\n  # two\n  y\n]\nk: OLD\n"},
		{"block scalar indent and folding", "s: >-\n      one\n      two\n\n      three\nt: |4\n       four\nk: OLD\n"},
		{"merge keys", "base: &a {x: 1}\nm:\n  <<: *a\n  y: 2\nn:\n  <<: [*a]\nk: OLD\n"},
		{"comment before a dedent", "m:\n  a: 1\n  # last of m\n\nb: 2\nk: OLD\n"},
		{"second document", "a: 0\nk: OLD\n---\nb: 2 # c\n...\n---\nc: [1,2]\n"},
		{"complex keys, tabs, BOM, markers", "\ufeff%YAML 1.1\n---\n? [x, y]\n: 1\na:\t1\nk: OLD\n...\n"},
		{"long plain scalar", "s: " + strings.Repeat("word ", 60) + "end\nk: OLD\n"},
		{"tilde, nulls, quotes, numbers", "a: ~\nb:\nc: 'it''s'\nd: \"x\\u00e9\"\ne: 0o17\nf: 1_000\ng: 1e3\nk: OLD\n"},
		{"duplicate keys", "a: 1\na: 2\nk: OLD\n"},
		{"template values", "a: {{ .Values.x }}\nb: \"{{ tpl . }}\"\nk: OLD\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := plan(t, c.in, model.Set(P{"k"}, "NEW"))
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(c.in, "OLD", "NEW", 1); got != want {
				t.Errorf("got %q\nwant %q", got, want)
			}
			// A new key and a removed one leave the rest alone, too.
			got, err = plan(t, c.in, model.Remove(P{"k"}))
			if err != nil {
				t.Fatal(err)
			}
			if !isSubsequence(got, c.in) {
				t.Errorf("removal: %q is no part of %q", got, c.in)
			}
			got, err = plan(t, c.in, model.Set(P{"new"}, 1))
			if err != nil {
				t.Fatal(err)
			}
			if !isSubsequence(c.in, got) {
				t.Errorf("insertion: %q is no part of %q", c.in, got)
			}
		})
	}
}

// isSubsequence reports whether the bytes of a stand in b in their order.
func isSubsequence(a, b string) bool {
	for i := 0; i < len(b) && a != ""; i++ {
		if b[i] == a[0] {
			a = a[1:]
		}
	}
	return a == ""
}
