package policy

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"agentlint/internal/model"
)

// customSource is a policy out of the rules of its body; its first rule stands in line 10.
func customSource(pkg, body string) string {
	return `# METADATA
# title: Test
# description: Why
# custom:
#   severity: warning
#   severities: [info]
#   remedy: Mend it
#   messages: {main: "value {v}"}
package agentlint.custom.` + pkg + "\n" + body + "\n"
}

func loadCustom(t testing.TB, sources ...string) (*Custom, error) {
	t.Helper()
	var files []File
	for i, src := range sources {
		name := fmt.Sprintf("policies/p_%d.rego", i)
		files = append(files, File{Name: name, Path: strings.TrimPrefix(name, "policies/"), Text: src})
	}
	return LoadCustom(context.Background(), files, CustomOptions{Advise: true})
}

func TestLoadCustomProblems(t *testing.T) {
	const finding = "\nfindings contains {\"at\": [\"gateway\"], \"args\": {\"v\": 1}}"
	lib := "import data.agentlint.lib\n"
	for _, c := range []struct {
		name, src, want string
	}{
		{"wrong path", customSource("a.b", "findings contains {\"at\": [\"gateway\"], \"args\": {\"v\": 1}} if input.gateway.rplicas.max > 3"),
			`policies/p_0.rego:10:74: input.gateway has no "rplicas" (did you mean "replicas"?)`},
		{"wrong path of a variable", customSource("a.b", "findings contains {\"at\": [\"engines\", i], \"args\": {\"v\": 1}} if {\n\tsome i, engine in input.engines\n\tengine.argz\n}"),
			`policies/p_0.rego:12:9: engine has no "argz" (did you mean "args"?)`},
		{"wrong part", customSource("a.b", "x := input.gatway"+finding), `policies/p_0.rego:10:12: input has no "gatway" (did you mean "gateway"?)`},
		{"wrong path of a verb", customSource("a.b", lib+"x if lib.absent([\"gateway\", \"rplicas\"])"+finding), `policies/p_0.rego:11:29: gateway has no "rplicas" (did you mean "replicas"?)`},
		{"wrong path of a verb's prefix", customSource("a.b", lib+"x if lib.value(array.concat([\"gateway\", \"cofig\"], [\"a\"]), 1) == 1"+finding), `policies/p_0.rego:11:41: gateway has no "cofig" (did you mean "config"?)`},
		{"wrong place", customSource("a.b", "findings contains {\"at\": [\"engines\", i, \"imgae\"], \"args\": {\"v\": 1}} if some i, _ in input.engines"),
			`policies/p_0.rego:10:41: engines[_] has no "imgae" (did you mean "image"?)`},
		{"index of a map", customSource("a.b", "findings contains {\"at\": [\"gateway\", 0, \"x\"], \"args\": {\"v\": 1}}"), ""},
		{"key of a list", customSource("a.b", "findings contains {\"at\": [\"engines\", \"a\"], \"args\": {\"v\": 1}}"), `policies/p_0.rego:10:38: engines has no a: it is a list`},
		{"free part", customSource("a.b", "x := input.gateway.config.what.ever"+finding), ""},
		{"library", customSource("a.b", lib+"x if lib.abset([\"gateway\"])"+finding), `policies/p_0.rego:11:10: the library has no rule "abset" (did you mean "absent"?)`},
		{"library by import", customSource("a.b", "import data.agentlint.lib.abset\nx := abset"+finding), `policies/p_0.rego:10:27: the library has no rule "abset" (did you mean "absent"?)`},
		{"network", customSource("a.b", `x := http.send({"method": "get", "url": "http://localhost"})`+finding), `policies/p_0.rego:10:6: http.send is not available: policies have no network`},
		{"clock", customSource("a.b", `x := time.now_ns()`+finding), `policies/p_0.rego:10:6: time.now_ns is not available`},
		{"runtime", customSource("a.b", `x := opa.runtime()`+finding), `policies/p_0.rego:10:6: opa.runtime is not available`},
		{"builtin", customSource("a.b", `x if startwith("a", "b")`+finding), `policies/p_0.rego:10:6: undefined function startwith (did you mean "startswith"?)`},
		{"own rule", customSource("a.b", `x := data.agentlint.custom.a.b.y`+finding), `there is no such rule, package or document (did you mean "agentlint.custom.a.b.x"?)`},
		{"built-in rules", customSource("a.b", `x := data.agentlint.rules["hpa-on-memory"].findings`+finding), `policies/p_0.rego:10:6: data.agentlint.rules.hpa-on-memory.findings: policies see data.agentlint.lib`},
		{"all data", customSource("a.b", `x := data[y].z`+"\ny := \"a\""+finding), `write the name`},
		{"recursion", customSource("a.b", "x if y\ny if x"+finding), `is recursive`},
		{"syntax", customSource("a.b", "findings contains {"), `policies/p_0.rego:11: unexpected eof token`},
		{"v0", customSource("a.b", "deny[msg] { msg := \"x\" }"), "policies are Rego v1"},
		{"no METADATA", "package agentlint.custom.a.b\n" + finding, `policies/p_0.rego:1:1: METADATA is missing above the package clause`},
		{"METADATA of a rule", "package agentlint.custom.a.b\n# METADATA\n# title: x" + finding, `policies/p_0.rego:1:1: METADATA is missing above the package clause`},
		{"broken METADATA", strings.Replace(customSource("a.b", finding), "remedy: Mend it", "remedy: Mend: it", 1), `policies/p_0.rego:7:17: METADATA: mapping values are not allowed`},
		{"unknown key", strings.Replace(customSource("a.b", finding), "#   severity:", "#   sevrity:", 1), `policies/p_0.rego:5:5: METADATA: unknown key "sevrity" (did you mean "severity"?)`},
		{"unknown severity", strings.Replace(customSource("a.b", finding), "severity: warning", "severity: warn", 1), `policies/p_0.rego:5:15: METADATA: "warn" is not a known name: want one of error, warning, info`},
		{"missing fields", strings.Replace(strings.Replace(customSource("a.b", finding), "# title: Test\n", "", 1), "#   remedy: Mend it\n", "", 1), `policies/p_0.rego:1:1: METADATA: title, remedy are missing`},
		{"category", strings.Replace(customSource("a.b", finding), "# custom:\n", "# custom:\n#   category: c\n", 1), `policies/p_0.rego:5:5: METADATA: category "c" is not that of package agentlint.custom.a.b`},
		{"inputs", strings.Replace(customSource("a.b", finding), "# custom:\n", "# custom:\n#   inputs: [gatway.config]\n", 1), `policies/p_0.rego:5:5: METADATA: inputs "gatway.config": the input has no "gatway" (did you mean "gateway"?)`},
		{"applies", strings.Replace(customSource("a.b", finding), "# custom:\n", "# custom:\n#   applies: [\"litellm>=x\"]\n", 1), `policies/p_0.rego:5:5: METADATA: applies:`},
		{"fix", strings.Replace(customSource("a.b", finding), "# custom:\n", "# custom:\n#   fix: {safety: unsafe, title: do it}\n", 1), `an unsafe fix needs the question`},
		{"package", strings.Replace(customSource("a.b", finding), "agentlint.custom.a.b", "main", 1), `policies/p_0.rego:9:1: package main: policies live under agentlint.custom.<category>, such as agentlint.custom.images.p-0`},
		{"package of agentlint", strings.Replace(customSource("a.b", finding), "agentlint.custom.a.b", "agentlint.lib", 1), `package agentlint.lib is agentlint's own`},
		{"no category", strings.Replace(customSource("a.b", finding), "agentlint.custom.a.b", "agentlint.custom", 1), `has no category`},
		{"id", customSource(`a["B c"]`, finding), `want lower-case words`},
		{"no findings", customSource("a.b", "deny contains \"x\""), `the policy has no findings (it has deny: agentlint asks for findings)`},
		{"complete rule", customSource("a.b", "findings := [1]"), `policies/p_0.rego:10:1: findings must be a set`},
		{"huge number", customSource("a.b", "x := 1e999999999"+finding), `policies/p_0.rego:10:6: unexpected number token`},
		{"huge file", customSource("a.b", strings.Repeat("# x\n", 100_000)), `the file is larger than 256 KiB`},
		{"binary", customSource("a.b", "x := \"\xff\""), `the file is no UTF-8 text`},
		{"deep", customSource("a.b", "x := "+strings.Repeat("[", 60_000)+strings.Repeat("]", 60_000)), `policies/p_0.rego:10:`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := loadCustom(t, c.src)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("unexpected %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestLoadCustomTogether(t *testing.T) {
	const finding = "findings contains {\"at\": [\"gateway\"], \"args\": {\"v\": helper.x}} if helper.x"
	helper := "package agentlint.custom.helper\nx := data.agentlint.custom.limits.most\n"
	one := customSource("images.one_two", "import data.agentlint.custom.helper\n"+finding)
	data := File{Name: "policies/data.json", Path: "data.json", Data: map[string]any{"agentlint": map[string]any{"custom": map[string]any{"limits": map[string]any{"most": 7}}}}}
	files := []File{{Name: "a.rego", Path: "a.rego", Text: helper}, {Name: "b.rego", Path: "b.rego", Text: one}, data}
	c, err := LoadCustom(context.Background(), files, CustomOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := c.Run(context.Background(), stackOf(m{"gateway": m{}, "stack": m{}}), c.Policies(), nil, Occasion{})
	if got := show(out); got != "custom/one-two warning gateway: value 7\n" {
		t.Errorf("got %q", got)
	}
	if m := c.Meta("custom/one-two"); m == nil || m.Category != "images" || m.Confidence != model.High {
		t.Errorf("metadata %+v", m)
	}
	for _, other := range []struct {
		file File
		want string
	}{
		{File{Name: "c.rego", Text: customSource("limits.one_two", finding)}, "there are two policies with the id custom/one-two: the other one is b.rego"},
		{File{Name: "c.rego", Text: customSource("images.one_two", finding)}, "holds the policy of b.rego already"},
		{File{Name: "x/data.json", Path: "x/data.json", Data: map[string]any{}}, "documents live under data.agentlint.custom"},
		{File{Name: "data.json", Path: "data.json", Data: map[string]any{"agentlint": map[string]any{"lib": 1}}}, "agentlint's own"},
		{File{Name: "d/data.json", Path: "agentlint/custom/data.json", Data: map[string]any{"limits": 8}}, "two documents say different things"},
		{File{Name: "a.rego", Text: helper}, "a.rego: is given twice"},
	} {
		if _, err := LoadCustom(context.Background(), append(files[:len(files):len(files)], other.file), CustomOptions{}); err == nil || !strings.Contains(err.Error(), other.want) {
			t.Errorf("got %v, want %s", err, other.want)
		}
	}
}

func TestAdvice(t *testing.T) {
	_, err := loadCustom(t, strings.Replace(customSource("a.b", `import data.agentlint.lib
findings contains {"at": ["gateway"], "args": {"v": 1}} if not input.gateway.redis
spare := 1`), `messages: {main: "value {v}"}`, `messages: {main: "value {v}", other: x}
#   applies: ["litellm<0.1"]
#   parameters: [{name: most, default: 1, why: x}]
#   fix: {safety: safe, title: do it}`, 1))
	if err == nil || !strings.Contains(err.Error(), `input.gateway has no "redis"`) {
		t.Fatalf("%v", err)
	}
	c, err := loadCustom(t, strings.Replace(customSource("a.b", `import data.agentlint.lib
findings contains {"at": ["gateway"], "args": {"v": 1}} if not input.gateway.image
spare := lib.workers`), `messages: {main: "value {v}"}`, `messages: {main: "value {v}", other: x}
#   applies: ["litellm<0.1"]
#   parameters: [{name: most, default: 1, why: x}]
#   fix: {safety: safe, title: do it}`, 1))
	if err != nil {
		t.Fatal(err)
	}
	got := c.Advice.Error()
	for _, want := range []string{"not on a part of the input: use lib.absent", "nothing uses spare", `no finding has the message "other"`, "no release of litellm", `does not read its parameter "most"`, "no finding has a fix"} {
		if !strings.Contains(got, want) {
			t.Errorf("advice lacks %s:\n%s", want, got)
		}
	}
}

// Policies that would never end, or fill the memory, end with an error that names them, and hide nothing.
func TestCustomBounds(t *testing.T) {
	finding := "\nfindings contains {\"at\": [\"gateway\"], \"args\": {\"v\": 1}} if x == 0"
	text := "\nfindings contains {\"at\": [\"gateway\"], \"args\": {\"v\": 1}} if contains(x, \"zz\")"
	for _, c := range []struct{ name, body, want string }{
		{"steps", "x := count([1 | some i in numbers.range(1, 3000); some j in numbers.range(1, 3000)])" + finding, "evaluation took more than 1000000 steps"},
		{"range", "x := count(numbers.range(1, 1000000000))" + finding, "evaluation took more than 1000000 steps"},
		{"memory", "x := count([y | some i in numbers.range(1, 1000); some j in numbers.range(1, 100); y := sprintf(\"%s%d%d\", [\"" + strings.Repeat("x", 20000) + "\", i, j])])" + finding, "memory"},
		{"concat", doubled(`"aaaaaaaa"`, `concat("", [PREV, PREV])`) + text, "concat: it would make a value that is too large"},
		{"sprintf", doubled(`"aaaaaaaa"`, `sprintf("%s%s", [PREV, PREV])`) + text, "sprintf: it would make a value that is too large"},
		{"sprintf width", `x := sprintf("%999999d", [1])` + text, "sprintf: it would make a value that is too large"},
		{"replace", doubled(`"aaaaaaaa"`, `replace(PREV, "a", "aa")`) + text, "more than 1000000 steps"},
		{"array.concat", doubled(`[1, 2, 3]`, `array.concat(PREV, PREV)`) + "\nfindings contains {\"at\": [\"gateway\"], \"args\": {\"v\": 1}} if count(x) == -1", "array.concat: it would make a value that is too large"},
		{"json.marshal", doubled(`input.gateway.config.a`, `[PREV | some _ in [1, 2]]`) + "\nz := json.marshal(x)\nfindings contains {\"at\": [\"gateway\"], \"args\": {\"v\": z}}", "json.marshal: it would make a value that is too large"},
		{"number", `x := floor(to_number(concat("", ["1e", "99999999"])))` + finding, "the number is too large"},
		{"shared findings", doubled(`input.gateway.config.a`, `[PREV | some _ in [1, 2]]`) + "\nfindings contains {\"at\": [\"gateway\"], \"args\": {\"v\": x}}", "its findings are too large"},
		{"many", `findings contains {"at": ["gateway"], "args": {"v": i}} if some i in numbers.range(1, 2000)`, "more than 1000 findings"},
		{"conflict", "x := i if some i in [1, 2]\nfindings contains {\"at\": [\"gateway\"], \"args\": {\"v\": x}}", "produced conflicting values"},
		{"no object", `findings contains 1`, "finding 1 is no object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			budget := Budget{Time: time.Minute, Memory: DefaultCustomBudget().Memory}
			if c.name == "memory" {
				budget.Memory = 64 << 20
			}
			bounded(t, c.body, c.want, budget)
		})
	}
}

// A policy that the interpreter cannot stop is named, and hides nothing.
func TestCustomRunsOn(t *testing.T) {
	if !alone(t) {
		return
	}
	twice := doubled(`input.gateway.config.a`, `[PREV | some _ in [1, 2]]`)
	again := strings.ReplaceAll(doubled(`input.gateway.config["a"]`, `[PREV | some _ in [1, 2]]`), "x", "y")
	bounded(t, twice+"\n"+again+"\nfindings contains {\"at\": [\"gateway\"], \"args\": {\"v\": 1}} if x < y",
		"evaluation took more than 1s and does not stop", Budget{Time: time.Second, Memory: DefaultCustomBudget().Memory})
}

// doubled returns rules x0 to x60 and x, of which each takes the place of PREV in the next.
func doubled(first, next string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "x0 := %s\n", first)
	for i := range 60 {
		b.WriteString(strings.ReplaceAll(fmt.Sprintf("x%d := %s\n", i+1, next), "PREV", fmt.Sprintf("x%d", i)))
	}
	b.WriteString("x := x60")
	return b.String()
}

// bounded runs a policy that ends with an error beside one that has a finding.
func bounded(t *testing.T, body, want string, budget Budget) {
	t.Helper()
	good := customSource("a.good", `findings contains {"at": ["gateway"], "args": {"v": 1}}`)
	set, err := LoadCustom(context.Background(), []File{{Name: "good.rego", Text: good}, {Name: "bad.rego", Text: customSource("a.bad", body)}}, CustomOptions{Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	out := set.Run(context.Background(), stackOf(m{"gateway": m{"config": m{"a": 1}}, "stack": m{}}), set.Policies(), nil, Occasion{})
	if len(out) != 2 || show(out) != "custom/bad error\ncustom/good warning gateway: value 1\n" {
		t.Fatalf("got %s", show(out))
	}
	if err := out[0].Err.Error(); !strings.Contains(err, "policy custom/bad: ") || !strings.Contains(err, want) {
		t.Errorf("error %q, want %q", err, want)
	}
}

// alone runs the test again in a process of its own, and returns true there: what such a test starts would take its
// processor from all tests after it, since it never stops.
func alone(t *testing.T) bool {
	t.Helper()
	const variable = "AGENTLINT_TEST_ALONE"
	if os.Getenv(variable) == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// A policy that keeps the compiler busy for ever is named.
func TestCustomCompileBound(t *testing.T) {
	if !alone(t) {
		return
	}
	var b strings.Builder
	b.WriteString("x0 := [1]\n")
	for i := range 60 {
		fmt.Fprintf(&b, "x%d := [x%d, x%d]\n", i+1, i, i)
	}
	bad := customSource("a.bad", b.String()+`findings contains {"at": ["gateway"], "args": {"v": x60}}`)
	good := customSource("a.good", `findings contains {"at": ["gateway"], "args": {"v": 1}}`)
	_, err := LoadCustom(context.Background(), []File{{Name: "p_0.rego", Text: good}, {Name: "p_1.rego", Text: bad}}, CustomOptions{loadTime: time.Second})
	if err == nil || err.Error() != "p_1.rego: cannot be compiled: that takes more than 1s" {
		t.Errorf("got %v", err)
	}
}
