package policy

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/model"
	"agentlint/policies"
)

func TestIndexIsUpToDate(t *testing.T) {
	want, err := BuildIndex(os.DirFS("../../policies"))
	if err != nil {
		t.Fatal(err)
	}
	library, err := BuildLibrary(os.DirFS("../../policies"))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(policies.Library(), library) {
		t.Error("policies/library.go is stale: run go generate ./policies")
	}
	got := policies.Index()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
			t.Fatal("policies/index.go is stale: run go generate ./policies")
		}
	}
}

func TestPlansAreUpToDate(t *testing.T) {
	if libraryPlan() == nil {
		t.Fatal("policies/plans/lib.plan is stale: run go generate ./policies")
	}
	for _, p := range Builtin() {
		if p.unit() == nil {
			t.Errorf("policies/plans/%s.plan is stale: run go generate ./policies", p.ID)
		}
	}
}

// publishedSchema is the published schema of the input.
func publishedSchema(t testing.TB) any {
	b, err := os.ReadFile("../../docs/schema/input.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(b, &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// Every policy passes every stage of the compiler with the input typed by its schema, all together and each with no
// more of the library than the index names.
func TestPoliciesCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	strict := Options{Strict: true, Schema: publishedSchema(t)}
	if err := NewHost(Builtin(), strict).Prepare(Builtin()); err != nil {
		t.Error(err)
	}
	for _, p := range Builtin() {
		if err := NewHost(Builtin(), strict).Prepare([]*Policy{p}); err != nil {
			t.Errorf("%s alone: %v", p.ID, err)
		}
	}
}

func TestSchemaRefusesWrongPaths(t *testing.T) {
	for body, want := range map[string]bool{
		`x := input.gateway.replicas.max`:                                     true,
		`x := input.gateway.rplicas.max`:                                      false,
		`x if { some e in input.engines; e.args["max-model-len"][0] == "1" }`: true,
		`x if { some e in input.engines; e.argz }`:                            false,
		`x := input.gateway.config.anything.at.all`:                           true,
		`x if { some e in input.engines; e.served_names[0] == null }`:         true,
		`x := input.gatway`:                                                   false,
		`x := input.parameters["a"].seconds`:                                  true,
	} {
		p := policyOf(t, "a", body)
		err := NewHost([]*Policy{p}, Options{Strict: true, Schema: publishedSchema(t)}).Prepare([]*Policy{p})
		if (err == nil) != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// The whole library compiles, also what no policy uses yet, and taking it apart by paragraphs loses nothing.
func TestLibraryCompiles(t *testing.T) {
	lib, err := theLibrary()
	if err != nil {
		t.Fatal(err)
	}
	p := policyOf(t, "a", `x if lib.present(["gateway"])`)
	p.Lib = slices.Collect(maps.Keys(lib.uses))
	h := NewHost([]*Policy{p}, Options{Strict: true, Schema: publishedSchema(t)})
	if err := h.Prepare([]*Policy{p}); err != nil {
		t.Fatal(err)
	}
	whole := 0
	for _, m := range libraryModules(t) {
		whole += len(m.Rules)
	}
	if got := len(h.current.Load().compiler.Modules[libDir].Rules); got != whole {
		t.Errorf("%d of the library's %d rules: each must be a paragraph of its own, without blank lines in it", got, whole)
	}
}

// A policy must not take an unknown value for an absent one: negation, defaults and counting go through the library.
func TestPoliciesRespectUnknowns(t *testing.T) {
	for _, p := range Builtin() {
		src, err := p.source()
		if err != nil {
			t.Fatal(err)
		}
		mod, err := parseModule(p.File, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range unguarded(mod) {
			t.Errorf("%s:%d: %s", p.File, fault.Location.Row, fault.text)
		}
	}
}

func TestUnguarded(t *testing.T) {
	for body, want := range map[string]bool{
		`x if not input.gateway.redis`:                                                                            true,
		`x if not input.gateway.config["a"]`:                                                                      true,
		`x := to_number(input.engines[0].args["max-num-seqs"][0])`:                                                true,
		`x := object.get(input, ["a"], 1)`:                                                                        true,
		`x := object.get(input.gateway.config, "a", 1)`:                                                           true,
		`x if count(input.engines) > 1`:                                                                           true,
		"x if {\n some i, e in input.engines\n not e.args.model\n}":                                               true,
		"x if {\n some e in input.engines\n y := e.args\n object.get(y, \"a\", 1) == 1\n}":                        true,
		"x contains e if {\n some e in input.engines\n n := [a | some a in e.gpus; not a.name]\n count(n) > 1\n}": true,
		`x if not lib.present(["a"])`:                                                                             false,
		"x if {\n some e in input.engines\n e.name == \"a\"\n}":                                                   false,
		"x if {\n y := lib.value([\"a\"], [])\n count(y) > 1\n}":                                                  false,
		"x if {\n not good(input.gateway)\n}\ngood(g) if g.a":                                                     false,
	} {
		mod, err := parseModule("x.rego", "package x\nimport data.agentlint.lib\n"+body)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(unguarded(mod)) > 0; got != want {
			t.Errorf("%q: refused %v, want %v", body, got, want)
		}
	}
}

func TestBuiltinMeta(t *testing.T) {
	for _, p := range Builtin() {
		meta, err := p.Meta()
		if err != nil {
			t.Error(err)
			continue
		}
		if meta.ID != p.ID || len(meta.Messages) == 0 {
			t.Errorf("%s: id %q, %d messages", p.File, meta.ID, len(meta.Messages))
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	for src, want := range map[string]string{
		"package agentlint.rules[\"a\"]\n":                                                        "METADATA is missing",
		"# METADATA\n# title: x\n# tilte: y\npackage agentlint.rules[\"a\"]\n":                    "a.rego:3:3: METADATA: unknown key \"tilte\" (did you mean \"title\"?)",
		"# METADATA\n# custom:\n#   severity: bad\npackage agentlint.rules[\"a\"]\n":              "a.rego:3:15: METADATA: \"bad\" is not a known name",
		"# METADATA\n# custom:\n#   inputs: x\npackage agentlint.rules[\"a\"]\n":                  "a.rego:3:13: METADATA: want a list",
		"# METADATA\n# title: [\npackage agentlint.rules[\"a\"]\n":                                "a.rego:",
		"# METADATA\n# title: x\n":                                                                "no package clause",
		"# METADATA\n# custom:\n#   parameters: [{default: x}]\npackage agentlint.rules[\"a\"]\n": "want a number",
	} {
		_, err := ParseHeader("a.rego", src)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", src, err, want)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	for _, name := range policies.Files() {
		src, err := policies.Read(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if h, err := ParseHeader("x.rego", src); err == nil {
			_ = h.Check()
		}
	})
}

// runBuiltin evaluates built-in policies as a run does, with the strict host.
func runBuiltin(t *testing.T, s *model.Stack, ids ...string) string {
	var list []*Policy
	for _, p := range Builtin() {
		for _, id := range ids {
			if p.ID == id && p.Open(s) {
				list = append(list, p)
			}
		}
	}
	return show(NewHost(Builtin(), Options{Strict: true}).Run(context.Background(), s, list, nil))
}

func TestFirstPolicies(t *testing.T) {
	config := func(x m) *model.Stack {
		return stackOf(m{"gateway": m{"version": "1.102.0", "config": x, "env": m{}}})
	}
	got := runBuiltin(t, config(m{
		"litellm_settings": m{"cache": true, "request_timeout": 6000},
		"model_list":       l{m{"litellm_params": m{"timeout": 360000}}, m{"litellm_params": m{"timeout": 7200}, "model_info": m{"mode": "batch"}}},
	}), "request-timeout-very-long", "response-cache-on-by-accident")
	want := `request-timeout-very-long warning gateway.config.litellm_settings.request_timeout: request_timeout is 6000 s (1 h 40 min): a call that hangs holds its slot and connection that long
request-timeout-very-long warning gateway.config.model_list[0].litellm_params.timeout: timeout is 360000 s (100 h), probably meant in milliseconds: a call that hangs is never given up
response-cache-on-by-accident warning gateway.config.litellm_settings.cache: cache: true shares limits through Redis, and also answers equal prompts from the cache, across keys and teams
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
