package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares output with a file under testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		i := 0
		for i < len(g) && i < len(w) && g[i] == w[i] {
			i++
		}
		t.Errorf("%s differs from line %d on (go test -update rewrites it):\ngot  %s\nwant %s", path, i+1, strings.Join(g[i:min(i+2, len(g))], "\n     "), strings.Join(w[i:min(i+2, len(w))], "\n     "))
	}
}

// at returns the place of the n-th occurrence (from 0) of a text in a file.
func at(t *testing.T, f *source.File, text string, n int, path ...any) model.Location {
	t.Helper()
	from := 0
	for {
		i := bytes.Index(f.Bytes[from:], []byte(text))
		if i < 0 {
			t.Fatalf("%s: no %q", f.Path, text)
		}
		from += i
		if n == 0 {
			return model.Location{File: f, Span: source.Span{Start: from, End: from + len(text)}, Path: path}
		}
		from++
		n--
	}
}

// deployment is a result with everything a format has to cope with: several files, wide and control characters,
// undecided findings, refused fixes, secrets, and rules that could not decide.
func deployment(t *testing.T) *engine.Result {
	t.Helper()
	values := source.NewFile("deploy/values.yaml", []byte("# 网关\nreplicaCount: 2\nautoscaling:\n  enabled: true\n  maxReplicas: 10\n  targetMemoryUtilizationPercentage: 80\nnote: \"日本語 👩‍💻\" # wide\nproxy_config:\n  general_settings:\n    master_key: sk-live-0123456789abcdef\n"))
	env := source.NewFile("deploy/gateway.env", []byte("NUM_WORKERS=4\r\nDATABASE_URL=postgresql://db/litellm\r\n"))
	conf := source.NewFile("deploy/config.yaml", []byte("model_list:\n- model_name: coder\n  litellm_params:\n\tmodel: x\n    rpm: 100\ngeneral_settings:\n  database_connection_pool_limit: 10\n  unused: "+strings.Repeat("long ", 100)+"\n"))
	pg := source.NewFile("deploy/postgres.yaml", []byte("postgresql:\n  parameters:\n    max_connections: \"200\"\n"))
	limit := 197.0
	return &engine.Result{
		Stacks: []engine.StackSummary{{
			Name:  "deploy/values.yaml",
			Files: []string{"deploy/config.yaml", "deploy/gateway.env", "deploy/postgres.yaml", "deploy/values.yaml"},
			Versions: []model.VersionNote{
				{Product: "litellm", Part: "gateway", Version: "1.102.0", From: "deploy/values.yaml:7"},
				{Product: "vllm", Part: "engine coder", Version: "0.29.0", From: "assumed newest"},
			},
			Line: "gateway LiteLLM 1.102.0 (deploy/values.yaml:7), 4 workers x 2-10 replicas; 1 group; 1 engine vLLM 0.29.0; Postgres 200",
		}},
		Findings: []*engine.Finding{
			{
				Rule: "database-connections-exceed-max", Category: "database", Severity: model.Error, Confidence: model.High,
				Message:  "the gateway opens up to 400 connections and Postgres accepts 197, so requests fail with \"too many clients\" under load",
				Stacks:   []string{"deploy/values.yaml"},
				Location: at(t, conf, "10", 1, "general_settings", "database_connection_pool_limit"),
				Related: []engine.Related{
					{Location: at(t, values, "10", 0, "autoscaling", "maxReplicas"), Message: "10 replicas"},
					{Location: at(t, env, "4", 0), Message: "4 workers each"},
					{Location: at(t, pg, "\"200\"", 0, "postgresql", "parameters", "max_connections"), Message: "200, of which 3 are reserved"},
				},
				Figures: []model.Figure{{Name: "connections", Value: 400, Unit: "connections", Formula: "4 workers x 10 pool x 10 replicas", Limit: &limit}},
				Fixes: []engine.Fix{{Title: "set database_connection_pool_limit to 4", Safety: model.Unsafe, Question: "can the gateway work with 4 connections a worker?",
					Edits: []engine.FileEdit{{File: conf, Edit: source.Edit{Span: at(t, conf, "10", 1).Span, Text: "4"}}}}},
				Fingerprint: "f1", URL: "https://example.com/rules/database-connections-exceed-max",
			},
			{
				Rule: "hpa-on-memory", Category: "autoscaling", Severity: model.Warning, Confidence: model.High,
				Message: "the gateway scales on memory, which it does not give back, so replicas only grow",
				Stacks:  []string{"deploy/values.yaml"}, Location: at(t, values, "targetMemoryUtilizationPercentage", 0, "autoscaling", "targetMemoryUtilizationPercentage"),
				Fixes: []engine.Fix{{Title: "remove the memory target", Safety: model.Safe,
					Edits: []engine.FileEdit{{File: values, Edit: source.Edit{Span: source.Span{Start: 79, End: 119}}}}}},
				Fingerprint: "f2", URL: "https://example.com/rules/hpa-on-memory",
			},
			{
				Rule: "master-key-literal", Category: "secrets", Severity: model.Warning, Confidence: model.High,
				Message: "the master key sk-live-0123456789abcdef is written in the file",
				Stacks:  []string{"deploy/values.yaml"}, Location: at(t, values, "sk-live-0123456789abcdef", 0, "proxy_config", "general_settings", "master_key"),
				Fixes: []engine.Fix{
					{Title: "read it from the environment", Safety: model.Unsafe, Refused: "the value stands behind an anchor"},
				},
				Fingerprint: "f3",
			},
			{
				Rule: "wide-text", Category: "schema", Severity: model.Info, Confidence: model.Low,
				Message: "a message with\na line break, a \x1b[31mcolour and \u202ea trick",
				Stacks:  []string{"deploy/values.yaml", "other"}, Location: at(t, values, "👩‍💻", 0, "note"),
				Related:     []engine.Related{{Location: at(t, conf, "model: x", 0), Message: "behind a tab"}, {Location: at(t, conf, "long", 50), Message: "far right"}},
				Fingerprint: "f4",
			},
			{
				Rule: "pgbouncer-upstream-exceeds-max", Category: "database", Severity: model.Undecided, WouldBe: model.Error, Confidence: model.Medium,
				Message: "the poolers open 40 connections", Needs: []string{"postgres_max_connections"},
				Stacks: []string{"deploy/values.yaml"}, Location: model.Location{File: env, Span: source.Span{Start: 15, End: 15}},
				Fingerprint: "f5",
			},
		},
		Unchecked: []engine.Unchecked{
			{Rule: "session-affinity-missing", Stack: "deploy/values.yaml", Needs: []string{"engine_replicas"}},
			{Rule: "kv-hash-seed-missing", Stack: "deploy/values.yaml", Needs: []string{"engine_replicas"}},
			{Rule: "ingress-timeout-short", Stack: "deploy/values.yaml", Needs: []string{"ingress_timeout_seconds"}},
		},
		Suppressed: 2,
		Skipped:    []engine.Skipped{{File: "deploy/chart/templates/x.yaml", Reason: "template of a chart"}},
		FilesRead:  4, FilesLooked: 9,
	}
}

// metaOf knows one of the deployment's rules.
func metaOf(id string) (model.Meta, bool) {
	if id != "master-key-literal" {
		return model.Meta{}, false
	}
	return model.Meta{ID: id, Title: "a master key is written down", Category: "secrets", Severity: model.Error, Confidence: model.High,
		Why: "Whoever reads the file owns the gateway.", Remedy: "Read it from `os.environ/LITELLM_MASTER_KEY`."}, true
}

func write(t *testing.T, format string, r *engine.Result, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if o.Version == "" {
		o.Version = "0.1.0"
	}
	if o.Checked == nil {
		o.Checked = []string{"."}
	}
	if err := Write(&b, format, r, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		file, format string
		o            Options
	}{
		{"pretty.golden", "pretty", Options{Level: model.Warning}},
		{"pretty_all.golden", "pretty", Options{Level: model.Undecided, ExplainSkips: true}},
		{"pretty_color.golden", "pretty", Options{Level: model.Warning, Color: true, Links: true, Width: 100}},
		{"pretty_narrow.golden", "pretty", Options{Level: model.Undecided, Width: 40}},
		{"pretty_quiet.golden", "pretty", Options{Level: model.Warning, Quiet: true}},
		{"concise.golden", "concise", Options{Level: model.Undecided}},
		{"json.golden", "json", Options{Level: model.Warning}},
		{"sarif.golden", "sarif", Options{Level: model.Warning, Rule: metaOf}},
		{"gitlab.golden", "gitlab", Options{Level: model.Undecided}},
		{"junit.golden", "junit", Options{Level: model.Undecided}},
		{"checkstyle.golden", "checkstyle", Options{Level: model.Undecided}},
		{"rdjson.golden", "rdjson", Options{Level: model.Undecided}},
		{"markdown.golden", "markdown", Options{Level: model.Warning}},
		{"html.golden", "html", Options{Level: model.Warning}},
		{"github.golden", "github", Options{Level: model.Undecided, Actions: true}},
	} {
		t.Run(c.file, func(t *testing.T) {
			golden(t, c.file, write(t, c.format, deployment(t), c.o))
		})
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"日本語 é", "日本語 é"},
		{"a\x1b[2Jb", `a\x1b[2Jb`},
		{"a\nb\rc\td", `a\nb\rc\td`},
		{"a\u009b31mb", `a\u009b31mb`},
		{"a\u202eb\u2066c\u200bd", `a\u202eb\u2066c\u200bd`},
		{"bad \xff utf-8", "bad \ufffd utf-8"},
		{"👩\u200d💻", "👩\u200d💻"},
	} {
		if got := clean(c.in); got != c.want {
			t.Errorf("clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestNothingFound(t *testing.T) {
	r := &engine.Result{FilesLooked: 412, NearMisses: []engine.Skipped{
		{File: "a.yaml", Reason: "a map with models, but no model_list"}, {File: "b.yaml", Reason: "b"}, {File: "c.yaml", Reason: "c"}, {File: "d.yaml", Reason: "d"}}}
	want := "no LiteLLM or vLLM configuration found under . (412 files looked at)\n  a.yaml: a map with models, but no model_list\n  b.yaml: b\n  c.yaml: c\n"
	if got := string(write(t, "pretty", r, Options{})); got != want {
		t.Errorf("got %s", got)
	}
	clean := &engine.Result{FilesLooked: 412, FilesRead: 6, Stacks: []engine.StackSummary{{Name: "config.yaml", Line: "gateway LiteLLM 1.102.0"}}}
	want = "config.yaml: gateway LiteLLM 1.102.0\nno findings in 6 files\n"
	if got := string(write(t, "pretty", clean, Options{Level: model.Warning})); got != want {
		t.Errorf("got %s", got)
	}
}

func TestSummaryOfHiddenFindings(t *testing.T) {
	r := &engine.Result{FilesRead: 1, Stacks: []engine.StackSummary{{Name: "s", Line: "l"}}, Findings: []*engine.Finding{{Rule: "x", Severity: model.Info}, {Rule: "y", Severity: model.Undecided}}}
	got := string(write(t, "pretty", r, Options{Level: model.Warning}))
	if !strings.Contains(got, "no errors or warnings in 1 file\n1 info and 1 undecided not shown (--level undecided shows them)\n") {
		t.Errorf("got %s", got)
	}
}

func TestGitHubBudget(t *testing.T) {
	r := &engine.Result{FilesRead: 1, Stacks: []engine.StackSummary{{Name: "s", Line: "l"}}}
	f := source.NewFile("a,b:c%.yaml", []byte("x: 1\n"))
	for range 25 {
		r.Findings = append(r.Findings, &engine.Finding{Rule: "e", Severity: model.Error, Message: "50% of\r\nit::set-output name=x::y", Location: model.Location{File: f, Span: source.Span{Start: 0, End: 1}}})
	}
	for range 10 {
		r.Findings = append(r.Findings, &engine.Finding{Rule: "w", Severity: model.Warning, Message: "w", Location: model.Location{File: f}})
	}
	out := string(write(t, "github", r, Options{Level: model.Warning, Actions: true}))
	if n := strings.Count(out, "::error "); n != 10 {
		t.Errorf("%d errors, want 10", n)
	}
	if n := strings.Count(out, "::warning "); n != 10 {
		t.Errorf("%d warnings, want 10", n)
	}
	if !strings.Contains(out, "::error title=agentlint::16 more errors: see the log of this step\n") {
		t.Errorf("the last slot does not say how many more:\n%s", out)
	}
	if want := "::error file=a%2Cb%3Ac%25.yaml,line=1,endLine=1,col=1,endColumn=2,title=e::50%25 of\\r\\nit::set-output name=x::y\n"; !strings.HasPrefix(out, want) {
		t.Errorf("got %s\nwant %s", out[:200], want)
	}
	if n := strings.Count(out, `error: 50% of\r\nit`); n != 16 {
		t.Errorf("the log has %d of the other findings, want 16:\n%s", n, out)
	}
}

// commands returns the workflow commands that GitHub's runner would find in some output.
func commands(out string) []string {
	var found []string
	for line := range strings.FieldsFuncSeq(out, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			found = append(found, line)
		}
	}
	return found
}

func TestNoCommandInjection(t *testing.T) {
	evil := "::set-output name=a::b\n::error::x\r  ::add-mask::y\u2028::z ##[add-matcher]q.json ##[group]x"
	f := source.NewFile("::error file=x::y\n##[z]", []byte("a: 1\n::stop-commands::t\n##[add-mask]: ::error::x\n"))
	loc := model.Location{File: f, Span: source.Span{Start: 5, End: 9}, Path: []any{evil}}
	r := &engine.Result{
		Stacks: []engine.StackSummary{{Name: evil, Line: evil, Files: []string{evil}}}, FilesRead: 1, FilesLooked: 1,
		Findings: []*engine.Finding{{Rule: "r", Severity: model.Error, Message: evil, Stacks: []string{evil, evil}, Location: loc, Related: []engine.Related{{Location: loc, Message: evil}},
			Figures: []model.Figure{{Name: evil, Unit: evil, Formula: evil}}, Fixes: []engine.Fix{{Title: evil, Question: evil, Safety: model.Unsafe}}, URL: evil}},
		Unchecked: []engine.Unchecked{{Rule: evil, Needs: []string{evil}}}, Skipped: []engine.Skipped{{File: evil, Reason: evil}},
	}
	for _, name := range Formats() {
		for _, width := range []int{0, 40} {
			out := string(write(t, name, r, Options{Actions: true, ExplainSkips: true, Width: width, Checked: []string{evil}}))
			for _, c := range commands(out) {
				if name == "github" && strings.HasPrefix(c, "::error file=%3A%3Aerror file=x%3A%3Ay%0A##[z],line=2") {
					continue
				}
				t.Errorf("%s: the runner sees the command %q", name, c)
			}
		}
	}
}

func TestNeutralise(t *testing.T) {
	for in, want := range map[string]string{
		"a::b\n":          "a::b\n",
		"::error::x\n":    ": :error::x\n",
		" \t::x::y\r\n::": " \t: :x::y\r\n: :",
		"x ##[group]\n":   "x ## [group]\n",
		"":                "",
	} {
		if got := string(Neutralise([]byte(in))); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, "yaml", &engine.Result{}, Options{}); err == nil || err.Error() != `unknown format "yaml"` {
		t.Errorf("error is %v", err)
	}
}

func TestFrameOfLongLine(t *testing.T) {
	f := source.NewFile("a.json", []byte(`{"a": "`+strings.Repeat("世", 200_000)+`", "b": 1, "c": "`+strings.Repeat("x", 200_000)+`"}`))
	i := bytes.Index(f.Bytes, []byte(`"b"`))
	r := &engine.Result{Stacks: []engine.StackSummary{{}}, Findings: []*engine.Finding{{Rule: "r", Severity: model.Error, Location: model.Location{File: f, Span: source.Span{Start: i, End: i + 3}}}}}
	for _, w := range []int{0, 40, 100} {
		out := string(write(t, "pretty", r, Options{Quiet: true, Width: w}))
		lines := strings.Split(out, "\n")
		for j, l := range lines {
			if !strings.Contains(l, "^^^") {
				continue
			}
			// The caret stands below the key, whatever was cut from the line.
			col := strings.Index(l, "^^^")
			text := lines[j-1]
			pos := 0
			for k := range text {
				if width(text[:k]) == col {
					pos = k
					break
				}
			}
			if !strings.HasPrefix(text[pos:], `"b"`) {
				t.Errorf("width %d: the caret does not stand under the key:\n%s\n%s", w, text, l)
			}
			if w > 0 && width(text) > w {
				t.Errorf("width %d: the line takes %d columns", w, width(text))
			}
		}
	}
}

// FuzzPretty looks for texts and spans that crash the code frame.
func FuzzPretty(f *testing.F) {
	f.Add("a: 1\nb: 日本\n", 3, 9, 40)
	f.Add("\t\xff\u202e\r\n", 0, 3, 20)
	f.Add(strings.Repeat("x", 2000), 1500, 1501, 30)
	f.Fuzz(func(t *testing.T, text string, start, end, columns int) {
		file := source.NewFile("a", []byte(text))
		start = max(0, min(start, len(text)))
		end = max(start, min(end, len(text)))
		r := &engine.Result{Findings: []*engine.Finding{{Rule: "r", Location: model.Location{File: file, Span: source.Span{Start: start, End: end}}}}}
		if len(write(t, "pretty", r, Options{Width: columns % 200})) == 0 {
			t.Error("nothing was printed")
		}
	})
}
