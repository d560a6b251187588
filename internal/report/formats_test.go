package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// results are those that every format must be able to print.
func results(t *testing.T) []*engine.Result {
	odd := source.NewFile("dir with space/日本: ü%.yaml", []byte("a: \x01\xff\u202e\nb: 2\n"))
	return []*engine.Result{
		{},
		deployment(t),
		{Stacks: []engine.StackSummary{{Name: "clean", Line: "l"}}, FilesRead: 1},
		{
			Findings: []*engine.Finding{
				{Rule: "nowhere", Severity: model.Undecided, Needs: []string{"x"}},
				{Rule: "odd", Severity: model.Error, Message: "a \x00\x1b]]>\ufffe <b>&\"'|\n`@x` \xff", Location: model.Location{File: odd, Span: source.Span{Start: 3, End: 8}}, Category: "security",
					URL: "javascript:alert(1)", Stacks: []string{"\x00"}, Fixes: []engine.Fix{{Title: "x", Safety: model.Safe, Edits: []engine.FileEdit{{File: odd, Edit: source.Edit{Text: "\x02"}}}}}},
			},
			Faults: []engine.Fault{{Rule: "odd", Stack: "s\x00", Text: "panic: x\ntrace"}},
		},
	}
}

func TestShapes(t *testing.T) {
	for _, format := range []string{"sarif", "gitlab", "rdjson"} {
		schema, err := jsonschema.Compile(filepath.Join("testdata", "shapes", format+".schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results(t) {
			for _, actions := range []bool{false, true} {
				validate(t, schema, write(t, format, r, Options{Rule: metaOf, Actions: actions}))
			}
		}
	}
}

func TestSARIFRuleIndices(t *testing.T) {
	var log sarifLog
	if err := json.Unmarshal(write(t, "sarif", deployment(t), Options{Rule: metaOf}), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != 5 {
		t.Fatalf("%d results, want all 5", len(run.Results))
	}
	for _, r := range run.Results {
		if id := run.Tool.Driver.Rules[r.RuleIndex].ID; id != r.RuleID {
			t.Errorf("result of %s points at rule %s", r.RuleID, id)
		}
	}
}

func TestGitLabFingerprintsDiffer(t *testing.T) {
	f := source.NewFile("a", []byte("x"))
	same := &engine.Finding{Rule: "r", Severity: model.Error, Fingerprint: "f", Location: model.Location{File: f}}
	var out []gitlabIssue
	if err := json.Unmarshal(write(t, "gitlab", &engine.Result{Findings: []*engine.Finding{same, same, same}}, Options{}), &out); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, x := range out {
		seen[x.Fingerprint] = true
	}
	if len(seen) != 3 {
		t.Errorf("fingerprints are %v", seen)
	}
}

func TestXMLIsWellFormed(t *testing.T) {
	for _, format := range []string{"junit", "checkstyle"} {
		for _, r := range results(t) {
			out := write(t, format, r, Options{Actions: true})
			d := xml.NewDecoder(bytes.NewReader(out))
			for {
				if _, err := d.Token(); err != nil {
					if err.Error() != "EOF" {
						t.Errorf("%s: %v\n%s", format, err, out)
					}
					break
				}
			}
		}
	}
}

func TestJUnitCounts(t *testing.T) {
	for _, r := range results(t) {
		var j junitReport
		if err := xml.Unmarshal(write(t, "junit", r, Options{}), &j); err != nil {
			t.Fatal(err)
		}
		tests, failures, errors := 0, 0, 0
		for _, s := range j.Suites {
			f, e, k := 0, 0, 0
			for _, c := range s.Cases {
				if c.Failure != nil {
					f++
				}
				if c.Error != nil {
					e++
				}
				if c.Skipped != nil {
					k++
				}
			}
			if s.Tests != len(s.Cases) || s.Failures != f || s.Errors != e || s.Skipped != k {
				t.Errorf("suite %q says %d tests, %d failures, %d errors, %d skipped", s.Name, s.Tests, s.Failures, s.Errors, s.Skipped)
			}
			tests, failures, errors = tests+s.Tests, failures+f, errors+e
		}
		if j.Tests != tests || j.Failures != failures || j.Errors != errors {
			t.Errorf("the report says %d tests, %d failures, %d errors", j.Tests, j.Failures, j.Errors)
		}
	}
}

// TestLineHashes holds the hashes against those that GitHub's own test expects (github/codeql-action,
// src/fingerprints.test.ts).
func TestLineHashes(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{"c129715d7a2bc9a3:1"}},
		{" a\nb\n  \t\tc\n d", []string{"271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"}},
		{" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", []string{"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1", "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1"}},
		{strings.Repeat("Lorem ipsum dolor sit amet.\n", 10), []string{"a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2", "a7f2ff13bc495cf2:3", "a7f2ff13bc495cf2:4", "a7f2ff13bc495cf2:5", "a7f2ff13bc495cf2:6", "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1", "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1", "c129715d7a2bc9a3:1"}},
	} {
		got := lineHashes([]byte(c.text))[1:]
		if strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%q:\ngot  %v\nwant %v", c.text, got, c.want)
		}
	}
}

// TestAnnotationsOnChangedLinesFirst has more warnings than GitHub keeps, and the changed lines at the end.
func TestAnnotationsOnChangedLinesFirst(t *testing.T) {
	f := source.NewFile("a.yaml", []byte(strings.Repeat("x: 1\n", 20)))
	r := &engine.Result{}
	for i := range 14 {
		r.Findings = append(r.Findings, &engine.Finding{Rule: fmt.Sprintf("r%d", i), Severity: model.Warning, Message: "m", Touched: i >= 12,
			Location: model.Location{File: f, Span: source.Span{Start: 5 * i, End: 5*i + 1}}})
	}
	out := string(write(t, "github", r, Options{Level: model.Warning, Quiet: true}))
	var got []string
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, "::warning "); ok {
			_, title, _ := strings.Cut(rest, "title=")
			got = append(got, strings.TrimSpace(title))
		}
	}
	want := "r12::m r13::m r0::m r1::m r2::m r3::m r4::m r5::m r6::m agentlint::5 more warnings: see the log of this step"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestURI(t *testing.T) {
	for in, want := range map[string]string{
		"a/b.yaml":           "a/b.yaml",
		"../x y/日本.yaml":     "../x%20y/%E6%97%A5%E6%9C%AC.yaml",
		"c:d/e:f":            "c%3Ad/e:f",
		"a#b?c%d":            "a%23b%3Fc%25d",
		"quote\"and<b>|`^{}": "quote%22and%3Cb%3E%7C%60%5E%7B%7D",
	} {
		if got := uri(in); got != want {
			t.Errorf("uri(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMarkdownIsBounded(t *testing.T) {
	f := source.NewFile("a.yaml", []byte("x: 1\n"))
	r := &engine.Result{Stacks: []engine.StackSummary{{Name: "s"}}}
	for i := range 5000 {
		r.Findings = append(r.Findings, &engine.Finding{Rule: "r", Severity: model.Error, Message: fmt.Sprint(i, strings.Repeat(" long", 100)), Location: model.Location{File: f}})
	}
	out := write(t, "markdown", r, Options{})
	if len(out) > 1<<20 || !bytes.Contains(out, []byte("findings do not fit here.")) && !bytes.Contains(out, []byte("more do not fit here.")) {
		t.Errorf("%d bytes:\n%s", len(out), out[len(out)-200:])
	}
}

func TestMarkdownHoldsNoMarkupOfFiles(t *testing.T) {
	evil := "| x `code` <img src=x onerror=alert(1)> @everyone [a](javascript:x) ![i](y) **b** # h\n## z ~~s~~ $x$"
	f := source.NewFile(evil, []byte("x"))
	r := &engine.Result{Stacks: []engine.StackSummary{{Name: evil, Line: evil}}, Findings: []*engine.Finding{{Rule: "r", Severity: model.Error, Message: evil, Location: model.Location{File: f},
		Related: []engine.Related{{Location: model.Location{File: f}, Message: evil}}, URL: "https://x/a)|(b"}}, Unchecked: []engine.Unchecked{{Rule: evil, Needs: []string{evil}}}}
	out := string(write(t, "markdown", r, Options{}))
	for _, bad := range []string{"<img", "@everyone", "[a](", "![i]", "**b", "\n## z", "`code`", "~~s", " | x"} {
		if strings.Contains(strings.ReplaceAll(out, `\|`, ""), bad) {
			t.Errorf("the summary holds %q:\n%s", bad, out)
		}
	}
}

func TestHTMLHoldsNoMarkupOfFiles(t *testing.T) {
	evil := "<script>alert(1)</script>\"><img src=x onerror=alert(1)>'&{}</style></pre>"
	f := source.NewFile(evil, []byte(evil+"\n"))
	root := model.NewMap(model.Origin{})
	groups := model.NewList(model.Origin{})
	group := model.NewMap(model.Origin{})
	group.Set("name", model.NewText(evil, model.Origin{}))
	root.Set("groups", groups)
	groups.Append(group)
	stack := &model.Stack{Name: evil, Root: root}
	limit := 1.0
	loc := model.Location{File: f, Span: source.Span{Start: 0, End: 8}, Path: []any{evil}}
	r := &engine.Result{Stacks: []engine.StackSummary{{Name: evil, Line: evil, Stack: stack}}, Findings: []*engine.Finding{{Rule: "r", Category: evil, Severity: model.Error, Message: evil, Location: loc,
		Related: []engine.Related{{Location: loc, Message: evil}}, URL: "https://x/\"><script>", Figures: []model.Figure{{Name: evil, Unit: evil, Value: 2, Limit: &limit, Formula: evil}},
		Fixes: []engine.Fix{{Title: evil, Question: evil, Safety: model.Unsafe}}, Stacks: []string{evil, evil}}},
		Unchecked: []engine.Unchecked{{Rule: evil, Needs: []string{evil}}}, Skipped: []engine.Skipped{{File: evil, Reason: evil}}}
	for _, format := range []string{"html", "markdown"} {
		out := string(write(t, format, r, Options{}))
		for _, bad := range []string{"<script", "<img", "</style></pre>"} {
			if strings.Contains(out, bad) {
				t.Errorf("%s holds %q", format, bad)
			}
		}
	}
	if m := Mermaid(stack); strings.ContainsAny(m, "<'") && strings.Contains(m, "script>") {
		t.Errorf("the diagram holds markup:\n%s", m)
	}
}

func TestDiagramOfACycleEnds(t *testing.T) {
	d := &diagram{}
	a, b := d.add(box, "a"), d.add(box, "b")
	d.join(a, b, "", false)
	d.join(b, a, "", false)
	if got := layout(d); len(got) != 2 {
		t.Errorf("%d boxes", len(got))
	}
}

// TestNoSecretInAnyFormat puts secrets into every text that a format prints.
func TestNoSecretInAnyFormat(t *testing.T) {
	for _, c := range []struct{ text, canary string }{
		{"master_key: sk-live-0123456789abcdef", "0123456789abcdef"},
		{"DATABASE_URL=postgresql://llm:hunter2hunter2@db:5432/x", "hunter2hunter2"},
		{"api_key: \"Zm9vYmFyMTIzNDU2Nzg5\"", "Zm9vYmFyMTIzNDU2Nzg5"},
		{"HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123", "hf_abcdefghijklmnopqrstuvwxyz0123"},
		{"redis_password: correct-horse-battery", "correct-horse-battery"},
		{"Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijkl", "eyJhbGciOiJIUzI1NiJ9"},
	} {
		f := source.NewFile("a.yaml", []byte(c.text+"\n"))
		loc := model.Location{File: f, Span: source.Span{Start: 0, End: len(c.text)}}
		r := &engine.Result{
			Stacks: []engine.StackSummary{{Name: "s", Line: c.text}}, FilesRead: 1,
			Findings: []*engine.Finding{{Rule: "r", Severity: model.Error, Message: "found " + c.text, Location: loc,
				Related: []engine.Related{{Location: loc, Message: c.text}},
				Figures: []model.Figure{{Name: "n", Formula: c.text}},
				Fixes:   []engine.Fix{{Title: c.text, Question: c.text, Safety: model.Unsafe, Edits: []engine.FileEdit{{File: f, Edit: source.Edit{Text: c.text}}}}, {Title: c.text, Refused: c.text}}}},
			Skipped: []engine.Skipped{{File: "x", Reason: c.text}}, Faults: []engine.Fault{{Rule: "r", Text: c.text}}, NearMisses: []engine.Skipped{{File: "x", Reason: c.text}},
		}
		for _, name := range Formats() {
			out := string(write(t, name, r, Options{ExplainSkips: true}))
			if strings.Contains(out, c.canary) {
				t.Errorf("%s shows %q:\n%s", name, c.canary, out)
			}
		}
	}
}
