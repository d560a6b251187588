package policy

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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

// BenchmarkPolicies is what each policy costs for the stacks of real deployments: the least of all runs, without what it shares
// with others, which the library works out once for a stack. With -v it logs those that cost more than they may; -benchtime 200x
// is enough for that.
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
		id, stack string
		min       time.Duration
	}
	costs := map[string]*cost{}
	for b.Loop() {
		for number, s := range stacks {
			var list []*Policy
			for _, p := range Builtin() {
				if p.Open(s) {
					list = append(list, p)
				}
			}
			ev := evaluators.Get().(*plan.Evaluator)
			ev.Start(ctx, plan.NewInput(s, func() *plan.Object { return parametersObject(list, nil) }), DefaultSteps*planSteps)
			for _, p := range slices.Concat(list, list) {
				key := fmt.Sprint(p.ID, number)
				if costs[key] == nil {
					costs[key] = &cost{id: p.ID, stack: s.Name, min: time.Hour}
				}
				start := time.Now()
				if _, err := ev.Eval(p.unit(), "findings", "unchecked"); err != nil {
					b.Fatal(err)
				}
				costs[key].min = min(costs[key].min, time.Since(start))
			}
			ev.Stop()
			evaluators.Put(ev)
		}
	}
	var sum time.Duration
	worst := map[string]*cost{}
	for _, c := range costs {
		sum += c.min
		if w := worst[c.id]; w == nil || w.min < c.min {
			worst[c.id] = c
		}
	}
	b.ReportMetric(float64(sum.Microseconds())/float64(len(stacks)), "us/stack")
	list := slices.SortedFunc(maps.Values(worst), func(x, y *cost) int { return cmp.Compare(y.min, x.min) })
	var text strings.Builder
	for _, c := range list {
		if c.min > dear {
			fmt.Fprintf(&text, "\n%5d us %s (%s)", c.min.Microseconds(), c.id, c.stack)
		}
	}
	if text.Len() > 0 {
		b.Logf("above %s:%s", dear, text.String())
	}
}
