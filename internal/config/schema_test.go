package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"agentlint/internal/source"
)

var update = flag.Bool("update", false, "rewrite generated files")

func TestSchemaIsPublished(t *testing.T) {
	name := filepath.FromSlash("../../docs/schema/config.schema.json")
	if *update {
		if err := os.WriteFile(name, Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, Schema()) {
		t.Errorf("%s is out of date: go test ./internal/config -update", name)
	}
}

// plain returns a tree as encoding/json would decode it.
func plain(n *source.Node) any {
	d := n.Deref()
	switch d.Kind {
	case source.Map:
		out := map[string]any{}
		for _, e := range d.Entries() {
			out[e.Key.Text] = plain(e.Value)
		}
		return out
	case source.List:
		out := []any{}
		for _, c := range d.Children {
			out = append(out, plain(c))
		}
		return out
	}
	v, _ := scalarOf(d)
	if n, ok := v.(int64); ok {
		return json.Number(fmt.Sprint(n))
	}
	return v
}

// TestSchemaEqualsCheck holds the table that checks configurations against the published schema, on every value of a
// pool at every place of the configuration.
func TestSchemaEqualsCheck(t *testing.T) {
	schema, err := jsonschema.CompileString(SchemaURL, string(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	accepted, refused := 0, 0
	compare := func(text string) {
		f := source.NewFile("c.yaml", []byte(text))
		docs, err := source.ParseYAML(f)
		if err != nil || len(docs) != 1 {
			t.Fatalf("%q: %v", text, err)
		}
		c := checker{file: f}
		c.check(docs[0].Root, configShape(), nil)
		want := schema.Validate(plain(docs[0].Root))
		if (c.err() == nil) != (want == nil) {
			t.Errorf("%s\nthe table says %v\nthe schema says %v", text, c.err(), want)
		}
		if want == nil {
			accepted++
		} else {
			refused++
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		compare(generate(rng, configShape(), 0) + "\n")
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
	if accepted < 300 || refused < 300 {
		t.Errorf("the generator is lopsided: %d accepted, %d refused", accepted, refused)
	}
}

var pool = []string{"null", "true", "false", "0", "1", "-1", "1.5", "4.0", "1e2", "0x10", "off", "info", "error", "strict", "H100-80GB", "1.102.0", `"1.102"`, "v0.29.0rc1",
	"latest", "1..2", "2027-03-31", "2027-3-1", "hpa-on-memory", "custom/x", "custom/*", "affinity/*", "a--b", "Custom", `" "`, `""`, `"\u00a0"`, "'*'", "[]", "{}", "[x]", "{x: 1}"}

// generate returns a flow value that mostly has the shape.
func generate(rng *rand.Rand, s *shape, depth int) string {
	if depth > 0 && rng.IntN(25) == 0 {
		return pool[rng.IntN(len(pool))]
	}
	switch {
	case s.kinds&aMap != 0 && (s.kinds&(aText|aNumber|anInt) == 0 || rng.IntN(2) == 0):
		var parts []string
		for _, f := range s.keys {
			required := false
			for _, r := range s.required {
				required = required || r == f.name
			}
			if required && rng.IntN(12) > 0 || !required && rng.IntN(3) == 0 {
				name := f.name
				if rng.IntN(60) == 0 {
					name += "x"
				}
				parts = append(parts, name+": "+generate(rng, f.shape, depth+1))
			}
		}
		if s.entries != nil {
			names := []string{"hpa-on-memory", "affinity/*", "custom/x", "custom/*", "x"}
			if rng.IntN(10) == 0 {
				names = []string{"A", "a--b", "'*'", "custom/a/b", "'a b'"}
			}
			parts = append(parts, names[rng.IntN(len(names))]+": "+generate(rng, s.entries, depth+1))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case s.kinds&aList != 0 && (s.kinds&aText == 0 || rng.IntN(2) == 0):
		var parts []string
		for range rng.IntN(3) {
			parts = append(parts, generate(rng, s.items, depth+1))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case len(s.enum) > 0:
		return s.enum[rng.IntN(len(s.enum))]
	}
	switch s.format {
	case formatVersion:
		return []string{"1.102.0", "1.2", "v1", "1.0-stable"}[rng.IntN(4)]
	case formatDate:
		return "2027-03-31"
	case formatRule:
		return []string{"hpa-on-memory", "custom/x", "a"}[rng.IntN(3)]
	}
	switch {
	case s.kinds&aText != 0:
		return []string{"words", `"a b"`, "x/y"}[rng.IntN(3)]
	case s.kinds&aBool != 0:
		return "true"
	}
	return []string{"1", "7", "1"}[rng.IntN(3)]
}

// FuzzParse looks for inputs that crash the reader.
func FuzzParse(f *testing.F) {
	f.Add("facts: {redis: true}\n")
	f.Add("facts: &f\n  engine_replicas: *f\n")
	f.Add("? [a]\n: b\n")
	f.Add("rules:\n  <<: [*x]\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := parse(text)
		if err != nil && err.Error() == "" {
			t.Error("an error says nothing")
		}
	})
}
