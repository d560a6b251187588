package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// heavy are packages that cost too much to start or to link: what needs them belongs into tests and generators.
var heavy = []string{
	"github.com/santhosh-tekuri/jsonschema", // compiles its meta-schemas at start: more than all of OPA
	"github.com/open-policy-agent/opa/v1/sdk",
	"github.com/open-policy-agent/opa/v1/rego", // v1/ast and v1/topdown do
	"helm.sh/",
	"github.com/compose-spec/compose-go",
	"k8s.io/",
	"github.com/go-git/", // gob and an INI reader, for matching paths
}

func goList(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	return out
}

func TestImportBudget(t *testing.T) {
	for _, p := range strings.Fields(string(goList(t, "-deps", "./cmd/agentlint"))) {
		for _, h := range heavy {
			if strings.HasPrefix(p, h) {
				t.Errorf("the program links %s", p)
			}
		}
	}
}

// layers are the packages in the order in which data flows. A package imports those of earlier layers only.
var layers = [][]string{
	{"internal/source", "internal/secret", "internal/heap", "docs/schema"},
	{"internal/knowledge", "internal/promql", "internal/git", "internal/source/sourcetest"},
	{"internal/model"},
	{"internal/schema", "policies", "internal/policy/plan"},
	{"loaders", "rules", "internal/policy", "fixers"},
	{"internal/engine", "fixers/fixerstest"},
	{"internal/config", "internal/report", "internal/bundle"},
	{"internal/github", "internal/github/githubtest"},
	{"internal/cases"},
	{"internal/pages", "internal/cli"},
	{"cmd/agentlint"},
}

func TestImportDirection(t *testing.T) {
	module := strings.TrimSpace(string(goList(t, "-m")))
	layer := func(name string) int {
		return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, name) })
	}
	d := json.NewDecoder(strings.NewReader(string(goList(t, "-json=ImportPath,Imports", "./..."))))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		at := layer(name)
		if at < 0 {
			t.Errorf("package %s has no layer: add it to the list", name)
			continue
		}
		for _, i := range p.Imports {
			if !strings.HasPrefix(i, module+"/") {
				continue
			}
			if to := layer(strings.TrimPrefix(i, module+"/")); to >= at {
				t.Errorf("%s imports %s, which is no earlier layer", name, strings.TrimPrefix(i, module+"/"))
			}
		}
	}
}

// TestRulesReadNothing keeps rules to the model: a check reads no files and speaks to nobody.
func TestRulesReadNothing(t *testing.T) {
	for _, i := range strings.Fields(string(goList(t, "-f", `{{join .Imports " "}}`, "./rules"))) {
		if i == "os" || i == "io/fs" || strings.HasPrefix(i, "os/") || i == "net" || strings.HasPrefix(i, "net/http") {
			t.Errorf("rules import %s", i)
		}
	}
}
