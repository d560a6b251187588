package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func checksums(version string) string {
	var b strings.Builder
	for i, a := range archives {
		fmt.Fprintf(&b, "%064x  agentlint_%s_%s\n", i+1, version, a)
	}
	fmt.Fprintf(&b, "%064x  agentlint_%s_linux_amd64.cdx.json\n", 99, version)
	return b.String()
}

// copyAction returns a copy of the repository's action.
func copyAction(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "action.yml")
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRelease(t *testing.T) {
	file := copyAction(t)
	before, _ := os.ReadFile(file)
	// A release writes over what the one before wrote.
	for _, version := range []string{"0.1.0", "0.10.2"} {
		if got, err := write(file, "v"+version, []byte(checksums(version))); err != nil || got != version {
			t.Fatalf("%s, %v", got, err)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var a struct {
			Runs struct {
				Steps []struct{ Env map[string]string }
			}
		}
		if err := yaml.Unmarshal(b, &a); err != nil {
			t.Fatal(err)
		}
		env := a.Runs.Steps[0].Env
		if env["RELEASE_VERSION"] != version || strings.Count(env["RELEASE_CHECKSUMS"], "\n") != len(archives) || !strings.Contains(env["RELEASE_CHECKSUMS"], "  agentlint_"+version+"_windows_arm64.zip\n") {
			t.Errorf("the step has %q and %q", env["RELEASE_VERSION"], env["RELEASE_CHECKSUMS"])
		}
		if n := strings.Count(string(b), "\n") - strings.Count(string(before), "\n"); strings.Contains(string(before), `RELEASE_CHECKSUMS: ""`) && n != len(archives) {
			t.Errorf("%d lines more", n)
		}
	}
}

func TestBadReleases(t *testing.T) {
	for _, c := range []struct{ tag, sums, want string }{
		{"0.1.0", checksums("0.1.0"), "want vX.Y.Z"},
		{"v0.1", checksums("0.1"), "want vX.Y.Z"},
		{"v0.1.0-rc1", checksums("0.1.0-rc1"), "want vX.Y.Z"},
		{"v0.1.0", checksums("0.1.1"), "there is none of agentlint_0.1.0_darwin_amd64.tar.gz"},
		{"v0.1.0", "zz  agentlint_0.1.0_linux_amd64.tar.gz\n", "no line of sha256sum"},
		{"v0.1.0", checksums("0.1.0") + "\"\n", "no line of sha256sum"},
	} {
		file := copyAction(t)
		before, _ := os.ReadFile(file)
		_, err := write(file, c.tag, []byte(c.sums))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.tag, err)
		}
		if after, _ := os.ReadFile(file); string(after) != string(before) {
			t.Errorf("%s: action.yml changed", c.tag)
		}
	}
	file := filepath.Join(t.TempDir(), "action.yml")
	if err := os.WriteFile(file, []byte("name: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := write(file, "v0.1.0", []byte(checksums("0.1.0"))); err == nil {
		t.Error("an action without the places was written")
	}
}
