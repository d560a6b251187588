// Package model is the one picture of a deployment that rules, policies and fixes share: a stack as a tree of
// values, each with the place it was written, and the findings, metadata and fixes that speak of it.
package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Path leads from the root of a stack to a value. Each element is a string (a key) or an int (a list index):
// Path{"gateway", "config", "model_list", 0, "model_name"}.
type Path []any

// Loser is an element of the path of an operation: it leads from a value to the i-th of its [Value.Losers()], which a reader
// never sees. What follows is looked up in what was written there.
type Loser int

// String returns the path as people write it: gateway.config.model_list[0].model_name. Keys that are not plain
// words are quoted.
func (p Path) String() string {
	var b strings.Builder
	for i, e := range p {
		switch e := e.(type) {
		case int:
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(e))
			b.WriteByte(']')
		case string:
			if !plainKey(e) {
				fmt.Fprintf(&b, "[%q]", e)
				continue
			}
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(e)
		case Loser:
			fmt.Fprintf(&b, "[overridden %d]", int(e))
		default:
			fmt.Fprintf(&b, "[%v]", e)
		}
	}
	return b.String()
}

func plainKey(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c != '_' && c != '-' && c != '/' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// With returns p with elements added. The result never shares memory with p.
func (p Path) With(elems ...any) Path {
	out := make(Path, 0, len(p)+len(elems))
	return append(append(out, p...), elems...)
}

// HasPrefix reports whether q leads to p or to one of its ancestors.
func (p Path) HasPrefix(q Path) bool {
	if len(q) > len(p) {
		return false
	}
	for i := range q {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// Dotted splits a dotted name of keys ("gateway.config.router_settings") into a path. It has no notation for
// indices or for keys with dots.
func Dotted(s string) Path {
	if s == "" {
		return nil
	}
	parts := strings.Split(s, ".")
	p := make(Path, len(parts))
	for i, k := range parts {
		p[i] = k
	}
	return p
}
