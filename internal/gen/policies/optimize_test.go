package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/policy/plan"
)

// Functions have no more statements than they need.
func TestStatementsAreFew(t *testing.T) {
	library, _, err := readModules(os.DirFS("../../../policies"))
	if err != nil {
		t.Fatal(err)
	}
	library = slices.DeleteFunc(library, func(m module) bool { return !strings.HasPrefix(m.name, "lib/") })
	for name, c := range map[string]struct {
		body  string
		most  int
		among []plan.Op
		never []plan.Op
	}{
		"paths are followed at once":        {`f(x) := v if { some y in x; v := y.a.b.c.d }`, 4, []plan.Op{plan.Path, plan.Scan}, []plan.Op{plan.Dot}},
		"conditions need no local":          {`f(x) if { x.a > 1; startswith(x.b, "c"); x.d != 3 }`, 7, []plan.Op{plan.Less, plan.Check, plan.NotEqual, plan.Return}, []plan.Op{plan.Call, plan.Assign, plan.AssignOnce, plan.IsDefined}},
		"definitions have their own locals": {`f(x) if { some y in x; y == 1 } f(x) if { some y in x.a; y == 2 }`, 7, []plan.Op{plan.Return}, []plan.Op{plan.Assign, plan.Reset, plan.IsDefined}},
		"lists are made at once":            {`f(x) := array.concat(lib.entry_path(x), ["a", x])`, 2, []plan.Op{plan.List}, []plan.Op{plan.Append, plan.Call, plan.MakeArray}},
		"objects are made at once":          {`f(x) := {"b": x, "a": {"c": [x]}}`, 4, []plan.Op{plan.Record, plan.List}, []plan.Op{plan.Insert, plan.MakeObject}},
		"constant rules are constants":      {`f(x) if { x in known } known := {"a", "b"}`, 2, []plan.Op{plan.Check}, []plan.Op{plan.Call}},
		"elses return":                      {`f(x) := "a" if { x > 1 } else := "b" if { x > 0 } else := "c"`, 5, []plan.Op{plan.Less, plan.Return}, []plan.Op{plan.AssignOnce, plan.IsUndefined}},
		"every asks for a collection once":  {`f(x) if { every y in x { y > 1 } }`, 9, []plan.Op{plan.IsCollection, plan.Not}, []plan.Op{plan.IsArray, plan.Blocks}},
	} {
		src := "package agentlint.rules[\"a\"]\n\nimport data.agentlint.lib\n\nfindings contains [x, f(x), lib.length(x)] if some x in input.groups\n\n" +
			strings.ReplaceAll(strings.ReplaceAll(c.body, "} f(", "}\n\nf("), "} known", "}\n\nknown") + "\n"
		codes, err := planned(append([]module{{"a.rego", src}}, library...), []string{"a"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		functions := codes["a"].Functions
		f := functions[slices.IndexFunc(functions, func(f plan.Function) bool { return f.Name == "f" })]
		n, ops := 0, map[plan.Op]bool{}
		each(f.Blocks, func(s *plan.Statement) {
			n++
			ops[s.Op] = true
		})
		if n > c.most {
			t.Errorf("%s: %d statements, want %d at most", name, n, c.most)
		}
		for _, op := range c.among {
			if !ops[op] {
				t.Errorf("%s: no statement %d", name, op)
			}
		}
		for _, op := range c.never {
			if ops[op] {
				t.Errorf("%s: a statement %d is left", name, op)
			}
		}
	}
}
