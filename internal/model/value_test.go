package model

import (
	"fmt"
	"testing"
)

func TestManyKeys(t *testing.T) {
	m := NewMap(Origin{})
	const n = 200
	for i := range int64(n) {
		m.Set(fmt.Sprint("k", i), NewInt(i, Origin{}))
	}
	copied := *m
	copied.Set("only there", NewInt(-1, Origin{}))
	m.Set("x", NewInt(-2, Origin{}))
	m.Set("only here", NewInt(-3, Origin{}))
	copied.Set("x", NewInt(-4, Origin{}))
	m.Delete("k7")
	m.Set("k8", NewInt(80, Origin{}))
	for _, c := range []struct {
		m    *Value
		key  string
		want int64 // 0 when it is absent
	}{
		{m, "k6", 6}, {m, "k7", 0}, {m, "k8", 80}, {m, "k199", 199}, {m, "x", -2}, {m, "only here", -3}, {m, "only there", 0}, {m, "y", 0},
		{&copied, "k7", 7}, {&copied, "k8", 8}, {&copied, "k199", 199}, {&copied, "x", -4}, {&copied, "only there", -1}, {&copied, "only here", 0},
	} {
		var got int64
		if v := c.m.Get(c.key); v != nil {
			got = v.Int
		}
		if got != c.want {
			t.Errorf("%s is %d, want %d", c.key, got, c.want)
		}
	}
	if m.Len() != n+1 || copied.Len() != n+2 {
		t.Errorf("%d and %d keys", m.Len(), copied.Len())
	}
}

func TestTruthy(t *testing.T) {
	o := Origin{}
	open, full := NewMap(o), NewMap(o)
	open.Open = true
	full.Set("a", NewText("", o))
	for _, c := range []struct {
		v         *Value
		on, known bool
	}{
		{nil, false, true}, {NewUnknown(o), false, false}, {NewBool(true, o), true, true}, {NewBool(false, o), false, true},
		{NewText("", o), false, true}, {NewText("false", o), true, true}, {NewFloat(0, o), false, true}, {NewFloat(0.5, o), true, true},
		{NewMap(o), false, true}, {open, false, false}, {full, true, true}, {NewList(o), false, true},
	} {
		if on, known := c.v.Truthy(); on != c.on || known != c.known {
			t.Errorf("%+v: %t, %t", c.v, on, known)
		}
	}
}

func TestSize(t *testing.T) {
	o := Origin{}
	m := NewMap(o)
	m.Set("list", NewList(o, NewInt(1, o), NewText("x", o)))
	m.Set("text", NewText("", o))
	for _, c := range []struct {
		v    *Value
		want int
	}{{nil, 0}, {NewUnknown(o), 1}, {NewMap(o), 1}, {m, 5}} {
		if got := c.v.Size(); got != c.want {
			t.Errorf("%+v: %d values, want %d", c.v, got, c.want)
		}
	}
}
