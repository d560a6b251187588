package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentlint/internal/cli"
)

func agentlint(t *testing.T, args ...string) (stdout string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	if code > 1 {
		t.Fatalf("agentlint %v: exit code %d\n%s", args, code, &errs)
	}
	return out.String(), code
}

// TestPatchOfTheExample applies the patch for the flawed example with git, and holds the result against what fix writes:
// both are the same bytes, nothing fixable is left, and every comment is still there.
func TestPatchOfTheExample(t *testing.T) {
	example, err := filepath.Abs("../../testdata/real/flawed")
	if err != nil {
		t.Fatal(err)
	}
	for _, crlf := range []bool{false, true} {
		patched, fixed := copyExample(t, example, crlf), copyExample(t, example, crlf)
		t.Chdir(patched)
		patch, code := agentlint(t, "fix", "--diff", "-q")
		if code != 1 || patch == "" {
			t.Fatalf("exit code %d, patch of %d bytes", code, len(patch))
		}
		cmd := exec.Command("git", "apply", "--whitespace=nowarn")
		cmd.Stdin = strings.NewReader(patch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git apply: %v\n%s", err, out)
		}
		t.Chdir(fixed)
		agentlint(t, "fix", "-q")
		if again, code := agentlint(t, "fix", "--diff", "-q"); code != 0 || again != "" {
			t.Errorf("after fix there is more to fix:\n%s", again)
		}
		changed := map[string]bool{}
		err := filepath.WalkDir(fixed, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(fixed, name)
			if err != nil {
				return err
			}
			got, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			want, err := os.ReadFile(filepath.Join(patched, rel))
			if err != nil {
				return err
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs between fix and git apply", rel)
			}
			before, err := os.ReadFile(filepath.Join(example, rel))
			if err != nil {
				return nil // .git
			}
			if crlf {
				before = toCRLF(before)
			}
			if !bytes.Equal(before, got) {
				changed[filepath.ToSlash(rel)] = true
			}
			for line := range strings.Lines(string(before)) {
				if c := strings.TrimSpace(line); strings.HasPrefix(c, "#") && !bytes.Contains(got, []byte(c)) {
					t.Errorf("%s: the comment %q is gone", rel, c)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		// One file of each format: configuration, Helm values, environment, arguments of a pod, autoscaler, dashboard.
		for _, rel := range []string{"compose/config.yaml", "gateway/values.yaml", "compose/gateway.env", "engines/assistant-router.yaml", "engines/rag-hpa.yaml", "monitoring/dashboards/vllm-engines.json"} {
			if !changed[rel] {
				t.Errorf("%s did not change", rel)
			}
		}
	}
}

func copyExample(t *testing.T, from string, crlf bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "example")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if crlf {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			// In a script a carriage return would be part of a word.
			if err != nil || !d.Type().IsRegular() || filepath.Ext(name) == ".sh" {
				return err
			}
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return os.WriteFile(name, toCRLF(b), 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return dir
}

func toCRLF(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }
