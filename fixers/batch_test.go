package fixers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/model"
)

// numberedText repeats a line with its number for %d.
func numberedText(format string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// TestBatch makes the fixes of one pass at once and one by one.
func TestBatch(t *testing.T) {
	for _, c := range []struct {
		name, text string
		fixes      [][]model.Op
		want       string
		// readings is how often the file is read to verify the fixes.
		readings int
	}{
		{"values", "a: 1\nb: 2 # c\nc: 3\n", [][]model.Op{{model.Set(P{"a.yaml", "a"}, 10)}, {model.Set(P{"a.yaml", "b"}, 20)}, {model.Set(P{"a.yaml", "c"}, 30)}},
			"a: 10\nb: 20 # c\nc: 30\n", 1},
		{"removals", "a: 1\nb: 2\nc: 3\nd: 4\n", [][]model.Op{{model.Remove(P{"a.yaml", "a"})}, {model.Remove(P{"a.yaml", "b"})}, {model.Remove(P{"a.yaml", "d"})}},
			"c: 3\n", 1},
		{"all is removed", "m:\n  a: 1\n  b: 2\nc: 3\n", [][]model.Op{{model.Remove(P{"a.yaml", "m", "a"})}, {model.Remove(P{"a.yaml", "m", "b"})}},
			"m: {}\nc: 3\n", 3},
		{"new keys of one map", "a: 1\n", [][]model.Op{{model.Set(P{"a.yaml", "x"}, 1)}, {model.Set(P{"a.yaml", "k"}, 2)}, {model.Set(P{"a.yaml", "z"}, 3)}},
			"a: 1\nx: 1\nk: 2\nz: 3\n", 1},
		{"new keys of a map and the one around it", "a: 1\nm:\n  b: 2\n", [][]model.Op{{model.Set(P{"a.yaml", "m", "x"}, 1)}, {model.Set(P{"a.yaml", "k"}, 2)}},
			"a: 1\nm:\n  b: 2\n  x: 1\nk: 2\n", 2},
		{"one name", "a: 1\nb: 1\n", [][]model.Op{{model.Rename(P{"a.yaml", "a"}, "x")}, {model.Rename(P{"a.yaml", "b"}, "x")}},
			"x: 1\nb: 1\n", 3},
		{"a removal and a value in it", "m:\n  a: 1\n  b: 2\nc: 3\n", [][]model.Op{{model.Set(P{"a.yaml", "m", "a"}, 5)}, {model.Remove(P{"a.yaml", "m"})}},
			"c: 3\n", 2},
		{"in two texts", "q: sum(aa)\nr: |\n  bb\n", [][]model.Op{{model.ReplaceText(P{"a.yaml", "q"}, "aa", "xx")}, {model.ReplaceText(P{"a.yaml", "r"}, "bb", "yy")}},
			"q: sum(xx)\nr: |\n  yy\n", 1},
		{"flow", "m: {a: 1, b: 2, c: 3}\n", [][]model.Op{{model.Remove(P{"a.yaml", "m", "a"})}, {model.Remove(P{"a.yaml", "m", "c"})}, {model.Set(P{"a.yaml", "m", "b"}, 4)}},
			"m: {b: 4}\n", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rules []toyRule
			for i, ops := range c.fixes {
				rules = append(rules, toyRule{id: fmt.Sprint("r", i), severity: model.Info, safety: model.Safe, at: P{"a.yaml"}, ops: ops})
			}
			run := toyRun(t, map[string]string{"a.yaml": c.text}, rules...)
			findings, err := run(nil)
			if err != nil {
				t.Fatal(err)
			}
			l := &loop{opts: Options{Budget: defaultBudget}, refused: map[string]*Refused{}, alone: map[string]bool{}, brings: map[string]string{}, together: map[string]bool{}, when: map[string]int{}, findings: findings}
			session, _ := l.plan(len(findings)+1, map[string]int{})
			if got := string(session.Content()["a.yaml"]); got != c.want {
				t.Errorf("at once: got\n%s\nwant\n%s", got, c.want)
			}
			if l.spent > c.readings*len(c.text)*5/4 {
				t.Errorf("%d bytes are read for %d of the file", l.spent, len(c.text))
			}
			session = NewSession()
			for _, ops := range c.fixes {
				_ = session.Add(findings[0].Stack, ops) // of two that exclude each other the second is refused
			}
			if got := string(session.Content()["a.yaml"]); got != c.want {
				t.Errorf("one by one: got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestPlanAll plans fixes together that come out as each of them by itself.
func TestPlanAll(t *testing.T) {
	text := "list:\n" + numberedText("  - {name: n%d, v: 1}\n", 50) + "m:\n  a: 1\n"
	findings, err := toyRun(t, map[string]string{"a.yaml": text}, toyRule{id: "r", at: P{"a.yaml"}})(nil)
	if err != nil {
		t.Fatal(err)
	}
	st := findings[0].Stack
	var fixes [][]model.Op
	for i := range 50 {
		fixes = append(fixes, []model.Op{model.Set(P{"a.yaml", "list", i, "v"}, 2)}, []model.Op{model.Remove(P{"a.yaml", "list", i})})
	}
	fixes = append(fixes, []model.Op{model.Set(P{"a.yaml", "m", "x"}, 1)}, []model.Op{model.Set(P{"a.yaml", "m", "x"}, 2)}, []model.Op{model.Remove(P{"a.yaml", "m", "a"})},
		[]model.Op{model.Set(P{"a.yaml", "m", "a", "b"}, 2)}, []model.Op{model.Set(P{"a.yaml", "m", "a"}, 1)})
	for i, got := range PlanAll(st, fixes) {
		want, err := Plan(st, fixes[i])
		if (err == nil) != (got.Err == nil) || err != nil && err.Error() != got.Err.Error() {
			t.Errorf("%v: %v, not %v", fixes[i], got.Err, err)
		}
		if !slices.Equal(got.Edits, want) {
			t.Errorf("%v: %v, not %v", fixes[i], got.Edits, want)
		}
	}
}

// TestFixAllBringsEach has many fixes that each bring a finding: one of them is tried, then the others together.
func TestFixAllBringsEach(t *testing.T) {
	var rules []toyRule
	text := ""
	for i := range 64 {
		k := fmt.Sprintf("k%d", i)
		text += k + ": {}\n"
		rules = append(rules, toyRule{id: "brings", severity: model.Warning, safety: model.Safe, at: P{"a.yaml", k},
			when: func(v *model.Value) bool { return v.Get("x") == nil }, ops: []model.Op{model.Set(P{"a.yaml", k, "x"}, 1)}})
		rules = append(rules, toyRule{id: "comes", severity: model.Warning, safety: model.NoFix, at: P{"a.yaml", k, "x"}})
	}
	rules = append(rules, toyRule{id: "good", severity: model.Info, safety: model.Safe, at: P{"a.yaml", "k1"},
		when: func(v *model.Value) bool { return v.Get("y") == nil }, ops: []model.Op{model.Set(P{"a.yaml", "k1", "y"}, 1)}})
	run := toyRun(t, map[string]string{"a.yaml": text}, rules...)
	runs := 0
	o, err := FixAll(func(overlay map[string][]byte) ([]Finding, error) {
		runs++
		list, err := run(overlay)
		for i := range list {
			list[i].Fixes[0].Title = "fix"
		}
		return list, err
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Applied) != 1 || len(o.Refused) != 64 {
		t.Errorf("%d fixes are made and %d refused", len(o.Applied), len(o.Refused))
	}
	if runs > 24 {
		t.Errorf("%d runs", runs)
	}
}
