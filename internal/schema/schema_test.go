package schema

import (
	"bytes"
	"os"
	"testing"

	"agentlint/internal/model"
)

func TestInputIsPublished(t *testing.T) {
	const root = "../../"
	want, err := Input(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(root + InputFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run go run -C internal/gen ./schema", InputFile)
	}
}

func TestConform(t *testing.T) {
	o := model.Origin{}
	root := func(change func(gateway *model.Value)) *model.Value {
		v := model.NewMap(o)
		for _, list := range []string{"groups", "engines", "routers", "autoscalers", "probes", "services", "ingress", "scrapes", "queries", "prompts", "requirements", "files"} {
			v.Set(list, model.NewList(o))
		}
		v.Set("facts", model.NewMap(o))
		s := v.Child("stack")
		s.Set("name", model.NewText("x", o))
		s.Set("kind", model.NewText("config", o))
		s.Set("files", model.NewList(o))
		g := v.Child("gateway")
		for _, name := range []string{"name", "version", "version_source"} {
			g.Set(name, model.NewText("x", o))
		}
		for _, name := range []string{"settings", "env", "args"} {
			g.Set(name, model.NewMap(o))
		}
		g.Set("fragment", model.NewBool(false, o))
		g.Set("workers", model.NewInt(1, o))
		g.Set("siblings", model.NewList(o))
		g.Set("references", model.NewList(o))
		g.Set("fallbacks", model.NewList(o))
		change(g)
		return v
	}
	for name, c := range map[string]struct {
		change func(*model.Value)
		want   string
	}{
		"whole":         {func(*model.Value) {}, ""},
		"unknown value": {func(g *model.Value) { g.Set("workers", model.NewUnknown(o)) }, ""},
		"missing":       {func(g *model.Value) { g.Delete("workers") }, "gateway.workers: missing"},
		"open":          {func(g *model.Value) { g.Delete("workers"); g.Open = true }, ""},
		"wrong kind":    {func(g *model.Value) { g.Set("workers", model.NewText("4", o)) }, "gateway.workers: want a whole number"},
		"unknown key":   {func(g *model.Value) { g.Set("wrokers", model.NewInt(4, o)) }, "gateway.wrokers: not in the shape"},
		"in a map":      {func(g *model.Value) { g.Get("env").Set("A", model.NewInt(4, o)) }, "gateway.env.A: want a text"},
		"free":          {func(g *model.Value) { g.Set("config", model.NewMap(o)).Set("a", model.NewInt(4, o)) }, ""},
	} {
		got := ""
		if faults := Conform(root(c.change)); len(faults) > 0 {
			got = faults[0]
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
