package cases

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/internal/schema"
	"agentlint/rules"
)

var update = flag.Bool("update", false, "write what the rules print into the cases")

const (
	root = "../.."
	dir  = root + "/testdata/rules"
)

// metas returns the metadata of all rules by id.
func metas(t *testing.T) map[string]*model.Meta {
	out := map[string]*model.Meta{}
	add := func(m *model.Meta) {
		if out[m.ID] != nil {
			t.Errorf("two rules have the id %s", m.ID)
		}
		out[m.ID] = m
	}
	for _, r := range rules.All() {
		if r.Check != nil {
			add(&r.Meta)
		}
	}
	for _, p := range policy.Builtin() {
		m, err := p.Meta()
		if err != nil {
			t.Fatal(err)
		}
		add(m)
	}
	return out
}

func TestRules(t *testing.T) {
	all := metas(t)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			list, err := Load(dir, id)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range some(list) {
				t.Run(strings.TrimSuffix(filepath.Base(c.Path), ".txtar"), func(t *testing.T) { runCase(t, c) })
			}
			if !*update {
				complete(t, all[id], list)
			}
		})
	}
	folders, err := filepath.Glob(dir + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if all[filepath.Base(f)] == nil {
			t.Errorf("%s: no rule of that id", f)
		}
	}
}

// some returns the cases that are run: all of them, but with -short, which is for the race detector, every fourth.
func some(list []*Case) []*Case {
	if !testing.Short() {
		return list
	}
	var out []*Case
	for i := 0; i < len(list); i += 4 {
		out = append(out, list[i])
	}
	return out
}

// runCase checks one case in all the ways the format promises.
func runCase(t *testing.T, c *Case) {
	v, err := c.Verify(*update, mutations(MostUnknowns))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(c.Path, c.Format(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range v.Problems {
		t.Errorf("%s: %s", c.Path, p)
	}
	for _, s := range v.Result.Stacks {
		checkModel(t, s.Stack)
	}
}

// complete holds the cases of a rule against what every rule must have.
func complete(t *testing.T, m *model.Meta, list []*Case) {
	if err := m.Check(); err != nil {
		t.Errorf("metadata: %v", err)
	}
	firing, silent, examples, fixed := 0, 0, 0, 0
	for _, c := range list {
		switch strings.TrimSpace(c.Want) {
		case "":
			silent++
		default:
			firing++
		}
		if c.Example {
			examples++
		}
		if len(c.Fixed) > 0 {
			fixed++
		}
		for line := range strings.Lines(c.Want) {
			if message, _, ok := strings.Cut(line, " ["+m.ID+"]"); ok && strings.HasSuffix(message, ".") {
				t.Errorf("%s: a message ends with a period: %s", c.Path, line)
			}
		}
	}
	if firing < 2 || silent < 2 {
		t.Errorf("%d cases fire and %d are silent; at least two each are needed", firing, silent)
	}
	if examples != 1 {
		t.Errorf("%d cases are marked as the example; want one", examples)
	}
	if m.Fix != model.NoFix && fixed == 0 {
		t.Error("no case has fixed files, and the rule has a fix")
	}
}

// mutations is how many of all values are made unknown in turn. With -short, which is for the race detector, it is a
// handful.
func mutations(all int) int {
	if testing.Short() {
		return min(all, 3)
	}
	return all
}

var inputSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.Compile(root + "/docs/schema/input.schema.json")
})

// checkModel holds a stack against the shape of the model and its published schema.
func checkModel(t *testing.T, s *model.Stack) {
	for _, fault := range schema.Conform(s.Root) {
		t.Errorf("model of %s: %s", s.Name, fault)
	}
	sch, err := inputSchema()
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := s.Root.Plain().(map[string]any)
	if plain["unknown"] == nil {
		unknown := []any{}
		for _, p := range s.Unknown() {
			unknown = append(unknown, []any(p))
		}
		plain["unknown"] = unknown
	}
	b, err := json.Marshal(plain)
	if err != nil {
		t.Fatalf("model of %s: %v", s.Name, err)
	}
	var doc any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if err := sch.Validate(doc); err != nil {
		t.Errorf("model of %s: %v", s.Name, err)
	}
}

// The stacks of whole deployments have the shape of the model, and no rule fails on them.
func TestRealDeployments(t *testing.T) {
	folders, err := filepath.Glob(root + "/testdata/real/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if info, err := os.Stat(f); err != nil || !info.IsDir() {
			continue
		}
		t.Run(filepath.Base(f), func(t *testing.T) {
			r, err := engine.Run(t.Context(), engine.Options{Root: f, Today: "2026-11-29"})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Faults {
				t.Errorf("fault of %s in %s: %s", f.Rule, f.Stack, f.Text)
			}
			for _, s := range r.Stacks {
				checkModel(t, s.Stack)
			}
			switch name := filepath.Base(f); name {
			case "flawed":
				compareExpected(t, name, r)
			case "fixed", "healthy":
				for _, x := range r.Findings {
					if x.Severity >= model.Warning {
						t.Errorf("%s: %s: %s", x.File.Path, x.Rule, x.Message)
					}
				}
			}
		})
	}
}

// compareExpected compares the findings of a deployment with testdata/real/EXPECTED.tsv, which was written before the
// rules were: file, line, rule, severity and the reason.
func compareExpected(t *testing.T, name string, r *engine.Result) {
	t.Helper()
	b, err := os.ReadFile(root + "/testdata/real/EXPECTED.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n")[1:] {
		c := strings.Split(l, "\t")
		if len(c) != 5 {
			t.Fatalf("EXPECTED.tsv: %d columns in %q", len(c), l)
		}
		want[strings.Join(c[:4], " ")] = c[4]
	}
	found := map[string]bool{}
	for _, f := range r.Findings {
		if f.Severity < model.Info {
			continue
		}
		got := fmt.Sprintf("%s/%s %d %s %s", name, f.File.Path, f.File.Position(f.Span.Start).Line, f.Rule, f.Severity)
		if _, ok := want[got]; !ok {
			t.Errorf("not in EXPECTED.tsv: %s: %s", got, f.Message)
		}
		found[got] = true
	}
	for row, why := range want {
		if found[row] {
			continue
		}
		t.Errorf("expected, but not found: %s: %s", row, why)
	}
}
