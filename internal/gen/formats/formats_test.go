package formats

import (
	"bytes"
	"encoding/json"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/joshdk/go-junit"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/reviewdog/reviewdog/parser"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"agentlint/internal/cli"
)

// The flawed deployment has findings of all severities, fixes and related places; the well-run one has next to none.
var deployments = []string{"flawed", "fixed"}

// check prints a deployment of testdata/real in a format, and returns the number of its findings by severity.
func check(t *testing.T, deployment, format string) (out []byte, summary map[string]int) {
	t.Helper()
	t.Chdir("../../../testdata/real/" + deployment)
	t.Setenv("GITHUB_ACTIONS", "")
	run := func(format string) []byte {
		var out, errs bytes.Buffer
		if code := cli.Main([]string{"check", "--level=undecided", "--format", format}, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); code > 1 {
			t.Fatalf("%s: exit code %d\n%s", format, code, &errs)
		}
		return out.Bytes()
	}
	var report struct {
		Summary struct{ Error, Warning, Info, Undecided int }
	}
	if err := json.Unmarshal(run("json"), &report); err != nil {
		t.Fatal(err)
	}
	s := report.Summary
	return run(format), map[string]int{"ERROR": s.Error, "WARNING": s.Warning, "INFO": s.Info + s.Undecided}
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// published is the schema of SARIF 2.1.0 as OASIS publishes it, which go-sarif has as a constant of its own.
func published(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := goparser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "pkg/report/v210/sarif/schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && len(lit.Value) > len(text) {
			text = lit.Value
		}
		return true
	})
	if text, err = strconv.Unquote(text); err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	if err := c.AddResource("sarif.json", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSARIF(t *testing.T) {
	schema := published(t)
	if schema.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{}}}) == nil {
		t.Fatal("the schema lets anything pass")
	}
	for _, d := range deployments {
		t.Run(d, func(t *testing.T) {
			out, counts := check(t, d, "sarif")
			r, err := sarif.FromBytes(out)
			if err != nil {
				t.Fatal(err)
			}
			var log any
			if err := json.Unmarshal(out, &log); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(log); err != nil {
				t.Errorf("not what the schema of SARIF 2.1.0 wants: %#v", err)
			}
			if n := len(r.Runs[0].Results); n != total(counts) {
				t.Errorf("%d results of %d findings", n, total(counts))
			}
		})
	}
}

func TestJUnit(t *testing.T) {
	for _, d := range deployments {
		t.Run(d, func(t *testing.T) {
			out, counts := check(t, d, "junit")
			suites, err := junit.Ingest(out)
			if err != nil {
				t.Fatal(err)
			}
			failed, skipped, passed := 0, 0, 0
			for _, s := range suites {
				failed, skipped, passed = failed+s.Totals.Failed, skipped+s.Totals.Skipped, passed+s.Totals.Passed
			}
			if failed != counts["ERROR"]+counts["WARNING"] || skipped != counts["INFO"] || failed+skipped+passed == 0 {
				t.Errorf("%d tests failed, %d skipped, %d passed; findings %v", failed, skipped, passed, counts)
			}
		})
	}
}

// TestReviewdog reads three formats as reviewdog does, which must see the same findings in each.
func TestReviewdog(t *testing.T) {
	for _, d := range deployments {
		for _, format := range []string{"rdjson", "checkstyle", "sarif"} {
			t.Run(d+"/"+format, func(t *testing.T) {
				out, counts := check(t, d, format)
				p, err := parser.New(&parser.Option{FormatName: format})
				if err != nil {
					t.Fatal(err)
				}
				list, err := p.Parse(bytes.NewReader(out))
				if err != nil {
					t.Fatal(err)
				}
				got := map[string]int{"ERROR": 0, "WARNING": 0, "INFO": 0}
				suggestions := 0
				for _, x := range list {
					if x.Location.GetPath() == "" || x.Location.GetRange().GetStart().GetLine() < 1 || x.Message == "" || x.Code.GetValue() == "" {
						t.Errorf("a finding has no place, text or rule: %v", x)
					}
					got[strings.TrimPrefix(x.Severity.String(), "UNKNOWN_")]++
					suggestions += len(x.Suggestions)
				}
				if len(list) != total(counts) {
					t.Errorf("%d of %d findings: %v", len(list), total(counts), got)
				}
				if format != "sarif" {
					for s, n := range counts {
						if got[s] != n {
							t.Errorf("%d findings are %s, want %d", got[s], s, n)
						}
					}
				}
				if format == "rdjson" && d == "flawed" && suggestions == 0 {
					t.Error("no fix is a suggestion")
				}
			})
		}
	}
}
