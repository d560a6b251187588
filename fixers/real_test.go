package fixers_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"agentlint/fixers/fixerstest"
	"agentlint/internal/engine"
)

// realFiles are the files below a directory, each changed by form.
func realFiles(t testing.TB, root string, form func(name string, b []byte) []byte) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		name := filepath.ToSlash(rel)
		out[name] = &fstest.MapFile{Data: form(name, b), Mode: 0o644}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// forms are ways to write the same files.
var forms = map[string]func(name string, b []byte) []byte{
	"as they are": func(_ string, b []byte) []byte { return b },
	"CRLF": func(name string, b []byte) []byte {
		if isYAML(name) || strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".env") {
			return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
		}
		return b
	},
	"four spaces": func(name string, b []byte) []byte {
		if !isYAML(name) {
			return b
		}
		var out []byte
		for line := range bytes.Lines(b) {
			rest := bytes.TrimLeft(line, " ")
			out = append(out, bytes.Repeat([]byte(" "), 2*(len(line)-len(rest)))...)
			for bytes.HasPrefix(rest, []byte("- ")) {
				out, rest = append(out, "-   "...), rest[2:]
			}
			out = append(out, rest...)
		}
		return out
	},
	"no final newline": func(name string, b []byte) []byte {
		if isYAML(name) {
			return bytes.TrimRight(b, "\n")
		}
		return b
	},
}

// TestFixRealDeployments fixes the flawed deployment, in several forms, with and without unsafe fixes.
func TestFixRealDeployments(t *testing.T) {
	for _, form := range sorted(forms) {
		for _, unsafe := range []bool{false, true} {
			if !unsafe && form != "as they are" {
				continue
			}
			t.Run(fmt.Sprintf("%s unsafe=%v", form, unsafe), func(t *testing.T) {
				fsys := realFiles(t, "../testdata/real/flawed", forms[form])
				o := engine.Options{Root: ".", FS: fsys, Named: true, Today: "2026-11-29"}
				start := time.Now()
				r, err := engine.ApplyFixes(context.Background(), o, engine.RepairOptions{Unsafe: unsafe})
				if err != nil {
					t.Fatal(err)
				}
				rules, kinds := map[string]int{}, map[string]bool{}
				for _, a := range r.Applied {
					rules[a.Finding.Rule]++
				}
				comments, blanks := 0, 0
				for _, f := range r.Changed {
					kinds[filepath.Ext(f.Path)] = true
					c0, b0 := trivia(f.Old)
					c1, b1 := trivia(f.New)
					comments, blanks = comments+c1-c0, blanks+b1-b0
					if form == "CRLF" && isYAML(f.Path) && strings.Contains(strings.ReplaceAll(string(f.New), "\r\n", ""), "\n") {
						t.Errorf("%s: a line ends with LF alone", f.Path)
					}
				}
				t.Logf("%d findings, %d after; %d fixes of %d rules in %v; comments %+d, blank lines %+d", len(r.Before.Findings), len(r.After.Findings), len(r.Applied), len(rules), sorted(kinds), comments, blanks)
				t.Logf("rules %v, %v", rules, time.Since(start))
				for _, x := range r.Refused {
					t.Logf("refused %s:%d %s: %s", x.Finding.File.Path, x.Finding.File.LineAt(x.Finding.Span.Start), x.Finding.Rule, x.Reason)
				}
				if len(r.Applied) == 0 || unsafe && (len(rules) < 10 || len(kinds) < 5) {
					t.Errorf("%d fixes of %d rules in %v", len(r.Applied), len(rules), sorted(kinds))
				}
				if blanks != 0 {
					t.Errorf("%+d blank lines", blanks)
				}

				// A second time there is nothing to do.
				for _, f := range r.Changed {
					fsys[f.Path] = &fstest.MapFile{Data: f.New, Mode: 0o644}
				}
				again, err := engine.ApplyFixes(context.Background(), o, engine.RepairOptions{Unsafe: unsafe})
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range again.Changed {
					t.Errorf("a second run changes %s", f.Path)
				}

				fixerstest.GitTakes(t, r.Changed)
			})
		}
	}
}

// trivia counts comment lines and blank lines.
func trivia(b []byte) (comments, blanks int) {
	for line := range bytes.Lines(b) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			blanks++
		} else if line[0] == '#' {
			comments++
		}
	}
	return comments, blanks
}
