package cases

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"agentlint/fixers"
	"agentlint/fixers/fixerstest"
	"agentlint/internal/engine"
	"agentlint/internal/model"
)

// refusals are the rules whose fixes are refused in some case, with the rule of the finding that they would bring about: what
// the fix brings to light is worse than what it mends, and somebody has to settle that first.
var refusals = [][2]string{
	{"cache-local-with-replicas", "response-cache-on-by-accident"},
	{"env-name-not-read", "debug-in-production"},
	{"env-reference-shell-style", "master-key-missing"},
	{"include-replaces-section", "router-redis-without-port"},
	{"litellm-settings-unknown-key", "cache-redis-host-missing"},
	{"router-settings-unknown-key", "single-deployment-cooldown"},
	{"vllm-argument-not-split", "tensor-parallel-without-shm"},
	{"vllm-argument-not-split", "vllm-list-flag-swallows-model"},
}

// TestFixesOfAllCases fixes every case that has fixed files with all rules on, unsafe fixes too: nothing that can be
// fixed is left, a second time nothing changes, no blank line and no comment but those of removed entries is lost, and
// git takes the patch, also with CRLF, without a final newline and below a folder of another alphabet.
func TestFixesOfAllCases(t *testing.T) {
	var mu sync.Mutex
	var all []fixers.Content
	refused := map[fixers.Reason]int{}
	applied, comments, blanks := 0, 0, 0
	t.Run("cases", func(t *testing.T) {
		known := metas(t)
		for _, id := range slices.Sorted(maps.Keys(known)) {
			list, err := Load(dir, id)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range some(list) {
				if len(c.Fixed) == 0 {
					continue
				}
				name := id + "/" + strings.TrimSuffix(filepath.Base(c.Path), ".txtar")
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					r := fixAll(t, c, c.Input)
					for _, x := range r.Refused {
						t.Logf("refused: %s: %s: %s: %s (%s)", name, x.Finding.Rule, x.Fix.Title, x.Reason, x.Kind)
						if _, rest, ok := strings.Cut(x.Reason, "it would bring about "); ok {
							brought, _, _ := strings.Cut(rest, ":")
							if !slices.Contains(refusals, [2]string{x.Finding.Rule, brought}) {
								t.Errorf("the fix of %s is refused for %s: mend it, say so in Brings and in its question, or list the two in refusals", x.Finding.Rule, brought)
							}
						}
					}
					for _, x := range r.Applied {
						for _, id := range x.Fix.Brings {
							if known[id] == nil && id != model.BringsAny {
								t.Errorf("a fix of %s brings %s, which is no rule", x.Finding.Rule, id)
							}
						}
					}
					mu.Lock()
					defer mu.Unlock()
					applied += len(r.Applied)
					for _, x := range r.Refused {
						refused[x.Kind]++
					}
					for _, f := range r.Changed {
						was, now := trivia(f.Old), trivia(f.New)
						comments, blanks = comments+now.comments-was.comments, blanks+now.blanks-was.blanks
						// A new section stands apart as those around it do.
						// The blank line that breaks a command goes.
						if now.blanks < was.blanks && c.Rule != "shell-continuation-broken" {
							t.Errorf("%s: %d blank lines become %d", f.Path, was.blanks, now.blanks)
						}
						f.Path = name + "/" + f.Path
						all = append(all, f)
					}
				})
			}
		}
	})
	t.Logf("%d fixes applied; refused %v; comment lines %+d, blank lines %+d", applied, refused, comments, blanks)
	sort.Slice(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	for _, form := range []struct {
		name, dir string
		of        func([]byte) []byte
	}{
		{"as they are", "cases", func(b []byte) []byte { return b }},
		{"CRLF", "cases", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }},
		{"no final newline", "cases", func(b []byte) []byte { return bytes.TrimRight(b, "\n") }},
		{"another alphabet", "конфиг 設定 \"q\"\ttab", func(b []byte) []byte { return b }},
	} {
		t.Run(form.name, func(t *testing.T) {
			files := slices.Clone(all)
			for i := range files {
				f := &files[i]
				f.Path, f.Old, f.New = form.dir+"/"+f.Path, form.of(f.Old), form.of(f.New)
			}
			fixerstest.GitTakes(t, files)
		})
	}
}

// fixAll fixes the files of a case and looks for what is left.
func fixAll(t *testing.T, c *Case, files map[string][]byte) *engine.Repair {
	t.Helper()
	o, err := c.Options(files)
	if err != nil {
		t.Fatal(err)
	}
	o.Only = nil
	r, err := engine.ApplyFixes(t.Context(), o, engine.RepairOptions{Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Exhausted {
		t.Error("the fixes find no end")
	}
	given := func(f *engine.Finding) bool {
		return slices.ContainsFunc(r.Refused, func(x engine.Repaired) bool {
			return x.Finding.Rule == f.Rule && x.Finding.Fingerprint == f.Fingerprint
		})
	}
	r.After.PlanFixes(engine.PlanToPrint)
	for _, f := range r.After.Findings {
		if len(f.Fixes) > 0 && len(f.Fixes[0].Edits) > 0 && !given(f) {
			t.Errorf("after the fixes there is one for %s: %s", f.Rule, f.Message)
		}
	}
	after := maps.Clone(files)
	for _, f := range r.Changed {
		after[f.Path] = f.New
	}
	if o, err = c.Options(after); err != nil {
		t.Fatal(err)
	}
	o.Only = nil
	again, err := engine.ApplyFixes(t.Context(), o, engine.RepairOptions{Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range again.Changed {
		t.Errorf("a second time %s changes", f.Path)
	}
	return r
}

type trivial struct{ comments, blanks int }

// trivia counts the comment lines and the blank lines of a text.
func trivia(b []byte) (out trivial) {
	for line := range bytes.Lines(b) {
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
			out.blanks++
		case line[0] == '#':
			out.comments++
		}
	}
	return out
}
