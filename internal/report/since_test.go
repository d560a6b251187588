package report

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"agentlint/internal/engine"
	"agentlint/internal/git"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// compared is a deployment compared with itself and one finding fewer.
func compared(t *testing.T) *engine.Result {
	t.Helper()
	r, base := deployment(t), deployment(t)
	for _, f := range slices.Concat(r.Findings, base.Findings) {
		f.Fingerprint = f.FingerprintIn(f.File.Path)
	}
	if len(r.Findings) < 2 {
		t.Fatalf("%d findings", len(r.Findings))
	}
	r.Findings = r.Findings[1:]
	base.Findings = base.Findings[:len(base.Findings)-1]
	r.Compare(base, &engine.Change{Rev: "main", Lines: func(*source.File) []git.Lines { return nil }})
	r.KeepNew()
	limit := 97.0
	r.Since.Figures = append(r.Since.Figures, engine.FigureChange{Stack: "a|b", Rule: "x",
		Before: &model.Figure{Name: "connections", Value: 96, Unit: "connections", Limit: &limit}, After: &model.Figure{Name: "connections", Value: 240, Unit: "connections", Limit: &limit}})
	return r
}

func TestComparedJSONFollowsItsSchema(t *testing.T) {
	schema, err := jsonschema.Compile(filepath.FromSlash(schemaFile))
	if err != nil {
		t.Fatal(err)
	}
	r := compared(t)
	out := write(t, "json", r, Options{})
	validate(t, schema, out)
	d, err := Decode(out)
	if err != nil {
		t.Fatal(err)
	}
	if d.Since == nil || d.Since.New != 1 || len(d.Since.Fixed) != 1 || len(d.Since.Figures) != 1 {
		t.Errorf("since is %+v", d.Since)
	}
	for name, want := range map[string]string{"pretty": "since main: 1 new, 1 fixed", "markdown": "connections 96 -&gt; 240 of 97"} {
		if out := write(t, name, r, Options{}); !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s holds no %q:\n%s", name, want, out)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, bad := range []string{"", "null", "[]", "{}", `{"schema":"agentlint.findings/v2"}`, `{"schema":"agentlint.findings/v1","findings":[{"rule":"x"}]}`, `{"schema":"agentlint.findings/v1","findings":[{"start":{"line":2,"column":1},"end":{"line":1}}]}`, `{"schema":"agentlint.findings/v1","findings":[{"start":{"line":1,"column":1},"end":{"line":9223372036854775807}}]}`} {
		if _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// TestChangesMarkdownIsInert keeps text of files from acting in a comment.
func TestChangesMarkdownIsInert(t *testing.T) {
	const evil = "x`|</details><script>@all\n```\n![x](http://x)"
	one := 1.0
	c := &Changes{Rev: evil, Fixed: []ChangedPlace{{Rule: evil, File: evil, Message: evil}}, Figures: []FigureChange{{Stack: evil, Name: evil, Unit: evil, After: &one}},
		Diagrams: []Diagram{{Stack: evil, Before: evil, After: evil}}}
	var b bytes.Buffer
	b.WriteString(MarkdownText(c.Line()))
	c.WriteMarkdown(&b, map[string]bool{})
	text := b.String()
	before, _, _ := strings.Cut(text, "```mermaid")
	for _, bad := range []string{"<script", "@all", "![x]", "\n```\n!"} {
		if strings.Contains(strings.ReplaceAll(before, "`x|</details><script>@all\\n\\n![x](http://x)`", ""), bad) {
			t.Errorf("holds %q:\n%s", bad, text)
		}
	}
	if strings.Count(text, "```") != 4 {
		t.Errorf("a diagram left its fence:\n%s", text)
	}
}

func TestShape(t *testing.T) {
	stack := func(version string, replicas int64, engines ...string) *model.Stack {
		gateway := model.NewMap(model.Origin{})
		gateway.Set("version", model.NewText(version, model.Origin{}))
		r := model.NewMap(model.Origin{})
		r.Set("max", model.NewInt(replicas, model.Origin{}))
		gateway.Set("replicas", r)
		root := model.NewMap(model.Origin{})
		root.Set("gateway", gateway)
		list := model.NewList(model.Origin{})
		for _, e := range engines {
			m := model.NewMap(model.Origin{})
			m.Set("name", model.NewText(e, model.Origin{}))
			list.Append(m)
		}
		root.Set("engines", list)
		return &model.Stack{Name: "s", Root: root}
	}
	a := stack("1.102.0", 2, "chat")
	for _, c := range []struct {
		b       *model.Stack
		changed bool
	}{{stack("1.103.0", 4, "chat"), false}, {stack("1.102.0", 2, "chat", "embed"), true}, {stack("1.102.0", 2, "code"), true}, {nil, true}} {
		r := &engine.Result{Since: &engine.Since{Stacks: []engine.StackChange{{Name: "s", Before: a, After: c.b}}}}
		if got := len(ChangesOf(r).Diagrams) > 0; got != c.changed {
			t.Errorf("changed %v, want %v", got, c.changed)
		}
	}
}
