package policy

import (
	"context"
	"fmt"
	"time"
)

// Budget bounds one evaluation. Steps are counted in the evaluator's own unit, the expressions it enters, and make
// the same policy stop at the same place on every machine; Time is for policies that nobody has measured. A zero
// field does not bound.
type Budget struct {
	Steps int64
	Time  time.Duration
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
}

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
