package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentlint/internal/cli"
)

// A block of the documentation that shows output stands between these comments:
//
//	<!-- run: agentlint check x -->
//	```
//	the output
//	```
//	<!-- end -->
const (
	runStart = "<!-- run: agentlint "
	runEnd   = "<!-- end -->"
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
	for {
		i := strings.Index(text, runStart)
		if i < 0 {
			out.WriteString(text)
			return out.String(), blocks
		}
		line, rest, _ := strings.Cut(text[i:], "\n")
		command := strings.TrimSuffix(strings.TrimPrefix(line, runStart), " -->")
		end := strings.Index(rest, runEnd)
		if end < 0 {
			t.Fatalf("%s: %s has no end", page, line)
		}
		var stdout, stderr bytes.Buffer
		if code := cli.Main(strings.Fields(command), cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}); code > 1 || stderr.Len() > 0 {
			t.Fatalf("%s: %s: exit code %d\n%s", page, line, code, &stderr)
		}
		out.WriteString(text[:i] + line + "\n```\n" + strings.TrimRight(stdout.String(), "\n") + "\n```\n")
		text = rest[end:]
		blocks++
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < len(g) && i < len(w) && g[i] == w[i] {
		i++
	}
	return "prints " + strings.Join(g[i:min(i+2, len(g))], "\n       ") + "\nshows  " + strings.Join(w[i:min(i+2, len(w))], "\n       ")
}
