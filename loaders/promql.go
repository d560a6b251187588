package loaders

import (
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// series is one series that a query selects.
type series struct {
	name   string
	labels map[string]string
}

// maxQuery bounds the PromQL texts that are parsed, in bytes.
const maxQuery = 64 << 10

// selectors returns the series a PromQL text selects, in order; ok is false when the parser refuses it. Template
// variables of dashboards are masked by placeholders of the same length first.
func selectors(text string) (out []series, ok bool) {
	if len(text) > maxQuery || nesting(text) > 200 {
		return nil, false
	}
	p := parser.NewParser(parser.Options{EnableExperimentalFunctions: true})
	var expr parser.Expr
	for _, variable := range []byte{'v', '1'} {
		e, err := p.ParseExpr(maskVariables(text, variable))
		if err == nil {
			expr = e
			break
		}
	}
	if expr == nil {
		return nil, false
	}
	parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
		if v, is := n.(*parser.VectorSelector); is {
			out = append(out, seriesOf(v)...)
		}
		return nil
	})
	return out, true
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

func seriesOf(v *parser.VectorSelector) []series {
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
	var out []series
	for _, n := range names {
		if n != "" {
			out = append(out, series{n, set})
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

// routerSeries are series that the production-stack router exports itself under vllm: names
// (production-stack 0.1.12, src/vllm_router/services/metrics_service/__init__.py).
var routerSeries = []string{"vllm:avg_decoding_length", "vllm:avg_itl", "vllm:avg_latency", "vllm:avg_ttft", "vllm:current_qps", "vllm:healthy_pods_total", "vllm:num_decoding_requests", "vllm:num_incoming_requests", "vllm:num_prefill_requests"}

// normalSeries returns a series' name as its product spells it, and the product: the prefix of an adapter
// (vllm_x), of Ray (ray_vllm_x) and of managed Prometheus are undone.
func normalSeries(name string, set map[string]string) (metric, product string) {
	metric = name
	for _, prefix := range []string{"prometheus.googleapis.com|", "prometheus.googleapis.com/"} {
		if rest, ok := strings.CutPrefix(metric, prefix); ok {
			metric = rest
			if i := strings.LastIndexAny(metric, "|/"); i > 0 {
				metric = metric[:i]
			}
		}
	}
	switch {
	case strings.HasPrefix(metric, "vllm:"):
	case strings.HasPrefix(metric, "ray_vllm_"):
		metric = "vllm:" + strings.TrimPrefix(metric, "ray_vllm_")
	case strings.HasPrefix(metric, "ray_vllm:"):
		metric = strings.TrimPrefix(metric, "ray_")
	case strings.HasPrefix(metric, "vllm_"):
		metric = "vllm:" + strings.TrimPrefix(metric, "vllm_")
	case strings.HasPrefix(metric, "litellm_"):
		return metric, "litellm"
	default:
		return metric, ""
	}
	base := strings.TrimSuffix(metric, "_total")
	if set["server"] != "" || strings.Contains(set["job"], "router") || contains(routerSeries, metric) || contains(routerSeries, base) {
		return metric, "router"
	}
	return metric, "vllm"
}

// newQuery is a query in shape QueryPart; text is the value it was written as.
func newQuery(where, s string, text *model.Value) *query {
	v := model.NewMap(text.Origin)
	v.Set("where", model.NewText(where, text.Origin))
	v.Set("text", model.NewText(s, text.Origin))
	q := &query{value: v}
	found, parsed := selectors(s)
	if !parsed && (where == "hpa" || where == "adapter") {
		found = []series{{name: strings.TrimSpace(s)}}
	}
	if !parsed && where == "dashboard" {
		if name, ok := labelValues(s); ok {
			found, parsed = selectors(name)
		}
	}
	metrics := model.NewList(text.Origin)
	for _, x := range found {
		metric, product := normalSeries(x.name, x.labels)
		if q.product == "" || product == "vllm" && q.product == "router" {
			q.product = product
		}
		m := model.NewMap(text.Origin)
		m.Set("name", model.NewText(x.name, text.Origin))
		m.Set("metric", model.NewText(metric, text.Origin))
		set := model.NewMap(text.Origin)
		for _, k := range sortedKeys(x.labels) {
			set.Set(k, model.NewText(x.labels[k], text.Origin))
		}
		m.Set("labels", set)
		metrics.Append(m)
	}
	v.Set("metrics", metrics)
	v.Set("parsed", model.NewBool(parsed, text.Origin))
	if q.product != "" {
		v.Set("product", model.NewText(q.product, text.Origin))
	}
	return q
}

// labelValues returns the selector of Grafana's label_values(selector, label) and query_result(query).
func labelValues(s string) (string, bool) {
	s = strings.TrimSpace(s)
	for _, f := range []string{"label_values(", "query_result("} {
		rest, ok := strings.CutPrefix(s, f)
		if !ok || !strings.HasSuffix(rest, ")") {
			continue
		}
		rest = strings.TrimSuffix(rest, ")")
		if f == "label_values(" {
			i := strings.LastIndexByte(rest, ',')
			if i < 0 {
				return "", false
			}
			rest = rest[:i]
		}
		return rest, true
	}
	return "", false
}

// addQueryText adds a query when it speaks of a product agentlint knows.
func (w *world) addQueryText(sc *scope, dir, where, name string, v *model.Value) {
	w.hiddenQuery = w.hiddenQuery || v != nil && v.Kind == model.Unknown
	s, ok := v.AsText()
	if !ok || !strings.Contains(s, "vllm") && !strings.Contains(s, "litellm") {
		return
	}
	q := newQuery(where, s, v)
	if q.product == "" {
		return
	}
	if name != "" {
		q.value.Set("name", model.NewText(name, v.Origin))
	}
	q.scope, q.dir = sc, dir
	w.queries = append(w.queries, q)
}

// promRules reads a Prometheus rule file.
func (w *world) promRules(sc *scope, f *source.File, root *source.Node) {
	w.promRulesValue(sc, dirOf(f), model.FromNode(f, root, source.GoYAML, nil))
}

// promRulesValue reads {groups: [{rules: [...]}]}.
func (w *world) promRulesValue(sc *scope, dir string, v *model.Value) {
	for _, g := range v.Get("groups").Items() {
		for _, r := range g.Get("rules").Items() {
			expr := r.Get("expr")
			if expr == nil {
				continue
			}
			where, name := "alert", ""
			if n, ok := r.Get("alert").AsText(); ok {
				name = n
			} else if n, ok := r.Get("record").AsText(); ok {
				where, name = "recording", n
			}
			w.addQueryText(sc, dir, where, name, expr)
		}
	}
}

// adapterRules reads the rules of prometheus-adapter, as a file or in its chart's values.
func (w *world) adapterRules(sc *scope, f *source.File, root *source.Node) {
	v := model.FromNode(f, root, source.GoYAML, func(*source.Node) bool { return false })
	r := v.Get("rules")
	for _, list := range []*model.Value{r, r.Get("custom"), r.Get("external")} {
		if list == nil || list.Kind != model.List {
			continue
		}
		for _, it := range list.Items() {
			w.addQueryText(sc, dirOf(f), "adapter", "seriesQuery", it.Get("seriesQuery"))
			w.addQueryText(sc, dirOf(f), "adapter", "metricsQuery", it.Get("metricsQuery"))
		}
	}
}

// dashboardText reads a dashboard that stands as JSON in a text.
func (w *world) dashboardText(sc *scope, v *model.Value) {
	n := v.Origin.Node.Deref()
	if n == nil || n.Kind != source.Scalar {
		return
	}
	f := source.Nested(v.Origin.File, n)
	docs, err := parseTree(f)
	if err != nil || len(docs) == 0 {
		return
	}
	w.dashboard(sc, f, docs[0].Root)
}

// maxPanels bounds nested rows of a dashboard.
const maxPanels = 5

// dashboard reads a Grafana dashboard: the targets of its panels, and its variables.
func (w *world) dashboard(sc *scope, f *source.File, root *source.Node) {
	if d := root.Get("dashboard"); d != nil && !isDashboard(root.Deref()) {
		root = d
	}
	dir := dirOf(f)
	text := func(n *source.Node) *model.Value {
		return model.FromNode(f, n, source.JSON, func(*source.Node) bool { return false })
	}
	var panels func(list *source.Node, depth int)
	panels = func(list *source.Node, depth int) {
		if depth > maxPanels {
			return
		}
		for _, p := range list.Items() {
			title := textOf(p.Get("title"))
			for _, t := range p.Get("targets").Items() {
				for _, k := range []string{"expr", "query", "expression"} {
					if e := t.Get(k); e != nil {
						w.addQueryText(sc, dir, "dashboard", title, text(e))
						break
					}
				}
			}
			panels(p.Get("panels"), depth+1)
		}
	}
	panels(root.Get("panels"), 0)
	panels(root.Get("rows"), 0)
	for _, v := range root.At("templating", "list").Items() {
		q := v.Get("query")
		if inner := q.Get("query"); inner != nil {
			q = inner
		}
		if q != nil {
			w.addQueryText(sc, dir, "dashboard", textOf(v.Get("name")), text(q))
		}
	}
	for _, a := range root.At("annotations", "list").Items() {
		if e := a.Get("expr"); e != nil {
			w.addQueryText(sc, dir, "dashboard", textOf(a.Get("name")), text(e))
		}
	}
}

func dirOf(f *source.File) string {
	out, _ := f.Outer(source.Span{})
	if i := strings.LastIndexByte(out.Path, '/'); i >= 0 {
		return out.Path[:i]
	}
	return "."
}
