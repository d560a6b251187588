package policy

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"

	"agentlint/internal/model"
)

// maxInterned bounds the keys that one converter keeps.
const maxInterned = 4096

// converter turns stacks into Rego values. One is used by one goroutine at a time; keys are shared by all stacks it
// converts.
type converter struct {
	keys    map[string]*ast.Term
	path    []*ast.Term
	unknown []*ast.Term
}

var converters = sync.Pool{New: func() any { return &converter{keys: map[string]*ast.Term{}} }}

// inputOf returns the input document of a stack: its values, the paths of the unknown ones, and what the run
// enables. Numbers that JSON has no notation for are unknown too.
func inputOf(s *model.Stack, enabled, parameters *ast.Term) *input {
	c := converters.Get().(*converter)
	defer converters.Put(c)
	if len(c.keys) > maxInterned {
		clear(c.keys)
	}
	c.path, c.unknown = c.path[:0], c.unknown[:0]
	in := &input{c.entries(s.Root, 3)}
	in.pairs = append(in.pairs,
		[2]*ast.Term{c.key("unknown"), ast.ArrayTerm(slices.Clone(c.unknown)...)}, // an array keeps the slice it is given
		[2]*ast.Term{c.key("parameters"), parameters},
		[2]*ast.Term{c.key("enabled"), enabled})
	return in
}

// input is an input document whose list of enabled policies can be exchanged.
type input struct{ pairs [][2]*ast.Term }

func (in *input) term() *ast.Term { return ast.ObjectTerm(in.pairs...) }

// enabling returns the document for one policy.
func (in *input) enabling(id string) *ast.Term {
	pairs := append([][2]*ast.Term{}, in.pairs...)
	last := len(pairs) - 1
	pairs[last] = [2]*ast.Term{pairs[last][0], ast.ArrayTerm(ast.StringTerm(id))}
	return ast.ObjectTerm(pairs...)
}

func (c *converter) key(s string) *ast.Term {
	t, ok := c.keys[s]
	if !ok {
		t = ast.StringTerm(s)
		c.keys[s] = t
	}
	return t
}

// entries returns the known entries of a map, with room for more.
func (c *converter) entries(v *model.Value, more int) [][2]*ast.Term {
	if v.Open {
		c.markUnknown()
	}
	keys, items := v.Keys(), v.Items()
	pairs := make([][2]*ast.Term, 0, len(keys)+more)
	for i, k := range keys {
		key := c.key(k)
		c.path = append(c.path, key)
		if t := c.value(items[i]); t != nil {
			pairs = append(pairs, [2]*ast.Term{key, t})
		}
		c.path = c.path[:len(c.path)-1]
	}
	return pairs
}

// value returns a value as a term, nil for an unknown one, whose path it notes.
func (c *converter) value(v *model.Value) *ast.Term {
	switch v.Kind {
	case model.Null:
		return ast.InternedNullTerm
	case model.Bool:
		return ast.InternedTerm(v.Bool)
	case model.Int:
		return ast.InternedTerm(v.Int)
	case model.Float:
		if math.IsInf(v.Float, 0) || math.IsNaN(v.Float) {
			c.markUnknown()
			return nil
		}
		return ast.NumberTerm(json.Number(strconv.FormatFloat(v.Float, 'g', -1, 64)))
	case model.Text:
		return ast.StringTerm(v.Text)
	case model.List:
		if v.Open {
			c.markUnknown()
		}
		items := make([]*ast.Term, v.Len())
		for i, w := range v.Items() {
			c.path = append(c.path, ast.InternedTerm(i))
			if items[i] = c.value(w); items[i] == nil {
				items[i] = ast.InternedNullTerm
			}
			c.path = c.path[:len(c.path)-1]
		}
		return ast.ArrayTerm(items...)
	case model.Map:
		return ast.ObjectTerm(c.entries(v, 0)...)
	}
	c.markUnknown()
	return nil
}

func (c *converter) markUnknown() {
	c.unknown = append(c.unknown, ast.ArrayTerm(slices.Clone(c.path)...))
}
