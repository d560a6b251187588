package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentlint/internal/bundle"
	"agentlint/internal/cli"
	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/policy"
)

// examples are the policies that the documentation shows.
const examples = "docs/policies"

// TestExamplePolicies runs the tests of the documented policies as their readers would.
func TestExamplePolicies(t *testing.T) {
	t.Chdir("../..")
	for _, args := range [][]string{{"policy", "check", "--strict", examples}, {"policy", "test", "--min-coverage", "95", examples}} {
		var stdout, stderr bytes.Buffer
		if code := cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}); code != 0 {
			t.Errorf("agentlint %v: exit code %d\n%s%s", args, code, &stdout, &stderr)
		}
	}
}

// TestExamplePoliciesOnRealDeployments holds what the documented policies say of whole deployments against
// testdata/policies/real.txt: in values, compose files, configurations and env files.
func TestExamplePoliciesOnRealDeployments(t *testing.T) {
	t.Chdir("../..")
	files, err := bundle.Read(examples, examples)
	if err != nil {
		t.Fatal(err)
	}
	own, err := policy.LoadCustom(t.Context(), files, policy.CustomOptions{})
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob("testdata/real/*")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fired := map[string]bool{}
	for _, dir := range folders {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			continue
		}
		r, err := engine.Run(t.Context(), engine.Options{Root: dir, Only: []string{"custom/*"}, Custom: own, Today: "2026-12-24"})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Faults {
			t.Errorf("%s: %s", f.Stack, f.Text)
		}
		for _, f := range r.Findings {
			p := f.File.Position(f.Span.Start)
			fmt.Fprintf(&b, "%s/%s:%d:%d: %s: %s [%s]\n", dir, f.File.Path, p.Line, p.Column, f.Severity, f.Message, f.Rule)
			fired[f.Rule] = true
		}
	}
	const golden = "testdata/policies/real.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the policies say something else (go test ./cmd/agentlint -run ExamplePolicies -update writes it): %s", firstDifference(b.String(), string(want)))
	}
	for _, p := range own.Policies() {
		if m, err := p.Meta(); err != nil || !fired[p.ID] && m.Fix != model.Safe {
			t.Errorf("%s says nothing about any deployment", p.ID)
		}
	}
}
