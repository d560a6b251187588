package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"agentlint/internal/cli"
)

// A block of the documentation that shows output stands between these comments:
//
//	<!-- run: agentlint check x -->
//	```
//	$ agentlint check x
//	the output
//	```
//	<!-- end -->
//
// The comment does not show on a rendered page, so the command stands in the block as well, quoted for a shell.
// The command runs at the root of the repository; with "run in DIR:" in a copy of that folder, which the commands of one
// page share, and with what goes to standard error behind the output; "run in an empty folder:" has nothing to copy. With
// "| head N" the first lines are shown. A command that is wrong usage stands behind "run fails:" or "run fails in DIR:".
// "file in DIR: NAME" shows a file of such a copy as the commands left it.
const (
	runStart  = "<!-- run"
	fileStart = "<!-- file in "
	runEnd    = "<!-- end -->"
	noFolder  = "an empty folder"
)

// TestDocumentedOutput runs the commands that the documentation shows from the root of the repository, and holds their
// output against what stands there. With -update it is written.
func TestDocumentedOutput(t *testing.T) {
	t.Chdir("../..")
	for _, name := range []string{"GITHUB_ACTIONS", "GITLAB_CI", "AGENTLINT_TRACE"} {
		t.Setenv(name, "")
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		old, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text, n := fillBlocks(t, page, string(old))
		blocks += n
		if text == string(old) {
			continue
		}
		if *update {
			if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s shows another output than the command prints (go test ./cmd/agentlint -update rewrites it):\n%s", page, firstDifference(text, string(old)))
	}
	if blocks == 0 {
		t.Error("no page shows any output")
	}
}

// fillBlocks returns a page with the blocks as the commands print them.
func fillBlocks(t *testing.T, page, text string) (filled string, blocks int) {
	var out strings.Builder
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	copies := map[string]string{}
	copyOf := func(dir string) string {
		if copies[dir] != "" {
			return copies[dir]
		}
		copies[dir] = filepath.Join(t.TempDir(), "tour")
		if err := os.MkdirAll(filepath.Join(copies[dir], ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		if dir != noFolder {
			if err := os.CopyFS(copies[dir], os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
		}
		return copies[dir]
	}
	for {
		i := strings.Index(text, runStart)
		if j := strings.Index(text, fileStart); j >= 0 && (i < 0 || j < i) {
			i = j
		}
		if i < 0 {
			out.WriteString(text)
			return out.String(), blocks
		}
		line, rest, _ := strings.Cut(text[i:], "\n")
		end := strings.Index(rest, runEnd)
		if end < 0 {
			t.Fatalf("%s: %s has no end", page, line)
		}
		shown := ""
		if file, ok := strings.CutPrefix(strings.TrimSuffix(line, " -->"), fileStart); ok {
			dir, name, _ := strings.Cut(file, ": ")
			b, err := os.ReadFile(filepath.Join(copyOf(dir), name))
			if err != nil {
				t.Fatalf("%s: %s: %v", page, line, err)
			}
			shown = strings.TrimRight(string(b), "\n")
		} else {
			shown = runBlock(t, page, line, root, copyOf)
		}
		out.WriteString(text[:i] + line + "\n```\n" + shown + "\n```\n")
		text = rest[end:]
		blocks++
	}
}

// runBlock runs the command of a block and returns what it prints.
func runBlock(t *testing.T, page, line, root string, copyOf func(dir string) string) string {
	where, command, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, runStart), " -->"), ": agentlint ")
	if !ok {
		t.Fatalf("%s: %s has no command", page, line)
	}
	command, head, _ := strings.Cut(command, " | head ")
	where, fails := strings.CutPrefix(where, " fails")
	dir, inCopy := strings.CutPrefix(where, " in ")
	if inCopy {
		t.Chdir(copyOf(dir))
	}
	var stdout, stderr bytes.Buffer
	code := cli.Main(strings.Fields(command), cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	t.Chdir(root)
	if fails != (code == 2) || code > 2 || stderr.Len() > 0 && !inCopy && !fails {
		t.Fatalf("%s: %s: exit code %d\n%s", page, line, code, &stderr)
	}
	shown := strings.TrimRight(stdout.String(), "\n")
	if stderr.Len() > 0 {
		shown = strings.TrimLeft(shown+"\n"+strings.TrimRight(stderr.String(), "\n"), "\n")
	}
	if n, err := strconv.Atoi(head); err == nil {
		if lines := strings.Split(shown, "\n"); len(lines) > n {
			shown = strings.Join(lines[:n], "\n") + "\n..."
		}
	}
	words := strings.Fields(command)
	for i, w := range words {
		if strings.ContainsAny(w, "*?[") {
			words[i] = "'" + w + "'"
		}
	}
	return "$ agentlint " + strings.Join(words, " ") + "\n" + shown
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < len(g) && i < len(w) && g[i] == w[i] {
		i++
	}
	return "prints " + strings.Join(g[i:min(i+2, len(g))], "\n       ") + "\nshows  " + strings.Join(w[i:min(i+2, len(w))], "\n       ")
}
