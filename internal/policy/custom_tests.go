package policy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/print"
)

// The names of rules that are tests, and of those that are not ready to pass.
const (
	testPrefix = "test_"
	todoPrefix = "todo_test_"
)

// TestResult is the outcome of one test rule.
type TestResult struct {
	// Name is the rule with its package below agentlint.custom.
	Name string
	File string
	Line int
	// Skipped is true for tests that are not ready (todo_test_), which are not evaluated.
	Skipped bool
	// Failed says why the test did not pass, "" when it did.
	Failed string
	// Printed is what the test printed.
	Printed []string
}

// Test evaluates the tests of the files that were loaded with [CustomOptions.Tests], those whose names hold a text, in the
// order of files and lines.
func (c *Custom) Test(ctx context.Context, names string) []TestResult {
	var out []TestResult
	for _, file := range slices.Sorted(maps.Keys(c.tests)) {
		m := c.modules[file]
		pkg := packagePath(m)
		seen := map[string]bool{}
		for _, r := range m.Rules {
			name := ruleName(r)
			skip := strings.HasPrefix(name, todoPrefix)
			if seen[name] || !skip && !strings.HasPrefix(name, testPrefix) || len(r.Head.Args) > 0 {
				continue
			}
			seen[name] = true
			t := TestResult{Name: strings.Join(append(slices.Clone(pkg[2:]), name), "."), File: file, Line: r.Location.Row, Skipped: skip}
			if !strings.Contains(t.Name, names) {
				continue
			}
			if !skip {
				c.test(ctx, pkg, name, &t)
			}
			out = append(out, t)
		}
	}
	return out
}

// maxPrinted bounds what a test prints.
const maxPrinted = 100

// Print implements OPA's hook of print().
func (t *TestResult) Print(_ print.Context, message string) error {
	if len(t.Printed) < maxPrinted {
		t.Printed = append(t.Printed, message)
	}
	return nil
}

// test evaluates one test.
func (c *Custom) test(ctx context.Context, pkg []string, name string, t *TestResult) {
	m := c.budget.start(ctx)
	var last failure
	answer := ast.Value(nil)
	run := TestResult{}
	work := func() {
		q := topdown.NewQuery(answerQuery(pkg, name)).WithCompiler(c.compiler).WithStore(c.store).WithTransaction(c.txn).WithCancel(m).
			WithPrintHook(&run).WithQueryTracer(&last).WithIndexing(false).WithEarlyExit(false)
		if c.cover != nil {
			q = q.WithQueryTracer(c.cover)
		}
		err := q.Iter(ctx, func(r topdown.QueryResult) error {
			answer = r[ast.Var(answerVar)].Value
			return nil
		})
		switch {
		case m.spent != nil:
			run.Failed = m.spent.Error()
		case err != nil:
			run.Failed = located(err).Error()
		case answer == nil:
			run.Failed = "undefined" + last.text(t.File)
		case answer.Compare(ast.Boolean(true)) != 0:
			run.Failed = "is " + answer.String() + ", want true"
		}
	}
	if err := guarded(ctx, c.budget.Time+grace, work); err != nil {
		t.Failed = err.Error()
		return
	}
	t.Failed, t.Printed = run.Failed, run.Printed
}

// failure notes the last expression of each file that was not true.
type failure struct{ at map[string]*ast.Location }

// Enabled implements OPA's tracer.
func (*failure) Enabled() bool { return true }

// Config implements OPA's tracer.
func (*failure) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

// TraceEvent implements OPA's tracer.
func (f *failure) TraceEvent(e topdown.Event) {
	if e.Op != topdown.FailOp || e.Location == nil || e.Location.File == "" {
		return
	}
	if f.at == nil {
		f.at = map[string]*ast.Location{}
	}
	f.at[e.Location.File] = e.Location
}

// text says where a test failed.
func (f *failure) text(file string) string {
	at := f.at[file]
	if at == nil {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(at.Text)), "\n")
	return fmt.Sprintf(": line %d is not true: %s", at.Row, line)
}

// coverage notes which lines of policies were evaluated.
type coverage struct {
	mu   sync.Mutex
	hits map[string]map[int]bool
}

// Enabled implements OPA's tracer.
func (*coverage) Enabled() bool { return true }

// Config implements OPA's tracer.
func (*coverage) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

// TraceEvent implements OPA's tracer.
func (c *coverage) TraceEvent(e topdown.Event) {
	var at *ast.Location
	switch {
	case e.Op == topdown.ExitOp:
		if r, ok := e.Node.(*ast.Rule); ok {
			at = r.Head.Location
		}
	case e.Op == topdown.EvalOp:
		if x, ok := e.Node.(*ast.Expr); ok {
			at = x.Location
		}
	}
	if at == nil || at.File == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hits[at.File] == nil {
		c.hits[at.File] = map[int]bool{}
	}
	c.hits[at.File][at.Row] = true
}

// Covered is how much of one file was evaluated.
type Covered struct {
	File string
	// Lines are those that hold something to evaluate, Missed those of them that were not.
	Lines  int
	Missed []int
}

// Coverage returns what was evaluated of the policies and helpers since they were loaded with [CustomOptions.Cover], in
// the order of files.
func (c *Custom) Coverage() []Covered {
	if c.cover == nil {
		return nil
	}
	c.cover.mu.Lock()
	defer c.cover.mu.Unlock()
	var out []Covered
	for _, file := range slices.Sorted(maps.Keys(c.modules)) {
		if c.tests[file] {
			continue
		}
		lines := map[int]bool{}
		ast.WalkRules(c.modules[file], func(r *ast.Rule) bool {
			if r.Head.Location != nil {
				lines[r.Head.Location.Row] = true
			}
			return false
		})
		ast.WalkExprs(c.modules[file], func(e *ast.Expr) bool {
			// The body that the parser gives a rule without one, and declarations without work, are not evaluated.
			if _, some := e.Terms.(*ast.SomeDecl); e.Location != nil && len(e.Location.Text) > 0 && !some {
				lines[e.Location.Row] = true
			}
			return false
		})
		x := Covered{File: file, Lines: len(lines)}
		for _, n := range slices.Sorted(maps.Keys(lines)) {
			if !c.cover.hits[file][n] {
				x.Missed = append(x.Missed, n)
			}
		}
		out = append(out, x)
	}
	return out
}

// ErrNoTests is returned where there is nothing to test.
var ErrNoTests = errors.New("there are no tests: write NAME_test.rego with rules test_..., or cases in folders named as the policy (ID/*.txtar)")
