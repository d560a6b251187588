package policy

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlint/internal/model"
	"agentlint/internal/policy/plan"
	"agentlint/loaders"
)

// dear is what a policy may cost for a stack of the benchmark.
const dear = 20 * time.Microsecond

// BenchmarkPolicies is what each policy costs for the stacks of real deployments: the least of all runs, without what the
// policies before it have asked of the library already. It logs those that cost more than they may.
func BenchmarkPolicies(b *testing.B) {
	ctx := context.Background()
	stacks := []*model.Stack{benchStack()}
	for _, dir := range []string{"flawed", "healthy", "article-a", "article-b"} {
		set, err := loaders.Load(ctx, os.DirFS("../../testdata/real/"+dir), nil, &loaders.Options{})
		if err != nil {
			b.Fatal(err)
		}
		stacks = append(stacks, set.Stacks...)
	}
	type cost struct {
		id  string
		min time.Duration
	}
	worst := map[string]cost{}
	var sum time.Duration
	for b.Loop() {
		for _, s := range stacks {
			var list []*Policy
			for _, p := range Builtin() {
				if p.Open(s) {
					list = append(list, p)
				}
			}
			least := make([]cost, len(list))
			for i, p := range list {
				least[i] = cost{id: p.ID, min: time.Hour}
			}
			for range 20 {
				ev := evaluators.Get().(*plan.Evaluator)
				ev.Start(ctx, plan.NewInput(s, parametersObject(list, nil)), DefaultSteps*planSteps)
				for i, p := range list {
					start := time.Now()
					if _, err := ev.Eval(p.unit(), "findings", "unchecked"); err != nil {
						b.Fatal(err)
					}
					least[i].min = min(least[i].min, time.Since(start))
				}
				ev.Stop()
				evaluators.Put(ev)
			}
			for _, c := range least {
				sum += c.min
				if worst[c.id].min < c.min {
					worst[c.id] = cost{id: s.Name, min: c.min}
				}
			}
		}
	}
	b.ReportMetric(float64(sum.Microseconds())/float64(b.N*len(stacks)), "us/stack")
	var list []cost
	for id, c := range worst {
		if c.min > dear {
			list = append(list, cost{id: id + " (" + c.id + ")", min: c.min})
		}
	}
	slices.SortFunc(list, func(x, y cost) int { return cmp.Compare(y.min, x.min) })
	var text strings.Builder
	for _, c := range list {
		fmt.Fprintf(&text, "\n%5d us %s", c.min.Microseconds(), c.id)
	}
	if text.Len() > 0 {
		b.Logf("above %s:%s", dear, text.String())
	}
}
