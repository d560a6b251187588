package policy

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	"agentlint/internal/model"
	"agentlint/internal/policy/plan"
)

// The bounds of what one policy says of one stack.
const (
	maxFindings    = 1000
	maxAnswerSize  = 4 << 20 // bytes of text
	maxAnswerNodes = 200_000
)

// grace is how long an evaluation may go on after it was told to stop, in builtin functions that do not look.
const grace = 2 * time.Second

// Occasion is what users' policies are told of a run.
type Occasion struct {
	// Today is the date of the run, as YYYY-MM-DD.
	Today string
	// Revisions are the two trees that are compared, nil when none are.
	Revisions *model.RevisionsPart
}

// terms are the occasion's part of the input.
func (o Occasion) terms() [][2]*ast.Term {
	out := [][2]*ast.Term{{ast.StringTerm("today"), ast.StringTerm(o.Today)}}
	if r := o.Revisions; r != nil {
		out = append(out, [2]*ast.Term{ast.StringTerm("revisions"), ast.ObjectTerm(
			[2]*ast.Term{ast.StringTerm("base"), ast.StringTerm(r.Base)}, [2]*ast.Term{ast.StringTerm("head"), ast.StringTerm(r.Head)})})
	}
	return out
}

// Run evaluates policies for a stack. Parameters are the user's by rule id and name. A policy that fails has an outcome
// with an error that names it, and does not touch the others.
func (c *Custom) Run(ctx context.Context, s *model.Stack, list []*Policy, parameters map[string]map[string]float64, o Occasion) []model.Outcome {
	list = c.whole(list)
	if len(list) == 0 {
		return nil
	}
	in := inputOf(s, enabledTerm(list), parametersTerm(list, parameters))
	in.pairs = append(in.pairs, o.terms()...)
	c.running.RLock()
	defer c.running.RUnlock()
	var out []model.Outcome
	for len(list) > 0 {
		b := &batch{c: c, list: list, input: in.term(), results: make([]result, len(list)), before: heap()}
		n := b.run(ctx)
		for i, r := range b.results[:n] {
			p := list[i]
			if errors.Is(r.err, errMemory) {
				// Another evaluation may have filled the memory: once more, alone.
				c.running.RUnlock()
				r = c.alone(ctx, p, in.term())
				c.running.RLock()
			}
			if o := c.outcome(s, p, &r); len(o.Findings) > 0 || len(o.Unchecked) > 0 || o.Err != nil {
				out = append(out, o)
			}
		}
		list = list[n:]
	}
	slices.SortStableFunc(out, func(a, b model.Outcome) int { return strings.Compare(a.Rule, b.Rule) })
	return out
}

// whole returns the policies of a list that did not break for good.
func (c *Custom) whole(list []*Policy) []*Policy {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.broken) == 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(p *Policy) bool { return c.broken[p.ID] != "" })
}

// breaks notes that a policy is not evaluated any more, and reports whether that is news.
func (c *Custom) breaks(id, why string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	news := c.broken[id] == ""
	c.broken[id] = why
	return news
}

// alone evaluates one policy while no other one is evaluated.
func (c *Custom) alone(ctx context.Context, p *Policy, input *ast.Term) result {
	c.running.Lock()
	defer c.running.Unlock()
	b := &batch{c: c, list: []*Policy{p}, input: input, results: make([]result, 1), before: heap()}
	b.run(ctx)
	return b.results[0]
}

// result is the answer of one policy.
type result struct {
	findings, unchecked ast.Value
	steps               int64
	err                 error
}

// batch evaluates policies for one stack one after the other, in a goroutine that is left to itself when it does not
// stop.
type batch struct {
	c       *Custom
	list    []*Policy
	input   *ast.Term
	results []result
	before  uint64 // bytes on the heap

	done    atomic.Int64 // results that are complete
	current atomic.Pointer[evaluation]
}

// evaluation is a policy that is being evaluated.
type evaluation struct {
	meter *meter
	start time.Time
}

// watchers are the tickers of batches, which most do not live to see.
var watchers = sync.Pool{New: func() any { return time.NewTimer(time.Hour) }}

// run evaluates the policies and returns for how many of them there are results.
func (b *batch) run(ctx context.Context) int {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cache := topdown.NewVirtualCache()
		for i, p := range b.list {
			r := b.evaluate(ctx, p, cache)
			if r.err != nil {
				// A query that was broken off may have left something behind.
				cache = topdown.NewVirtualCache()
			}
			b.results[i] = r
			b.done.Store(int64(i) + 1)
		}
	}()
	timer := watchers.Get().(*time.Timer)
	defer watchers.Put(timer)
	timer.Reset(watchEvery)
	defer timer.Stop()
	for {
		select {
		case <-ended:
			return len(b.list)
		case <-timer.C:
		}
		timer.Reset(watchEvery)
		n := int(b.done.Load())
		e := b.current.Load()
		if e == nil || n == len(b.list) {
			continue
		}
		took := time.Since(e.start)
		limit := b.c.budget.Time
		if took > limit {
			e.meter.stop(fmt.Errorf("evaluation took more than %s", limit))
		}
		if over(b.before, b.c.budget.Memory) {
			e.meter.stop(errMemory)
		}
		if stopped := e.meter.stopped.Load(); stopped != nil && took > limit+grace {
			b.results[n] = result{err: fmt.Errorf("%w and does not stop", *stopped)}
			return n + 1
		}
	}
}

// evaluate asks one policy.
func (b *batch) evaluate(ctx context.Context, p *Policy, cache topdown.VirtualCache) (r result) {
	unit := b.c.units[p.ID]
	m := b.c.budget.start(ctx)
	m.deadline = time.Time{} // the batch looks at the clock
	b.current.Store(&evaluation{m, time.Now()})
	defer func() {
		if x := recover(); x != nil {
			r.err = fmt.Errorf("the evaluator failed: %v\n%s", x, debug.Stack())
		}
		r.steps = m.steps
	}()
	for _, q := range [...]struct {
		body ast.Body
		to   *ast.Value
	}{{unit.findings, &r.findings}, {unit.unchecked, &r.unchecked}} {
		if q.body == nil {
			continue
		}
		if *q.to, r.err = b.c.ask(ctx, q.body, b.input, m, cache); r.err != nil {
			return r
		}
	}
	if r.findings != nil {
		size := &weight{nodes: maxAnswerNodes, bytes: maxAnswerSize}
		if !size.add(r.findings) {
			r.err = errors.New("its findings are too large")
		}
	}
	return r
}

// ask returns the answer to a query, nil when it is undefined.
func (c *Custom) ask(ctx context.Context, body ast.Body, input *ast.Term, m *meter, cache topdown.VirtualCache) (ast.Value, error) {
	q := topdown.NewQuery(body).WithCompiler(c.compiler).WithStore(c.store).WithTransaction(c.txn).WithInput(input).WithCancel(m).WithVirtualCache(cache)
	if c.cover != nil {
		// Rules that an index leaves out are asked too, so that all of them are seen.
		q = q.WithQueryTracer(c.cover).WithIndexing(false).WithEarlyExit(false)
	}
	var answer ast.Value
	err := q.Iter(ctx, func(r topdown.QueryResult) error {
		answer = r[ast.Var(answerVar)].Value
		return nil
	})
	if m.spent != nil {
		return nil, m.spent
	}
	return answer, err
}

// outcome reads the answer of a policy.
func (c *Custom) outcome(s *model.Stack, p *Policy, r *result) model.Outcome {
	o := model.Outcome{Rule: p.ID}
	err := r.err
	c.mu.Lock()
	c.costs[p.ID] += r.steps
	c.mu.Unlock()
	if total := c.spent.Add(r.steps); err == nil && total > c.budget.Run {
		if id := c.dearest(); c.breaks(id, "run") {
			o.Rule = id
			o.Err = fmt.Errorf("policy %s: the policies of this run took more than %d steps, and this one most of them: it is not evaluated any more", id, c.budget.Run)
			c.spent.Store(0)
			return o
		}
	}
	var answer []ast.Object
	if err == nil && r.findings != nil {
		answer, err = objects(r.findings)
	}
	if err == nil && r.unchecked != nil {
		facts := &decoder{}
		facts.list(plan.FromTerm(ast.NewTerm(r.unchecked)), "unchecked", func(v plan.Value) { o.Unchecked = append(o.Unchecked, facts.text(v, "unchecked")) })
		err = facts.err
	}
	for _, x := range answer {
		if err == nil {
			err = p.decode(s, plan.FromTerm(ast.NewTerm(x)), &o)
		}
	}
	if err != nil {
		o.Err = fmt.Errorf("policy %s: %w", p.ID, located(err))
		if r.err != nil && runsAway(r.err) && !c.breaks(p.ID, r.err.Error()) {
			o.Err = nil
		}
	}
	return o
}

// runsAway reports whether an error is one of a policy that is better not evaluated again.
func runsAway(err error) bool {
	var stopped *topdown.Error
	return !errors.As(err, &stopped) && !errors.Is(err, context.Canceled)
}

// located returns an error of OPA's evaluator with its place first.
func located(err error) error {
	var e *topdown.Error
	if errors.As(err, &e) && e.Location != nil && e.Location.File != "" {
		return fmt.Errorf("%s:%d:%d: %s", e.Location.File, e.Location.Row, e.Location.Col, e.Message)
	}
	return err
}

// dearest returns the policy that took the most steps so far.
func (c *Custom) dearest() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := ""
	for name, n := range c.costs {
		if c.broken[name] == "" && (id == "" || n > c.costs[id] || n == c.costs[id] && name < id) {
			id = name
		}
	}
	return id
}

// objects returns the members of a set of findings.
func objects(v ast.Value) ([]ast.Object, error) {
	set, ok := v.(ast.Set)
	if !ok {
		return nil, errors.New("findings is no set")
	}
	if set.Len() > maxFindings {
		return nil, fmt.Errorf("there are more than %d findings in one stack", maxFindings)
	}
	out := make([]ast.Object, 0, set.Len())
	for _, t := range set.Slice() {
		o, ok := t.Value.(ast.Object)
		if !ok {
			return nil, fmt.Errorf("finding %s is no object", model.Quote(t.String()))
		}
		out = append(out, o)
	}
	return out, nil
}
