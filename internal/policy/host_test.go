package policy

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlint/internal/model"
	"agentlint/internal/policy/plan"
	"agentlint/policies"
)

// unknown stands for a value that the files do not show, opened for a map in which more may stand.
type unknown struct{}
type opened map[string]any
type m = map[string]any
type l = []any

func tree(x any) *model.Value {
	o := model.Origin{}
	switch x := x.(type) {
	case nil:
		return &model.Value{Kind: model.Null}
	case unknown:
		return model.NewUnknown(o)
	case string:
		return model.NewText(x, o)
	case int:
		return model.NewInt(int64(x), o)
	case float64:
		return model.NewFloat(x, o)
	case bool:
		return model.NewBool(x, o)
	case l:
		list := model.NewList(o)
		for _, y := range x {
			list.Append(tree(y))
		}
		return list
	case opened:
		v := tree(m(x))
		v.Open = true
		return v
	case m:
		v := model.NewMap(o)
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			v.Set(k, tree(x[k]))
		}
		return v
	}
	panic(fmt.Sprintf("no value for %T", x))
}

func inf() float64 { return math.Inf(1) }

func stackOf(x m) *model.Stack { return &model.Stack{Name: "test", Root: tree(x)} }

// theLibrary is the library of the policies, read once for all tests.
var theLibrary = sync.OnceValues(func() (*library, error) { return readLibrary(os.DirFS("../../policies"), policies.Files()) })

// policyOf returns a policy out of the rules of its body.
func policyOf(t testing.TB, id, body string) *Policy {
	imports := ""
	if strings.Contains(body, "lib.") {
		imports = "import data.agentlint.lib\n"
	}
	src := `# METADATA
# title: Test
# description: Why
# custom:
#   category: test
#   severity: warning
#   severities: [info]
#   confidence: high
#   inputs: [gateway]
#   fix: {safety: safe, title: "write it"}
#   messages:
#     main: "value {v}"
#     other: "{n} {n:worker|workers} {list}"
package agentlint.rules["` + id + `"]
` + imports + body
	h, err := ParseHeader(id+".rego", src)
	if err != nil {
		t.Fatal(err)
	}
	lib, err := theLibrary()
	if err != nil {
		t.Fatal(err)
	}
	needs, err := lib.needs(id, src)
	if err != nil {
		t.Fatal(err)
	}
	return newPolicy(policies.Entry{ID: id, File: id + ".rego", Inputs: h.Inputs, When: h.When, Applies: h.Applies, Parameters: h.Parameters, Lib: needs},
		func() (string, error) { return src, nil })
}

func run(t testing.TB, s *model.Stack, bodies ...string) []model.Outcome {
	var list []*Policy
	for i, b := range bodies {
		list = append(list, policyOf(t, fmt.Sprintf("rule-%d", i), b))
	}
	return NewHost(list, Options{Strict: true}).Run(context.Background(), s, list, nil)
}

// show prints outcomes in one line each.
func show(out []model.Outcome) string {
	var b strings.Builder
	for _, o := range out {
		for _, f := range o.Findings {
			fmt.Fprintf(&b, "%s %s %s: %s\n", o.Rule, f.Severity, f.At, f.Message)
		}
		for _, u := range o.Unchecked {
			fmt.Fprintf(&b, "%s unchecked %s\n", o.Rule, u)
		}
		if o.Err != nil {
			fmt.Fprintf(&b, "%s error\n", o.Rule)
		}
	}
	return b.String()
}

func TestRun(t *testing.T) {
	s := stackOf(m{"gateway": m{"a": 1, "big": 6000.0, "half": 0.5, "text": "x", "list": l{"p", unknown{}}}})
	for _, c := range []struct{ name, body, want string }{
		{"finding", `findings contains {"at": ["gateway", "a"], "args": {"v": input.gateway.a}}`, "rule-0 warning gateway.a: value 1\n"},
		{"whole float", `findings contains {"at": ["gateway", "big"], "args": {"v": input.gateway.big}}`, "rule-0 warning gateway.big: value 6000\n"},
		{"product", `findings contains {"at": ["gateway", "big"], "args": {"v": input.gateway.big * input.gateway.half * 1000000}}`, "rule-0 warning gateway.big: value 3000000000\n"},
		{"lowered", `findings contains {"at": ["gateway", "a"], "severity": "info", "args": {"v": 0.5}}`, "rule-0 info gateway.a: value 0.5\n"},
		{"not in an example", `findings contains {"at": ["gateway", "a"], "in_example": "info", "args": {"v": 1}}`, "rule-0 warning gateway.a: value 1\n"},
		{"plural", `findings contains {"at": ["gateway", "list", 1], "message": "other", "args": {"n": 2, "list": ["a", "b"]}}`, "rule-0 warning gateway.list[1]: 2 workers a, b\n"},
		{"singular", `findings contains {"at": ["gateway", "a"], "message": "other", "args": {"n": 1, "list": {"a"}}}`, "rule-0 warning gateway.a: 1 worker a\n"},
		{"undecided", `findings contains {"at": ["gateway", "a"], "args": {"v": 1}, "needs": ["redis"]}`, "rule-0 undecided gateway.a: value 1\n"},
		{"unchecked", `unchecked contains "redis"`, "rule-0 unchecked redis\n"},
		{"unknown item is null", `findings contains {"at": ["gateway", "list", i], "args": {"v": "null"}} if { some i, null in input.gateway.list }`,
			"rule-0 warning gateway.list[1]: value null\n"},
		{"missing argument", `findings contains {"at": ["gateway", "a"]}`, "rule-0 error\n"},
		{"severity not listed", `findings contains {"at": ["gateway", "a"], "severity": "error", "args": {"v": 1}}`, "rule-0 error\n"},
		{"unknown message", `findings contains {"at": ["gateway", "a"], "message": "none", "args": {"v": 1}}`, "rule-0 error\n"},
		{"unknown field", `findings contains {"at": ["gateway", "a"], "args": {"v": 1}, "sevrity": "info"}`, "rule-0 error\n"},
		{"path with a fraction", `findings contains {"at": ["gateway", 0.5], "args": {"v": 1}}`, "rule-0 error\n"},
		{"path from a set", `findings contains {"at": {"gateway"}, "args": {"v": 1}}`, "rule-0 error\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(run(t, s, c.body)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFindingFields(t *testing.T) {
	out := run(t, stackOf(m{"gateway": m{"a": 1}}), `findings contains {
		"at": ["gateway", "a"], "on_key": true, "args": {"v": 1, "n": 4},
		"related": [{"at": ["gateway"], "on_key": true, "message": "{n} of them"}],
		"figures": [{"name": "connections", "value": 400, "unit": "connections", "formula": "4 x 100", "limit": 100}],
		"fix": {"title": "write {n}", "safety": "unsafe", "brings": ["other-rule"], "edits": [
			{"op": "set", "at": ["gateway", "a"], "value": {"k": [1, true, "x", null, 0.5]}},
			{"op": "rename", "at": ["gateway", "a"], "name": "b"},
			{"op": "move", "at": ["gateway", "a"], "to": ["gateway", "c"]},
			{"op": "replace-text", "at": ["gateway", "a"], "from": "x", "name": "y"},
			{"op": "remove", "at": ["gateway", "a"]},
		]},
	}`)
	if len(out) != 1 || out[0].Err != nil || len(out[0].Findings) != 1 {
		t.Fatalf("outcomes %+v", out)
	}
	f := out[0].Findings[0]
	if !f.OnKey || len(f.Related) != 1 || f.Related[0].Message != "4 of them" || !f.Related[0].OnKey {
		t.Errorf("finding %+v", f)
	}
	if x := f.Figures[0]; x.Value != 400 || *x.Limit != 100 || x.Formula != "4 x 100" {
		t.Errorf("figure %+v", x)
	}
	fix := f.Fixes[0]
	if fix.Title != "write 4" || fix.Safety != model.Unsafe || !slices.Equal(fix.Brings, []string{"other-rule"}) || len(fix.Ops) != 5 {
		t.Errorf("fix %+v", fix)
	}
	if got := fmt.Sprint(fix.Ops[0].Value); got != "map[k:[1 true x <nil> 0.5]]" {
		t.Errorf("value %s", got)
	}
	if fix.Ops[3].Occurrence != -1 || fix.Ops[2].To.String() != "gateway.c" {
		t.Errorf("operations %+v", fix.Ops)
	}
	for _, edit := range []string{
		`{"op": "set", "at": ["gateway", "a"]}`, `{"op": "sett", "at": ["gateway", "a"], "value": 1}`, `{"op": "remove"}`,
		`{"op": "rename", "at": ["gateway", "a"]}`, `{"op": "remove", "at": ["gateway"], "vaule": 1}`,
	} {
		out := run(t, stackOf(m{"gateway": m{}}), `findings contains {"at": ["gateway"], "args": {"v": 1, "n": 1}, "fix": {"edits": [`+edit+`]}}`)
		if len(out) != 1 || out[0].Err == nil {
			t.Errorf("edit %s was accepted", edit)
		}
	}
}

// A policy that throws names itself and hides no other one's findings.
func TestFaultIsolation(t *testing.T) {
	s := stackOf(m{"gateway": m{"a": l{1, 2}}})
	good := `findings contains {"at": ["gateway", "a"], "args": {"v": 1}}`
	conflict := `value := x if some x in input.gateway.a
findings contains {"at": ["gateway", "a"], "args": {"v": value}}`
	out := run(t, s, good, conflict, good)
	want := "rule-0 warning gateway.a: value 1\nrule-1 error\nrule-2 warning gateway.a: value 1\n"
	if got := show(out); got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	if err := out[1].Err.Error(); !strings.Contains(err, "rule-1") {
		t.Errorf("error %q does not name the policy", err)
	}
}

// So does one that does not compile, on every stack.
func TestCompileFaultIsolation(t *testing.T) {
	good := policyOf(t, "good", `findings contains {"at": ["gateway"], "args": {"v": 1}}`)
	bad := policyOf(t, "bad", `findings contains {"at": ["gateway"], "args": {"v": unsafe_variable}}`)
	worse := policyOf(t, "worse", `findings contains {"at": ["gateway"], "args": {"v": 2}}`)
	worse.source = func() (string, error) { return "package agentlint.rules[\"worse\"]\n{", nil }
	list := []*Policy{bad, good, worse}
	h := NewHost(list, Options{})
	for range 2 {
		out := h.Run(context.Background(), stackOf(m{"gateway": m{}}), list, nil)
		if got := show(out); got != "bad error\ngood warning gateway: value 1\nworse error\n" {
			t.Fatalf("got %q", got)
		}
		if err := out[0].Err.Error(); !strings.Contains(err, "policy bad") || !strings.Contains(err, "unsafe_variable") {
			t.Errorf("error %q", err)
		}
	}
}

func FuzzFill(f *testing.F) {
	f.Add("{v} is {n:one|many} of {list}, {\"a\": 1} {", "x", 2)
	f.Fuzz(func(t *testing.T, template, text string, n int) {
		args := plan.NewObject()
		args.Put("v", text)
		args.Put("n", int64(n))
		_, _ = fill(template, args)
	})
}

func TestBudget(t *testing.T) {
	endless := policyOf(t, "endless", `findings contains {"at": ["gateway"], "args": {"v": n}} if {
	some i in numbers.range(1, 3000)
	some j in numbers.range(1, 3000)
	n := i * j
	n == -1
}`)
	good := policyOf(t, "good", `findings contains {"at": ["gateway"], "args": {"v": 1}}`)
	list := []*Policy{endless, good}
	s := stackOf(m{"gateway": m{}})
	for name, b := range map[string]Budget{"steps": {Steps: 10000}, "time": {Time: 20 * time.Millisecond}} {
		out := NewHost(list, Options{Budget: b}).Run(context.Background(), s, list, nil)
		if got := show(out); got != "endless error\ngood warning gateway: value 1\n" {
			t.Errorf("%s: %q", name, got)
		} else if err := out[0].Err.Error(); !strings.Contains(err, "policy endless: evaluation took more than") {
			t.Errorf("%s: error %q", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if out := NewHost(list, Options{}).Run(ctx, s, list, nil); len(out) == 0 || out[0].Err == nil {
		t.Errorf("cancelled run: %+v", out)
	}
}

func TestUnknownValues(t *testing.T) {
	s := stackOf(m{
		"gateway": m{
			"env":    opened{"SET": "1", "SECRET": unknown{}},
			"config": m{"known": 7, "null": nil, "hidden": unknown{}, "list": l{1, unknown{}}, "inf": inf()},
		},
	})
	path := func(name string) string {
		return map[string]string{
			"known": `["gateway", "config", "known"]`, "null": `["gateway", "config", "null"]`, "missing": `["gateway", "config", "missing"]`,
			"hidden": `["gateway", "config", "hidden"]`, "below hidden": `["gateway", "config", "hidden", "x"]`,
			"unknown item": `["gateway", "config", "list", 1]`, "item": `["gateway", "config", "list", 0]`, "no item": `["gateway", "config", "list", 2]`,
			"env": `["gateway", "env", "OTHER"]`, "secret": `["gateway", "env", "SECRET"]`, "below text": `["gateway", "config", "known", "x"]`,
			"shown in open": `["gateway", "env", "SET"]`, "open itself": `["gateway", "env"]`, "no section": `["redis", "instances", 0]`, "infinite": `["gateway", "config", "inf"]`,
		}[name]
	}
	for _, c := range []struct{ name, want string }{
		{"known", "present value=7"},
		{"null", "present value=null"},
		{"missing", "absent value=fallback"},
		{"hidden", "unknown"},
		{"below hidden", "unknown"},
		{"item", "present value=1"},
		{"unknown item", "unknown"},
		{"no item", "absent value=fallback"},
		{"env", "unknown"},
		{"secret", "unknown"},
		{"shown in open", "present value=1"},
		{"open itself", `present value={"SET": "1"}`},
		{"below text", "absent value=fallback"},
		{"no section", "absent value=fallback"},
		{"infinite", "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := path(c.name)
			out := run(t, s, `said contains "present" if lib.present(`+p+`)
said contains "absent" if lib.absent(`+p+`)
said contains "unknown" if lib.unknown(`+p+`)
said contains sprintf("value=%v", [v]) if v := lib.value(`+p+`, "fallback")
findings contains {"at": ["gateway"], "args": {"v": concat(" ", sort(said))}}`)
			got := strings.TrimPrefix(strings.TrimSpace(show(out)), "rule-0 warning gateway: value ")
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// An input stays as it is when the next stack is converted.
func TestInputsAreIndependent(t *testing.T) {
	first := inputOf(stackOf(m{"gateway": m{"a": unknown{}, "b": unknown{}}}), enabledTerm(nil), parametersTerm(nil, nil)).term()
	want := first.String()
	inputOf(stackOf(m{"redis": m{"c": unknown{}, "d": unknown{}}}), enabledTerm(nil), parametersTerm(nil, nil))
	if got := first.String(); got != want || !strings.Contains(got, `["gateway", "b"]`) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOpenPolicies(t *testing.T) {
	p := policyOf(t, "a", ``)
	if p.Open(stackOf(m{})) || !p.Open(stackOf(m{"gateway": m{}})) {
		t.Error("gate of inputs")
	}
}

func TestParameters(t *testing.T) {
	p := policyOf(t, "a", `findings contains {"at": ["gateway"], "args": {"v": lib.parameter("a", "limit")}}`)
	p.Parameters = []model.Parameter{{Name: "limit", Default: 3600}}
	h := NewHost([]*Policy{p}, Options{Strict: true})
	s := stackOf(m{"gateway": m{}})
	for want, user := range map[string]map[string]map[string]float64{"3600": nil, "7.5": {"a": {"limit": 7.5}}} {
		got := show(h.Run(context.Background(), s, []*Policy{p}, user))
		if got != "a warning gateway: value "+want+"\n" {
			t.Errorf("got %q, want %s", got, want)
		}
	}
}

// Hosts grow: policies that were not asked for at first are compiled when they are, and workers may ask at once.
func TestGrowingConcurrently(t *testing.T) {
	var list []*Policy
	for i := range 8 {
		list = append(list, policyOf(t, fmt.Sprintf("rule-%d", i), `findings contains {"at": ["gateway", "a"], "args": {"v": lib.value(["gateway", "a"], 0)}}`))
	}
	h := NewHost(list, Options{})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 40 {
				p := list[(i/5+w)%len(list)]
				out := h.Run(context.Background(), stackOf(m{"gateway": m{"a": i}}), []*Policy{p}, nil)
				if got, want := show(out), fmt.Sprintf("%s warning gateway.a: value %d\n", p.ID, i); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
	wg.Wait()
	if n := len(h.current.Load().ids); n != len(list) {
		t.Errorf("%d policies compiled in the end", n)
	}
}

func TestCapabilitiesArePure(t *testing.T) {
	for _, call := range []string{`http.send({"method": "get", "url": "http://localhost"})`, `opa.runtime()`, `time.now_ns()`, `rand.intn("x", 3)`,
		`net.lookup_ip_addr("localhost")`, `trace("x")`, `uuid.rfc4122("x")`, `rego.parse_module("x", "package x")`} {
		p := policyOf(t, "a", `findings contains {"at": ["gateway"], "args": {"v": `+call+`}}`)
		out := NewHost([]*Policy{p}, Options{Strict: true}).Run(context.Background(), stackOf(m{"gateway": m{}}), []*Policy{p}, nil)
		if len(out) != 1 || out[0].Err == nil {
			t.Errorf("%s is allowed: %s", call, show(out))
		}
	}
}
