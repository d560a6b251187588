package loaders

import (
	"fmt"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/promql"
	"agentlint/internal/source"
)

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
		found = []promql.Selector{{Name: strings.TrimSpace(s)}}
	}
	if !parsed && where == "dashboard" {
		if name, ok := labelValues(s); ok {
			found, parsed = selectors(name)
		}
	}
	metrics := model.NewList(text.Origin)
	for _, x := range found {
		metric, product := normalSeries(x.Name, x.Labels)
		if q.product == "" || product == "vllm" && q.product == "router" {
			q.product = product
		}
		m := model.NewMap(text.Origin)
		m.Set("name", model.NewText(x.Name, text.Origin))
		m.Set("metric", model.NewText(metric, text.Origin))
		if product != "" {
			m.Set("product", model.NewText(product, text.Origin))
		}
		set := model.NewMap(text.Origin)
		for _, k := range sortedKeys(x.Labels) {
			set.Set(k, model.NewText(x.Labels[k], text.Origin))
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

// selectors returns the series a text selects; ok is false when it is no PromQL.
func selectors(text string) ([]promql.Selector, bool) {
	q, ok := promql.Parse(text)
	if !ok {
		return nil, false
	}
	return q.Selectors, true
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

// noQuery notes the first expression of a file that is no PromQL.
func (w *world) noQuery(v *model.Value) {
	if v.Origin.File == nil {
		return
	}
	f, span := v.Origin.File.Outer(v.Origin.Span)
	if !w.noted[f] {
		w.noted[f] = true
		w.skip(f.Path, fmt.Sprintf("line %d: an expression that is no PromQL", f.LineAt(span.Start)))
	}
}

// addQueryText adds a query when it speaks of a product agentlint knows.
func (w *world) addQueryText(sc *scope, dir, where, name string, v *model.Value) {
	w.hiddenQuery = w.hiddenQuery || v != nil && v.Kind == model.Unknown
	s, ok := v.AsText()
	if ok && strings.Contains(s, "{{") {
		// PromQL has none of it: something else writes the query.
		w.hiddenQuery = true
		return
	}
	if !ok || !strings.Contains(s, "vllm") && !strings.Contains(s, "litellm") {
		w.redisWatched = w.redisWatched || ok && looksAtRedis(s)
		return
	}
	q := newQuery(where, s, v)
	if q.product == "" {
		if parsed, _ := q.value.Get("parsed").AsBool(); !parsed {
			w.noQuery(v)
		}
		return
	}
	if name != "" {
		q.value.Set("name", model.NewText(name, v.Origin))
	}
	q.scope, q.dir = sc, dir
	w.queries = append(w.queries, q)
}

// looksAtRedis reports whether a query of another product than the gateway and the engines is about a Redis: the series of an exporter
// or of a cloud, or a target that is named after one.
func looksAtRedis(query string) bool {
	query = strings.ToLower(query)
	for _, word := range []string{"redis", "valkey", "elasticache", "dragonfly", "memorystore"} {
		if strings.Contains(query, word) {
			return true
		}
	}
	return false
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
