package config

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/engine"
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

func known() Known {
	rules := map[string]model.Meta{
		"hpa-on-memory":            {ID: "hpa-on-memory", Category: "autoscaling"},
		"many-workers-per-pod":     {ID: "many-workers-per-pod", Category: "resources", Parameters: []model.Parameter{{Name: "workers", Default: 1}}},
		"session-affinity-missing": {ID: "session-affinity-missing", Category: "affinity"},
	}
	var ids []string
	for id := range rules {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	rules["hpa-memory"] = rules["hpa-on-memory"] // a former id
	return Known{
		Rule:       func(id string) (model.Meta, bool) { m, ok := rules[id]; return m, ok },
		IDs:        ids,
		Categories: []string{"affinity", "autoscaling", "resources"},
	}
}

func parse(text string) (*Config, error) {
	return Parse(source.NewFile(FileName, []byte(text)), known())
}

func TestParse(t *testing.T) {
	c, err := parse(`# agentlint
target:
  litellm: 1.102
  vllm: "0.29.0"
facts:
  postgres_max_connections: 200
  redis: true
  ingress_timeout_seconds: 0.5
  engine_replicas: {coder: 4, chat: 2}
  gpu_memory_gib: 80
profile: strict
rules:
  hpa-memory: off
  autoscaling/*: info
  many-workers-per-pod:
    severity: error
    workers: 4
  custom/eu-only: error
exclude: ["old/**"]
stacks:
  "deploy/*.yaml":
    facts: {gateway_replicas: 3}
ignore:
  - rule: session-affinity-missing
    files: config.yaml
    path: model_list[*].litellm_params
    reason: one replica is all we have
    until: 2027-03-31
  - rule: hpa-memory
    files: [a.yaml, "b/**"]
    reason: " measured "
baseline: .agentlint-baseline.json
`)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Targets: map[string]string{"litellm": "1.102", "vllm": "0.29.0"},
		Facts: map[string]any{
			"postgres_max_connections": int64(200), "redis": true, "ingress_timeout_seconds": 0.5,
			"engine_replicas": map[string]any{"coder": int64(4), "chat": int64(2)}, "gpu_memory_gib": int64(80),
		},
		StackFacts: map[string]map[string]any{"deploy/*.yaml": {"gateway_replicas": int64(3)}},
		Profile:    "strict",
		Severities: map[string]engine.Level{
			"hpa-on-memory": {Off: true}, "autoscaling/*": {Severity: model.Info},
			"many-workers-per-pod": {Severity: model.Error}, "custom/eu-only": {Severity: model.Error},
		},
		Parameters: map[string]map[string]float64{"many-workers-per-pod": {"workers": 4}},
		Exclude:    []string{"old/**"},
		Baseline:   ".agentlint-baseline.json",
	}
	ignores := c.Ignores
	c.Ignores = nil
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	if len(ignores) != 2 {
		t.Fatalf("%d ignores", len(ignores))
	}
	first := ignores[0]
	if at := first.Place.File.Position(first.Place.Span.Start); at.Line != 24 || at.Column != 11 {
		t.Errorf("the first entry stands at %d:%d, want 24:11", at.Line, at.Column)
	}
	if !reflect.DeepEqual(first.Place.Path, []any{"ignore", 0, "rule"}) {
		t.Errorf("its path is %v", first.Place.Path)
	}
	first.Place = model.Location{}
	if want := (engine.Ignore{Rule: "session-affinity-missing", Files: []string{"config.yaml"}, Path: "model_list[*].litellm_params", Reason: "one replica is all we have", Until: "2027-03-31"}); !reflect.DeepEqual(first, want) {
		t.Errorf("got %+v, want %+v", first, want)
	}
	if s := ignores[1]; s.Rule != "hpa-on-memory" || s.Reason != "measured" || len(s.Files) != 2 {
		t.Errorf("second entry is %+v", s)
	}
}

func TestParseEmpty(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "facts:\nrules:\nignore:\nstacks:\ntarget:\nexclude:\n", "---\n"} {
		c, err := parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if len(c.Facts)+len(c.Severities)+len(c.Ignores)+len(c.Targets) > 0 {
			t.Errorf("%q: %+v", text, c)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", "profil: strict\n", `1:1: unknown key "profil" (did you mean "profile"?)`},
		{"unknown key without neighbour", "xyzzy: 1\n", `1:1: unknown key "xyzzy"`},
		{"unknown fact", "facts:\n  postgres_max_conections: 100\n", `2:3: facts: unknown fact "postgres_max_conections" (did you mean "postgres_max_connections"?)`},
		{"unknown product", "target: {litelm: 1.102.0}\n", `1:10: target: unknown product "litelm" (did you mean "litellm"?)`},
		{"bad version", "target: {litellm: latest}\n", `1:19: target.litellm: want a version such as 1.102.0, found "latest"`},
		{"version of seven numbers", "target: {litellm: 1.2.3.4.5.6.7}\n", `1:19: target.litellm: version "1.2.3.4.5.6.7": more than six numbers`},
		{"wrong type", "facts:\n  redis: \"yes\"\n", `2:10: facts.redis: want true or false, found the text "yes"`},
		{"number as text", "facts: {gateway_workers: \"4\"}\n", `1:26: facts.gateway_workers: want a whole number, found the text "4"`},
		{"fraction", "facts: {gateway_workers: 1.5}\n", `1:26: facts.gateway_workers: want a whole number, found 1.5`},
		{"out of range", "facts: {gateway_workers: 0}\n", `1:26: facts.gateway_workers: want at least 1, found 0`},
		{"not above", "facts: {gpu_memory_gib: 0}\n", `1:25: facts.gpu_memory_gib: want more than 0, found 0`},
		{"not a number", "facts: {gpu_memory_gib: .nan}\n", `1:25: facts.gpu_memory_gib: want a finite number`},
		{"keyed where it may not be", "facts: {gateway_workers: {a: 1}}\n", `1:26: facts.gateway_workers: want a whole number, found a map`},
		{"keyed with wrong type", "facts: {engine_replicas: {a: b}}\n", `1:30: facts.engine_replicas.a: want a whole number, found the text "b"`},
		{"unknown gpu", "facts: {gpu: abacus}\n", `1:14: facts.gpu: unknown GPU "abacus"`},
		{"profile", "profile: strikt\n", `1:10: profile: want one of "default", "agentic", "strict", found "strikt" (did you mean "strict"?)`},
		{"unknown rule", "rules: {hpa-on-memori: off}\n", `1:9: rules: unknown rule "hpa-on-memori" (did you mean "hpa-on-memory"?)`},
		{"unknown category", "rules: {autoscalin/*: off}\n", `1:9: rules: unknown category "autoscalin" (did you mean "autoscaling"?)`},
		{"rule id of wrong form", "rules: {HPA: off}\n", `1:9: rules: want a rule id or category/*, found "HPA"`},
		{"severity", "rules: {hpa-on-memory: warn}\n", `1:24: rules.hpa-on-memory: want one of "off", "info", "warning", "error", found "warn"`},
		{"severity as boolean", "rules: {hpa-on-memory: false}\n", `1:24: rules.hpa-on-memory: want one of "off", "info", "warning", "error", found false`},
		{"no parameters", "rules: {hpa-on-memory: {x: 1}}\n", `1:25: rules.hpa-on-memory: rule hpa-on-memory has no parameters`},
		{"unknown parameter", "rules: {many-workers-per-pod: {worker: 1}}\n", `1:32: rules.many-workers-per-pod: unknown parameter "worker" (did you mean "workers"?)`},
		{"parameters of a category", "rules: {autoscaling/*: {x: 1}}\n", `1:25: rules["autoscaling/*"]: a category has no parameters`},
		{"ignore without reason", "ignore:\n  - rule: hpa-on-memory\n", `2:5: ignore[0]: key "reason" is missing`},
		{"blank reason", "ignore: [{rule: hpa-on-memory, reason: ' '}]\n", `1:40: ignore[0].reason: is empty`},
		{"ignore of unknown rule", "ignore: [{rule: hpa, reason: x}]\n", `1:17: ignore[0].rule: unknown rule "hpa"`},
		{"ignore of a category", "ignore: [{rule: 'autoscaling/*', reason: x}]\n", `1:17: ignore[0].rule: want a rule id, found "autoscaling/*"`},
		{"date of wrong form", "ignore: [{rule: hpa-on-memory, reason: x, until: 31.3.2027}]\n", `1:50: ignore[0].until: want a date as YYYY-MM-DD, found "31.3.2027"`},
		{"no such day", "ignore: [{rule: hpa-on-memory, reason: x, until: 2027-02-30}]\n", `1:50: ignore[0].until: 2027-02-30 is no date`},
		{"bad path", "ignore: [{rule: hpa-on-memory, reason: x, path: 'a[b'}]\n", `1:49: ignore[0].path: path "a[b": missing ] at character 2`},
		{"bad glob", "exclude: ['a[']\n", `1:11: exclude[0]: "a[" is no pattern`},
		{"baseline outside", "baseline: ../theirs\n", `1:11: baseline: "../theirs" leaves the folder of this file`},
		{"absolute baseline", "baseline: /tmp/x\n", `1:11: baseline: "/tmp/x" leaves the folder of this file`},
		{"list for a map", "facts: []\n", `1:8: facts: want a map, found a list`},
		{"text for the file", "hello\n", `1:1: want a map, found the text "hello"`},
		{"key twice", "profile: strict\nprofile: default\n", `2:1: key "profile" is written twice`},
		{"two documents", "profile: strict\n---\nprofile: default\n", `3:1: only one document is read, this is the second`},
		{"tag", "profile: !env X\n", `1:10: profile: tags have no meaning here, found !env`},
		{"not yaml", "facts: {\n", "1:8: "},
		{"several", "profil: x\nfacts:\n  redi: true\n", "1:1: unknown key \"profil\" (did you mean \"profile\"?)\n.agentlint.yaml:3:3: facts: unknown fact \"redi\" (did you mean \"redis\"?)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse(c.text)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error is %v", err)
			}
			want := ".agentlint.yaml:" + c.want
			if strings.HasSuffix(c.want, " ") {
				if !strings.HasPrefix(err.Error(), want) {
					t.Errorf("got %s, want the start %s", err, want)
				}
			} else if err.Error() != want {
				t.Errorf("got\n%s\nwant\n%s", err, want)
			}
		})
	}
}

func TestAnchorsAndMergeKeys(t *testing.T) {
	c, err := parse("facts: &f\n  gateway_replicas: 2\nstacks:\n  a: {facts: *f}\n  b:\n    facts:\n      <<: *f\n      gateway_workers: 4\n")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]any{"a": {"gateway_replicas": int64(2)}, "b": {"gateway_workers": int64(4), "gateway_replicas": int64(2)}}
	if !reflect.DeepEqual(c.StackFacts, want) {
		t.Errorf("got %v", c.StackFacts)
	}
}

func TestCyclicAliasEnds(t *testing.T) {
	if _, err := parse("facts: &f\n  engine_replicas: *f\n"); err == nil {
		t.Error("a cyclic configuration was accepted")
	}
}

func TestParseFacts(t *testing.T) {
	got, err := ParseFacts([]string{"postgres_max_connections=200", "redis=false", "engine_replicas.coder=4", "engine_replicas.chat=2", "gpu_memory_gib=79.6"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"postgres_max_connections": int64(200), "redis": false, "engine_replicas": map[string]any{"coder": int64(4), "chat": int64(2)}, "gpu_memory_gib": 79.6}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	for arg, want := range map[string]string{
		"postgres_max_conections=1": `unknown fact "postgres_max_conections" (did you mean "postgres_max_connections"?)`,
		"redis":                     "fact redis: want redis=VALUE",
		"redis=maybe":               `fact redis: want true or false, found the text "maybe"`,
		"gateway_workers.a=1":       "fact gateway_workers: only facts of engines take a name after the dot",
		"gateway_workers=":          "fact gateway_workers: want a whole number, found nothing",
		"gateway_workers=-1":        "fact gateway_workers: want at least 1, found -1",
		"gpu=abacus":                `fact gpu: unknown GPU "abacus"`,
	} {
		if _, err := ParseFacts([]string{arg}); err == nil || err.Error() != want {
			t.Errorf("%s: error is %v, want %s", arg, err, want)
		}
	}
}

func TestGPUsOfTheTable(t *testing.T) {
	for _, g := range knowledge.GPUs() {
		if _, err := ParseFacts([]string{"gpu.coder=" + g.Name}); err != nil {
			t.Error(err)
		}
	}
}

func TestParseTargets(t *testing.T) {
	got, err := ParseTargets("litellm=1.102, vllm=0.29,")
	if err != nil || !reflect.DeepEqual(got, map[string]string{"litellm": "1.102", "vllm": "0.29"}) {
		t.Errorf("got %v, %v", got, err)
	}
	for arg, want := range map[string]string{
		"litelm=1":     `unknown product "litelm" (did you mean "litellm"?)`,
		"litellm":      "target litellm: want litellm=VERSION",
		"litellm=next": `target litellm: version "next": no release number (the newest release that is known is ` + knowledge.LiteLLM.Newest().String() + ")",
	} {
		if _, err := ParseTargets(arg); err == nil || err.Error() != want {
			t.Errorf("%s: error is %v, want %s", arg, err, want)
		}
	}
}
