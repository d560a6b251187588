package engine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// runIgnores puts a finding of a rule on each line that holds a mark "<rule>" (which stays in the text), applies the
// ignores and returns the lines of what is left, and the findings about ignores as line: severity: message.
func runIgnores(t *testing.T, name, text string, entries ...Ignore) (kept, about []string, ran *ignores) {
	t.Helper()
	f := source.NewFile(name, []byte(text))
	ids := []string{"hpa-on-memory", "master-key-missing", "rate-limits-without-redis"}
	ran = &ignores{
		Files: []*source.File{f}, Entries: entries, Today: "2027-01-15", Whole: true, IDs: ids,
		Rule: func(name string) (string, bool) {
			if name == "hpa-memory" {
				return "hpa-on-memory", true
			}
			return name, slices.Contains(ids, name)
		},
		Ran: func(string, *source.File) bool { return true },
		Rel: func(f *source.File) string { return f.Path },
	}
	var findings []*Finding
	for _, id := range ids {
		for at := 0; ; {
			i := strings.Index(text[at:], "<"+id+">")
			if i < 0 {
				break
			}
			at += i
			findings = append(findings, &Finding{Rule: id, Severity: model.Warning, Location: model.Location{File: f, Span: source.Span{Start: at, End: at + 3}}})
			at++
		}
	}
	left, extra, suppressed := ran.apply(findings)
	if len(left)+len(suppressed) != len(findings) {
		t.Errorf("%d findings, %d kept, %d suppressed", len(findings), len(left), len(suppressed))
	}
	for _, x := range left {
		kept = append(kept, fmt.Sprintf("%d: %s", f.LineAt(x.Span.Start), x.Rule))
	}
	for _, x := range extra {
		kind := ""
		if x.Rule != unusedIgnore {
			kind = x.Rule + ": "
		}
		about = append(about, fmt.Sprintf("%d: %s%s: %s", f.LineAt(x.Span.Start), kind, x.Severity, x.Message))
	}
	return kept, about, ran
}

func TestIgnoreComments(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		kept, about      []string
	}{
		{"on the line", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory] measured\nb: <hpa-on-memory>\n", []string{"2: hpa-on-memory"}, nil},
		{"on the line above", "a.yaml", "# agentlint: ignore[hpa-on-memory] measured\na: <hpa-on-memory>\nb: <hpa-on-memory>\n", []string{"3: hpa-on-memory"}, nil},
		{"above other comments", "a.yaml", "# agentlint: ignore[hpa-on-memory] measured\n# and more\na: <hpa-on-memory>\n", nil, nil},
		{"a blank line ends it", "a.yaml", "# agentlint: ignore[hpa-on-memory] measured\n\na: <hpa-on-memory>\n", []string{"3: hpa-on-memory"}, []string{"1: info: this ignore of hpa-on-memory silences nothing"}},
		{"on the parent key", "a.yaml", "a: # agentlint: ignore[hpa-on-memory] measured\n  b:\n    - c: <hpa-on-memory>\n    - <hpa-on-memory>\nd: <hpa-on-memory>\n", []string{"5: hpa-on-memory"}, nil},
		{"above the parent key", "a.yaml", "x: 1\n# agentlint: ignore[hpa-on-memory] measured\na:\n  b: <hpa-on-memory>\nd: <hpa-on-memory>\n", []string{"5: hpa-on-memory"}, nil},
		{"above a list item", "a.yaml", "l:\n  # agentlint: ignore[hpa-on-memory] measured\n  - a: 1\n    b: <hpa-on-memory>\n  - b: <hpa-on-memory>\n", []string{"5: hpa-on-memory"}, nil},
		{"on an item's first line is that line only", "a.yaml", "l:\n  - a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory] measured\n    b: <hpa-on-memory>\n", []string{"3: hpa-on-memory"}, nil},
		{"list at the parent's column", "a.yaml", "# agentlint: ignore[hpa-on-memory] measured\nl:\n- b: <hpa-on-memory>\nm: <hpa-on-memory>\n", []string{"4: hpa-on-memory"}, nil},
		{"flow map over lines", "a.yaml", "a: { # agentlint: ignore[hpa-on-memory] measured\n  b: <hpa-on-memory>\n}\nc: <hpa-on-memory>\n", []string{"4: hpa-on-memory"}, nil},
		{"another rule stays", "a.yaml", "a: <hpa-on-memory> <master-key-missing> # agentlint: ignore[hpa-on-memory] measured\n", []string{"1: master-key-missing"}, nil},
		{"two rules", "a.yaml", "a: <hpa-on-memory> <master-key-missing> # agentlint: ignore[hpa-on-memory, master-key-missing] measured\n", nil, nil},
		{"two comments", "a.yaml", "# agentlint: ignore[hpa-on-memory] measured\n# agentlint: ignore[master-key-missing] elsewhere\na: <hpa-on-memory> <master-key-missing>\n", nil, nil},
		{"former id", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-memory] measured\n", nil, nil},
		{"after another comment", "a.yaml", "a: <hpa-on-memory> # keep # agentlint: ignore[hpa-on-memory] measured\n", nil, nil},
		{"no blank after the hash", "a.yaml", "a: <hpa-on-memory> #agentlint:ignore[hpa-on-memory] measured\n", nil, nil},
		{"separators before the reason", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory]: measured\n", nil, nil},
		{"until a day to come", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory] until=2027-03-31 measured\n", nil, nil},
		{"until today", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory] until=2027-01-15 measured\n", nil, nil},
		{"expired", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory] until=2027-01-14 measured\n", []string{"1: hpa-on-memory"}, []string{"1: ignore-expired: warning: this ignore of hpa-on-memory ended on 2027-01-14 (measured): decide again"}},
		{"no date", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory] until=31.3.2027 measured\n", []string{"1: hpa-on-memory"}, []string{"1: warning: until=31.3.2027 is no date, so this ignore does not count: write until=YYYY-MM-DD"}},
		{"no reason", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory]\n", []string{"1: hpa-on-memory"}, []string{"1: warning: this ignore of hpa-on-memory has no reason, so it does not count: write it after the bracket"}},
		{"date but no reason", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory] until=2027-03-31\n", []string{"1: hpa-on-memory"}, []string{"1: warning: this ignore of hpa-on-memory has no reason, so it does not count: write it after the bracket"}},
		{"punctuation is no reason", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory] --\n", []string{"1: hpa-on-memory"}, []string{"1: warning: this ignore of hpa-on-memory has no reason, so it does not count: write it after the bracket"}},
		{"no rule", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore because\n", []string{"1: hpa-on-memory"}, []string{"1: warning: this ignore names no rule, so it does not count: write ignore[RULE] and a reason"}},
		{"empty brackets", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[] because\n", []string{"1: hpa-on-memory"}, []string{"1: warning: this ignore names no rule, so it does not count: write ignore[RULE] and a reason"}},
		{"star", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[*] because\n", []string{"1: hpa-on-memory"}, []string{"1: warning: this ignore is for more than one rule, so it does not count: name the rules"}},
		{"unknown rule", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memori] because\n", []string{"1: hpa-on-memory"}, []string{`1: warning: there is no rule "hpa-on-memori" (did you mean "hpa-on-memory"?)`}},
		{"unknown word", "a.yaml", "a: <hpa-on-memory> # agentlint: ignroe[hpa-on-memory] because\n", []string{"1: hpa-on-memory"}, []string{`1: warning: unknown word "ignroe": write ignore[RULE] and a reason`}},
		{"word of another linter", "a.yaml", "a: <hpa-on-memory> # agentlint: disable=hpa-on-memory\n", []string{"1: hpa-on-memory"}, []string{`1: warning: unknown word "disable": write ignore[RULE] and a reason`}},
		{"prose", "a.yaml", "a: 1 # see agentlint: ignore[hpa-on-memory] would hide it\nb: 2 # agentlint: settings follow\n", nil, nil},
		{"unused", "a.yaml", "a: 1 # agentlint: ignore[hpa-on-memory] measured\n", nil, []string{"1: info: this ignore of hpa-on-memory silences nothing"}},
		{"one of two unused", "a.yaml", "a: <hpa-on-memory> # agentlint: ignore[hpa-on-memory, master-key-missing] measured\n", nil, []string{"1: info: this ignore of master-key-missing silences nothing"}},
		{"text is no comment", "a.yaml", "a: \"# agentlint: ignore[hpa-on-memory] measured\"\nb: 'x # agentlint: ignore[hpa-on-memory] x'\nc: <hpa-on-memory>\n", []string{"3: hpa-on-memory"}, nil},
		{"block scalar of yaml", "a.yaml", "data:\n  config.yaml: |\n    # agentlint: ignore[hpa-on-memory] measured\n    a:\n      b: <hpa-on-memory>\n    c: <hpa-on-memory>\n    d: \"# agentlint: ignore[hpa-on-memory] text\"\n", []string{"6: hpa-on-memory"}, nil},
		{"block scalar of a script", "a.yaml", "args:\n  - |\n    set -e\n    # agentlint: ignore[hpa-on-memory] measured\n    vllm serve \\\n      --x <hpa-on-memory>\n    vllm serve <hpa-on-memory>\n", []string{"7: hpa-on-memory"}, nil},
		{"above a block scalar's key", "a.yaml", "data:\n  # agentlint: ignore[hpa-on-memory] measured\n  config.yaml: |\n    a: <hpa-on-memory>\n  b: <hpa-on-memory>\n", []string{"5: hpa-on-memory"}, nil},
		{"on a block scalar's header", "a.yaml", "data:\n  config.yaml: | # agentlint: ignore[hpa-on-memory] measured\n    a: <hpa-on-memory>\n  b: <hpa-on-memory>\n", []string{"4: hpa-on-memory"}, nil},
		{"second document", "a.yaml", "a: 1\n---\n# agentlint: ignore[hpa-on-memory] measured\nb:\n  c: <hpa-on-memory>\n", nil, nil},
		{"crlf", "a.yaml", "a: # agentlint: ignore[hpa-on-memory] measured\r\n  b: <hpa-on-memory>\r\nc: <hpa-on-memory>\r\n", []string{"3: hpa-on-memory"}, nil},
		{"env file", "gateway.env", "# agentlint: ignore[hpa-on-memory] measured\nA=<hpa-on-memory>\nB=<hpa-on-memory>\nC=\"x # agentlint: ignore[hpa-on-memory] x <hpa-on-memory>\"\nD=<hpa-on-memory> # agentlint: ignore[hpa-on-memory] measured\n", []string{"3: hpa-on-memory", "4: hpa-on-memory"}, nil},
		{"shell", "run.sh", "#!/bin/sh\n# agentlint: ignore[hpa-on-memory] measured\nvllm serve x \\\n  --flag <hpa-on-memory> \\\n  --flag <hpa-on-memory>\necho <hpa-on-memory>\n", []string{"6: hpa-on-memory"}, nil},
		{"dockerfile", "Dockerfile", "FROM x\n# agentlint: ignore[hpa-on-memory] measured\nRUN a \\\n  # and b\n  <hpa-on-memory>\nCMD <hpa-on-memory>\n", []string{"6: hpa-on-memory"}, nil},
		{"broken yaml", "a.yaml", "a: [\n# agentlint: ignore[hpa-on-memory] measured\nb: <hpa-on-memory>\n", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept, about, _ := runIgnores(t, c.file, c.text)
			if !reflect.DeepEqual(kept, c.kept) {
				t.Errorf("kept %q, want %q", kept, c.kept)
			}
			if !reflect.DeepEqual(about, c.about) {
				t.Errorf("about %q, want %q", about, c.about)
			}
		})
	}
}

func TestRemovingAnIgnore(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"own line", "a: 1\n# agentlint: ignore[hpa-on-memory] measured\nb: 2\n", "a: 1\nb: 2\n"},
		{"behind a value", "a: 1   # agentlint: ignore[hpa-on-memory] measured\nb: 2\n", "a: 1\nb: 2\n"},
		{"behind a comment", "a: 1 # keep # agentlint: ignore[hpa-on-memory] measured\n", "a: 1 # keep\n"},
		{"last line", "a: 1\n# agentlint: ignore[hpa-on-memory] measured", "a: 1\n"},
		{"crlf", "a: 1\r\n  # agentlint: ignore[hpa-on-memory] measured\r\nb: 2\r\n", "a: 1\r\nb: 2\r\n"},
		{"first of two rules", "a: <master-key-missing> # agentlint: ignore[hpa-on-memory, master-key-missing] measured\n", "a: <master-key-missing> # agentlint: ignore[master-key-missing] measured\n"},
		{"second of two rules", "a: <master-key-missing> # agentlint: ignore[master-key-missing, hpa-on-memory] measured\n", "a: <master-key-missing> # agentlint: ignore[master-key-missing] measured\n"},
		{"in a block scalar", "d:\n  c: |\n    a: 1\n    # agentlint: ignore[hpa-on-memory] measured\n    b: 2\n", "d:\n  c: |\n    a: 1\n    b: 2\n"},
		{"at the end of a block scalar", "d:\n  c: |\n    a: 1\n    # agentlint: ignore[hpa-on-memory] measured\ne: 2\n", "d:\n  c: |\n    a: 1\ne: 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile("a.yaml", []byte(c.text))
			_, _, g := runIgnores(t, "a.yaml", c.text)
			g.Files = []*source.File{f}
			var findings []*Finding
			if i := strings.Index(c.text, "<"); i >= 0 {
				findings = append(findings, &Finding{Rule: "master-key-missing", Location: model.Location{File: f, Span: source.Span{Start: i, End: i}}})
			}
			_, about, _ := g.apply(findings)
			if len(about) != 1 || len(about[0].Fixes) != 1 {
				t.Fatalf("findings %+v", about)
			}
			e := about[0].Fixes[0].Edits[0]
			if got := c.text[:e.Start] + e.Text + c.text[e.End:]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestUnusedOnlyForRulesThatRan(t *testing.T) {
	_, _, g := runIgnores(t, "a.yaml", "a: 1 # agentlint: ignore[hpa-on-memory] measured\n", Ignore{Rule: "hpa-on-memory", Reason: "x"})
	g.Ran = func(string, *source.File) bool { return false }
	if _, about, _ := g.apply(nil); len(about) > 0 {
		t.Errorf("complained about %+v", about)
	}
}

func TestIgnoreEntries(t *testing.T) {
	conf := source.NewFile(".agentlint.yaml", []byte("ignore:\n- rule: hpa-on-memory\n"))
	place := model.Location{File: conf, Span: source.Span{Start: 16, End: 29}}
	f := source.NewFile("deploy/a.yaml", []byte("x"))
	at := func(path ...any) *Finding {
		return &Finding{Rule: "hpa-on-memory", Location: model.Location{File: f, Path: path}}
	}
	for _, c := range []struct {
		name  string
		entry Ignore
		find  []*Finding
		left  int
		about string
	}{
		{"everywhere", Ignore{}, []*Finding{at("a")}, 0, ""},
		{"by file", Ignore{Files: []string{"deploy/*.yaml"}}, []*Finding{at("a")}, 0, ""},
		{"by folder", Ignore{Files: []string{"./deploy/**"}}, []*Finding{at("a")}, 0, ""},
		{"another file", Ignore{Files: []string{"b.yaml"}}, []*Finding{at("a")}, 1, "this ignore of hpa-on-memory is for files that are not there"},
		{"by path", Ignore{Path: "model_list[*].litellm_params"}, []*Finding{at("model_list", 3, "litellm_params", "rpm"), at("model_list", 3)}, 1, ""},
		{"another path", Ignore{Path: "b"}, []*Finding{at("a")}, 1, "this ignore of hpa-on-memory silences nothing"},
		{"expired", Ignore{Until: "2026-12-31", Reason: "measured"}, []*Finding{at("a")}, 1, "this ignore of hpa-on-memory ended on 2026-12-31 (measured): decide again"},
		{"another rule", Ignore{Rule: "master-key-missing"}, []*Finding{at("a")}, 1, "this ignore of master-key-missing silences nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.entry.Rule == "" {
				c.entry.Rule = "hpa-on-memory"
			}
			c.entry.Place = place
			_, _, g := runIgnores(t, "a.yaml", "", c.entry)
			g.Files = []*source.File{f}
			left, about, _ := g.apply(c.find)
			if len(left) != c.left {
				t.Errorf("%d findings are left, want %d", len(left), c.left)
			}
			got := ""
			for _, x := range about {
				got += x.Message
				if x.File != conf {
					t.Error("the finding does not stand in the configuration")
				}
			}
			if got != c.about {
				t.Errorf("about %q, want %q", got, c.about)
			}
		})
	}
}

func TestParseIgnorePath(t *testing.T) {
	for text, want := range map[string]IgnorePath{
		"":                                nil,
		"a":                               {"a"},
		"model_list[*].litellm_params":    {"model_list", anyElement{}, "litellm_params"},
		"model_list.*.x":                  {"model_list", anyElement{}, "x"},
		"a[2][3].b":                       {"a", 2, 3, "b"},
		`data["config.yaml"].model_list`:  {"data", "config.yaml", "model_list"},
		`["x]y"].z`:                       {"x]y", "z"},
		"spec.template.metadata.name-x/y": {"spec", "template", "metadata", "name-x/y"},
	} {
		got, err := ParseIgnorePath(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{".", "a.", "a..b", "a[", "a[x]", "a[-1]", `a["b`, `a["b"`, "a[1]b", "a.[1]"} {
		if got, err := ParseIgnorePath(text); err == nil {
			t.Errorf("%q was accepted as %v", text, got)
		}
	}
}

func TestIgnorePathLeads(t *testing.T) {
	p, err := ParseIgnorePath("model_list.0.x")
	if err != nil {
		t.Fatal(err)
	}
	if !p.leads([]any{"model_list", 0, "x", "y"}) || p.leads([]any{"model_list", 1, "x"}) || p.leads([]any{"model_list", 0}) {
		t.Error("an index written as a key does not match")
	}
}

// FuzzIgnores looks for texts that crash the scan or whose edits lie outside of the file.
func FuzzIgnores(f *testing.F) {
	f.Add("a: | # agentlint: ignore[hpa-on-memory] x\n  b # agentlint: ignore[x,] y\n")
	f.Add("# agentlint: ignore[hpa-on-memory\n")
	f.Add("a: &x\n  # agentlint: ignore[hpa-on-memory] z\n  b: *x\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, _, g := runIgnores(t, "a.yaml", text)
		_, about, _ := g.apply(nil)
		for _, x := range about {
			for _, fix := range x.Fixes {
				for _, e := range fix.Edits {
					if e.Start < 0 || e.End < e.Start || e.End > len(text) {
						t.Errorf("edit %v of %d bytes", e.Span, len(text))
					}
				}
			}
		}
	})
}
