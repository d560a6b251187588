package rules

import (
	"strconv"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/promql"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "fraction-threshold-above-one",
		Title:    "A threshold in percent is compared with a gauge from 0 to 1",
		Category: "metrics",
		Why: "`vllm:kv_cache_usage_perc`" + ` has a percent sign in its name and runs from 0 to 1. A threshold of 80 is never reached: the alert stays silent while the cache is full and requests are preempted, and a
scaler with such a target keeps its minimum.`,
		Remedy:   "Divide the threshold by 100 (`> 0.8`), or multiply the expression by 100.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"files", "queries", "autoscalers", "routers"},
		Fix:    model.Unsafe, FixTitle: "divide the threshold by 100",
		Question: "Is the threshold meant in percent?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/v1/metrics/loggers.py", Symbol: "1 means 100 percent", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for q := range p.Queries() {
			if where, _ := q.Text("where"); where == "adapter" {
				continue
			}
			checkThresholds(p, q)
		}
		for a := range p.Parts("autoscalers") {
			if !a.IsTrue("enabled") {
				continue
			}
			for m := range p.Parts(a.At("metrics")...) {
				checkTarget(p, a, m)
			}
		}
	},
})

// checkThresholds checks the comparisons inside a query.
func checkThresholds(p *Pass, q Part) {
	text, ok := q.Text("text")
	if !ok {
		return
	}
	parsed, ok := promql.Parse(text)
	if !ok {
		return
	}
	for _, t := range parsed.Thresholds() {
		if t.Value <= 1 || t.Op[0] != '>' && t.Op != "==" || t.Sum || t.Scaled || !allFractions(t.Selectors) {
			continue
		}
		r := p.Report(q.At("text"), "%s runs from 0 to 1 and is compared with %s: %s", t.Selectors[0].Name, model.Number(t.Value), neverTrue(q))
		if literal := text[t.Span.Start:t.Span.End]; t.Value <= 100 && t.Value >= 5 && strings.Count(text, literal) == 1 {
			to := strconv.FormatFloat(t.Value/100, 'f', -1, 64)
			r.Fix(model.Fix{Title: "write " + to, Ops: []model.Op{model.ReplaceText(q.At("text"), literal, to)}})
		}
	}
}

// neverTrue says what a comparison that is never true does to whoever reads the query.
func neverTrue(q Part) string {
	if where, _ := q.Text("where"); where == "keda" || where == "hpa" {
		return "the scaler sees no load"
	}
	return emptyQuery(q)
}

// allFractions reports whether all series are gauges from 0 to 1.
func allFractions(selectors []promql.Selector) bool {
	for _, s := range selectors {
		if !fractionSeries(s.Name) {
			return false
		}
	}
	return len(selectors) > 0
}

func fractionSeries(name string) bool {
	name = strings.TrimPrefix(name, "ray_")
	for _, prefix := range [...]string{"vllm:", "vllm_"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return knowledge.IsFraction(rest)
		}
	}
	return false
}

// checkTarget checks the target of one metric of a scaler.
func checkTarget(p *Pass, a, m Part) {
	target, ok := m.Get("target").AsFloat(false)
	i, ok2 := m.Int("query")
	if !ok || !ok2 || target <= 1 {
		return
	}
	query := model.Path{"queries", int(i)}
	if where, _ := p.Text(query.With("where")...); where == "" {
		return
	}
	sum, name := false, ""
	kind, _ := m.Text("kind")
	if text, ok := p.Text(query.With("text")...); !ok {
		return
	} else if parsed, ok := promql.Parse(text); ok && kind == "prometheus" {
		t := promql.Whole(parsed)
		if t.Scaled || !allFractions(t.Selectors) {
			return
		}
		sum, name = t.Sum, t.Selectors[0].Name
	} else {
		metric, ok := p.Text(query.With("metrics", 0, "metric")...)
		if !ok || !knowledge.IsFraction(metric) || kind != "pods" && kind != "external" && kind != "object" || p.rescaled(metric) {
			return
		}
		sum, name = kind != "pods", metric
	}
	// A sum over pods may be as large as their number.
	if most, ok := a.Int("max"); sum && (!ok || target <= float64(most)) {
		return
	}
	at := m.At("target")
	r := p.Report(at, "%s runs from 0 to 1 and the target is %s: the scaler never sees enough load to add a replica", name, model.Number(target))
	if target >= 5 && target <= 100 {
		to := strconv.FormatFloat(target/100, 'f', -1, 64)
		r.Fix(model.Fix{Title: "write " + to, Ops: []model.Op{model.Set(at, to)}})
	}
}

// rescaled reports whether a rule of an adapter computes with a metric before a scaler reads it.
func (p *Pass) rescaled(metric string) bool {
	bare := strings.TrimPrefix(metric, "vllm:")
	for q := range p.Queries() {
		where, _ := q.Text("where")
		if text, ok := q.Text("text"); where == "adapter" && (!ok || strings.Contains(text, bare) && strings.ContainsAny(text, "*/+")) {
			return true
		}
	}
	return false
}
