package main

import (
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentlint/internal/engine"
	"agentlint/internal/policy"
)

const table = "id\tcategory\ttier\tseverity\tconfidence\tlang\tinputs\tapplies\tfix\tstatement\tguard\n" +
	"slow-door\ttimeouts\t1\twarning\thigh\trego\tgateway.config, redis\tlitellm>=1.80, <1.90\tunsafe: open the door\tThe door \"opens\" slowly, so people wait.\tSilent for windows. Info at night.\n" +
	"slow-engine\tengine-args\t1\terror\tmedium\tgo\tengine.args\tany\tnone\tThe engine is slow.\tSilent in winter.\n" +
	"dead\tengine-args\tX\terror\tmedium\tgo\tengine.args\tany\tnone\tNo.\tRefuted.\n"

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		id, lang string
		want     []string
	}{
		{"slow-door", "", []string{"policies/gateway/slow_door.rego", "testdata/rules/slow-door/fires.txtar", "testdata/rules/slow-door/silent-2.txtar"}},
		{"slow-door", "go", []string{"rules/slow_door.go"}},
		{"slow-engine", "", []string{"rules/slow_engine.go", "testdata/rules/slow-engine/silent-1.txtar"}},
		{"slow-engine", "rego", []string{"policies/engines/slow_engine.rego"}},
	} {
		root := t.TempDir()
		r, err := find(table, c.id)
		if err != nil {
			t.Fatal(err)
		}
		if c.lang != "" {
			r.lang = c.lang
		}
		if err := write(io.Discard, root, r); err != nil {
			t.Fatal(err)
		}
		for _, name := range c.want {
			b, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Error(err)
				continue
			}
			switch filepath.Ext(name) {
			case ".go":
				if _, err := parser.ParseFile(token.NewFileSet(), name, b, parser.AllErrors); err != nil {
					t.Errorf("%s: %v\n%s", name, err, b)
				}
			case ".rego":
				h, err := policy.ParseHeader(name, string(b))
				if err != nil {
					t.Errorf("%s: %v\n%s", name, err, b)
				} else if h.ID != c.id || h.Severity.String() != r.severity || len(h.Applies) != len(r.applies) || policy.FileOf(&h.Meta) != strings.TrimPrefix(name, "policies/") {
					t.Errorf("%s: %+v", name, h.Meta)
				}
			}
		}
		if err := write(io.Discard, root, r); err == nil {
			t.Errorf("%s: files were overwritten", c.id)
		}
	}
	for _, id := range []string{"dead", "missing"} {
		if _, err := find(table, id); err == nil {
			t.Errorf("%s was accepted", id)
		}
	}
	r, err := find(table, "slow-door")
	if err != nil || strings.Join(r.applies, ";") != "litellm>=1.80 <1.90" {
		t.Errorf("applies %q, %v", r.applies, err)
	}
}

// TestPlanned writes each planned rule in both languages, and wants none in the table that is there already.
func TestPlanned(t *testing.T) {
	metas, err := engine.Metas()
	if err != nil {
		t.Fatal(err)
	}
	built := map[string]bool{}
	for _, m := range metas {
		built[m.ID] = true
	}
	rows := strings.Split(strings.TrimSpace(planned), "\n")[1:]
	for _, line := range rows {
		id, _, _ := strings.Cut(line, "\t")
		if built[id] {
			t.Errorf("%s is a rule by now: its row is to go", id)
		}
		r, err := find(planned, id)
		if err != nil {
			if !strings.Contains(err.Error(), "is not to be built") {
				t.Error(err)
			}
			continue
		}
		for _, lang := range []string{"go", "rego"} {
			r.lang = lang
			if err := write(io.Discard, t.TempDir(), r); err != nil {
				t.Errorf("%s in %s: %v", id, lang, err)
			}
		}
	}
}
