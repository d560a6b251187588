package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"

	"agentlint/internal/engine"
	"agentlint/internal/policy"
)

// loaded is a bundle as OPA loads it: with all of its builtin functions.
type loaded struct {
	compiler *ast.Compiler
	store    storage.Store
}

func open(t *testing.T, b []byte) *loaded {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	modules, data := map[string]*ast.Module{}, map[string]any{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(h.Name, ".rego"):
			if modules[h.Name], err = ast.ParseModuleWithOpts(h.Name, string(text), ast.ParserOptions{RegoVersion: ast.RegoV1}); err != nil {
				t.Fatal(err)
			}
		case path.Base(h.Name) == "data.json":
			var v any
			if err := json.Unmarshal(text, &v); err != nil {
				t.Fatal(err)
			}
			if dir := path.Dir(h.Name); dir != "." {
				for _, name := range slices.Backward(strings.Split(dir, "/")) {
					v = map[string]any{name: v}
				}
			}
			merge(data, v.(map[string]any))
		}
	}
	c := ast.NewCompiler().WithStrict(true)
	if c.Compile(modules); c.Failed() {
		t.Fatal(c.Errors)
	}
	return &loaded{c, inmem.NewFromObject(data)}
}

func merge(to, from map[string]any) {
	for k, v := range from {
		if old, ok := to[k].(map[string]any); ok {
			merge(old, v.(map[string]any))
		} else {
			to[k] = v
		}
	}
}

// findings are what the bundle says of an input, a line each.
func (l *loaded) findings(t *testing.T, input any) []string {
	t.Helper()
	value, err := ast.InterfaceToValue(input)
	if err != nil {
		t.Fatal(err)
	}
	query := ast.MustParseBody("x = " + EntryPoint)
	txn := storage.NewTransactionOrDie(t.Context(), l.store)
	rs, err := topdown.NewQuery(query).WithCompiler(l.compiler).WithStore(l.store).WithTransaction(txn).WithInput(ast.NewTerm(value)).WithTime(time.Now()).Run(t.Context())
	if err != nil || len(rs) != 1 {
		t.Fatalf("%v, %d results", err, len(rs))
	}
	plain, err := ast.JSON(rs[0]["x"].Value)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	list, _ := plain.([]any)
	for _, x := range list {
		f, _ := x.(map[string]any)
		at, err := json.Marshal(f["at"])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %s %s %s %s: %s", f["stack"], f["rule"], f["severity"], f["confidence"], at, f["message"]))
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// examples are the policies of the documentation.
func examples(t *testing.T) *policy.Custom {
	t.Helper()
	files, err := Read("../../docs/policies", "docs/policies")
	if err != nil {
		t.Fatal(err)
	}
	own, err := policy.LoadCustom(t.Context(), files, policy.CustomOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// TestBundleSaysTheSame holds what OPA says about the stacks of whole deployments against what a run says.
func TestBundleSaysTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	own := examples(t)
	b, err := Write(own, "test")
	if err != nil {
		t.Fatal(err)
	}
	again, err := Write(own, "test")
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("the same policies give another bundle: %v", err)
	}
	policies := append(slices.Clone(policy.Builtin()), own.Policies()...)
	folders, err := filepath.Glob("../../testdata/real/*")
	if err != nil {
		t.Fatal(err)
	}
	total, mine := 0, 0
	opa := open(t, b)
	for _, dir := range folders {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			continue
		}
		stacks, err := engine.Stacks(t.Context(), engine.Options{Root: dir})
		if err != nil {
			t.Fatal(err)
		}
		var input []any
		var want []string
		const today = "2026-12-24"
		for _, s := range stacks {
			plain, _ := s.Root.Plain().(map[string]any)
			unknown := []any{}
			for _, p := range s.Unknown() {
				unknown = append(unknown, []any(p))
			}
			plain["unknown"], plain["today"] = unknown, today
			input = append(input, plain)
			var list, custom []*policy.Policy
			for _, p := range policies {
				if p.Open(s) && policy.IsCustom(p.ID) {
					custom = append(custom, p)
				} else if p.Open(s) {
					list = append(list, p)
				}
			}
			outcomes := append(policy.Default().Run(t.Context(), s, list, nil), own.Run(t.Context(), s, custom, nil, policy.Occasion{Today: today})...)
			for _, o := range outcomes {
				if o.Err != nil {
					t.Fatal(o.Err)
				}
				for _, f := range o.Findings {
					at, err := json.Marshal(f.At)
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, fmt.Sprintf("%s %s %s %s %s: %s", s.Name, f.Rule, f.Severity, f.Confidence, at, f.Message))
					if policy.IsCustom(f.Rule) {
						mine++
					}
				}
			}
		}
		// As JSON, which is what OPA reads.
		text, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		sort.Strings(want)
		want = slices.Compact(want)
		total += len(want)
		got := opa.findings(t, doc)
		for _, x := range got {
			if !slices.Contains(want, x) {
				t.Errorf("%s: OPA alone says %s", dir, x)
			}
		}
		for _, x := range want {
			if !slices.Contains(got, x) {
				t.Errorf("%s: OPA does not say %s", dir, x)
			}
		}
	}
	if total < 50 || mine < 10 {
		t.Errorf("only %d findings were compared, %d of users' policies", total, mine)
	}
}

// A bundle that agentlint wrote can be given to agentlint again.
func TestBundleReadsBack(t *testing.T) {
	own := examples(t)
	b, err := Write(own, "r1")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "own.tar.gz")
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
	back, err := Read(name, "own.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	again, err := policy.LoadCustom(t.Context(), back, policy.CustomOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ids := func(c *policy.Custom) string {
		var out []string
		for _, p := range c.Policies() {
			out = append(out, p.ID+" "+p.Category)
		}
		return strings.Join(out, "\n")
	}
	if got, want := ids(again), ids(own); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
