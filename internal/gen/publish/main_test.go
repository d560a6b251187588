package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// copyRepository returns a copy of the tracked and new files of the repository, with a git of its own.
func copyRepository(t *testing.T) string {
	t.Helper()
	const root = "../../.."
	dir := t.TempDir()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }) {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue // a link that leads nowhere, or a file that was deleted
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "git", "init", "-q")
	run(t, dir, "git", "add", "-A")
	return dir
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestPublishedCopyBuilds(t *testing.T) {
	dir := copyRepository(t)
	const path = "github.com/example-org/agentlint"
	changed, err := publish(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	if changed < 20 {
		t.Errorf("%d files changed", changed)
	}
	if got := strings.TrimSpace(run(t, dir, "go", "list", "-m")); got != path {
		t.Errorf("the module is %s", got)
	}
	run(t, dir, "go", "build", "./...")
	run(t, filepath.Join(dir, "internal/gen"), "go", "vet", "./...")
	run(t, dir, "go", "vet", "./cmd/...", "./internal/cli/...")
	for _, name := range []string{"README.md", "action.yml", ".goreleaser.yaml", "docs/verify.md", "docs/architecture.md"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), placeholder) {
			t.Errorf("%s still says %s", name, placeholder)
		}
	}
	out := filepath.Join(t.TempDir(), "agentlint")
	run(t, dir, "go", "build", "-ldflags", "-X "+path+"/internal/cli.version=9.8.7", "-o", out, "./cmd/agentlint")
	if v := run(t, dir, out, "version"); !strings.HasPrefix(v, "agentlint 9.8.7 ") {
		t.Errorf("version prints %s", v)
	}
	b, err := os.ReadFile(filepath.Join(dir, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "-X "+path+"/internal/cli.version") {
		t.Error("the linker flag of releases still names the old path")
	}
	if _, err := publish(dir, path); err == nil {
		t.Error("a second run changed something")
	}
}

func TestRewriteImportsOnly(t *testing.T) {
	const src = "package x\n\nimport (\n\t\"agentlint/internal/model\"\n\tm \"agentlint/rules\"\n\t\"agentlinter/x\"\n\t\"fmt\"\n)\n\nconst s = \"agentlint/v1\" // agentlint/internal stays\n"
	got, err := rewriteImports("x.go", []byte(src), "agentlint", "github.com/o/agentlint")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(`"agentlint/internal/model"`, `"github.com/o/agentlint/internal/model"`, `"agentlint/rules"`, `"github.com/o/agentlint/rules"`).Replace(src)
	if string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestRewriteModule(t *testing.T) {
	const mod = "module agentlint/internal/gen\n\nrequire agentlint v0.0.0\n\nrequire (\n\tx/agentlint v1\n)\n\nreplace agentlint => ../..\n"
	want := "module github.com/o/agentlint/internal/gen\n\nrequire github.com/o/agentlint v0.0.0\n\nrequire (\n\tx/agentlint v1\n)\n\nreplace github.com/o/agentlint => ../..\n"
	if got := string(rewriteModule([]byte(mod), "agentlint", "github.com/o/agentlint")); got != want {
		t.Errorf("got %s", got)
	}
}

func TestBadPaths(t *testing.T) {
	for _, path := range []string{"agentlint", "github.com/agentlint", "github.com/OWNER/agentlint", "x/y/z", "github.com//agentlint"} {
		if _, err := publish(t.TempDir(), path); err == nil {
			t.Errorf("%s was accepted", path)
		}
	}
}
