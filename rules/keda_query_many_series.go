package rules

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/promql"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "keda-query-many-series",
		Title:    "A KEDA query returns one series per pod",
		Category: "autoscaling",
		Why: `KEDA's Prometheus scaler wants one number. A query without an outer aggregation returns one series for each pod: it works
with the first pod and fails with "multiple elements" as soon as there are two, which is when scaling was needed.`,
		Remedy:     "Aggregate to one series: `sum(vllm:num_requests_waiting{...})`, or `max(...)` for a ratio such as KV usage.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"autoscalers", "queries"},
		Fix:        model.Unsafe,
		FixTitle:   "wrap the query in sum()",
		Question:   "Is the sum over all pods what the threshold is meant for (a ratio such as KV usage wants max)?",
		Since:      "0.1",
		Evidence:   []model.Evidence{{Artefact: "vllm-stack 0.1.12", File: "values.yaml", Symbol: "vllm:num_requests_waiting", Checked: "2026-11-29", Note: "the sample trigger is not aggregated; KEDA's Prometheus scaler refuses a result with several elements"}},
	},
	Check: func(p *Pass) {
		for a := range p.Parts("autoscalers") {
			if kind, _ := a.Text("kind"); kind != "keda" || !a.IsTrue("enabled") {
				continue
			}
			for m := range p.Parts(a.At("metrics")...) {
				i, ok := m.Int("query")
				if !ok {
					continue
				}
				at := model.Path{"queries", int(i), "text"}
				text, ok := p.Text(at...)
				if !ok {
					continue
				}
				q, ok := promql.Parse(text)
				if !ok {
					continue
				}
				many := q.ManySeries(pinnedSeries)
				if len(many) == 0 || !perPod(many) {
					continue
				}
				r := p.Report(at, "the KEDA query returns one series per pod (%s is not aggregated): with two pods the scaler fails with \"multiple elements\" and stops scaling; aggregate it, for example with sum()", many[0].Name)
				if p.Get(at...).Origin.File != nil && !strings.ContainsAny(text, "\n#") {
					r.Fix(model.Fix{Ops: []model.Op{model.Set(at, "sum("+strings.TrimSpace(text)+")")}})
				}
			}
		}
	},
})

// pinnedSeries reports whether a selector asks for one pod.
func pinnedSeries(s promql.Selector) bool {
	for _, l := range []string{"pod", "instance", "kubernetes_pod_name"} {
		if v := s.Labels[l]; v != "" && !strings.ContainsAny(v, "|.*+?[") {
			return true
		}
	}
	return false
}

// perPod reports whether one of the series is exported by each pod: those of vLLM and LiteLLM are, the router's
// own gauges are not.
func perPod(series []promql.Selector) bool {
	for _, s := range series {
		name := strings.TrimPrefix(s.Name, "ray_")
		if s.Labels["server"] != "" || strings.HasPrefix(name, "vllm:num_incoming_requests") {
			continue
		}
		if strings.HasPrefix(name, "vllm:") || strings.HasPrefix(name, "vllm_") || strings.HasPrefix(name, "litellm_") {
			return true
		}
	}
	return false
}
