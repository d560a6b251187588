package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/promql"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "quantile-without-buckets",
		Title:    "A quantile is computed without the buckets of a histogram",
		Category: "metrics",
		Why: "`histogram_quantile`" + ` reads the upper bounds of the buckets out of the label le, and skips a series that has none. An aggregation that does not keep le, such as ` + "`sum by (pod)`" + `, and the series
` + "`_sum` and `_count`" + `, which have no such label, leave it nothing: the panel is empty, the alert never fires.`,
		Remedy:   "Aggregate the `_bucket` series and keep le: `histogram_quantile(0.99, sum by (le, pod) (rate(vllm:time_to_first_token_seconds_bucket[5m])))`. The mean is `_sum` over `_count`.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"queries"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "prometheus 3.16.0", File: "promql/engine.go", Symbol: "NewBadBucketLabelWarning", Checked: "2026-11-30",
				Note: "A series whose le is no number, a missing one included, is left out with a warning."},
			{Artefact: "vllm 0.29.0", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:time_to_first_token_seconds", Checked: "2026-11-30", Note: "A Histogram of prometheus_client: only _bucket has the label le."},
		},
	},
	Check: func(p *Pass) {
		recorded, ok := p.recordedNames()
		if !ok {
			return
		}
		for q := range p.Queries() {
			text, _ := q.Text("text")
			if !strings.Contains(text, "histogram_quantile") {
				continue
			}
			parsed, ok := promql.Parse(text)
			if !ok {
				continue
			}
			// plain says that a series is the sum or the number of a histogram.
			plain := func(s promql.Selector) bool {
				return !recorded[s.Name] && (sumOrCount(knowledge.VLLM, s.Name) || sumOrCount(knowledge.LiteLLM, s.Name))
			}
			for _, use := range parsed.Quantiles() {
				name := classicSeries(use.Series, plain)
				if name == "" || !use.WithoutBuckets(plain) {
					continue
				}
				if use.Grouping == "" || plain(promql.Selector{Name: name}) {
					p.Report(q.At("text"), "histogram_quantile of %s, which has no le label: it returns nothing, so %s; take the _bucket series", name, emptyQuery(q))
				} else {
					p.Report(q.At("text"), "histogram_quantile over %s of %s, which drops the le label of the buckets: it returns nothing, so %s; keep le in the aggregation", use.Grouping, name, emptyQuery(q))
				}
				break
			}
		}
	},
})

// classicSeries returns the first of the series that a quantile reads, "" when one of them may be a native histogram, which
// has no le label and needs none.
func classicSeries(series []promql.Selector, plain func(promql.Selector) bool) string {
	for _, s := range series {
		if !strings.HasSuffix(s.Name, "_bucket") && !plain(s) {
			return ""
		}
	}
	if len(series) == 0 {
		return ""
	}
	return series[0].Name
}

// sumOrCount reports whether a series is the sum or the number of a histogram of any release.
func sumOrCount(product *knowledge.Product, name string) bool {
	m, presence := product.At(product.Newest()).Metric(name)
	return presence != knowledge.Unknown && m.Type == "histogram" && (m.Suffix == "_sum" || m.Suffix == "_count")
}
