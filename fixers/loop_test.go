package fixers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// toyRule finds something in the mirror of all files, which stand under their names.
type toyRule struct {
	id       string
	severity model.Severity
	safety   model.Safety
	at       P
	// when says whether the value at the path is wrong, nil when being there is.
	when func(v *model.Value) bool
	ops  []model.Op
	// edits are ready edits instead.
	edits func(f *source.File) []source.Edit
}

// toyRun checks files with toy rules.
func toyRun(t testing.TB, files map[string]string, rules ...toyRule) Run {
	return func(overlay map[string][]byte) ([]Finding, error) {
		root := model.NewMap(model.Origin{})
		byName := map[string]*source.File{}
		st := &model.Stack{Root: root}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			b := []byte(files[name])
			if o, ok := overlay[name]; ok {
				b = o
			}
			f := source.NewFile(name, b)
			byName[name] = f
			st.Files = append(st.Files, f)
			root.Set(name, valueOf(f, parseAny(t, f), nil, 0))
		}
		var out []Finding
		for _, r := range rules {
			v := root.At(r.at...)
			if v == nil || r.when != nil && !r.when(v) {
				continue
			}
			x := Fix{Title: "fix " + r.id, Safety: r.safety, Ops: r.ops}
			if r.edits != nil {
				f := byName[r.at[0].(string)]
				for _, e := range r.edits(f) {
					x.Edits = append(x.Edits, FileEdit{File: f, Edit: e})
				}
			}
			out = append(out, Finding{Rule: r.id, Severity: r.severity, Fingerprint: r.id + r.at.String(), File: r.at[0].(string), Line: 1, Stack: st, Fixes: []Fix{x}})
		}
		return out, nil
	}
}

// report is an outcome as text.
func report(o *Outcome) string {
	var b strings.Builder
	for _, f := range o.Files {
		fmt.Fprintf(&b, "%s: %q\n", f.Path, f.New)
	}
	for _, a := range o.Applied {
		fmt.Fprintf(&b, "applied %s %v\n", a.Finding.Rule, a.Files)
	}
	for _, r := range o.Refused {
		fmt.Fprintf(&b, "refused %s: %s\n", r.Finding.Rule, r.Refusal.Reason)
	}
	for _, r := range o.Decisions {
		fmt.Fprintf(&b, "decision %s\n", r.Finding.Rule)
	}
	fmt.Fprintf(&b, "passes %d", o.Passes)
	return b.String()
}

func TestFixAll(t *testing.T) {
	is := func(n int64) func(*model.Value) bool {
		return func(v *model.Value) bool { return v.Kind == model.Int && v.Int == n }
	}
	a := func(elems ...any) P { return append(P{"a.yaml"}, elems...) }
	W, S := model.Warning, model.Safe
	for _, c := range []struct {
		name  string
		files map[string]string
		opts  Options
		rules []toyRule
		want  string
	}{
		{"one pass for fixes that do not meet", map[string]string{"a.yaml": "x: 1 # c\nw: 1\nz: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), is(1), []model.Op{model.Set(a("x"), 2)}, nil}, {"r2", W, S, a("w"), nil, []model.Op{model.Remove(a("w"))}, nil}},
			"a.yaml: \"x: 2 # c\\nz: 1\\n\"\napplied r1 [a.yaml]\napplied r2 [a.yaml]\npasses 1"},
		{"all entries of a map", map[string]string{"a.yaml": "m:\n  x: 1\n  w: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("m", "x"), nil, []model.Op{model.Remove(a("m", "x"))}, nil}, {"r2", W, S, a("m", "w"), nil, []model.Op{model.Remove(a("m", "w"))}, nil}},
			"a.yaml: \"m: {}\\n\"\napplied r1 [a.yaml]\napplied r2 [a.yaml]\npasses 1"},
		{"a fix that waits", map[string]string{"a.yaml": "x: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), is(1), []model.Op{model.Set(a("x"), 2)}, nil}, {"r2", W, S, a("x"), func(v *model.Value) bool { return v.Int < 3 }, []model.Op{model.Set(a("x"), 3)}, nil}},
			"a.yaml: \"x: 3\\n\"\napplied r1 [a.yaml]\napplied r2 [a.yaml]\npasses 2"},
		{"a chain", map[string]string{"a.yaml": "x: 1\n"}, Options{},
			[]toyRule{{"r1", model.Error, S, a("x"), is(1), []model.Op{model.Set(a("x"), 2)}, nil}, {"r2", W, S, a("x"), is(2), []model.Op{model.Rename(a("x"), "w")}, nil}},
			"a.yaml: \"w: 2\\n\"\napplied r1 [a.yaml]\napplied r2 [a.yaml]\npasses 2"},
		{"the finding stays", map[string]string{"a.yaml": "x: 1\nk: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), nil, []model.Op{model.Set(a("x"), 2)}, nil}, {"r2", W, S, a("k"), is(1), []model.Op{model.Set(a("k"), 2)}, nil}},
			"a.yaml: \"x: 1\\nk: 2\\n\"\napplied r2 [a.yaml]\nrefused r1: finding-stays\npasses 1"},
		{"a new finding", map[string]string{"a.yaml": "x: 1\nk: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), nil, []model.Op{model.Rename(a("x"), "w")}, nil}, {"r2", model.Error, model.NoFix, a("w"), nil, nil, nil}, {"r3", W, S, a("k"), is(1), []model.Op{model.Set(a("k"), 2)}, nil}},
			"a.yaml: \"x: 1\\nk: 2\\n\"\napplied r3 [a.yaml]\nrefused r1: new-finding\npasses 1"},
		{"a new milder finding", map[string]string{"a.yaml": "x: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), nil, []model.Op{model.Rename(a("x"), "w")}, nil}, {"r2", model.Info, model.NoFix, a("w"), nil, nil, nil}},
			"a.yaml: \"w: 1\\n\"\napplied r1 [a.yaml]\npasses 1"},
		{"a fix that needs another first", map[string]string{"a.yaml": "x: 1\nk: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), is(1), []model.Op{model.Set(a("x"), 2)}, nil},
				{"r2", W, model.NoFix, a(), func(v *model.Value) bool { return v.Get("x").Int == 2 && v.Get("k").Int == 1 }, nil, nil},
				{"r3", W, S, a("k"), is(1), []model.Op{model.Set(a("k"), 2)}, nil}},
			"a.yaml: \"x: 2\\nk: 2\\n\"\napplied r1 [a.yaml]\napplied r3 [a.yaml]\npasses 1"},
		{"a fix that needs another first, tried too early", map[string]string{"a.yaml": "x: 1\nk: 1\nz: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), is(1), []model.Op{model.Set(a("x"), 2)}, nil},
				{"r2", W, model.NoFix, a(), func(v *model.Value) bool { return v.Get("x").Int == 2 && v.Get("k").Int == 1 }, nil, nil},
				{"r3", W, S, a("z"), is(1), []model.Op{model.Set(a("z"), 2)}, nil}, {"r4", W, model.NoFix, a("z"), is(2), nil, nil},
				{"r5", W, S, a("k"), is(1), []model.Op{model.Set(a("k"), 2)}, nil}},
			"a.yaml: \"x: 2\\nk: 2\\nz: 1\\n\"\napplied r5 [a.yaml]\napplied r1 [a.yaml]\nrefused r3: new-finding\npasses 2"},
		{"unsafe is asked for", map[string]string{"a.yaml": "x: 1\n"}, Options{},
			[]toyRule{{"r1", W, model.Unsafe, a("x"), is(1), []model.Op{model.Set(a("x"), 2)}, nil}}, "decision r1\npasses 0"},
		{"unsafe is applied", map[string]string{"a.yaml": "x: 1\n"}, Options{Unsafe: true},
			[]toyRule{{"r1", W, model.Unsafe, a("x"), is(1), []model.Op{model.Set(a("x"), 2)}, nil}}, "a.yaml: \"x: 2\\n\"\napplied r1 [a.yaml]\npasses 1"},
		{"chosen", map[string]string{"a.yaml": "x: 1\nk: 1\n"}, Options{Choose: func(f *Finding) bool { return f.Rule == "r2" }},
			[]toyRule{{"r1", W, S, a("x"), is(1), []model.Op{model.Set(a("x"), 2)}, nil}, {"r2", W, S, a("k"), is(1), []model.Op{model.Set(a("k"), 2)}, nil}},
			"a.yaml: \"x: 1\\nk: 2\\n\"\napplied r2 [a.yaml]\npasses 1"},
		{"over two files", map[string]string{"a.yaml": "x: 1\n", "b.yaml": "y: 1\n", "c.yaml": "z: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), is(1), []model.Op{model.Set(a("x"), 2), model.Set(P{"b.yaml", "k"}, 3)}, nil}},
			"a.yaml: \"x: 2\\n\"\nb.yaml: \"y: 1\\nk: 3\\n\"\napplied r1 [a.yaml b.yaml]\npasses 1"},
		{"over two files, one refuses", map[string]string{"a.yaml": "x: 1\n", "b.yaml": "y: &q 1\nz: *q\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), is(1), []model.Op{model.Set(a("x"), 2), model.Set(P{"b.yaml", "z"}, 3)}, nil}},
			"refused r1: alias\npasses 0"},
		{"ready edits", map[string]string{"a.yaml": "x: 1 # bad\nk: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("k"), is(1), []model.Op{model.Set(a("k"), 2)}, nil}, {"r2", W, S, a("x"), func(v *model.Value) bool { return strings.Contains(string(v.Origin.File.Bytes), "bad") }, nil,
				func(f *source.File) []source.Edit { return []source.Edit{edit(4, 10, "")} }}},
			"a.yaml: \"x: 1\\nk: 2\\n\"\napplied r1 [a.yaml]\napplied r2 [a.yaml]\npasses 1"},
		{"ready edits of a comment in a text", map[string]string{"a.yaml": "k: 1\nt: |\n  a: 1 # bad\n  b: |\n    c: 1 # bad\n"}, Options{},
			[]toyRule{{"r2", W, S, a("k"), func(v *model.Value) bool { return strings.Contains(string(v.Origin.File.Bytes), "bad") }, nil,
				func(f *source.File) []source.Edit { return []source.Edit{edit(16, 22, ""), edit(38, 44, "")} }}},
			"a.yaml: \"k: 1\\nt: |\\n  a: 1\\n  b: |\\n    c: 1\\n\"\napplied r2 [a.yaml]\npasses 1"},
		{"ready edits that change a value in a text", map[string]string{"a.yaml": "k: 1\nt: |\n  a: 1 # bad\n"}, Options{},
			[]toyRule{{"r2", W, S, a("k"), nil, nil, func(f *source.File) []source.Edit { return []source.Edit{edit(15, 16, "2")} }}},
			"refused r2: verify\npasses 0"},
		{"ready edits that change a value", map[string]string{"a.yaml": "x: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), is(1), nil, func(f *source.File) []source.Edit { return []source.Edit{edit(3, 4, "2")} }}},
			"refused r1: verify\npasses 0"},
		{"not shown with a secret", map[string]string{"a.yaml": "master_key: sk-0123456789abcdef01\nk: 1\nl: 1\n"}, Options{Shown: true},
			[]toyRule{{"r1", W, S, a("master_key"), nil, []model.Op{model.Remove(a("master_key"))}, nil}, {"r2", W, S, a("k"), is(1), []model.Op{model.Set(a("k"), 2)}, nil}},
			"a.yaml: \"master_key: sk-0123456789abcdef01\\nk: 2\\nl: 1\\n\"\napplied r2 [a.yaml]\nrefused r1: secret\npasses 1"},
		{"nothing to do", map[string]string{"a.yaml": "x: 1\n"}, Options{},
			[]toyRule{{"r1", W, S, a("x"), nil, []model.Op{model.Set(a("x"), 1)}, nil}}, "refused r1: finding-stays\npasses 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := FixAll(toyRun(t, c.files, c.rules...), c.opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := report(o); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestFixAllBreaksCycles has a rule that is silent on the third run, so that nothing else stops the cycle.
func TestFixAllBreaksCycles(t *testing.T) {
	there := toyRule{"there", model.Error, model.Safe, P{"a.yaml", "x"}, nil, []model.Op{model.Rename(P{"a.yaml", "x"}, "w")}, nil}
	back := toyRule{"back", model.Info, model.Safe, P{"a.yaml", "w"}, nil, []model.Op{model.Rename(P{"a.yaml", "w"}, "x")}, nil}
	run := toyRun(t, map[string]string{"a.yaml": "x: 1\n"}, there, back)
	n := 0
	o, err := FixAll(func(overlay map[string][]byte) ([]Finding, error) {
		if n++; n == 3 {
			return nil, nil
		}
		return run(overlay)
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := report(o); got != "refused there: cycle\nrefused back: cycle\npasses 2" {
		t.Errorf("got\n%s", got)
	}
	if text := o.Refused[0].Refusal.Text; text != "the fixes of back and there undo each other" {
		t.Errorf("got %q", text)
	}
}

// TestFixAllBrings has a fix after which another rule says what the fix's question asked.
func TestFixAllBrings(t *testing.T) {
	run := toyRun(t, map[string]string{"a.yaml": "x: 1\n"},
		toyRule{"first", model.Info, model.Unsafe, P{"a.yaml", "x"}, nil, []model.Op{model.Rename(P{"a.yaml", "x"}, "w")}, nil},
		toyRule{"second", model.Info, model.Unsafe, P{"a.yaml", "w"}, nil, nil, nil})
	for brings, want := range map[string]string{
		"second": "a.yaml: \"w: 1\\n\"\napplied first [a.yaml]\npasses 1",
		"*":      "a.yaml: \"w: 1\\n\"\napplied first [a.yaml]\npasses 1",
		"third":  "refused first: new-finding\npasses 0",
	} {
		o, err := FixAll(func(overlay map[string][]byte) ([]Finding, error) {
			list, err := run(overlay)
			list[0].Fixes[0].Brings = []string{brings}
			return list, err
		}, Options{Unsafe: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := report(o); got != want {
			t.Errorf("that brings %s: got\n%s", brings, got)
		}
	}
}

// TestFixAllPlansAgain has a fix that finds its place taken by another one of the same pass, and is a different one then.
func TestFixAllPlansAgain(t *testing.T) {
	run := toyRun(t, map[string]string{"a.yaml": "x: 1\nk: 1\nl: 1\n"},
		toyRule{"first", model.Info, model.Safe, P{"a.yaml", "x"}, nil, []model.Op{model.Rename(P{"a.yaml", "x"}, "w")}, nil},
		toyRule{"second", model.Info, model.Safe, P{"a.yaml", "k"}, nil, []model.Op{model.Rename(P{"a.yaml", "k"}, "w")}, nil})
	o, err := FixAll(func(overlay map[string][]byte) ([]Finding, error) {
		list, err := run(overlay)
		if len(list) == 1 && list[0].Rule == "second" {
			list[0].Fixes[0].Ops = []model.Op{model.Remove(P{"a.yaml", "k"})}
		}
		return list, err
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := report(o), "a.yaml: \"w: 1\\nl: 1\\n\"\napplied first [a.yaml]\napplied second [a.yaml]\npasses 2"; got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestFixAllStops(t *testing.T) {
	f := map[string]string{"a.yaml": "x: 0\n"}
	run := toyRun(t, f, toyRule{"r", model.Warning, model.Safe, P{"a.yaml", "x"}, nil, nil, nil})
	n := 0
	// A finding that is another one every time never comes to an end.
	o, err := FixAll(func(overlay map[string][]byte) ([]Finding, error) {
		list, err := run(overlay)
		n++
		list[0].Fingerprint = fmt.Sprint(n)
		list[0].Rule = fmt.Sprint(n)
		list[0].Severity = model.Severity(max(0, 3-n))
		list[0].Fixes[0].Ops = []model.Op{model.Set(P{"a.yaml", "x"}, n)}
		return list, err
	}, Options{Passes: 2})
	if err != nil {
		t.Fatal(err)
	}
	if o.Passes != 2 || !o.Exhausted {
		t.Errorf("%d passes, exhausted %v", o.Passes, o.Exhausted)
	}
}

func TestBudget(t *testing.T) {
	const text = "a: 1\nb: 1\nc: 1\nd: 1\n"
	var rules []toyRule
	for _, k := range []string{"a", "b", "c", "d"} {
		at := P{"a.yaml", k}
		rules = append(rules, toyRule{id: k, severity: model.Warning, safety: model.Safe, at: at,
			when: func(v *model.Value) bool { return v.Int == 1 }, ops: []model.Op{model.Set(at, 3), model.Set(at, 2)}})
	}
	// A fix that writes a place twice is planned by itself.
	run := toyRun(t, map[string]string{"a.yaml": text}, rules...)
	for _, c := range []struct {
		budget, applied int
		exhausted       bool
	}{{0, 4, false}, {1000, 4, false}, {2*len(text) - 1, 2, true}} {
		o, err := FixAll(run, Options{Budget: c.budget})
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Applied) != c.applied || o.Exhausted != c.exhausted {
			t.Errorf("budget %d: %d fixes, exhausted %v", c.budget, len(o.Applied), o.Exhausted)
		}
	}
}
