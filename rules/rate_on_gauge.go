package rules

import (
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/promql"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "rate-on-gauge",
		Title:    "A function for counters is applied to a gauge",
		Category: "metrics",
		Why: "`rate`, `irate` and `increase`" + ` take every fall of a series for the restart of a counter, and add what it shows after the fall. A queue that goes from 9 to 8 has grown by 8 for them, so the number is large
when the queue moves, whichever way, and zero while it stands still at its worst. ` + "`vllm:num_requests_waiting` and `vllm:kv_cache_usage_perc`" + ` are such gauges.`,
		Remedy: "Read a gauge as it is or with `avg_over_time` and `max_over_time`; for its trend take `deriv` or `delta`. For throughput take a counter, such as " +
			"`rate(vllm:request_success_total[5m])`.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"queries"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "prometheus 3.16.0", File: "promql/functions.go", Symbol: "Handle counter resets:", Checked: "2026-11-30",
				Note: "rate, irate and increase add the value before each fall; delta and deriv do not."},
			{Artefact: "vllm 0.29.0", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:num_requests_waiting", Checked: "2026-11-30", Note: "A Gauge of prometheus_client, in 0.33.0 too."},
			{Artefact: "litellm 1.102.0", File: "litellm/integrations/prometheus.py", Symbol: "litellm_remaining_requests_metric", Checked: "2026-11-30", Note: "A gauge, as all that remains, is limited or is queued."},
		},
	},
	Check: func(p *Pass) {
		records, ok := p.recordedExpressions()
		if !ok {
			return
		}
		for q := range p.Queries() {
			text, _ := q.Text("text")
			if !strings.Contains(text, "rate") && !strings.Contains(text, "increase") {
				continue
			}
			parsed, ok := promql.Parse(text)
			if !ok {
				continue
			}
			var seen []string
			for _, use := range parsed.Rates() {
				for _, s := range use.Series {
					gauge := gaugeBehind(s, records, 0)
					if gauge == "" || slices.Contains(seen, use.Function+s.Name) {
						continue
					}
					seen = append(seen, use.Function+s.Name)
					behind := ""
					if gauge != s.Name {
						behind = ", which records " + gauge
					}
					p.Report(q.At("text"), "%s of %s%s: it is a gauge, and %[1]s takes each fall for the restart of a counter, so the number says nothing; read the gauge itself, or its deriv or delta", use.Function, s.Name, behind)
				}
			}
		}
	},
})

// recordedExpressions returns what the recording rules of the stack compute, by the names they give to it; ok is false when
// one of the queries may record a name that is not seen.
func (p *Pass) recordedExpressions() (records map[string][]*promql.Query, ok bool) {
	names, ok := p.recordedNames()
	if !ok || len(names) == 0 {
		return nil, ok
	}
	records = map[string][]*promql.Query{}
	for q := range p.Queries() {
		if where, _ := q.Text("where"); where != "recording" {
			continue
		}
		name, _ := q.Text("name")
		text, _ := q.Text("text")
		parsed, _ := promql.Parse(text)
		records[name] = append(records[name], parsed) // nil for a text that is not known or no PromQL
	}
	return records, true
}

// gaugeBehind returns the gauge that a series is, or that is recorded in it; "" when it is none for certain. No release
// makes a counter of a gauge, so the releases that run do not matter.
func gaugeBehind(s promql.Selector, records map[string][]*promql.Query, depth int) string {
	recorded, is := records[s.Name]
	if !is {
		for _, product := range [...]*knowledge.Product{knowledge.VLLM, knowledge.LiteLLM} {
			if m, presence := product.At(product.Newest()).Metric(s.Name); presence != knowledge.Unknown && m.Type == "gauge" && m.Exposed && m.Suffix == "" {
				return s.Name
			}
		}
		return ""
	}
	gauge := ""
	for _, q := range recorded {
		if q == nil || depth > 4 {
			return ""
		}
		kept := q.Kept()
		for _, k := range kept {
			if gauge = gaugeBehind(k, records, depth+1); gauge == "" {
				return ""
			}
		}
		if len(kept) == 0 {
			return ""
		}
	}
	return gauge
}
