package fixers

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentlint/internal/secret"
)

// applyWithGit writes files, checks and applies a patch with git, and returns their content after it.
func applyWithGit(t *testing.T, files []Content, patch []byte) map[string]string {
	t.Helper()
	dir := t.TempDir()
	git := func(stdin []byte, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "core.autocrlf=false", "-c", "core.safecrlf=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		cmd.Stdin = bytes.NewReader(stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s\n%q\n%s", args, err, out, files, patch)
		}
	}
	git(nil, "init", "-q", ".")
	for _, f := range files {
		p := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, f.Old, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(patch) > 0 {
		git(patch, "apply", "--check", "-")
		git(patch, "apply", "-")
	}
	out := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Fatal(err)
		}
		out[f.Path] = string(b)
	}
	return out
}

func TestDiffIsForGit(t *testing.T) {
	lines := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	long := lines(40)
	for _, c := range []struct{ name, path, old, new string }{
		{"change", "a.yaml", "a: 1\nb: 2\nc: 3\n", "a: 1\nb: 9\nc: 3\n"},
		{"first line", "a.yaml", "a: 1\nb: 2\n", "a: 2\nb: 2\n"},
		{"last line", "a.yaml", "a: 1\nb: 2\n", "a: 1\nb: 3\n"},
		{"append", "a.yaml", "a: 1\n", "a: 1\nb: 2\n"},
		{"prepend", "a.yaml", "a: 1\n", "b: 2\na: 1\n"},
		{"remove all", "a.yaml", "a: 1\n", ""},
		{"fill", "a.yaml", "", "a: 1\n"},
		{"CRLF", "a.yaml", "a: 1\r\nb: 2\r\nc: 3\r\n", "a: 1\r\nb: 9\r\nc: 3\r\n"},
		{"mixed line ends", "a.yaml", "a: 1\r\nb: 2\nc: 3\rd: 4\n", "a: 1\r\nb: 9\nc: 3\rd: 4\n"},
		{"no final line break", "a.yaml", "a: 1\nb: 2", "a: 1\nb: 3"},
		{"no final line break before", "a.yaml", "a: 1\nb: 2", "a: 1\nb: 2\nc: 3\n"},
		{"no final line break after", "a.yaml", "a: 1\nb: 2\n", "a: 1\nb: 2"},
		{"no final line break in the context", "a.yaml", "a: 1\nb: 2", "a: 3\nb: 2"},
		{"far apart", "a.yaml", long, strings.NewReplacer("line 3\n", "x\n", "line 30\n", "").Replace(long)},
		{"close together", "a.yaml", long, strings.NewReplacer("line 3\n", "x\n", "line 9\n", "y\nz\n").Replace(long)},
		{"seven apart", "a.yaml", long, strings.NewReplacer("line 3\n", "x\n", "line 10\n", "y\nz\n", "line 11\n", "line 11\nq\n").Replace(long)},
		{"unicode path", "ordner/dä 日本.yaml", "a: 1\n", "a: 2\n"},
		{"blank in the path", "my values/a b.yaml", "a: 1\n", "a: 2\n"},
		{"quote in the path", "a\"b\\c\td.yaml", "a: 1\n", "a: 2\n"},
		{"unicode text", "a.yaml", "ä: 日本\nb: 1\n", "ä: 日本\nb: \u2028\n"},
		{"line that looks like a header", "a.yaml", "-- a\n++ b\n@@ c\n", "-- x\n++ b\n@@ y\n"},
		{"repeated lines", "a.yaml", "a\na\na\na\n", "a\na\na\na\na\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := []Content{{c.path, []byte(c.old), []byte(c.new)}}
			patch, held := Diff(files)
			if len(held) > 0 {
				t.Errorf("withheld %v", held)
			}
			if got := applyWithGit(t, files, patch)[c.path]; got != c.new {
				t.Errorf("%s\ngives %q, want %q", patch, got, c.new)
			}
		})
	}
}

func TestDiffText(t *testing.T) {
	patch, _ := Diff([]Content{
		{"a.yaml", []byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), []byte("1\n2\n3\n4\nx\n6\n7\n8\n9")},
		{"same.yaml", []byte("a\n"), []byte("a\n")},
		{"my file.yaml", []byte("a"), []byte("b")},
	})
	const want = `diff --git a/a.yaml b/a.yaml
--- a/a.yaml
+++ b/a.yaml
@@ -2,8 +2,8 @@
 2
 3
 4
-5
+x
 6
 7
 8
-9
+9
\ No newline at end of file
diff --git a/my file.yaml b/my file.yaml
--- a/my file.yaml	
+++ b/my file.yaml	
@@ -1 +1 @@
-a
\ No newline at end of file
+b
\ No newline at end of file
`
	if string(patch) != want {
		t.Errorf("got\n%s\nwant\n%s", patch, want)
	}
}

func TestDiffShowsNoSecret(t *testing.T) {
	const key = "  master_key: sk-0123456789abcdef0123\n"
	for _, c := range []struct {
		name, old, new string
		want           string // after git applied the patch; "" when it is new
		held           []int
	}{
		{"in the context above", "g:\n" + key + "  a: 1\n  b: 2\n", "g:\n" + key + "  a: 2\n  b: 2\n", "", nil},
		{"in the context below", "g:\n  a: 1\n  b: 2\n" + key, "g:\n  a: 2\n  b: 2\n" + key, "", nil},
		{"right below", "g:\n  a: 1\n" + key + "  b: 2\n", "g:\n  a: 2\n" + key + "  b: 2\n", "g:\n  a: 1\n" + key + "  b: 2\n", []int{2}},
		{"between two changes", "g:\n  a: 1\n  b: 1\n" + key + "  c: 1\n  d: 1\n", "g:\n  a: 2\n  b: 1\n" + key + "  c: 2\n  d: 1\n", "", nil},
		{"removed", "g:\n  a: 1\n" + key + "  b: 2\n", "g:\n  a: 1\n  b: 2\n", "g:\n  a: 1\n" + key + "  b: 2\n", []int{3}},
		{"replaced, another change stays", "g:\n" + key + "  a: 1\n  b: 2\n", "g:\n  master_key: os.environ/K\n  a: 2\n  b: 2\n", "g:\n" + key + "  a: 1\n  b: 2\n", []int{2}},
		{"replaced, a far change stays", "g:\n" + key + "  x: 1\n  a: 1\n  b: 2\n", "g:\n  master_key: os.environ/K\n  x: 1\n  a: 2\n  b: 2\n", "g:\n" + key + "  x: 1\n  a: 2\n  b: 2\n", []int{2}},
		{"private key", "k: |\n  -----BEGIN PRIVATE KEY-----\n  MIIEabc\n  MIIEdef\n  -----END PRIVATE KEY-----\na: 1\nb: 2\n", "k: |\n  -----BEGIN PRIVATE KEY-----\n  MIIEabc\n  MIIEdef\n  -----END PRIVATE KEY-----\na: 2\nb: 2\n", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := []Content{{"a.yaml", []byte(c.old), []byte(c.new)}}
			patch, held := Diff(files)
			if strings.Contains(string(patch), "sk-0123") || strings.Contains(string(patch), "MIIE") {
				t.Errorf("the patch shows a secret:\n%s", patch)
			}
			var lines []int
			for _, h := range held {
				lines = append(lines, h.Line)
			}
			if fmt.Sprint(lines) != fmt.Sprint(c.held) {
				t.Errorf("withheld %v, want %v", lines, c.held)
			}
			want := c.want
			if want == "" {
				want = c.new
			}
			if got := applyWithGit(t, files, patch)["a.yaml"]; got != want {
				t.Errorf("%s\ngives %q, want %q", patch, got, want)
			}
		})
	}
}

// TestRandomDiffs applies patches of random changes with git, all files of a patch at once.
func TestRandomDiffs(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	words := []string{"a: 1", "b:", "  c: 2", "", "# x", "api_key: 0123456789abcdef", "- d", "é\r"}
	text := func(lines []string) []byte {
		s := strings.Join(lines, "\n")
		if len(lines) > 0 && r.IntN(4) > 0 {
			s += "\n"
		}
		return []byte(s)
	}
	for range 5 {
		var files []Content
		for i := range 40 {
			var lines []string
			for range r.IntN(30) {
				lines = append(lines, words[r.IntN(len(words))])
			}
			old := text(lines)
			for range 1 + r.IntN(4) {
				at := 0
				if len(lines) > 0 {
					at = r.IntN(len(lines))
				}
				switch r.IntN(3) {
				case 0:
					lines = append(lines[:at:at], append([]string{"new"}, lines[at:]...)...)
				case 1:
					if len(lines) > 0 {
						lines = append(lines[:at:at], lines[at+1:]...)
					}
				default:
					if len(lines) > 0 {
						lines = append([]string{}, lines...)
						lines[at] = "changed"
					}
				}
			}
			files = append(files, Content{fmt.Sprintf("f%d.yaml", i), old, text(lines)})
		}
		patch, held := Diff(files)
		if secret.In(string(patch)) {
			t.Fatalf("the patch shows a secret:\n%s", patch)
		}
		hidden := map[string]bool{}
		for _, h := range held {
			hidden[h.Path] = true
		}
		after := applyWithGit(t, files, patch)
		for _, f := range files {
			if !hidden[f.Path] && after[f.Path] != string(f.New) {
				t.Fatalf("%q\ngives %q\nwant %q\n%s", f.Old, after[f.Path], f.New, patch)
			}
		}
	}
}
