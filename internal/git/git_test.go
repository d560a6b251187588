package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// repository makes a repository out of files and returns a function that runs git in it.
func repository(t *testing.T) (dir string, run func(args ...string) string, write func(name, text string)) {
	t.Helper()
	dir = t.TempDir()
	run = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write = func(name, text string) {
		t.Helper()
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q", "-b", "main")
	return dir, run, write
}

func open(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := Open(context.Background(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func TestTree(t *testing.T) {
	dir, run, write := repository(t)
	other, runOther, writeOther := repository(t)
	writeOther("inside.yaml", "sub: 1\n")
	runOther("add", "-A")
	runOther("commit", "-qm", "x")
	write("a.yaml", "a: 1\n")
	write("sub dir/ü\"b.yaml", "b: 1\n")
	write(".gitignore", "*.env\ncache/\n")
	if err := os.Symlink("sub dir", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"loop": "loop", "out": "../../etc/passwd", "abs": "/etc/passwd"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	run("submodule", "add", "-q", other, "module")
	run("add", "-A")
	run("commit", "-qm", "one")
	write("a.yaml", "a: 2\n")
	write("new.yaml", "new: 1\n")
	write("local.env", "X=1\n")
	write("cache/x.yaml", "x: 1\n")
	r := open(t, dir)
	commit, err := r.Commit(context.Background(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Tree(context.Background(), commit, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.yaml": "a: 1\n", "sub dir/ü\"b.yaml": "b: 1\n", "link/ü\"b.yaml": "b: 1\n",
		// What git does not keep is as it is.
		"local.env": "X=1\n", "cache/x.yaml": "x: 1\n", "module/inside.yaml": "sub: 1\n",
	} {
		if b, err := fs.ReadFile(tree, name); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	for _, name := range []string{"new.yaml", "loop", "out", "abs", "link/../../x", "../a.yaml", "nope/a", ".git/config"} {
		if b, err := fs.ReadFile(tree, name); err == nil {
			t.Errorf("%s: read %q", name, b)
		}
	}
	for name, want := range map[string]string{"link": "sub dir", "out": "../../etc/passwd", "a.yaml": "", "local.env": "", "nope": ""} {
		if to, err := tree.ReadLink(name); to != want || (err == nil) != (want != "") {
			t.Errorf("%s: leads to %q, %v", name, to, err)
		}
	}
	if st, err := tree.Lstat("link"); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("link: %v, %v", st, err)
	}
	var names []string
	err = fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, p)
		}
		return err
	})
	want := []string{".gitignore", ".gitmodules", "a.yaml", "abs", "cache/x.yaml", "link", "local.env", "loop", "module/.git", "module/inside.yaml", "out", "sub dir/ü\"b.yaml"}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("walk: %q, %v", names, err)
	}

	below := open(t, filepath.Join(dir, "sub dir"))
	if below.Prefix() != "sub dir/" {
		t.Errorf("prefix %q", below.Prefix())
	}
	tree, err = below.Tree(context.Background(), commit, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree, "ü\"b.yaml"); err != nil {
		t.Error(err)
	}
	if b, err := below.Blob(context.Background(), commit, "ü\"b.yaml", 100); err != nil || string(b) != "b: 1\n" {
		t.Errorf("blob %q, %v", b, err)
	}
	if _, err := below.Blob(context.Background(), commit, "ü\"b.yaml", 2); !errors.Is(err, errTooLarge) {
		t.Errorf("a blob over the limit: %v", err)
	}
	// A process that answered with an error answers the next question too.
	if b, err := below.Blob(context.Background(), commit, "ü\"b.yaml", 100); err != nil || string(b) != "b: 1\n" {
		t.Errorf("blob %q, %v", b, err)
	}
	if _, err := below.Blob(context.Background(), commit, "a\nb", 100); err == nil {
		t.Error("a name with a line break was asked for")
	}
	write("fresh/c.yaml", "c: 1\n")
	tree, err = open(t, filepath.Join(dir, "fresh")).Tree(context.Background(), commit, nil)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := fs.ReadDir(tree, "."); err != nil || len(list) > 0 {
		t.Errorf("a folder that is new holds %v, %v", list, err)
	}
}

func TestSparseCheckout(t *testing.T) {
	dir, run, write := repository(t)
	write("a/a.yaml", "a: 1\n")
	write("b/b.yaml", "b: 1\n")
	run("add", "-A")
	run("commit", "-qm", "one")
	run("sparse-checkout", "set", "a")
	r := open(t, dir)
	commit, _ := r.Commit(context.Background(), "HEAD")
	tree, err := r.Tree(context.Background(), commit, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Stat(tree, "b/b.yaml"); err == nil {
		t.Error("a file outside the sparse checkout is in the tree")
	}
	if _, err := fs.Stat(tree, "a/a.yaml"); err != nil {
		t.Error(err)
	}
}

func TestRevisions(t *testing.T) {
	dir, run, write := repository(t)
	write("config.yaml", strings.Repeat("a: 1\n", 20))
	run("add", "-A")
	run("commit", "-qm", "one")
	one := run("rev-parse", "HEAD")
	run("checkout", "-qb", "feature")
	run("mv", "config.yaml", "litellm.yaml")
	run("commit", "-qm", "two")
	two := run("rev-parse", "HEAD")
	run("checkout", "-q", "main")
	write("x", "x")
	run("add", "-A")
	run("commit", "-qm", "three")
	three := run("rev-parse", "HEAD")
	run("merge", "-q", "--no-ff", "-m", "merge", "feature")
	r := open(t, dir)
	ctx := context.Background()
	merge, err := r.Commit(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if p, err := r.Parents(ctx, merge); err != nil || !slices.Equal(p, []string{three, two}) {
		t.Errorf("parents %v, %v", p, err)
	}
	if b, err := r.MergeBase(ctx, two, three); err != nil || b != one {
		t.Errorf("merge base %s, %v", b, err)
	}
	if n, err := r.Renames(ctx, one); err != nil || !reflect.DeepEqual(n, map[string]string{"litellm.yaml": "config.yaml"}) {
		t.Errorf("renames %v, %v", n, err)
	}
	if c, err := r.LastCommit(ctx, "x"); err != nil || c != three {
		t.Errorf("last commit %s, %v", c, err)
	}
	if c, err := r.LastCommit(ctx, "nope"); err != nil || c != "" {
		t.Errorf("last commit of nothing %s, %v", c, err)
	}
	for _, rev := range []string{"", "-x", "--all", "nope", "HEAD^{tree}", "HEAD:x", strings.Repeat("0", 40), "a\nb", "HEAD\x00"} {
		if c, err := r.Commit(ctx, rev); !errors.Is(err, ErrUnknownRevision) {
			t.Errorf("%q is %q, %v", rev, c, err)
		}
	}

	// A shallow clone names parents it does not have, and fetches one without the rest.
	clone := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "-q", "--depth=1", "file://"+dir, clone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := open(t, clone)
	if p, err := s.Parents(ctx, merge); err != nil || !slices.Equal(p, []string{three, two}) {
		t.Errorf("parents in a shallow clone %v, %v", p, err)
	}
	if _, err := s.Commit(ctx, three); !errors.Is(err, ErrUnknownRevision) {
		t.Errorf("the commit is there: %v", err)
	}
	run("config", "uploadpack.allowAnySHA1InWant", "true")
	if err := s.Fetch(ctx, "origin", three, "", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx, three); err != nil {
		t.Error(err)
	}
	if err := s.Fetch(ctx, "--upload-pack=touch pwned", three, "", ""); err == nil {
		t.Error("an option was taken for a remote")
	}
}

func TestNoRepository(t *testing.T) {
	if _, err := Open(context.Background(), t.TempDir(), false); err == nil {
		t.Error("there is a repository")
	}
}

func TestDiffLines(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          []Lines
	}{
		{"a\nb\n", "a\nb\n", nil},
		{"a\r\nb\r\n", "a\nb", nil},
		{"a\nb\nc\n", "a\nB\nc\n", []Lines{{2, 3, 2, 3}}},
		{"", "a\nb\n", []Lines{{1, 1, 1, 3}}},
		{"a\nb\n", "", []Lines{{1, 3, 1, 1}}},
		{"a\nb\nc\nd\n", "x\na\nb\nd\ny\n", []Lines{{1, 1, 1, 2}, {3, 4, 4, 4}, {5, 5, 5, 6}}},
		{"a\nb", "a\nb\nc", []Lines{{3, 3, 3, 4}}},
	} {
		got := DiffLines([]byte(c.before), []byte(c.after))
		if !slices.Equal(got, c.want) {
			t.Errorf("%q -> %q: %v, want %v", c.before, c.after, got, c.want)
		}
	}
	changes := DiffLines([]byte("a\nb\nc\nd\n"), []byte("x\na\nb\nd\ny\n"))
	for line, want := range map[int]int{1: 0, 2: 1, 3: 2, 4: 4, 5: 0} {
		if got, ok := OldLine(changes, line); ok != (want > 0) || got != want {
			t.Errorf("line %d was %d, %v", line, got, ok)
		}
	}
	if Touches(changes, 2, 3) || Touches(changes, 4, 4) || !Touches(changes, 4, 5) || !Touches(changes, 1, 1) {
		t.Error("touches")
	}
}

// FuzzDiffLines holds the mapping of lines against the texts.
func FuzzDiffLines(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd\n")
	f.Add("a\r\nb", "\n\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		a, b := strings.Split(normal([]byte(before)), "\n"), strings.Split(normal([]byte(after)), "\n")
		changes := DiffLines([]byte(before), []byte(after))
		for n := 1; n < len(b); n++ {
			if old, ok := OldLine(changes, n); ok && (old < 1 || old > len(a) || a[old-1] != b[n-1]) {
				t.Fatalf("line %d of %q is not line %d of %q", n, after, old, before)
			}
		}
	})
}

func TestParsePatch(t *testing.T) {
	const patch = `diff --git a/config.yaml b/config.yaml
index 1..2 100644
--- a/config.yaml
+++ b/config.yaml
@@ -1,3 +1,4 @@
 a
+++ b
-c
+d
 e
@@ -10 +11,0 @@ section
-gone
diff --git a/old b/old
deleted file mode 100644
--- a/old
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git "a/\303\274 \"b" "b/\303\274 \"b"
--- "a/\303\274 \"b"
+++ "b/\303\274 \"b"
@@ -0,0 +1 @@
+new
\ No newline at end of file
`
	got, err := ParsePatch(patch)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]Hunk{
		"config.yaml": {{First: 1, Last: 4, Added: []int{2, 3}, Removed: []int{3}}, {First: 12, Last: 11, Removed: []int{12}}},
		"ü \"b":       {{First: 1, Last: 1, Added: []int{1}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	for _, bad := range []string{"+++ b/x\n@@ -1 +1,x @@\n", "+++ b/x\n@@ -1,2 +1,2 @@\n a\n", "+++ \"b/\\q\n@@ -1 +1 @@\n-a\n+b\n", "+++ b/x\n@@ -1,9999999999 +1 @@\n"} {
		if _, err := ParsePatch(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if hunks, err := ParseHunks("@@ -1,3 +1,3 @@\n a\n-b\n+c\n d"); err != nil || len(hunks) != 1 || !hunks[0].Holds(1, 3) || hunks[0].Holds(3, 4) {
		t.Errorf("a patch of the API: %v, %v", hunks, err)
	}
	if _, err := ParseHunks("@@ -1,2 +1,2 @@\n a\n b\nx"); err == nil {
		t.Error("text behind a hunk was read")
	}
}

// FuzzParsePatch looks for inputs on which the reader of diffs fails or names lines outside its hunks.
func FuzzParsePatch(f *testing.F) {
	f.Add("+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
	f.Add("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")
	f.Fuzz(func(t *testing.T, patch string) {
		files, err := ParsePatch(patch)
		if err != nil {
			return
		}
		for _, hunks := range files {
			for _, h := range hunks {
				for _, n := range h.Added {
					if n < h.First || n > h.Last {
						t.Fatalf("line %d is not in %d to %d", n, h.First, h.Last)
					}
				}
			}
		}
	})
}
