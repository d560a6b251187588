package loaders

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestIgnored(t *testing.T) {
	for _, c := range []struct {
		lines, ignored, kept string
	}{
		{"*.log\n!keep.log\n", "a.log b/c.log", "keep.log b/keep.log a.txt"},
		{"/build\n", "build", "a/build builds"},
		{"build/\n", "build/ a/build/", "build a/build"},
		{"a/b\n", "a/b", "x/a/b a/bc"},
		{"a/*\n", "a/b", "a/b/c a"},
		{"**/foo\n", "foo a/foo a/b/foo", "foo/bar xfoo"},
		{"abc/**\n", "abc/x abc/x/y", "abc"},
		{"a/**/b\n", "a/b a/x/b a/x/y/b", "ab a/bx"},
		{"a**b\n", "ab axxb", "a/b"},
		{"a**/b\n", "a/b ax/b ax/y/b ab", "b"}, // Git compares the "a" by itself
		{"# comment\n\\#name\n\\!name\n", "#name !name", "name comment"},
		{"trailing  \nkept\\ \n", "trailing|kept ", "kept"},
		{"name.txt\r\n", "name.txt", "name"},
		{"[a-c]x\n[!d]y\n[[:digit:]]z\n[]]w\n", "ax cx ey 1z ]w", "dx dy az aw"},
		{"?.env\n", "a.env", ".env ab.env"},
		{"!\n/\n\\\n", "", "a"},
	} {
		rules := parseIgnore(".", c.lines)
		split := func(s string) []string {
			if strings.Contains(s, "|") {
				return strings.Split(s, "|")
			}
			return strings.Fields(s)
		}
		for _, want := range []bool{true, false} {
			names := c.ignored
			if !want {
				names = c.kept
			}
			for _, name := range split(names) {
				path, isDir := strings.CutSuffix(name, "/")
				if ignored(rules, path, isDir) != want {
					t.Errorf("%q: ignored(%q) is %v", c.lines, name, !want)
				}
			}
		}
	}
	if deep := parseIgnore("a", "x\n/y\n"); !ignored(deep, "a/b/x", false) || ignored(deep, "b/x", false) || !ignored(deep, "a/y", false) || ignored(deep, "a/b/y", false) {
		t.Error("rules of a folder hold below it only")
	}
}

// Patterns that could be tried in more ways than there are atoms end.
func TestIgnoreRulesAreBounded(t *testing.T) {
	rules := parseIgnore(".", strings.Repeat("*a", 60)+"b\n"+strings.Repeat("**/a/", 30)+"b\n")
	ignored(rules, strings.Repeat("a/a", 2000), false)
}

// git lists the files that Git does not ignore.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR=", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.Env = slices.DeleteFunc(cmd.Env, func(s string) bool { return strings.HasPrefix(s, "GIT_DIR=") })
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// The walk lists what Git lists, with random rules in two folders.
func TestIgnoreAgreesWithGit(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	names := []string{"a", "b", "ab", "a.log", "x y", "Z1", "[a]"}
	var files []string
	for _, d := range []string{"", "a/", "ab/", "a/b/", "a/b/a/", "x y/ab/"} {
		for _, n := range names {
			name := d + n + ".f"
			files = append(files, name)
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "b", "ab", ".f", ".log", "*", "**", "?", "/", "/", "[a-b]", "[!a]", "[", "x y", " ", "\\ ", "\\", "Z1", "[[:upper:]]", "*.f", "**/", "/**", "\\[a]"}
	for round := range 150 {
		for _, d := range []string{".", "a"} {
			var lines []string
			for range r.IntN(5) {
				line := ""
				if r.IntN(4) == 0 {
					line = "!"
				}
				for range 1 + r.IntN(4) {
					line += parts[r.IntN(len(parts))]
				}
				lines = append(lines, line)
			}
			if err := os.WriteFile(filepath.Join(dir, d, ".gitignore"), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want := strings.Split(strings.TrimSuffix(git(t, dir, "ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00")
		fsys, err := OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := NewWorkspace(fsys, nil).walk(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		want = slices.DeleteFunc(want, func(s string) bool { return s == "" })
		if !slices.Equal(got, want) {
			var b bytes.Buffer
			for _, d := range []string{".", "a"} {
				text, _ := os.ReadFile(filepath.Join(dir, d, ".gitignore"))
				fmt.Fprintf(&b, "%s/.gitignore:\n%s", d, text)
			}
			for _, f := range append(files, ".gitignore", "a/.gitignore") {
				if slices.Contains(got, f) != slices.Contains(want, f) {
					fmt.Fprintf(&b, "%q: listed by git: %v\n", f, slices.Contains(want, f))
				}
			}
			t.Errorf("round %d\n%s", round, b.String())
		}
	}
}

func FuzzIgnored(f *testing.F) {
	f.Add("*.log\n!a/**/b\n[a-", "a/b/c.log", true)
	f.Fuzz(func(t *testing.T, lines, name string, isDir bool) {
		ignored(parseIgnore(".", lines), name, isDir)
	})
}
