package policy

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Budget bounds one evaluation. Steps are counted in the evaluator's own unit, the expressions it enters, and make
// the same policy stop at the same place on every machine; Time is for policies that nobody has measured. A zero
// field does not bound.
type Budget struct {
	Steps int64
	Time  time.Duration
	// Run is how many steps all evaluations of a run may take together, and Memory how many bytes may be held more than
	// when the evaluation began. Only users' policies are bounded by them.
	Run, Memory int64
}

// DefaultCustomBudget is what each policy of a user may take for one stack: half a second of work or so; Time is for what
// takes long without a step. A run ends after about two minutes of work.
func DefaultCustomBudget() Budget {
	return Budget{Steps: 1_000_000, Time: 5 * time.Second, Run: 200_000_000, Memory: 512 << 20}
}

// orCustom fills the zero fields of a budget for users' policies.
func (b Budget) orCustom() Budget {
	d := DefaultCustomBudget()
	return Budget{Steps: cmp.Or(b.Steps, d.Steps), Time: cmp.Or(b.Time, d.Time), Run: cmp.Or(b.Run, d.Run), Memory: cmp.Or(b.Memory, d.Memory)}
}

// DefaultSteps is a budget that no built-in policy comes near: about ten seconds of work.
const DefaultSteps = 20_000_000

// clockEvery is how many steps pass between two looks at the clock.
const clockEvery = 1024

// meter counts the steps of one evaluation. It is the evaluator's cancel hook, which it asks at every step, always
// from the goroutine that evaluates.
type meter struct {
	ctx      context.Context
	budget   Budget
	deadline time.Time
	steps    int64
	spent    error
	// stopped is set by another goroutine that wants the evaluation to end.
	stopped atomic.Pointer[error]
}

// stop ends the evaluation at its next step.
func (m *meter) stop(err error) { m.stopped.CompareAndSwap(nil, &err) }

func (b Budget) start(ctx context.Context) *meter {
	if b.Steps == 0 {
		b.Steps = DefaultSteps
	}
	m := &meter{ctx: ctx, budget: b}
	if b.Time > 0 {
		m.deadline = time.Now().Add(b.Time)
	}
	return m
}

// Cancel is called by nobody: a meter stops by itself.
func (m *meter) Cancel() {}

// Cancelled reports whether the evaluation must stop.
func (m *meter) Cancelled() bool {
	if m.spent != nil {
		return true
	}
	if err := m.stopped.Load(); err != nil {
		m.spent = *err
		return true
	}
	if m.steps++; m.steps > m.budget.Steps {
		m.spent = fmt.Errorf("evaluation took more than %d steps", m.budget.Steps)
		return true
	}
	if m.steps%clockEvery != 0 {
		return false
	}
	if err := m.ctx.Err(); err != nil {
		m.spent = err
	} else if !m.deadline.IsZero() && time.Now().After(m.deadline) {
		m.spent = fmt.Errorf("evaluation took more than %s", m.budget.Time)
	}
	return m.spent != nil
}
