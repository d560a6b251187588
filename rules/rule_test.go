package rules

import (
	"slices"
	"strings"
	"testing"

	"agentlint/internal/model"
)

// tree builds a value from plain Go values; unknown{} stands for a value that the files do not show.
func tree(x any) *model.Value {
	switch x := x.(type) {
	case unknown:
		return model.NewUnknown(model.Origin{})
	case string:
		return model.NewText(x, model.Origin{})
	case int:
		return model.NewInt(int64(x), model.Origin{})
	case bool:
		return model.NewBool(x, model.Origin{})
	case []any:
		l := model.NewList(model.Origin{})
		for _, y := range x {
			l.Append(tree(y))
		}
		return l
	case map[string]any:
		m := model.NewMap(model.Origin{})
		for _, k := range slices.Sorted(mapKeys(x)) {
			m.Set(k, tree(x[k]))
		}
		return m
	}
	panic("no value of this type in trees")
}

type unknown struct{}

func mapKeys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func stackOf(x map[string]any) *model.Stack { return &model.Stack{Name: "test", Root: tree(x)} }

func meta() model.Meta {
	return model.Meta{
		ID: "sample-rule", Title: "Sample", Category: "routing", Severity: model.Warning, Confidence: model.High,
		Severities: []model.Severity{model.Info}, Inputs: []string{"gateway.config"}, Fix: model.Safe, FixTitle: "do it",
		Parameters: []model.Parameter{{Name: "limit", Default: 10, Why: "because"}},
	}
}

func TestRun(t *testing.T) {
	at := model.Path{"gateway", "config", "a"}
	s := stackOf(map[string]any{"gateway": map[string]any{"config": map[string]any{"a": 1}}})
	for _, c := range []struct {
		name  string
		check func(*Pass)
		want  string // severities and messages, or the error's text
		err   string
	}{
		{"finding", func(p *Pass) { p.Report(at, "limit %v", p.Param("limit")) }, "warning limit 7", ""},
		{"lowered", func(p *Pass) { p.Report(at, "x").Severity(model.Info) }, "info x", ""},
		{"undecided", func(p *Pass) { p.Report(at, "x").Severity(model.Info).Needs("redis") }, "undecided x", ""},
		{"severity not listed", func(p *Pass) { p.Report(at, "x").Severity(model.Error); p.Report(at, "y") }, "warning y", "severity error"},
		{"panic keeps findings", func(p *Pass) { p.Report(at, "x"); panic("boom") }, "warning x", "boom"},
		{"parameter not declared", func(p *Pass) { p.Param("other") }, "", "parameter other"},
		{"line break", func(p *Pass) { p.Report(at, "a\nb") }, "warning a b", ""},
		{"no path", func(p *Pass) { p.Report(nil, "a") }, "", "without a path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := prepare(Rule{Meta: meta(), Check: c.check})
			out := r.Run(s, map[string]float64{"limit": 7})
			var got []string
			for _, f := range out.Findings {
				got = append(got, f.Severity.String()+" "+f.Message)
			}
			if g := strings.Join(got, "; "); g != c.want {
				t.Errorf("findings %q, want %q", g, c.want)
			}
			if (out.Err == nil) != (c.err == "") || out.Err != nil && !strings.Contains(out.Err.Error(), c.err) {
				t.Errorf("error %v, want %q", out.Err, c.err)
			}
		})
	}
}

func TestFixDefaults(t *testing.T) {
	at := model.Path{"gateway", "config", "a"}
	s := stackOf(map[string]any{"gateway": map[string]any{"config": map[string]any{"a": 1}}})
	r := prepare(Rule{Meta: meta(), Check: func(p *Pass) {
		p.Report(at, "x").Fix(model.Fix{Ops: []model.Op{model.Set(at, 2)}})
	}})
	out := r.Run(s, nil)
	if out.Err != nil || len(out.Findings) != 1 || len(out.Findings[0].Fixes) != 1 {
		t.Fatalf("outcome %+v", out)
	}
	if f := out.Findings[0].Fixes[0]; f.Title != "do it" || f.Safety != model.Safe {
		t.Errorf("fix %+v", f)
	}
}

func TestPartVerbs(t *testing.T) {
	s := stackOf(map[string]any{
		"gateway": map[string]any{
			"config": map[string]any{"model_list": []any{map[string]any{"model_name": "a"}, unknown{}}},
		},
		"engines": []any{
			map[string]any{"runtime": "vllm", "version": "0.8.0", "args": map[string]any{"model": unknown{}}},
			map[string]any{"runtime": "vllm", "version": "0.29.0", "args": map[string]any{}},
		},
	})
	m := meta()
	m.Applies = []string{"vllm>=0.9"}
	var engines, entries int
	r := prepare(Rule{Meta: m, Check: func(p *Pass) {
		for e := range p.Engines() {
			engines++
			if e.Index != 1 || e.Path().String() != "engines[1]" || !e.AtLeast("0.29") || e.AtLeast("0.30") || !e.Absent("args", "model") {
				t.Errorf("engine %s %s", e.Path(), e.Version())
			}
		}
		for e := range p.Parts("engines") {
			if e.Index == 0 && (e.State("args", "model") != model.Unseen || e.Get("args", "model") != nil) {
				t.Error("unknown argument is not unseen")
			}
		}
		for m := range p.ModelList() {
			entries++
			if name, _ := m.Text("model_name"); name != "a" {
				t.Errorf("entry %d", m.Index)
			}
		}
		p.Report(model.Path{"engines", 0}, "too old")
	}})
	out := r.Run(s, nil)
	if engines != 1 || entries != 1 || out.Err != nil {
		t.Errorf("%d engines, %d entries, error %v", engines, entries, out.Err)
	}
	if len(out.Findings) != 0 {
		t.Error("a finding about an engine out of range was kept")
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		gateway map[string]any
		want    string
	}{
		{map[string]any{"workers": 4, "replicas": map[string]any{"min": 1, "max": 3}}, "12"},
		{map[string]any{"workers": unknown{}, "replicas": map[string]any{"max": 3}}, "at least 3"},
		{map[string]any{"workers": 4}, "4"},
		{map[string]any{"workers": 4, "replicas": unknown{}}, "at least 4"},
	} {
		p := &Pass{Stack: stackOf(map[string]any{"gateway": c.gateway})}
		if got := p.Processes().String(); got != c.want {
			t.Errorf("%v: %s, want %s", c.gateway, got, c.want)
		}
	}
}
