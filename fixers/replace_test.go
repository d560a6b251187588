package fixers

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func writeFile(t *testing.T, p, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p, mode); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, p string) string {
	t.Helper()
	b, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// onlyFiles fails the test when a directory holds anything else, such as a temporary file.
func onlyFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	var got []string
	filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			got = append(got, filepath.ToSlash(rel))
		}
		return nil
	})
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("files %v, want %v", got, want)
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.yaml"), "a: 1\n", 0o640)
	writeFile(t, filepath.Join(dir, "sub/b.env"), "B=1\n", 0o755)
	if err := os.Symlink("sub/b.env", filepath.Join(dir, ".env")); err != nil {
		t.Fatal(err)
	}
	err := Replace(dir, []Content{{"a.yaml", []byte("a: 1\n"), []byte("a: 2\n")}, {".env", []byte("B=1\n"), []byte("B=2\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if readFile(t, filepath.Join(dir, "a.yaml")) != "a: 2\n" || readFile(t, filepath.Join(dir, "sub/b.env")) != "B=2\n" {
		t.Error("not written")
	}
	if i, err := os.Stat(filepath.Join(dir, "a.yaml")); err != nil || i.Mode().Perm() != 0o640 {
		t.Errorf("mode %v %v", i.Mode(), err)
	}
	if i, err := os.Stat(filepath.Join(dir, "sub/b.env")); err != nil || i.Mode().Perm() != 0o755 {
		t.Errorf("mode %v %v", i.Mode(), err)
	}
	if l, err := os.Readlink(filepath.Join(dir, ".env")); err != nil || l != "sub/b.env" {
		t.Errorf("link %q %v", l, err)
	}
	onlyFiles(t, dir, ".env", "a.yaml", "sub/b.env")
}

func TestReplaceRefuses(t *testing.T) {
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "x"), "x\n", 0o644)
	for _, c := range []struct {
		name string
		set  func(dir string)
		want string
	}{
		{"changed", func(dir string) { writeFile(t, filepath.Join(dir, "b"), "b: 3\n", 0o644) }, "changed by something else"},
		{"longer", func(dir string) { writeFile(t, filepath.Join(dir, "b"), "b: 1\nc: 1\n", 0o644) }, "changed by something else"},
		{"gone", func(dir string) { os.Remove(filepath.Join(dir, "b")) }, "the file is gone"},
		{"read-only", func(dir string) { os.Chmod(filepath.Join(dir, "b"), 0o444) }, "read-only"},
		{"a directory", func(dir string) { os.Remove(filepath.Join(dir, "b")); os.Mkdir(filepath.Join(dir, "b"), 0o755) }, "not a regular file"},
		{"a link outside", func(dir string) {
			os.Remove(filepath.Join(dir, "b"))
			os.Symlink(filepath.Join(outside, "x"), filepath.Join(dir, "b"))
		}, "absolute path"},
		{"a relative link outside", func(dir string) {
			os.Remove(filepath.Join(dir, "b"))
			rel, _ := filepath.Rel(dir, filepath.Join(outside, "x"))
			os.Symlink(rel, filepath.Join(dir, "b"))
		}, "escapes"},
		{"a cycle of links", func(dir string) {
			os.Remove(filepath.Join(dir, "b"))
			os.Symlink("b", filepath.Join(dir, "b"))
		}, "without an end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "a"), "a: 1\n", 0o644)
			writeFile(t, filepath.Join(dir, "b"), "b: 1\n", 0o644)
			c.set(dir)
			err := Replace(dir, []Content{{"a", []byte("a: 1\n"), []byte("a: 2\n")}, {"b", []byte("b: 1\n"), []byte("b: 2\n")}})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "write b: ") {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if readFile(t, filepath.Join(dir, "a")) != "a: 1\n" {
				t.Error("the other file was written")
			}
		})
	}
}

// TestReplaceFails makes every step fail and expects the old files.
func TestReplaceFails(t *testing.T) {
	broken := errors.New("no space left")
	for _, at := range []string{"write a", "write b", "rename a", "rename b"} {
		t.Run(at, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "a"), "a: 1\n", 0o604)
			writeFile(t, filepath.Join(dir, "b"), "b: 1\n", 0o644)
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			r := &replacer{root: root, stop: func(step, path string) error {
				if step+" "+path == at {
					return broken
				}
				return nil
			}}
			err = r.replace([]Content{{"a", []byte("a: 1\n"), []byte("a: 2\n")}, {"b", []byte("b: 1\n"), []byte("b: 2\n")}})
			if !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
			if readFile(t, filepath.Join(dir, "a")) != "a: 1\n" || readFile(t, filepath.Join(dir, "b")) != "b: 1\n" {
				t.Error("a file was left changed")
			}
			if i, err := os.Stat(filepath.Join(dir, "a")); err != nil || i.Mode().Perm() != 0o604 {
				t.Errorf("mode %v %v", i.Mode(), err)
			}
			onlyFiles(t, dir, "a", "b")
		})
	}
}

// TestReplaceSeesAChange has something else write the file between reading and renaming.
func TestReplaceSeesAChange(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a"), "a: 1\n", 0o644)
	writeFile(t, filepath.Join(dir, "b"), "b: 1\n", 0o644)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	r := &replacer{root: root, stop: func(step, path string) error {
		if step == "rename" && path == "b" {
			writeFile(t, filepath.Join(dir, "b"), "b: 7\n", 0o644)
		}
		return nil
	}}
	err = r.replace([]Content{{"a", []byte("a: 1\n"), []byte("a: 2\n")}, {"b", []byte("b: 1\n"), []byte("b: 2\n")}})
	if err == nil || !strings.Contains(err.Error(), "changed by something else") {
		t.Errorf("got %v", err)
	}
	if readFile(t, filepath.Join(dir, "a")) != "a: 1\n" || readFile(t, filepath.Join(dir, "b")) != "b: 7\n" {
		t.Error("the other program's change was lost, or half of the files written")
	}
	onlyFiles(t, dir, "a", "b")
}

// TestReplaceDies ends the process between the steps, in a process of its own.
func TestReplaceDies(t *testing.T) {
	if at := os.Getenv("FIXERS_DIE_AT"); at != "" {
		root, err := os.OpenRoot(os.Getenv("FIXERS_DIE_IN"))
		if err != nil {
			t.Fatal(err)
		}
		r := &replacer{root: root, stop: func(step, path string) error {
			if step+" "+path == at {
				os.Exit(7)
			}
			return nil
		}}
		r.replace([]Content{{"a", []byte("a: 1\n"), []byte("a: 2\n")}, {"b", []byte("b: 1\n"), []byte("b: 2\n")}})
		return
	}
	for _, at := range []string{"write a", "write b", "rename a", "rename b"} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "a"), "a: 1\n", 0o644)
		writeFile(t, filepath.Join(dir, "b"), "b: 1\n", 0o644)
		cmd := exec.Command(os.Args[0], "-test.run=^TestReplaceDies$")
		cmd.Env = append(os.Environ(), "FIXERS_DIE_AT="+at, "FIXERS_DIE_IN="+dir)
		if err := cmd.Run(); err == nil {
			t.Fatal("the process did not die")
		}
		for _, f := range []string{"a", "b"} {
			if got := readFile(t, filepath.Join(dir, f)); got != f+": 1\n" && got != f+": 2\n" {
				t.Errorf("%s: %s holds %q", at, f, got)
			}
		}
	}
}
