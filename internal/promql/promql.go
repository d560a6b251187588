// Package promql reads the queries of dashboards, rules and scalers: PromQL with the template variables of the
// programs that hold it.
package promql

import (
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"agentlint/internal/source"
)

// Query is a text that the parser accepts.
type Query struct {
	// Text is the query as written; Expr the tree of the text with its variables masked by placeholders of the
	// same length, so that its positions are those of Text.
	Text string
	Expr parser.Expr
	// Selectors are the series the query selects, in order.
	Selectors []Selector
}

// Selector is one series that a query selects.
type Selector struct {
	Name string
	// Labels has the values of equality and pattern matchers.
	Labels map[string]string
	// Span covers the name in the text; empty when it stands in a matcher on __name__.
	Span source.Span
}

// maxQuery bounds the PromQL texts that are parsed, in bytes.
const maxQuery = 64 << 10

// Parse reads a query; ok is false for a text that is no PromQL.
func Parse(text string) (q *Query, ok bool) {
	if len(text) > maxQuery || nesting(text) > 200 {
		return nil, false
	}
	q = &Query{Text: text}
	p := parser.NewParser(parser.Options{EnableExperimentalFunctions: true})
	for _, variable := range []byte{'v', '1'} {
		e, err := p.ParseExpr(maskVariables(text, variable))
		if err == nil {
			q.Expr = e
			break
		}
	}
	if q.Expr == nil {
		return nil, false
	}
	parser.Inspect(q.Expr, func(n parser.Node, _ []parser.Node) error {
		if v, is := n.(*parser.VectorSelector); is {
			for _, s := range selectorsOf(v) {
				// A name out of a template variable is not known.
				if s.Span.IsZero() || text[s.Span.Start:s.Span.End] == s.Name {
					q.Selectors = append(q.Selectors, s)
				}
			}
		}
		return nil
	})
	return q, true
}

// nesting is how deep brackets stand in each other, which the parser follows by recursion.
func nesting(s string) int {
	depth, deepest := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth--
		}
	}
	return deepest
}

func selectorsOf(v *parser.VectorSelector) []Selector {
	set := map[string]string{}
	names := []string{v.Name}
	for _, m := range v.LabelMatchers {
		switch {
		case m.Name == "__name__":
			if v.Name == "" {
				names = nameMatcher(m)
			}
		case m.Type == labels.MatchEqual:
			set[m.Name] = m.Value
		case m.Type == labels.MatchRegexp:
			// The value is a pattern, but that the label is asked for still says whose series it is.
			set[m.Name] = m.Value
		}
	}
	var span source.Span
	if v.Name != "" {
		span.Start = int(v.PosRange.Start)
		span.End = span.Start + len(v.Name)
	}
	var out []Selector
	for _, n := range names {
		if n != "" {
			out = append(out, Selector{n, set, span})
		}
	}
	return out
}

// nameMatcher returns the names that a matcher on __name__ spells out.
func nameMatcher(m *labels.Matcher) []string {
	switch m.Type {
	case labels.MatchEqual:
		return []string{m.Value}
	case labels.MatchRegexp:
		var out []string
		body := strings.TrimSuffix(strings.TrimPrefix(m.Value, "("), ")")
		for alt := range strings.SplitSeq(body, "|") {
			for i := range len(alt) {
				if c := alt[i]; c != '_' && c != ':' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
					return nil
				}
			}
			out = append(out, alt)
		}
		return out
	}
	return nil
}

// maskVariables replaces template variables ($x, ${x:fmt}, [[x]], and the <<.X>> of adapter rules) by placeholders
// of the same length, so that positions stay valid: a duration inside [ ], elsewhere an identifier or a number.
// Text in quotes is left alone.
func maskVariables(s string, with byte) string {
	if !strings.ContainsAny(s, "$[<{") {
		return s
	}
	b := []byte(s)
	var quote byte
	brackets := 0
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case quote != 0:
			switch c {
			case '\\':
				i++
			case quote:
				quote = 0
			}
			continue
		case c == '"' || c == '\'' || c == '`':
			quote = c
			continue
		case c == '[' && i+1 < len(b) && b[i+1] == '[':
			if end := strings.Index(s[i:], "]]"); end > 0 {
				fill(b[i:i+end+2], with, brackets > 0)
				i += end + 1
				continue
			}
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(0, brackets-1)
		case c == '$':
			n := variableLen(s[i:])
			if n > 1 {
				fill(b[i:i+n], with, brackets > 0)
				i += n - 1
			}
		case c == '<' && strings.HasPrefix(s[i:], "<<"):
			if end := strings.Index(s[i:], ">>"); end > 0 {
				fill(b[i:i+end+2], with, brackets > 0)
				i += end + 1
			}
		case c == '{' && strings.HasPrefix(s[i:], "{{"):
			if end := strings.Index(s[i:], "}}"); end > 0 {
				fill(b[i:i+end+2], with, brackets > 0)
				i += end + 1
			}
		}
	}
	return string(b)
}

func variableLen(s string) int {
	if strings.HasPrefix(s, "${") {
		if end := strings.IndexByte(s, '}'); end > 0 {
			return end + 1
		}
		return 0
	}
	n := 1
	for n < len(s) && (s[n] == '_' || s[n] >= '0' && s[n] <= '9' || s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') {
		n++
	}
	return n
}

// fill writes a placeholder over b.
func fill(b []byte, with byte, duration bool) {
	for i := range b {
		switch {
		case duration || with == '1':
			b[i] = ' '
		default:
			b[i] = '_'
		}
	}
	switch {
	case duration && len(b) > 1:
		copy(b, "5m")
	case duration:
		b[0] = '5'
	default:
		b[0] = with
	}
}

// Ratio is a division of two parts of a query.
type Ratio struct {
	// Left and Right are the series on either side.
	Left, Right []Side
	// Grouped is true when an aggregation on the way keeps labels apart, Labels those it keeps.
	Labels []string
	// Aggregated is true when either side is aggregated over series.
	Aggregated bool
}

// Side is one series on a side of a ratio, and whether it is read as a rate.
type Side struct {
	Selector
	// Rated is true inside rate, irate, increase or delta.
	Rated bool
}

// Ratios returns the divisions of a query, outermost first.
func (q *Query) Ratios() []Ratio {
	var out []Ratio
	parser.Inspect(q.Expr, func(n parser.Node, path []parser.Node) error {
		b, ok := n.(*parser.BinaryExpr)
		if !ok || b.Op != parser.DIV {
			return nil
		}
		r := Ratio{Left: sides(b.LHS), Right: sides(b.RHS)}
		for _, side := range []parser.Expr{b.LHS, b.RHS} {
			parser.Inspect(side, func(n parser.Node, _ []parser.Node) error {
				if a, ok := n.(*parser.AggregateExpr); ok {
					r.aggregate(a)
				}
				return nil
			})
		}
		for _, p := range path {
			if a, ok := p.(*parser.AggregateExpr); ok {
				r.aggregate(a)
			}
		}
		out = append(out, r)
		return nil
	})
	return out
}

func (r *Ratio) aggregate(a *parser.AggregateExpr) {
	r.Aggregated = true
	if !a.Without {
		r.Labels = append(r.Labels, a.Grouping...)
	} else {
		// Everything but the named labels is kept apart.
		r.Labels = append(r.Labels, "")
	}
}

// rateFunctions turn a counter into its change.
func isRate(name string) bool {
	switch name {
	case "rate", "irate", "increase", "delta", "idelta", "deriv":
		return true
	}
	return false
}

func sides(e parser.Expr) []Side {
	var out []Side
	var walk func(n parser.Node, rated bool)
	walk = func(n parser.Node, rated bool) {
		switch n := n.(type) {
		case *parser.VectorSelector:
			for _, s := range selectorsOf(n) {
				out = append(out, Side{s, rated})
			}
			return
		case *parser.Call:
			rated = rated || isRate(n.Func.Name)
		}
		for c := range parser.ChildrenIter(n) {
			walk(c, rated)
		}
	}
	walk(e, false)
	return out
}

// ManySeries returns the selectors of a query that reach its result without an aggregation to one series. pinned
// says of a selector that it is one series by itself.
func (q *Query) ManySeries(pinned func(Selector) bool) []Selector {
	var out []Selector
	var walk func(n parser.Node)
	walk = func(n parser.Node) {
		switch n := n.(type) {
		case *parser.AggregateExpr:
			if !n.Without && len(n.Grouping) == 0 && oneSeries(n) {
				return
			}
			walk(n.Expr)
			return
		case *parser.Call:
			switch n.Func.Name {
			case "scalar", "absent", "absent_over_time", "vector", "time":
				return
			case "histogram_quantile":
				if a, ok := unparen(n.Args[1]).(*parser.AggregateExpr); ok && !a.Without && len(a.Grouping) == 1 && a.Grouping[0] == "le" {
					return
				}
			}
		case *parser.BinaryExpr:
			// A set operation has the series of both sides, any other match those of its left side, or of the
			// side that may have many.
			walk(n.LHS)
			if n.Op.IsSetOperator() || isScalar(n.LHS) || len(out) == 0 && n.VectorMatching != nil {
				walk(n.RHS)
			}
			return
		case *parser.VectorSelector:
			for _, s := range selectorsOf(n) {
				if !pinned(s) {
					out = append(out, s)
				}
			}
			return
		}
		for c := range parser.ChildrenIter(n) {
			walk(c)
		}
	}
	walk(q.Expr)
	return out
}

// oneSeries reports whether an aggregation without grouping has one series: topk(1) and bottomk(1) do, larger
// numbers do not.
func oneSeries(a *parser.AggregateExpr) bool {
	switch a.Op {
	case parser.TOPK, parser.BOTTOMK, parser.LIMITK, parser.LIMIT_RATIO:
		n, ok := unparen(a.Param).(*parser.NumberLiteral)
		return ok && n.Val == 1
	case parser.COUNT_VALUES:
		return false
	}
	return true
}

func unparen(e parser.Expr) parser.Expr {
	for {
		p, ok := e.(*parser.ParenExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}

func isScalar(e parser.Expr) bool { return e.Type() == parser.ValueTypeScalar }

// Threshold is a comparison of an expression with a number.
type Threshold struct {
	// Op is ">", ">=", "<", "<=", "==" or "!=", as if the number stood on the right.
	Op    string
	Value float64
	// Span covers the number in the text.
	Span source.Span
	// Selectors are the series of the expression. Sum is true when values of several series may add up in it, Scaled when it
	// computes with them, as a percentage does.
	Selectors   []Selector
	Sum, Scaled bool
}

// Thresholds returns the comparisons with a number, in order.
func (q *Query) Thresholds() []Threshold {
	var out []Threshold
	parser.Inspect(q.Expr, func(n parser.Node, _ []parser.Node) error {
		b, ok := n.(*parser.BinaryExpr)
		if !ok || !b.Op.IsComparisonOperator() {
			return nil
		}
		value, number, op := b.LHS, unparen(b.RHS), b.Op.String()
		if _, literal := number.(*parser.NumberLiteral); !literal {
			value, number = b.RHS, unparen(b.LHS)
			op = mirrored(op)
		}
		x, literal := number.(*parser.NumberLiteral)
		if !literal || op == "" {
			return nil
		}
		t := Threshold{Op: op, Value: x.Val, Span: source.Span{Start: int(x.PosRange.Start), End: int(x.PosRange.End)}}
		t.add(value)
		out = append(out, t)
		return nil
	})
	return out
}

// add takes in what an expression is made of.
func (t *Threshold) add(e parser.Expr) {
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			t.Selectors = append(t.Selectors, selectorsOf(n)...)
		case *parser.AggregateExpr:
			switch n.Op {
			case parser.AVG, parser.MAX, parser.MIN, parser.QUANTILE, parser.TOPK, parser.BOTTOMK, parser.GROUP:
			default:
				t.Sum = true
			}
		case *parser.BinaryExpr:
			t.Scaled = t.Scaled || !n.Op.IsSetOperator() && !n.Op.IsComparisonOperator()
		case *parser.Call:
			switch n.Func.Name {
			case "avg_over_time", "max_over_time", "min_over_time", "quantile_over_time", "last_over_time", "label_replace", "label_join", "sort", "sort_desc", "clamp_max", "clamp_min", "clamp":
			default:
				t.Scaled = true
			}
		}
		return nil
	})
}

// mirrored is a comparison read from right to left.
func mirrored(op string) string {
	switch op[0] {
	case '>':
		return "<" + op[1:]
	case '<':
		return ">" + op[1:]
	}
	return op
}

// Whole describes the value of a query as that of a comparison whose number stands elsewhere.
func Whole(q *Query) Threshold {
	var t Threshold
	t.add(q.Expr)
	return t
}

// Rate is one use of a function for counters.
type Rate struct {
	// Function is rate, irate or increase.
	Function string
	// Series are those whose values it is given, alone or aggregated.
	Series []Selector
}

// Rates returns the uses of rate, irate and increase, outermost first.
func (q *Query) Rates() []Rate {
	var out []Rate
	parser.Inspect(q.Expr, func(n parser.Node, _ []parser.Node) error {
		if c, ok := n.(*parser.Call); ok && len(c.Args) == 1 {
			switch c.Func.Name {
			case "rate", "irate", "increase":
				out = append(out, Rate{c.Func.Name, q.kept(c.Args[0])})
			}
		}
		return nil
	})
	return out
}

// Kept returns the series whose values the query gives as they are, alone or aggregated; none when it computes anything
// else.
func (q *Query) Kept() []Selector { return q.kept(q.Expr) }

func (q *Query) kept(e parser.Expr) []Selector {
	switch e := e.(type) {
	case *parser.ParenExpr:
		return q.kept(e.Expr)
	case *parser.StepInvariantExpr:
		return q.kept(e.Expr)
	case *parser.MatrixSelector:
		return q.kept(e.VectorSelector)
	case *parser.SubqueryExpr:
		return q.kept(e.Expr)
	case *parser.AggregateExpr:
		switch e.Op {
		case parser.SUM, parser.AVG, parser.MAX, parser.MIN, parser.TOPK, parser.BOTTOMK:
			return q.kept(e.Expr)
		}
	case *parser.VectorSelector:
		return q.spelled(e)
	}
	return nil
}

// spelled returns the series of a selector, without those whose name holds a template variable.
func (q *Query) spelled(v *parser.VectorSelector) []Selector {
	out := selectorsOf(v)
	if len(out) == 1 && !out[0].Span.IsZero() && q.Text[out[0].Span.Start:out[0].Span.End] != out[0].Name {
		return nil
	}
	return out
}

// Quantile is one use of histogram_quantile.
type Quantile struct {
	// Series are all that it reads; one whose name holds a template variable has none.
	Series []Selector
	// Grouping is the aggregation that takes the le label away, as written without what it aggregates: sum by (pod). It is
	// empty when none does for certain.
	Grouping string

	input parser.Expr
	query *Query
}

// Quantiles returns the uses of histogram_quantile, outermost first.
func (q *Query) Quantiles() []Quantile {
	var out []Quantile
	parser.Inspect(q.Expr, func(n parser.Node, _ []parser.Node) error {
		c, ok := n.(*parser.Call)
		if !ok || c.Func.Name != "histogram_quantile" || len(c.Args) != 2 {
			return nil
		}
		u := Quantile{input: c.Args[1], query: q}
		parser.Inspect(c.Args[1], func(n parser.Node, _ []parser.Node) error {
			if v, ok := n.(*parser.VectorSelector); ok {
				if found := q.spelled(v); len(found) > 0 {
					u.Series = append(u.Series, found...)
				} else {
					u.Series = append(u.Series, Selector{})
				}
			}
			return nil
		})
		out = append(out, u)
		return nil
	})
	return out
}

// WithoutBuckets reports whether no series that histogram_quantile gets has an le label, plain saying of a series that it
// has none. It fills Grouping.
func (u *Quantile) WithoutBuckets(plain func(Selector) bool) bool { return u.lacks(u.input, plain) }

func (u *Quantile) lacks(e parser.Expr, plain func(Selector) bool) bool {
	switch e := e.(type) {
	case *parser.ParenExpr:
		return u.lacks(e.Expr, plain)
	case *parser.StepInvariantExpr:
		return u.lacks(e.Expr, plain)
	case *parser.UnaryExpr:
		return u.lacks(e.Expr, plain)
	case *parser.MatrixSelector:
		return u.lacks(e.VectorSelector, plain)
	case *parser.SubqueryExpr:
		return u.lacks(e.Expr, plain)
	case *parser.VectorSelector:
		found := u.query.spelled(e)
		for _, s := range found {
			if !plain(s) {
				return false
			}
		}
		return len(found) > 0
	case *parser.AggregateExpr:
		switch e.Op {
		case parser.COUNT_VALUES:
			return false
		case parser.TOPK, parser.BOTTOMK, parser.LIMITK, parser.LIMIT_RATIO:
			return u.lacks(e.Expr, plain)
		}
		named := false
		for _, label := range e.Grouping {
			if !strings.Contains(u.query.Text, label) {
				return false // a template variable, which may stand for le
			}
			named = named || label == "le"
		}
		if named != e.Without {
			return u.lacks(e.Expr, plain)
		}
		if u.Grouping == "" {
			u.Grouping = e.Op.String()
			switch {
			case e.Without:
				u.Grouping += " without (" + strings.Join(e.Grouping, ", ") + ")"
			case len(e.Grouping) > 0:
				u.Grouping += " by (" + strings.Join(e.Grouping, ", ") + ")"
			}
		}
		return true
	case *parser.BinaryExpr:
		switch {
		case isScalar(e.LHS):
			return u.lacks(e.RHS, plain)
		case isScalar(e.RHS) || e.Op == parser.LAND || e.Op == parser.LUNLESS:
			return u.lacks(e.LHS, plain)
		}
		return u.lacks(e.LHS, plain) && u.lacks(e.RHS, plain)
	case *parser.Call:
		switch e.Func.Name {
		case "label_replace", "label_join":
			if to, ok := unparen(e.Args[1]).(*parser.StringLiteral); !ok || to.Val == "le" {
				return false
			}
			return u.lacks(e.Args[0], plain)
		case "absent", "absent_over_time", "vector", "info":
			return false
		}
		for _, arg := range e.Args {
			if t := arg.Type(); t == parser.ValueTypeVector || t == parser.ValueTypeMatrix {
				return u.lacks(arg, plain)
			}
		}
	}
	return false
}
