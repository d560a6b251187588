package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"agentlint/internal/model"
	"agentlint/policies"
)

// texts are all embedded plans by name.
func texts(t testing.TB) map[string]string {
	out := map[string]string{}
	for _, e := range policies.Index() {
		out[e.ID] = ""
	}
	out["lib"] = ""
	for name := range out {
		text, err := policies.Plan(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = text
	}
	return out
}

func TestEncodingIsReversible(t *testing.T) {
	for name, text := range texts(t) {
		c, err := Decode([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(Encode(c), []byte(text)) {
			t.Errorf("%s: it is encoded differently after it was read", name)
		}
	}
}

func TestDamagedPlansAreRefused(t *testing.T) {
	text := texts(t)["lib"]
	for i := range len(text) {
		if i%7 == 0 || i < 64 {
			if _, err := Decode([]byte(text[:i])); err == nil {
				t.Errorf("the first %d bytes were accepted", i)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range texts(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Decode(Encode(c))
		if err != nil || len(again.Functions) != len(c.Functions) {
			t.Errorf("not the same after it was encoded again: %v", err)
		}
	})
}

// loops is a plan whose rule "findings" looks at each pair of n items.
func loops(t *testing.T, n int) *Unit {
	items := make([]Value, n)
	for i := range items {
		items[i] = int64(i)
	}
	inner := Statement{Op: Scan, A: -1, B: 3, C: 4, Blocks: [][]Statement{{{Op: AssignOnce, A: -2, C: 5}}}}
	outer := Statement{Op: Scan, A: -1, B: 1, C: 2, Blocks: [][]Statement{{inner}}}
	u, err := NewUnit(string(Encode(&Code{
		Constants: []Value{NewArray(items...), true},
		Functions: []Function{{Name: "findings", Locals: 6, Shared: 6, Blocks: [][]Statement{{outer}, {{Op: Return, A: 5}}}}},
	})))
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Link(u); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestRunsAreBounded(t *testing.T) {
	u := loops(t, 100)
	in := NewInput(&model.Stack{Root: model.NewMap(model.Origin{})}, NewObject)
	for _, c := range []struct {
		limit int64
		stop  bool
		want  error
	}{{20_000, false, nil}, {5_000, false, errSteps}, {20_000, true, context.Canceled}} {
		ctx, cancel := context.WithCancel(context.Background())
		if c.stop {
			cancel()
		}
		var ev Evaluator
		ev.Start(ctx, in, c.limit)
		values, err := ev.Eval(u, "findings", "nothing")
		cancel()
		if !errors.Is(err, c.want) {
			t.Errorf("limit %d: error %v, want %v", c.limit, err, c.want)
		}
		if err == nil && (len(values) != 2 || values[0] != true || values[1] != nil) {
			t.Errorf("values %v", values)
		}
	}
}

func TestLinkRefusesUnknownCallees(t *testing.T) {
	for _, c := range []Callee{{Own, "nothing"}, {Library, "nothing"}, {Builtin, "http.nothing"}} {
		u, err := NewUnit(string(Encode(&Code{Callees: []Callee{c}})))
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Link(u); err == nil {
			t.Errorf("%v was accepted", c)
		}
	}
}

// Large collections find their members by an index, sorted ones by search, small ones by looking.
func TestCollections(t *testing.T) {
	for _, n := range []int{3, linear, linear + 1, 200} {
		s, o := NewSet(), NewObject()
		for round := range 2 {
			for i := range n {
				var v Value = int64(i * 7 % n)
				if i%3 == 0 {
					v = fmt.Sprint(i)
				} else if i%3 == 1 {
					v = NewArray(int64(i), "x")
				}
				s.add(v)
				o.insert(v, int64(i))
				if !s.has(v) || get(o, v) != int64(i) {
					t.Fatalf("n %d: %v is not there", n, v)
				}
			}
			if s.has("none") || get(o, "none") != nil || length(s) != length(o) {
				t.Errorf("n %d: %d members, %d pairs", n, length(s), length(o))
			}
			if round == 0 {
				s.ordered()
				pairs(o)
			}
		}
	}
}

func TestEqualValuesHaveEqualHashes(t *testing.T) {
	values := []Value{Null{}, true, int64(1), Decimal("1.0"), Decimal("1.5"), Decimal("1.50"), Decimal("1e400"), "1", NewArray(int64(1)), NewArray(Decimal("1.0")),
		NewSet("a", "b"), NewSet("b", "a"), &Object{}, model.NewMap(model.Origin{}), model.NewList(model.Origin{}, model.NewInt(1, model.Origin{}))}
	for _, a := range values {
		for _, b := range values {
			if equal(a, b) != (Compare(a, b) == 0) || equal(a, b) && hash(a) != hash(b) {
				t.Errorf("%v and %v: equal %v, order %d", a, b, equal(a, b), Compare(a, b))
			}
		}
	}
}

// What a policy builds for one stack takes the room of what was built for the one before, and not much of it is kept.
func TestRoomIsUsedAgain(t *testing.T) {
	item := Statement{Op: List, C: 3, Args: []Operand{1, -2}}
	record := Statement{Op: Record, C: 4, Args: []Operand{-2, 3}}
	loop := Statement{Op: Scan, A: -1, B: 1, C: 2, Blocks: [][]Statement{{item, record, {Op: MakeSet, C: 5}, {Op: Add, A: 4, C: 5}, {Op: Append, A: 5, C: 6}}}}
	numbers := make([]Value, 3*mostPiece)
	for i := range numbers {
		numbers[i] = int64(i % 100)
	}
	unit := func(n int) *Unit {
		u, err := NewUnit(string(Encode(&Code{
			Constants: []Value{NewArray(numbers[:n]...), "x"},
			Functions: []Function{{Name: "findings", Locals: 7, Shared: 7, Blocks: [][]Statement{{{Op: MakeArray, A: Operand(n), C: 6}, loop, {Op: Return, A: 6}}}}},
		})))
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Link(u); err != nil {
			t.Fatal(err)
		}
		return u
	}
	small, large := unit(50), unit(len(numbers))
	in := NewInput(&model.Stack{Root: model.NewMap(model.Origin{})}, NewObject)
	var ev Evaluator
	eval := func(u *Unit) Value {
		ev.Start(context.Background(), in, 1<<40)
		values, err := ev.Eval(u, "findings")
		if err != nil {
			t.Fatal(err)
		}
		return values[0]
	}
	for _, u := range []*Unit{small, large, small} {
		got, n := eval(u), length(u.constants[0])
		if length(got) != n {
			t.Fatalf("%d items, want %d", length(got), n)
		}
		for i := range n {
			if want := NewSet(&Object{pairs: []pair{{"x", NewArray(int64(i), "x")}}}); !equal(at(got, i), want) {
				t.Fatalf("item %d of %d is %v", i, n, Term(at(got, i)))
			}
		}
		ev.Stop()
		if n := len(ev.stock.sets.all) + len(ev.stock.values.all); n > 2*mostPiece {
			t.Errorf("%d things are kept", n)
		}
	}
	eval(small)
	ev.Stop()
	if n := testing.AllocsPerRun(20, func() {
		eval(small)
		ev.Stop()
	}); n > 5 {
		t.Errorf("%v allocations", n)
	}
}
