package cases

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"testing"

	"agentlint/internal/model"
	"agentlint/internal/policy"
)

// The plan of a case's policy and OPA's evaluator give the same answers on its stacks, also when a value of the stack is
// unknown, and the plans of all policies on the stacks of the examples.
func TestPlansAgree(t *testing.T) {
	interpreted := policy.NewHost(policy.Builtin(), policy.Options{Interpret: true})
	if err := interpreted.Prepare(policy.Builtin()); err != nil {
		t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(metas(t))) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			list, err := Load(dir, id)
			if err != nil {
				t.Fatal(err)
			}
			own := slices.DeleteFunc(slices.Clone(policy.Builtin()), func(p *policy.Policy) bool { return p.ID != id })
			for _, c := range some(list) {
				r, err := c.Run(c.Input)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range r.Stacks {
					if c.Example {
						same(t, interpreted, c.Path, s.Stack, policy.Builtin())
					}
					if len(own) > 0 {
						same(t, interpreted, c.Path, s.Stack, own)
						hideSome(s.Stack.Root, func(at model.Path) { same(t, interpreted, c.Path+" without "+at.String(), s.Stack, own) })
					}
				}
			}
		})
	}
}

// same holds what the plans of some policies say of a stack against what OPA says. Gates do not matter.
func same(t *testing.T, interpreted *policy.Host, where string, s *model.Stack, list []*policy.Policy) {
	t.Helper()
	got := policy.Default().Run(context.Background(), s, list, nil)
	want := interpreted.Run(context.Background(), s, list, nil)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: by plans\n%+v\nby OPA\n%+v", where, got, want)
	}
}

// hideSome makes some values below v unknown, one at a time, and calls f with the path of each.
func hideSome(v *model.Value, f func(model.Path)) {
	var places []model.Path
	v.Walk(func(p model.Path, _ *model.Value) {
		if len(p) > 1 {
			places = append(places, p.With())
		}
	})
	n := min(mutations(6), len(places))
	for i := range n {
		p := places[i*len(places)/n]
		items := v.At(p[:len(p)-1]...).Items()
		at, ok := p[len(p)-1].(int)
		if !ok {
			at = slices.Index(v.At(p[:len(p)-1]...).Keys(), p[len(p)-1].(string))
		}
		old := items[at]
		items[at] = model.NewUnknown(old.Origin)
		f(p)
		items[at] = old
	}
}
