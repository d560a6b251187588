package model

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
)

func obj(kv ...any) *Value {
	m := NewMap(Origin{})
	for i := 0; i < len(kv); i += 2 {
		v, ok := kv[i+1].(*Value)
		if s, text := kv[i+1].(string); text {
			v, ok = NewText(s, Origin{}), true
		}
		if !ok {
			panic("neither a value nor a text")
		}
		m.Set(kv[i].(string), v)
	}
	return m
}

func list(items ...*Value) *Value { return NewList(Origin{}, items...) }

func open(v *Value) *Value { v.Open = true; return v }

func TestGate(t *testing.T) {
	unk := NewUnknown(Origin{})
	stack := func(root *Value) *Stack { return &Stack{Root: root} }
	engines := func(versions ...string) *Value {
		l := list()
		for _, v := range versions {
			l.Append(obj("runtime", "vllm", "version", v, "args", obj("model", "m")))
		}
		return obj("engines", l)
	}
	gateway := func(version string) *Value {
		return obj("gateway", obj("version", version, "config", obj("a", obj("b", "c"))))
	}
	for _, c := range []struct {
		name                  string
		root                  *Value
		inputs, when, applies []string
		want                  bool
	}{
		{"input there", gateway("1.2.3"), []string{"gateway.config"}, nil, nil, true},
		{"input missing", engines(), []string{"gateway.config"}, nil, nil, false},
		{"empty list", engines(), []string{"engines"}, nil, nil, false},
		{"input unseen", obj("gateway", obj("config", unk)), []string{"gateway.config.x"}, nil, nil, true},
		{"input in open container", obj("gateway", obj("env", open(obj()))), []string{"gateway.env.X"}, nil, nil, true},
		{"engine.args", engines("0.9.0"), []string{"engine.args"}, nil, nil, true},
		{"engine.gpu", engines("0.9.0"), []string{"engine.gpu"}, nil, nil, false},
		{"one when holds", gateway("1.2.3"), []string{"gateway.config"}, []string{"gateway.config.x", "gateway.config.a.b"}, nil, true},
		{"no when holds", gateway("1.2.3"), []string{"gateway.config"}, []string{"gateway.config.x", "gateway.config.a.c"}, nil, false},
		{"when below a missing input", gateway("1.2.3"), []string{"engines"}, []string{"engine.args.model"}, nil, false},
		{"when below an empty input", engines(), []string{"engines"}, []string{"engine.args.model"}, nil, false},
		{"when is the input", engines(), []string{"engines"}, []string{"engines"}, nil, false},
		{"when elsewhere, input missing", gateway("1.2.3"), []string{"engines"}, []string{"gateway.config"}, nil, false},
		{"when of any engine", engines("0.9.0"), []string{"engines"}, []string{"engine.args.model"}, nil, true},
		{"when is a flag without a value", obj("engines", list(obj("args", obj("enforce-eager", list())))), []string{"engine.args"}, []string{"engine.args.enforce-eager"}, nil, true},
		{"when with star", engines("0.9.0"), []string{"engines"}, []string{"engines.*.env.X"}, nil, false},
		{"in range", gateway("1.101.0"), []string{"gateway"}, nil, []string{"litellm>=1.101"}, true},
		{"below range", gateway("1.100.9"), []string{"gateway"}, nil, []string{"litellm>=1.101"}, false},
		{"unreadable version is the newest", gateway("main"), []string{"gateway"}, nil, []string{"litellm>=1.101"}, true},
		{"unreadable version is the newest, upper bound", gateway("main"), []string{"gateway"}, nil, []string{"litellm<1.101"}, false},
		{"one engine in range", engines("0.8.0", "0.10.0"), []string{"engines"}, nil, []string{"vllm>=0.9"}, true},
		{"no engine in range", engines("0.8.0", "0.8.1"), []string{"engines"}, nil, []string{"vllm>=0.9"}, false},
		{"product without a part", gateway("1.2.3"), []string{"gateway"}, nil, []string{"dynamo>=1.3"}, true},
		{"both ranges must hold", gateway("1.100.0"), []string{"gateway"}, nil, []string{"litellm>=1.90", "litellm<1.100"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := NewGate(c.inputs, c.when, c.applies)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Open(stack(c.root)); got != c.want {
				t.Errorf("open %v", got)
			}
		})
	}
	g, _ := NewGate([]string{"engines"}, nil, []string{"vllm>=0.9"})
	s := stack(engines("0.8.0", "0.10.0"))
	if g.Covers(s, Path{"engines", 0, "args"}) || !g.Covers(s, Path{"engines", 1}) || !g.Covers(s, Path{"gateway"}) {
		t.Error("covers the wrong engine")
	}
	for _, bad := range [][3][]string{{nil, nil, nil}, {{"a..b"}, nil, nil}, {{"gateway"}, nil, []string{"litellm>1.x"}}} {
		if _, err := NewGate(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{6000: "6000", 0.8: "0.8", 1e6: "1000000", 2.5e9: "2500000000", 1.0 / 3: "0.333333", 1e-9: "1e-09", -4: "-4"} {
		if got := Number(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{"plain": "plain", "a\nb\x1b[0m": "a b [0m", "\u202egnp": " gnp", "\xff": "\ufffd"} {
		if got := Quote(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Quote(string(make([]byte, 500))); len([]rune(got)) != maxText+1 {
		t.Errorf("long text is %d characters", len([]rune(got)))
	}
}

func TestMetaCheck(t *testing.T) {
	good := Meta{
		ID: "a-b", Title: "T", Category: "c", Why: "w", Remedy: "r", Severity: Warning, Inputs: []string{"gateway"}, Since: "0.1",
		Evidence: []Evidence{{Artefact: "litellm 1.102.0", Checked: "2026-11-29"}},
	}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Meta){
		"id":       func(m *Meta) { m.ID = "A_b" },
		"title":    func(m *Meta) { m.Title = "T." },
		"why":      func(m *Meta) { m.Why = " " },
		"severity": func(m *Meta) { m.Severity = Undecided },
		"listed":   func(m *Meta) { m.Severities = []Severity{Warning} },
		"inputs":   func(m *Meta) { m.Inputs = nil },
		"fix":      func(m *Meta) { m.Fix = Safe },
		"question": func(m *Meta) { m.Fix, m.FixTitle = Unsafe, "x" },
		"evidence": func(m *Meta) { m.Evidence = nil },
		"message":  func(m *Meta) { m.Messages = map[string]string{"main": "x."} },
	} {
		m := good
		change(&m)
		if m.Check() == nil {
			t.Errorf("bad %s was accepted", name)
		}
	}
}

// What JSON cannot hold is left out of plain values and listed as unknown, as policies see it.
func TestPlainIsJSON(t *testing.T) {
	inf := NewFloat(math.Inf(1), Origin{})
	s := &Stack{Root: obj("a", inf, "b", list(inf, NewInt(1, Origin{})), "c", NewUnknown(Origin{}))}
	b, err := json.Marshal(s.Root.Plain())
	if err != nil || string(b) != `{"b":[null,1]}` {
		t.Errorf("%s, %v", b, err)
	}
	if got := fmt.Sprint(s.Unknown()); got != "[a b[0] c]" {
		t.Errorf("unknown %s", got)
	}
}
