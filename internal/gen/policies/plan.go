package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/compile"
	"github.com/open-policy-agent/opa/v1/ir"

	"agentlint/internal/policy/plan"
)

// module is one file of policies.
type module struct{ name, source string }

// libraryUnit is the name of the plan of the library; those of policies have their ids.
const libraryUnit = "lib"

// planned returns the plans of the policies with some ids, and that of the library with what they use.
func planned(modules []module, ids []string) (map[string]*plan.Code, error) {
	policy, err := planOPA(modules, ids)
	if err != nil {
		return nil, err
	}
	units := map[string]*unit{}
	for _, f := range policy.Funcs.Funcs {
		name, function, ok := place(f.Path)
		if !ok {
			return nil, fmt.Errorf("plan %s: neither a rule of a policy nor of the library", f.Name)
		}
		u := units[name]
		if u == nil {
			u = &unit{static: policy.Static, places: map[string]plan.Callee{}, unit: name}
			units[name] = u
		}
		u.functions = append(u.functions, f)
		u.names = append(u.names, function)
	}
	delete(units, everythingID)
	out := map[string]*plan.Code{}
	// The library comes first, since policies take small functions of it in.
	for _, name := range slices.SortedFunc(maps.Keys(units), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) }) {
		u := units[name]
		for _, f := range policy.Funcs.Funcs {
			in, function, _ := place(f.Path)
			switch in {
			case name:
				u.places[f.Name] = plan.Callee{Kind: plan.Own, Name: function}
			case libraryUnit:
				u.places[f.Name] = plan.Callee{Kind: plan.Library, Name: function}
			}
		}
		if out[name], err = u.code(out[libraryUnit]); err != nil {
			return nil, fmt.Errorf("plan %s: %w", name, err)
		}
	}
	return out, nil
}

func rank(unit string) int {
	if unit == libraryUnit {
		return 0
	}
	return 1
}

// planOPA lets OPA compile and plan the policies.
func planOPA(modules []module, ids []string) (*ir.Policy, error) {
	b := &bundle.Bundle{Data: map[string]any{}}
	b.Manifest.Init()
	rules := map[string]bool{}
	var everything strings.Builder
	fmt.Fprintf(&everything, "package agentlint.rules[%q]\n\nimport data.agentlint.lib\n", everythingID)
	for _, m := range modules {
		parsed, err := ast.ParseModuleWithOpts(m.name, m.source, ast.ParserOptions{RegoVersion: ast.RegoV1})
		if err != nil {
			return nil, err
		}
		for _, r := range parsed.Rules {
			rules[parsed.Package.Path.String()+"."+r.Head.Ref()[0].Value.String()] = true
			if parsed.Package.Path.String() == "data.agentlint.lib" {
				fmt.Fprintf(&everything, "\nfindings contains %s", call(r))
			}
		}
		b.Modules = append(b.Modules, bundle.ModuleFile{URL: m.name, Path: "/" + m.name, Raw: []byte(m.source), Parsed: parsed})
	}
	m := module{everythingID + ".rego", everything.String()}
	parsed, err := ast.ParseModuleWithOpts(m.name, m.source, ast.ParserOptions{RegoVersion: ast.RegoV1})
	if err != nil {
		return nil, err
	}
	b.Modules = append(b.Modules, bundle.ModuleFile{URL: m.name, Path: "/" + m.name, Raw: []byte(m.source), Parsed: parsed})
	entries := []string{"agentlint/rules/" + everythingID + "/findings"}
	for _, id := range ids {
		for _, rule := range []string{"findings", "unchecked", "measures"} {
			if rules[fmt.Sprintf("data.agentlint.rules[%q].%s", id, rule)] || rules["data.agentlint.rules."+id+"."+rule] {
				entries = append(entries, "agentlint/rules/"+id+"/"+rule)
			}
		}
	}
	c := compile.New().WithTarget(compile.TargetPlan).WithEntrypoints(entries...).WithBundle(b).WithRegoVersion(ast.RegoV1)
	if err := c.Build(context.Background()); err != nil {
		return nil, err
	}
	var p ir.Policy
	if err := json.Unmarshal(c.Bundle().PlanModules[0].Raw, &p); err != nil {
		return nil, err
	}
	return &p, nil
}

// everythingID is the id of a policy that uses the whole library, so that the library's plan does not depend on what the
// others use.
const everythingID = "everything"

// call returns an expression that uses a rule of the library.
func call(r *ast.Rule) string {
	name := "lib." + r.Head.Ref()[0].Value.String()
	name = strings.Replace(name, "lib.data.", "lib.", 1)
	if len(r.Head.Args) == 0 {
		return name
	}
	args := make([]string, len(r.Head.Args))
	for i := range args {
		args[i] = fmt.Sprintf("input.argument%d", i)
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// place splits the path of a function into its unit and its name there.
func place(path []string) (unit, function string, ok bool) {
	switch {
	case len(path) > 3 && slices.Equal(path[:3], []string{"g0", "agentlint", "lib"}):
		return libraryUnit, strings.Join(path[3:], "."), true
	case len(path) > 4 && slices.Equal(path[:3], []string{"g0", "agentlint", "rules"}):
		return path[3], strings.Join(path[4:], "."), true
	}
	return "", "", false
}

// unit turns the functions of one policy, or of the library, into a plan.
type unit struct {
	unit      string
	static    *ir.Static
	functions []*ir.Func
	names     []string
	places    map[string]plan.Callee // callees by the names that OPA gives them

	out       plan.Code
	constants map[string]plan.Operand
	callees   map[plan.Callee]plan.Operand
}

// code returns the plan of a unit; the library's is there already unless this is it.
func (u *unit) code(library *plan.Code) (*plan.Code, error) {
	u.constants, u.callees = map[string]plan.Operand{}, map[plan.Callee]plan.Operand{}
	for i, f := range u.functions {
		g, err := u.function(f, u.names[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", u.names[i], err)
		}
		u.out.Functions = append(u.out.Functions, g)
	}
	u.inline(library)
	slices.SortFunc(u.out.Functions, func(a, b plan.Function) int { return strings.Compare(a.Name, b.Name) })
	u.compact()
	return &u.out, nil
}

// compact drops the constants and callees that no statement uses any more, and orders the others by their first use.
func (u *unit) compact() {
	constants, callees := u.out.Constants, u.out.Callees
	u.out.Constants, u.out.Callees = nil, nil
	u.constants, u.callees = map[string]plan.Operand{}, map[plan.Callee]plan.Operand{}
	for i := range u.out.Functions {
		each(u.out.Functions[i].Blocks, func(s *plan.Statement) {
			for _, o := range reads(s) {
				if *o < 0 {
					*o = u.constant(constants[-*o-1])
				}
			}
			if s.Op == plan.Call || s.Op == plan.Check {
				s.A = u.callee(callees[s.A])
			}
		})
	}
}

func (u *unit) constant(v plan.Value) plan.Operand {
	key := string(plan.Encode(&plan.Code{Constants: []plan.Value{v}}))
	o, ok := u.constants[key]
	if !ok {
		u.out.Constants = append(u.out.Constants, v)
		o = plan.Operand(-len(u.out.Constants))
		u.constants[key] = o
	}
	return o
}

func (u *unit) callee(c plan.Callee) plan.Operand {
	o, ok := u.callees[c]
	if !ok {
		o = plan.Operand(len(u.out.Callees))
		u.out.Callees = append(u.out.Callees, c)
		u.callees[c] = o
	}
	return o
}

func (u *unit) function(f *ir.Func, name string) (plan.Function, error) {
	if len(f.Params) < 2 || f.Params[0] != ir.Input || f.Params[1] != ir.Data {
		return plan.Function{}, errors.New("does not start with the input and the data")
	}
	g := plan.Function{Name: name}
	for _, p := range f.Params[2:] {
		g.Params = append(g.Params, plan.Operand(p))
	}
	var err error
	if g.Blocks, err = u.blocks(f.Blocks); err != nil {
		return plan.Function{}, err
	}
	(&optimizer{u, &g}).run()
	return g, nil
}

func (u *unit) blocks(list []*ir.Block) ([][]plan.Statement, error) {
	out := make([][]plan.Statement, len(list))
	for i, b := range list {
		for _, s := range b.Stmts {
			t, err := u.statement(s)
			if err != nil {
				return nil, err
			}
			if t.Op == plan.Blocks && len(t.Blocks) == 0 {
				continue
			}
			out[i] = append(out[i], t)
		}
	}
	return out, nil
}

func (u *unit) operand(o ir.Operand) plan.Operand {
	switch v := o.Value.(type) {
	case *ir.Local:
		return plan.Operand(*v)
	case *ir.StringIndex:
		return u.constant(u.static.Strings[*v].Value)
	case *ir.Bool:
		return u.constant(bool(*v))
	}
	panic(fmt.Sprintf("operand %v", o))
}

func (u *unit) statement(s ir.Stmt) (t plan.Statement, err error) {
	local := func(l ir.Local) plan.Operand { return plan.Operand(l) }
	switch s := s.(type) {
	case *ir.ReturnLocalStmt:
		return plan.Statement{Op: plan.Return, A: local(s.Source)}, nil
	case *ir.CallStmt:
		callee, ours := u.places[s.Func]
		args := s.Args
		if ours {
			if len(args) < 2 || u.operand(args[0]) != plan.Operand(ir.Input) || u.operand(args[1]) != plan.Operand(ir.Data) {
				return t, fmt.Errorf("call of %s with another input", s.Func)
			}
			args = args[2:]
		} else {
			callee = plan.Callee{Kind: plan.Builtin, Name: s.Func}
		}
		t = plan.Statement{Op: plan.Call, A: u.callee(callee), C: local(s.Result)}
		for _, a := range args {
			t.Args = append(t.Args, u.operand(a))
		}
		return t, nil
	case *ir.CallDynamicStmt:
		t = plan.Statement{Op: plan.CallRule, C: local(s.Result)}
		for _, a := range s.Path[1:] { // the first is g0
			t.Args = append(t.Args, u.operand(a))
		}
		return t, nil
	case *ir.BlockStmt:
		t.Op = plan.Blocks
		t.Blocks, err = u.blocks(s.Blocks)
		return t, err
	case *ir.BreakStmt:
		return plan.Statement{Op: plan.Break, A: plan.Operand(s.Index)}, nil
	case *ir.DotStmt:
		return plan.Statement{Op: plan.Dot, A: u.operand(s.Source), B: u.operand(s.Key), C: local(s.Target)}, nil
	case *ir.LenStmt:
		return plan.Statement{Op: plan.Len, A: u.operand(s.Source), C: local(s.Target)}, nil
	case *ir.ScanStmt:
		t = plan.Statement{Op: plan.Scan, A: local(s.Source), B: local(s.Key), C: local(s.Value)}
		t.Blocks, err = u.blocks([]*ir.Block{s.Block})
		return t, err
	case *ir.NotStmt:
		t.Op = plan.Not
		t.Blocks, err = u.blocks([]*ir.Block{s.Block})
		return t, err
	case *ir.AssignIntStmt:
		return plan.Statement{Op: plan.Assign, A: u.constant(s.Value), C: local(s.Target)}, nil
	case *ir.AssignVarStmt:
		return plan.Statement{Op: plan.Assign, A: u.operand(s.Source), C: local(s.Target)}, nil
	case *ir.AssignVarOnceStmt:
		return plan.Statement{Op: plan.AssignOnce, A: u.operand(s.Source), C: local(s.Target)}, nil
	case *ir.ResetLocalStmt:
		return plan.Statement{Op: plan.Reset, C: local(s.Target)}, nil
	case *ir.MakeNullStmt:
		return plan.Statement{Op: plan.Assign, A: u.constant(plan.Null{}), C: local(s.Target)}, nil
	case *ir.MakeNumberIntStmt:
		return plan.Statement{Op: plan.Assign, A: u.constant(s.Value), C: local(s.Target)}, nil
	case *ir.MakeNumberRefStmt:
		return plan.Statement{Op: plan.Assign, A: u.constant(plan.Number(u.static.Strings[s.Index].Value)), C: local(s.Target)}, nil
	case *ir.MakeArrayStmt:
		return plan.Statement{Op: plan.MakeArray, A: plan.Operand(s.Capacity), C: local(s.Target)}, nil
	case *ir.MakeObjectStmt:
		return plan.Statement{Op: plan.MakeObject, C: local(s.Target)}, nil
	case *ir.MakeSetStmt:
		return plan.Statement{Op: plan.MakeSet, C: local(s.Target)}, nil
	case *ir.EqualStmt:
		return plan.Statement{Op: plan.Equal, A: u.operand(s.A), B: u.operand(s.B)}, nil
	case *ir.NotEqualStmt:
		return plan.Statement{Op: plan.NotEqual, A: u.operand(s.A), B: u.operand(s.B)}, nil
	case *ir.IsArrayStmt:
		return plan.Statement{Op: plan.IsArray, A: u.operand(s.Source)}, nil
	case *ir.IsObjectStmt:
		return plan.Statement{Op: plan.IsObject, A: u.operand(s.Source)}, nil
	case *ir.IsSetStmt:
		return plan.Statement{Op: plan.IsSet, A: u.operand(s.Source)}, nil
	case *ir.IsDefinedStmt:
		if s.Source == ir.Input {
			return plan.Statement{Op: plan.Blocks}, nil // the input is always there
		}
		return plan.Statement{Op: plan.IsDefined, A: local(s.Source)}, nil
	case *ir.IsUndefinedStmt:
		return plan.Statement{Op: plan.IsUndefined, A: local(s.Source)}, nil
	case *ir.ArrayAppendStmt:
		return plan.Statement{Op: plan.Append, A: u.operand(s.Value), C: local(s.Array)}, nil
	case *ir.ObjectInsertStmt:
		return plan.Statement{Op: plan.Insert, A: u.operand(s.Key), B: u.operand(s.Value), C: local(s.Object)}, nil
	case *ir.ObjectInsertOnceStmt:
		return plan.Statement{Op: plan.InsertOnce, A: u.operand(s.Key), B: u.operand(s.Value), C: local(s.Object)}, nil
	case *ir.ObjectMergeStmt:
		return plan.Statement{Op: plan.Merge, A: local(s.A), B: local(s.B), C: local(s.Target)}, nil
	case *ir.SetAddStmt:
		return plan.Statement{Op: plan.Add, A: u.operand(s.Value), C: local(s.Set)}, nil
	case *ir.NopStmt:
		return plan.Statement{Op: plan.Blocks}, nil
	}
	var b bytes.Buffer
	if err := ir.Pretty(&b, s); err != nil {
		return t, err
	}
	return t, fmt.Errorf("a statement that plans do not have (is it from \"with\"?): %s", b.String())
}
