package policy

import (
	"strings"
	"testing"

	"agentlint/internal/model"
	"agentlint/policies"

	"github.com/open-policy-agent/opa/v1/ast"
)

// evaluate returns an expression over the library as a message prints it, "undefined" when it is.
func evaluate(t *testing.T, s *model.Stack, expr string) string {
	t.Helper()
	out := run(t, s, `findings contains {"at": ["gateway"], "args": {"v": sprintf("%v", [x])}} if x := `+expr)
	if len(out) == 0 {
		return "undefined"
	}
	return strings.TrimPrefix(strings.TrimSpace(show(out)), "rule-0 warning gateway: value ")
}

func TestLibrary(t *testing.T) {
	s := stackOf(m{"gateway": m{"version": "1.93.0", "env": opened{"A": "x"}}})
	for expr, want := range map[string]string{
		`lib.seconds("30")`:         "30",
		`lib.seconds(30)`:           "30",
		`lib.seconds("1h30m")`:      "5400",
		`lib.seconds("7d")`:         "604800",
		`lib.seconds("1mo")`:        "2592000",
		`lib.seconds("500ms")`:      "0.5",
		`lib.seconds("1.5h")`:       "5400",
		`lib.seconds("soon")`:       "undefined",
		`lib.seconds("")`:           "undefined",
		`lib.seconds(null)`:         "undefined",
		`lib.number("8192")`:        "8192",
		`lib.number("0.5")`:         "0.5",
		`lib.number(7)`:             "7",
		`lib.number(null)`:          "undefined",
		`lib.number("8k")`:          "undefined",
		`lib.bytes("4Gi")`:          "4294967296",
		`lib.bytes(5)`:              "5",
		`lib.cpus("500m")`:          "0.5",
		`lib.cpus("2")`:             "2",
		`lib.duration_text(45)`:     "45 s",
		`lib.duration_text(90)`:     "1 min",
		`lib.duration_text(3600)`:   "1 h",
		`lib.duration_text(6000)`:   "1 h 40 min",
		`lib.duration_text(172800)`: "48 h",
		`lib.matches("ghcr.io/*", "ghcr.io/berriai/litellm")`: "true",
		`lib.matches("*.internal", "a.b.internal")`:           "true",
		`lib.matches("ghcr.io", "ghcr.io/berriai")`:           "undefined",
		`lib.at_least("litellm", "1.93.0")`:                   "true",
		`lib.at_least("litellm", "1.93")`:                     "true",
		`lib.at_least("litellm", "1.93.1")`:                   "undefined",
		`lib.at_least("litellm", "1.101.0")`:                  "undefined",
		`lib.below("litellm", "1.101.0")`:                     "true",
		`lib.at_least({"version": "0.30.1rc1"}, "0.30.1")`:    "true",
		`lib.at_least({"version": "0.9.0.1"}, "0.9")`:         "true",
		`lib.below({"version": "v0.9.2"}, "0.10")`:            "true",
		`lib.at_least({"version": "main"}, "99.0")`:           "true",
		`lib.at_least({}, "99.0")`:                            "true",
		`lib.below({}, "99.0")`:                               "undefined",
		`lib.at_least("0.29.0", "0.29")`:                      "true",
		`lib.resolved("os.environ/A")`:                        "x",
		`lib.resolved("os.environ/B")`:                        "undefined", // the environment is open
		`lib.resolved(3)`:                                     "3",
		`lib.example_path("deploy/examples/config.yaml")`:     "true",
		`lib.example_path("deploy/values-dev.yaml")`:          "true",
		`lib.example_path("deploy/developers/latest.yaml")`:   "undefined",
		`lib.count_text(3, true)`:                             "at least 3",
		`lib.context_limit({"context": {"value": 65536}})`:    "65536",
		`lib.context_limit({})`:                               "undefined",
	} {
		if got := evaluate(t, s, expr); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
}

func TestLibraryProcesses(t *testing.T) {
	for _, c := range []struct {
		gateway                m
		text, several, singles string
	}{
		{m{"workers": 4, "replicas": m{"max": 3}}, "12", "true", "undefined"},
		{m{"workers": unknown{}, "replicas": m{"max": 3}}, "at least 3", "true", "undefined"},
		{m{"workers": unknown{}, "replicas": m{"max": 1}}, "at least 1", "undefined", "undefined"},
		{m{"workers": 1}, "1", "undefined", "true"},
		{m{"workers": 1, "replicas": m{"max": 0}}, "1", "undefined", "true"},
		{m{"workers": 2, "replicas": unknown{}}, "at least 2", "true", "undefined"},
	} {
		s := stackOf(m{"gateway": c.gateway})
		if got := evaluate(t, s, `lib.processes.text`); got != c.text {
			t.Errorf("%v: %s, want %s", c.gateway, got, c.text)
		}
		if got := evaluate(t, s, `lib.several_processes`); got != c.several {
			t.Errorf("%v: several %s, want %s", c.gateway, got, c.several)
		}
		if got := evaluate(t, s, `lib.single_process`); got != c.singles {
			t.Errorf("%v: single %s, want %s", c.gateway, got, c.singles)
		}
	}
}

func TestLibraryRedis(t *testing.T) {
	instances := func(uses ...string) m {
		list := l{}
		for _, u := range uses {
			list = append(list, m{"use": u, "kind": "single"})
		}
		return m{"instances": list}
	}
	cache := func(typ any) m { return m{"litellm_settings": m{"cache": true, "cache_params": m{"type": typ}}} }
	for name, c := range map[string]struct {
		root            m
		limits, routing string
	}{
		"nothing":                    {m{"gateway": m{"version": "1.102.0", "config": m{}, "env": m{}}}, "no", "no"},
		"router only":                {m{"gateway": m{"version": "1.102.0", "config": m{}, "env": m{}}, "redis": instances("router")}, "no", "yes"},
		"coordination":               {m{"gateway": m{"version": "1.93.0", "config": m{}, "env": m{}}, "redis": instances("coordination")}, "yes", "yes"},
		"coordination, not read yet": {m{"gateway": m{"version": "1.92.2", "config": m{}, "env": m{}}, "redis": instances("coordination")}, "no", "no"},
		"cache":                      {m{"gateway": m{"version": "1.80.0", "config": cache("redis"), "env": m{}}, "redis": instances("cache")}, "yes", "yes"},
		"cache params without cache": {m{"gateway": m{"version": "1.102.0", "config": m{"litellm_settings": m{"cache_params": m{"type": "redis"}}}, "env": m{}},
			"redis": instances("cache")}, "no", "no"},
		"semantic cache":                   {m{"gateway": m{"version": "1.102.0", "config": cache("redis-semantic"), "env": m{}}, "redis": instances("cache")}, "no", "no"},
		"environment":                      {m{"gateway": m{"version": "1.101.0", "config": m{}, "env": m{"REDIS_HOST": "redis"}}}, "yes", "yes"},
		"environment, not read yet":        {m{"gateway": m{"version": "1.100.5", "config": m{}, "env": m{"REDIS_HOST": "redis"}}}, "no", "no"},
		"environment beside another cache": {m{"gateway": m{"version": "1.93.0", "config": cache("s3"), "env": m{"REDIS_URL": "redis://r"}}}, "yes", "yes"},
		"secret in the environment":        {m{"gateway": m{"version": "1.101.0", "config": m{}, "env": m{"REDIS_URL": unknown{}}}}, "yes", "yes"},
		"empty name in the environment":    {m{"gateway": m{"version": "1.101.0", "config": m{}, "env": m{"REDIS_URL": ""}}}, "no", "no"},
		"unseen secret":                    {m{"gateway": m{"version": "1.102.0", "config": m{}, "env": opened{}}}, "unknown", "unknown"},
		"unseen secret, old release":       {m{"gateway": m{"version": "1.90.0", "config": m{}, "env": opened{}}}, "no", "no"},
		"unseen secret settled":            {m{"gateway": m{"version": "1.102.0", "config": m{}, "env": opened{}}, "facts": m{"redis": false}}, "no", "no"},
		"fact":                             {m{"gateway": m{"version": "1.102.0", "config": m{}, "env": opened{}}, "facts": m{"redis": true}}, "yes", "yes"},
		"unknown instances":                {m{"gateway": m{"version": "1.102.0", "config": m{}, "env": m{}}, "redis": m{"instances": unknown{}}}, "unknown", "unknown"},
		"cache by reference":               {m{"gateway": m{"version": "1.90.0", "config": m{"litellm_settings": m{"cache": unknown{}}}, "env": m{}}, "redis": instances("cache")}, "unknown", "unknown"},
	} {
		s := stackOf(c.root)
		if got := evaluate(t, s, `lib.redis_shared("limits")`); got != c.limits {
			t.Errorf("%s: limits %s, want %s", name, got, c.limits)
		}
		if got := evaluate(t, s, `lib.redis_shared("routing")`); got != c.routing {
			t.Errorf("%s: routing %s, want %s", name, got, c.routing)
		}
	}
}

func TestLibraryGroups(t *testing.T) {
	s := stackOf(m{
		"gateway": m{"version": "1.102.0", "config": m{"model_list": l{m{"model_name": "a"}, m{"model_name": "b"}, m{"model_name": "a"}}}},
		"engines": l{m{"name": "e0"}, m{"name": "e1"}},
		"routers": l{m{"name": "r0", "targets": l{"e1"}}},
		"groups": l{m{"name": "a", "deployments": l{
			m{"index": 0, "target": m{"kind": "engine", "name": "e1"}}, m{"index": 2, "target": m{"kind": "router", "name": "r0"}},
		}}},
	})
	for expr, want := range map[string]string{
		`[e.index | some e in lib.entries(input.groups[0])]`: `[0, 2]`,
		`lib.engines_of(input.groups[0])`:                    `{1}`,
		`lib.routers_of(input.groups[0])`:                    `{0}`,
		`lib.engines_of_router(input.routers[0])`:            `{1}`,
		`lib.entry_path(2)`:                                  `["gateway", "config", "model_list", 2]`,
		`lib.fragment`:                                       `undefined`,
	} {
		if got := evaluate(t, s, expr); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
}

// libraryModules returns the files of the library by name.
func libraryModules(t *testing.T) map[string]*ast.Module {
	t.Helper()
	out := map[string]*ast.Module{}
	for _, name := range policies.Files() {
		if !strings.HasPrefix(name, libDir+"/") || name == policies.Main {
			continue
		}
		src, err := policies.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if out[name], err = parseModule(name, src); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// A rule of the library stands in one file: in two it would be one rule with the definitions of both.
func TestLibraryNamesAreOfOneFile(t *testing.T) {
	files := map[string]string{}
	for name, m := range libraryModules(t) {
		for _, r := range m.Rules {
			rule := ruleName(r)
			if other := files[rule]; other != "" && other != name {
				t.Errorf("%s is defined in %s and in %s", rule, other, name)
			}
			files[rule] = name
		}
	}
}

// Session affinity of the gateway says nothing about the release of an engine.
func TestReleaseNamed(t *testing.T) {
	s := stackOf(m{
		"gateway": m{"version": "1.102.0", "config": m{"router_settings": m{"optional_pre_call_checks": l{"session_affinity"}}}},
		"engines": l{m{"name": "e0"}, m{"name": "e1", "version_source": "image"}},
	})
	for expr, want := range map[string]string{
		`lib.release_named(input.engines[0])`: "undefined",
		`lib.release_named(input.engines[1])`: "true",
		`lib.pinned({"name": "a"})`:           "true",
	} {
		if got := evaluate(t, s, expr); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
}
