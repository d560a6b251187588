// Package fixerstest holds the patches of fixers against git.
package fixerstest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"agentlint/fixers"
)

// GitTakes applies the patch for some files with git, which must make the new ones of the old ones, but for files of which
// lines are withheld.
func GitTakes(t testing.TB, files []fixers.Content) {
	t.Helper()
	root := t.TempDir()
	patch, held := fixers.Diff(files)
	hidden := map[string]bool{}
	for _, h := range held {
		hidden[h.Path] = true
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "core.autocrlf=false"}, args...)...)
		cmd.Dir, cmd.Stdin = root, bytes.NewReader(patch)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
	git("init", "-q", ".")
	for _, f := range files {
		name := filepath.Join(root, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Old, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(patch) == 0 {
		return
	}
	git("apply", "--check", "-")
	git("apply", "--whitespace=nowarn", "-")
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Fatal(err)
		}
		if !hidden[f.Path] && !bytes.Equal(got, f.New) {
			t.Errorf("%s: git makes something else of the patch", f.Path)
		}
	}
}
