package knowledge

import (
	"fmt"
	"strings"
)

// Range is a set of releases of one product, as rule metadata writes it under applies: "litellm>=1.81.16", "vllm>=0.9 <0.33", "any".
type Range struct {
	Product string // "litellm", "vllm", "dynamo", ...; empty for any
	bounds  []bound
}

type bound struct {
	op string
	v  Version
}

// ParseRange reads a product name followed by comparisons (>=, >, <=, <, ==, !=) that are separated by blanks or commas and must all hold.
// "any", and nothing at all, contain every version of every product.
func ParseRange(s string) (Range, error) {
	text := strings.TrimSpace(s)
	if text == "" || text == "any" {
		return Range{}, nil
	}
	i := strings.IndexAny(text, "<>=! ,")
	if i < 0 {
		i = len(text)
	}
	r := Range{Product: text[:i]}
	if r.Product == "" {
		return Range{}, fmt.Errorf("range %q: no product", s)
	}
	for _, part := range strings.FieldsFunc(text[i:], func(c rune) bool { return c == ' ' || c == ',' }) {
		n := 0
		for n < len(part) && strings.IndexByte("<>=!", part[n]) >= 0 {
			n++
		}
		switch part[:n] {
		case ">=", ">", "<=", "<", "==", "!=":
		default:
			return Range{}, fmt.Errorf("range %q: %q is not a comparison", s, part)
		}
		v, err := ParseVersion(part[n:])
		if err != nil {
			return Range{}, fmt.Errorf("range %q: %w", s, err)
		}
		r.bounds = append(r.bounds, bound{part[:n], v})
	}
	return r, nil
}

// Contains reports whether all comparisons hold for v. A pre-release counts as the release it leads to, since it has that release's
// features: 0.30.1rc1 satisfies >=0.30.1. The zero version lies only in a range without comparisons.
func (r Range) Contains(v Version) bool {
	if v.IsZero() {
		return len(r.bounds) == 0
	}
	v = v.Final()
	for _, b := range r.bounds {
		c := v.Compare(b.v)
		ok := false
		switch b.op {
		case ">=":
			ok = c >= 0
		case ">":
			ok = c > 0
		case "<=":
			ok = c <= 0
		case "<":
			ok = c < 0
		case "==":
			ok = c == 0
		case "!=":
			ok = c != 0
		}
		if !ok {
			return false
		}
	}
	return true
}

// String returns the range in the form that ParseRange reads.
func (r Range) String() string {
	if r.Product == "" {
		return "any"
	}
	var b strings.Builder
	b.WriteString(r.Product)
	for i, x := range r.bounds {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(x.op)
		b.WriteString(x.v.String())
	}
	return b.String()
}

// Bound is one comparison of a range.
type Bound struct {
	Op      string // >=, >, <=, <, == or !=
	Version Version
}

// Bounds returns the comparisons of a range.
func (r Range) Bounds() []Bound {
	out := make([]Bound, len(r.bounds))
	for i, b := range r.bounds {
		out[i] = Bound{b.op, b.v}
	}
	return out
}
