package policy

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// The bounds of one call of a builtin function. Steps and the clock bound evaluations; what one call can make out of
// small arguments is bounded here.
const (
	maxMade  = 16 << 20 // bytes of text that a call may make
	maxNodes = 2_000_000
)

// errTooMuch ends an evaluation in which a builtin function would make too much.
var errTooMuch = errors.New("it would make a value that is too large")

// errHugeNumber ends an evaluation with a number of thousands of digits.
var errHugeNumber = errors.New("the number is too large")

// guardBuiltins puts a look at the arguments in front of builtin functions whose work is not bounded by the size of
// their arguments. It is called before anything is evaluated.
func guardBuiltins() {
	texts := func(terms []*ast.Term, i int) string {
		if i >= len(terms) {
			return ""
		}
		s, _ := terms[i].Value.(ast.String)
		return string(s)
	}
	weigh := func(t *ast.Term) (int, bool) {
		w := &weight{nodes: maxNodes, bytes: maxMade}
		ok := w.add(t.Value)
		return maxMade - w.bytes, ok
	}
	for name, fits := range map[string]func([]*ast.Term) bool{
		ast.Concat.Name: func(a []*ast.Term) bool {
			size, ok := weigh(a[1])
			return ok && size+len(texts(a, 0))*members(a[1].Value) <= maxMade
		},
		ast.Sprintf.Name: func(a []*ast.Term) bool {
			size, ok := weigh(a[1])
			format := texts(a, 0)
			return ok && !wide(format) && len(format)+strings.Count(format, "%")*size <= maxMade
		},
		ast.Replace.Name: func(a []*ast.Term) bool {
			s, old := texts(a, 0), texts(a, 1)
			return len(s)+strings.Count(s, old)*len(texts(a, 2)) <= maxMade
		},
		ast.ReplaceN.Name: func(a []*ast.Term) bool {
			size, ok := weigh(a[0])
			return ok && (len(texts(a, 1))+1)*max(size, 1) <= maxMade
		},
		ast.RegexReplace.Name: func(a []*ast.Term) bool {
			return (len(texts(a, 0))+1)*(len(texts(a, 2))+1) <= maxMade
		},
		ast.JSONMarshal.Name: func(a []*ast.Term) bool { _, ok := weigh(a[0]); return ok },
		ast.ArrayConcat.Name: func(a []*ast.Term) bool { return members(a[0].Value)+members(a[1].Value) <= maxNodes },
		ast.Split.Name:       func(a []*ast.Term) bool { return len(texts(a, 0)) <= maxNodes },
	} {
		guard(name, func(a []*ast.Term) error {
			if !fits(a) {
				return errTooMuch
			}
			return nil
		})
	}
	for _, b := range []*ast.Builtin{ast.Plus, ast.Minus, ast.Multiply, ast.Divide, ast.Rem, ast.Abs, ast.Ceil, ast.Floor, ast.Round, ast.FormatInt,
		ast.NumbersRange, ast.NumbersRangeStep, ast.ToNumber, ast.UnitsParse, ast.UnitsParseBytes, ast.Sum, ast.Product} {
		guard(b.Name, func(a []*ast.Term) error {
			for _, t := range a {
				switch v := t.Value.(type) {
				case ast.Number:
					if hugeNumber(string(v)) {
						return errHugeNumber
					}
				case ast.String:
					if hugeNumber(string(v)) {
						return errHugeNumber
					}
				}
			}
			return nil
		})
	}
}

func guard(name string, look func([]*ast.Term) error) {
	call := topdown.GetBuiltin(name)
	if call == nil {
		return
	}
	topdown.RegisterBuiltinFunc(name, func(bctx topdown.BuiltinContext, operands []*ast.Term, iter func(*ast.Term) error) error {
		if err := look(operands); err != nil {
			return topdown.Halt{Err: &topdown.Error{Code: topdown.BuiltinErr, Message: name + ": " + err.Error(), Location: bctx.Location}}
		}
		return call(bctx, operands, iter)
	})
}

// hugeNumber reports whether a number, or a quantity that starts with one, has more digits than anything means.
func hugeNumber(s string) bool {
	if len(s) > 1000 {
		return true
	}
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return false
	}
	exponent := strings.TrimLeft(strings.TrimLeft(s[i+1:], "+-"), "0")
	n := 0
	for n < len(exponent) && exponent[n] >= '0' && exponent[n] <= '9' {
		n++
	}
	return n > 3
}

// wide reports whether a format asks for widths or precisions that make much out of nothing.
func wide(format string) bool {
	digits := 0
	for i := range len(format) {
		c := format[i]
		switch {
		case c >= '0' && c <= '9':
			if digits++; digits > 3 {
				return true
			}
			continue
		case c == '*':
			if i > 0 && strings.ContainsRune("%.+-# ]0", rune(format[i-1])) {
				return true
			}
		}
		digits = 0
	}
	return false
}

func members(v ast.Value) int {
	switch v := v.(type) {
	case *ast.Array:
		return v.Len()
	case ast.Set:
		return v.Len()
	case ast.Object:
		return v.Len()
	}
	return 0
}

// weight counts down what a value is made of. Values may share their parts, so that a small one can be endless when
// it is written out.
type weight struct {
	nodes, bytes int
	depth        int
}

// maxDepth bounds how deep values are nested.
const maxDepth = 5000

// add counts a value, and reports whether it fits.
func (w *weight) add(v ast.Value) bool {
	w.nodes--
	w.depth++
	defer func() { w.depth-- }()
	if w.nodes < 0 || w.depth > maxDepth {
		return false
	}
	fits := true
	each := func(t *ast.Term) bool {
		fits = fits && w.add(t.Value)
		return !fits
	}
	switch v := v.(type) {
	case ast.String:
		w.bytes -= len(v)
	case ast.Number:
		w.bytes -= len(v)
	case *ast.Array:
		v.Until(each)
	case ast.Set:
		v.Until(each)
	case ast.Object:
		v.Until(func(k, x *ast.Term) bool { return each(k) || each(x) })
	default:
		w.bytes -= utf8.UTFMax
	}
	return fits && w.bytes >= 0
}
