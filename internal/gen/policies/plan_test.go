package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"agentlint/internal/model"
	"agentlint/internal/policy/plan"
)

// bodies are rules of a policy; each must have the same findings by its plan and by OPA. Between them they use every
// construct of the language that policies may use, and every built-in function that plans answer themselves, with the
// arguments that are left to OPA too.
var bodies = []string{
	`findings contains x if some x in [1, "a", null, true, 1.5, [2], {"k": 3}, {4}]`,
	`findings contains x if some x in input.gateway.list`,
	`findings contains [k, v] if some k, v in input.gateway`,
	`findings contains [k, v] if some k, v in {"b": 1, "a": 2}`,
	`findings contains [k, v] if some k, v in {"b", "a"}`,
	`findings contains x if x := [v | some v in input.gateway.env]`,
	`findings contains x if x := {k: v | some k, v in input.gateway.env; v != ""}`,
	`findings contains x if x := {v | some v in input.gateway.list}`,
	`findings contains "all" if every x in input.gateway.list { x != "never" }
findings contains "none" if every x in input.gateway.list { x == "a" }
findings contains "empty" if every x in [] { x == 1 }
findings contains "scalar" if every x in 7 { x == 1 }`,
	`findings contains [f(x), g(x)] if some x in [1, 2, 3]
f(1) := "one"
f(x) := "more" if x > 1
g(x) := "small" if {
	x < 2
} else := "middle" if {
	x < 3
} else := "large"`,
	`findings contains x if x := limit
default limit := 7
limit := input.gateway.nothing`,
	`findings contains x if x := limit
default limit := 7
limit := input.gateway.count`,
	`findings contains x if some x in input.unknown`,
	`findings contains x if { not input.gateway.nothing; x := 1 }`,
	`findings contains x if { not input.gateway.count; x := 1 }`,
	`findings contains x if { input.gateway.flag == false; x := input.gateway.flag }`,
	`findings contains x if { input.gateway.flag; x := 1 }`,
	`findings contains x if { [a, {"k": b}] = [1, {"k": 2}]; x := [a, b] }`,
	`findings contains x if { {"k": [x, _]} = {"k": [1, input.gateway.count]} }`,
	`findings contains x if { input.gateway.list[x] == "b" }`,
	`findings contains x if x := table["b"]
table := {"a": 1, "b": 2}`,
	`findings contains x if { some key in ["a", "c"]; x := table[key] }
table[name] := count(name) if some name in ["a", "bb"]
table["c"] := 9`,
	`findings contains x if { some key in ["yes", "no", "odd"]; x := switch[key] }
switch["yes"] if input.gateway.count
switch["no"] := 2 if input.gateway.nothing`,
	`findings contains x if { some key in ["a", "b"]; key in known; x := key }
known contains "a"
known contains x if x := input.gateway.nothing`,
	`findings contains x if x := tree
tree.a.b := 1
tree.a.c := 2 if input.gateway.count`,
	`findings contains x if { x := value }
value := 1
value := 1 if input.gateway.count`,
	`findings contains x if { x := value }
value := v if some v in [1, 2]`,
	`findings contains x if x := {input.gateway.env.A: 1, "B": 2}`,
	`findings contains x if { some i, e in input.gateway.list; x := {"i": i, "e": [e, {e}]} }`,
	`findings contains x if { some x in [1, 2, 3, 4]; x % 2 == 0 }`,
	`findings contains sprintf("%v", [x]) if some x in [1, "a", [1, "b"], {"k": null}, {1, 2}, 1.5, true]`,
	`findings contains x if x := sprintf("%s is %d of %v%%, %5d|%-4s|%.2f %q", ["a", 3, "b", 4, "c", 1.234, "d"])`,
	`findings contains x if x := sprintf("%d %s", ["a", 3])
findings contains sprintf("%d", [1, 2])
findings contains sprintf("%d", [])
findings contains sprintf("100%", [])`,
	`findings contains x if x := [1 + 2, 1 - 2, 3 * 4, 7 / 2, 8 / 2, 0 / 3, 7 % 3, 0.1 + 0.2, 4611686018427387904 * 4, 3000000000 * 3000000000, 9007199254740993 + 1]`,
	`findings contains [a, b, [a + b, a - b, a * b], [q | q := a / b], [r | r := a % b]] if {
	some a in [0, 1, -7, 1048576, 2147483647, 2147483648, 4294967296, -17179869184, 1099511627776, 4503599627370496, 9007199254740991, 9007199254740992]
	some b in [0, 1, -3, 4, 1048576, 2147483648, 4503599627370496, 9007199254740991]
}`,
	`findings contains x if x := 1 / 0
findings contains x if x := 1 % 0
findings contains x if x := 1 + input.gateway.list[0]
findings contains x if x := 1.5 % 1`,
	`findings contains x if x := [{1, 2} - {1}, {1, 2} | {3}, {1, 2} & {2}, [1] == [1.0], {1} == {1.0}, {"a": 1} == {"a": 1.0}]`,
	`findings contains x if x := [floor(1.5), ceil(1.2), round(2.5), floor(3), abs(-4), abs(-1.5)]`,
	`findings contains x if x := [1 < "a", [1] < [2], [1, 2] > [1], {"a": 1} < {"b": 0}, {1} < {2}, null < false, "a" >= "a", 1.5 <= 1.25, true != 1, {"a": 2} > {"a": 1}, {1, 2} > {1}, [] < {}]`,
	`findings contains [x, y, x < y, x == y] if {
	some x in [null, false, true, 0, 1, 1.0, 1.5, "", "a", [], [1], {}, {"a": 1}, set(), {1}]
	some y in [null, false, true, 0, 1, 1.0, 1.5, "", "a", [], [1], {}, {"a": 1}, set(), {1}]
}`,
	`findings contains x if x := [count([1]), count({"a": 1}), count({1, 2}), count("äb"), count(input.gateway.list), count(input.gateway)]`,
	`findings contains x if x := count(input.gateway.count)`,
	`findings contains x if x := [max([1, 3, 2]), max({"a", "b"}), min([2, 1.5]), min({1}), sum([1, 2]), sum([1.5, 1]), sum({1, 2}), sum([]), product([2, 3]), sort([3, 1, 2, "a", null]), sort({2, 1})]
findings contains "max" if max([])
findings contains "min" if min(set())
findings contains x if x := sum(input.gateway.list)`,
	`findings contains x if x := [array.concat([1], input.gateway.list), array.slice([1, 2, 3], 1, 9), array.slice([1, 2, 3], -1, 1), array.slice([1], 2, 1), array.slice(input.gateway.list, 0, 1), array.reverse([1, 2])]
findings contains x if x := array.concat([1], input.gateway.count)
findings contains x if x := array.slice([1, 2], 0.5, 1)`,
	`findings contains x if x := [object.get({"a": {"b": [5]}}, ["a", "b", 0], 1), object.get({"a": 1}, "b", 2), object.get({"a": 1}, ["a", "b"], 3), object.get(input, ["gateway", "list", 1], 4), object.get({"a": null}, "a", 5), object.get({}, [], 6), object.get(input.gateway, ["secret"], 7)]
findings contains x if x := object.get(input.gateway.list, 0, 2)`,
	`findings contains x if x := [object.union({"a": {"b": 1, "c": 1}, "d": 1}, {"a": {"b": 2}, "d": {"e": 3}}), object.keys({"b": 1, "a": 2}), object.remove({"a": 1, "b": 2}, ["a"]), object.union_n([{"a": 1}, {"b": 2}, {"a": 3}])]
findings contains x if x := object.union({}, input.gateway.count)
findings contains x if x := [object.union_n([]), object.union_n([{"a": {"b": 1}}, {"a": 2}, {"a": {"c": 3}, "d": {"e": 1}}, {"d": {"f": 2}}])]
findings contains x if { some list in [[{"a": 1}, 2], [null], {"a": 1}, input.gateway.list, 3]; x := object.union_n(list) }`,
	`findings contains x if x := [numbers.range(1, 4), numbers.range(2, -1), numbers.range(0, 0)]
findings contains count(numbers.range(0, 70000))`,
	`findings contains x if x := [concat(",", ["a", "b"]), concat("", {"b", "a"}), concat(",", []), contains("abc", "b"), startswith("abc", "ab"), endswith("abc", "bc"), trim_prefix("abc", "a"), trim_suffix("abc", "c"), trim_prefix("abc", "x"), split("a,b", ","), split("ab", ""), split("", ","), lower("ÄB"), upper("äb"), replace("aaa", "a", "b"), replace("ab", "", "-"), substring("abcd", 1, 2), indexof("abc", "c"), trim(" a ", " "), trim_left("xxa", "x"), trim_space(" a")]
findings contains x if x := concat(",", ["a", input.gateway.count])
findings contains x if x := contains("a", input.gateway.count)
findings contains x if x := lower(input.gateway.count)
findings contains x if x := split(input.gateway.count, ",")
findings contains x if x := replace("a", "a", input.gateway.count)`,
	`findings contains x if x := [regex.match("^a+$", "aaa"), regex.match("b", "aaa"), regex.find_n("[0-9]+", "1 22 333", 2), regex.find_n("[0-9]+", "1 22 333", -1), regex.find_n("x", "a", 1), regex.replace("abc", "b", "x"), regex.split(",", "a,b")]
findings contains x if x := regex.match("(", "a")
findings contains x if x := regex.match("a", input.gateway.count)
findings contains x if x := regex.find_n("(", "a", 1)`,
	`findings contains x if x := [to_number("12"), to_number("1.50"), to_number("007"), to_number(true), to_number(null), to_number(3), to_number("1e3"), to_number("-0")]
findings contains x if x := to_number("a")
findings contains x if x := to_number(input.gateway.list)`,
	`findings contains [x, is_number(x), is_string(x), is_boolean(x), is_array(x), is_object(x), is_set(x), is_null(x), type_name(x)] if some x in [1, 1.5, "a", true, [1], {"a": 1}, {1}, null, input.gateway.list, input.gateway.env]`,
	`findings contains x if x := [1 in [1, 2], 3 in {1, 2}, "a" in {"k": "a"}, "A" in input.gateway.env, "a" in input.gateway.list, 1.0 in [1], "x" in "xyz"]
findings contains "pair" if "A", "x" in input.gateway.env
findings contains "item" if 1, "b" in input.gateway.list
findings contains "none" if 1, "c" in input.gateway.list`,
	`findings contains x if x := [glob.match("a*", [], "abc"), units.parse("1Ki"), units.parse_bytes("2MB"), semver.compare("1.2.3", "1.2.10"), base64.decode("YQ=="), json.unmarshal("{\"a\": [1, 2.5]}"), json.marshal(input.gateway.env), time.parse_duration_ns("1m")]`,
	`findings contains [p, v] if walk(input.gateway, [p, v])`,
	`findings contains x if { some i; input.gateway.list[i]; x := i }`,
	`findings contains x if { x := input.gateway.list[1.0] }
findings contains x if { x := input.gateway.list["a"] }
findings contains x if { x := input.gateway.list[-1] }`,
	`findings contains x if { big := {n | some i in numbers.range(1, 50); n := sprintf("%d", [i])}; x := [count(big), "7" in big, "70" in big, big] }`,
	`findings contains x if { big := {n: i | some i in numbers.range(1, 50); n := sprintf("%d", [i])}; x := [count(big), big["7"], big] }`,
	`findings contains x if { x := {n | some i in numbers.range(1, 50); n := i % 7} }`,
	`findings contains x if { x := {n: i | some i in numbers.range(1, 2); n := sprintf("%d", [i % 3])} }
findings contains x if { x := {"k": i | some i in numbers.range(1, 2)} }`,
	`findings contains [lib.unknown(p), 1] if some p in paths
findings contains [lib.present(p), 2] if some p in paths
findings contains [lib.absent(p), 3] if some p in paths
findings contains [p, lib.value(p, "fallback")] if some p in paths
paths := [["gateway"], ["gateway", "count"], ["gateway", "secret"], ["gateway", "secret", "a"], ["gateway", "open", "a"], ["gateway", "open", "b"], ["gateway", "open"], ["gateway", "nothing"], ["gateway", "nothing", "a"],
	["gateway", "list", 1], ["gateway", "list", 2], ["gateway", "list", 9], ["gateway", "list", "a"], ["gateway", "list", 1.0], ["gateway", "count", "a"], [], ["unknown"], ["unknown", 0], ["parameters"], ["gateway", true], "gateway", ["gateway", "null"], ["gateway", "empty"]]`,
	`findings contains x if x := lib.unknown_paths`,
	`findings contains [x, x in lib.unknown_paths, count(lib.unknown_paths)] if some x in [["gateway", "secret"], ["gateway", "open"], ["gateway", "open", "a"], ["gateway", "open", "b"], ["gateway", "list", 2], ["gateway", "list", 2.0],
	["gateway", "list", 1], ["gateway", "list", "a"], ["gateway"], [], "gateway", ["gateway", "secret", "a"], ["nothing"], ["gateway", "list", 9]]
findings contains "both" if { "x" in (lib.unknown_paths | {"x"}); not "y" in (lib.unknown_paths | {"x"}) }`,
	`findings contains [lib.at_least(p, v), p, v, 1] if { some p in parts; some v in releases }
findings contains [lib.below(p, v), p, v, 2] if { some p in parts; some v in releases }
releases := ["1.93.0", "1.93", "v1.101", "0", "1.93.0.1", "1.93.0.1.5", "99999999999999999999", "main", "1..2", "1.2.rc1"]
parts := ["litellm", "1.2.3", "v1.93", "1.093.0", "", "main", {"version": "1.100"}, {"version": 3}, {"name": "x"}, {}, input.gateway, null, 1, [1]]`,
	`findings contains [x, lib.number(x)] if some x in [1, 1.5, "12", "-3", "0.5", "1e3", "007", "", "a", " 1", null, true, [1], "1.", ".5", "9999999999999999999"]`,
	`findings contains [x, lib.resolved(x)] if some x in ["os.environ/A", "os.environ/B", "os.environ/C", "os.environ/S", "os.environ/", "A", 1, null, [1], input.gateway.env]
findings contains [x, lib.environ_reference(x), 1] if some x in ["os.environ/A", "a", 1, null]`,
	`findings contains [p, lib.unwritten(p)] if some p in [["gateway", "env", "A"], ["gateway", "env", "B"], ["gateway", "env", "C"], ["gateway", "env", "S"], ["gateway", "args", "x"], ["gateway", "args", "y"], ["gateway", "args"],
	["gateway", "open", "b"], ["gateway", "secret"], ["gateway", "nothing"], [], "a", ["gateway", "env", 1], ["gateway", "env", "A", "b"]]
findings contains lib.entry_path(3)`,
	`findings contains [p, lib.unknown_below(p)] if some p in [[], ["gateway"], ["gateway", "env"], ["gateway", "env", "S"], ["gateway", "env", "S", "x"], ["gateway", "list"], ["gateway", "list", 2], ["gateway", "list", 2.0], ["gateway", "list", 9],
	["gateway", "nothing"], ["gateway", "count"], ["gateway", "count", 0], ["gateway", null], ["gateway", 0], ["unknown"], "gateway", 3, {"gateway"}]`,
	`findings contains [g, lib.entries(g)] if some g in array.concat(input.groups, [{}, {"deployments": [{"index": 0}]}, {"deployments": {"a": {"index": 1}}}, 1])`,
	`findings contains [e.index, e.entry.model_name] if { some g in input.groups; some e in lib.entries(g) }
findings contains count(lib.entries(g)) if some g in input.groups`,
	// Definitions whose locals OPA numbers alike, small functions, lists out of lists, objects with constant keys.
	`findings contains [x, f(x), g(x)] if some x in ["a", 1, null, input.gateway.list]
f(x) := {"b": [x, h(x)], "a": h(x), "c": {"d": x}}
h(x) := array.concat(array.concat(lib.entry_path(x), ["k"]), [x])
g(x) := "text" if is_string(x)
g(x) := "number" if { y := x + 1; y > 1 }
g(x) := y if { y := x[1]; y != "a" }`,
	`findings contains [x, f(x)] if some x in [0, 1, 2, 3]
f(x) if { some y in [1, 2]; y == x }
f(x) if { some y in [3]; z := y - x; z == 0 }
f(x) := false if x == 0`,
	`findings contains x if { some p in [["gateway", "list"], ["gateway"]]; x := [k | some k, v in object.get(input, p, []); k != "secret"; small(v)] }
small(v) if v < 3
small(v) if v <= "b"
small(v) if { not v; v >= false }`,
	`findings contains [x, f(x)] if some x in [1, 2, 3, [], {}, set(), "a"]
f(x) := "every" if { every y in x { y > 0 } } else := "one" if { x > 0; x >= 1; x == 1 } else := v if { v := [x, x + 1] }`,
	`findings contains [names, lib.numbered(names)] if some names in [["rpm"], ["tpm", "rpm"], ["order"], {"rpm"}, [], "rpm"]`,
	`findings contains ["several", group] if some group in lib.several
findings contains ["hosted", group] if some group in lib.self_hosted`,
	`findings contains kinds if { some kinds in [{"router", "gateway"}, {"engine"}, ["router"], set(), {"a"}, {1}]; lib.leads_to(kinds) }`,
	`findings contains ["have", names] if { some names in [["rpm", "max_budget"], {"max_budget"}, ["hidden"], {"mode"}, [0], [], ["model_name"]]; lib.models_have(names) }
findings contains ["mention", part] if { some part in ["pm", "hidden", "", "ode", "x", 1]; lib.models_mention(part) }
findings contains ["start", part] if { some part in ["openai/", "", "x", 1]; lib.models_start(part) }
findings contains "named" if lib.models_named
findings contains ["keys", key] if some key in lib.model_keys`,
	`findings contains [a, b] if {
	names := ["REDIS_HOST", "redis_host", "REDISHOST", "REDIS_HOSTS", "REDIS_HOT", "EDIS_HOST", "XREDIS_HOST", "REDIS_GOST", "REDIS_PORT", "A", "AB", "_A_", "KEYED", "KEYEDX", "KEYEDXX", "KÄYED1", "KEYED1", "KÄYED12", "", "_"]
	some a in names
	some b in names
	lib.similar(a, b)
}
findings contains "number" if lib.similar(1, 2)`,
	`findings contains [value, part] if {
	some value in ["/health", {"/health": 1}, {"a": [{"b": "x/health/y"}]}, [1, null, true, {"/health"}], "health", 7, {{"k": "/health"}}, input.gateway.config, input.gateway.list]
	some part in ["/health", "/", "a\"", "openai/m", 1, "1", "hidden", "k", "[", ", "]
	lib.mentions(value, part)
}`,
	`findings contains [n, lib.memory_text(n)] if some n in [0, -1, 1, 524288, 1048576, 1572864, 1572865, 268435456, 536870912, 1073741823, 1073741824, 1342177280, 1342177281, 1610612736, 1700000000,
	12884901888, 13207024435, 107374182400, 1125899906842624, 1125899906842623, 4611686018427387904, 1.5, 1610612736.5, "a", null]`,
	`findings contains [a, b] if {
	some a in [input.gateway.config, input.gateway.list, input.groups[0], input.groups[1], input.groups[2], input.gateway.empty, input.gateway.config.model_list[0].model_info, input.gateway.config.model_list[2].model_info]
	some b in [input.gateway.config, ["a", "b", null, 2.5], input.groups[0], {}, [], {"mode": "chat"}, input.gateway.config.model_list[2].model_info]
	a == b
}`,
}

func stack() *model.Stack {
	o := model.Origin{}
	env := model.NewMap(o)
	env.Set("B", model.NewText("", o))
	env.Set("A", model.NewText("x", o))
	env.Set("S", model.NewUnknown(o))
	env.Open = true
	args := model.NewMap(o)
	args.Open = true
	args.Set("x", model.NewUnknown(o))
	kind := model.NewMap(o)
	kind.Set("kind", model.NewText("config", o))
	open := model.NewMap(o)
	open.Open = true
	open.Set("a", model.NewInt(1, o))
	g := model.NewMap(o)
	g.Set("list", model.NewList(o, model.NewText("a", o), model.NewText("b", o), model.NewUnknown(o), model.NewFloat(2.5, o)))
	g.Set("env", env)
	g.Set("args", args)
	g.Set("version", model.NewText("1.93.0", o))
	g.Set("count", model.NewInt(3, o))
	g.Set("flag", model.NewBool(false, o))
	g.Set("secret", model.NewUnknown(o))
	g.Set("open", open)
	g.Set("null", &model.Value{Kind: model.Null})
	g.Set("empty", model.NewList(o))
	root := model.NewMap(o)
	name := func(s string) *model.Value {
		m := model.NewMap(o)
		m.Set("model_name", model.NewText(s, o))
		params := m.Set("litellm_params", model.NewMap(o))
		params.Set("model", model.NewText("openai/"+s, o))
		params.Set("rpm", model.NewInt(int64(len(s)), o))
		params.Set("order", model.NewText("1", o))
		params.Set("hidden", model.NewUnknown(o))
		m.Set("model_info", model.NewMap(o)).Set("mode", model.NewText("chat", o))
		return m
	}
	config := model.NewMap(o)
	config.Set("model_list", model.NewList(o, name("m"), model.NewUnknown(o), name("n")))
	g.Set("config", config)
	deployment := func(i int64) *model.Value {
		m := model.NewMap(o)
		m.Set("index", model.NewInt(i, o))
		m.Set("target", model.NewMap(o)).Set("kind", model.NewText("router", o))
		return m
	}
	group := model.NewMap(o)
	group.Set("deployments", model.NewList(o, deployment(2), deployment(0), model.NewUnknown(o), deployment(1), deployment(7), model.NewMap(o)))
	group.Set("self_hosted", model.NewBool(true, o))
	one, hidden := model.NewMap(o), model.NewMap(o)
	one.Set("deployments", model.NewList(o, deployment(0)))
	one.Set("self_hosted", model.NewText("true", o))
	hidden.Set("deployments", model.NewUnknown(o))
	root.Set("groups", model.NewList(o, group, model.NewMap(o), one, hidden, model.NewUnknown(o)))
	root.Set("gateway", g)
	root.Set("stack", kind)
	return &model.Stack{Root: root}
}

// byOPA returns the findings of a policy as OPA prints them.
func byOPA(t *testing.T, modules []module, id string) string {
	t.Helper()
	s := stack()
	in := s.Root.Plain().(map[string]any)
	var unknown []any
	for _, p := range s.Unknown() {
		unknown = append(unknown, []any(p))
	}
	in["unknown"] = unknown
	in["parameters"] = map[string]any{}
	// As text, so that sets and numbers are not turned into something else.
	query := rego.Query(fmt.Sprintf("x := sprintf(\"%%v\", [data.agentlint.rules[%q].findings])", id))
	opts := []func(*rego.Rego){query, rego.Input(in), rego.SetRegoVersion(ast.RegoV1)}
	for _, m := range modules {
		opts = append(opts, rego.Module(m.name, m.source))
	}
	results, err := rego.New(opts...).Eval(context.Background())
	if err != nil {
		if _, conflict := err.(*topdown.Error); conflict {
			return "error"
		}
		t.Fatal(err)
	}
	text, _ := results[0].Bindings["x"].(string)
	return text
}

func byPlan(t *testing.T, modules []module, id string) string {
	t.Helper()
	codes, err := planned(modules, []string{id})
	if err != nil {
		t.Fatal(err)
	}
	load := func(id string) *plan.Unit {
		u, err := plan.NewUnit(string(plan.Encode(codes[id])))
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	library, u := load(libraryUnit), load(id)
	for _, x := range []*plan.Unit{library, u} {
		if err := x.Link(library); err != nil {
			t.Fatal(err)
		}
	}
	var ev plan.Evaluator
	ev.Start(context.Background(), plan.NewInput(stack(), plan.NewObject), 1<<30)
	defer ev.Stop()
	values, err := ev.Eval(u, "findings")
	if err != nil {
		return "error"
	}
	return plan.Term(values[0]).Value.String()
}

func TestPlansMeanWhatOPAMeans(t *testing.T) {
	library, _, err := readModules(os.DirFS("../../../policies"))
	if err != nil {
		t.Fatal(err)
	}
	library = slices.DeleteFunc(library, func(m module) bool { return !strings.HasPrefix(m.name, "lib/") })
	for i, body := range bodies {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			id := fmt.Sprintf("rule-%d", i)
			src := fmt.Sprintf("package agentlint.rules[%q]\n\n", id)
			if strings.Contains(body, "lib.") {
				src += "import data.agentlint.lib\n\n"
			}
			modules := append([]module{{id + ".rego", src + body + "\n"}}, library...)
			want, got := byOPA(t, modules, id), byPlan(t, modules, id)
			if got != want {
				t.Errorf("%s\nby plan %s\nby OPA  %s", body, got, want)
			}
		})
	}
}
