package rules

import (
	"bytes"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-histogram-base-name",
		Title:    "A vLLM histogram is queried by its base name",
		Category: "metrics",
		Why: `The Prometheus client exports a histogram as three series: its name with ` + "`_bucket`, `_sum` and `_count`" + `. The name alone is no series, so an expression with it is empty: the panel shows nothing, the
alert never fires. Only servers that scrape native histograms know the name itself.`,
		Remedy:   "Take `_bucket` inside `histogram_quantile`, and `_sum` over `_count` for a mean.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"queries"},
		Fix:    model.Unsafe, FixTitle: "use the _bucket or _sum series",
		Question: "Is this the series that the expression is meant for?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:time_to_first_token_seconds", Checked: "2026-11-29", Note: "A Histogram of prometheus_client, which exposes _bucket, _sum and _count."},
		},
	},
	Check: func(p *Pass) {
		native := p.nativeHistograms()
		seen := map[string]bool{}
		p.vllmSeries(func(u seriesUse) {
			m, presence := u.release.Metric(u.metric)
			key := u.at.String() + u.name
			if presence != knowledge.Present || m.Type != "histogram" || m.Suffix != "" || m.Exposed || seen[key] {
				return
			}
			seen[key] = true
			text, ok := u.query.Text("text")
			if !ok {
				return
			}
			quantile := strings.Contains(text, "histogram_quantile")
			if native && quantile && strings.Contains(text, "rate("+u.name) {
				return
			}
			suffix := "_sum"
			if quantile {
				suffix = "_bucket"
			}
			p.Report(u.at, "%s is a histogram, and its name alone is no series: %s; write %s%s", u.name, u.effect(), u.name, suffix).
				Fix(u.rename(u.name + suffix))
		})
	},
})

// nativeHistograms reports whether a file of the stack makes Prometheus scrape native histograms.
func (p *Pass) nativeHistograms() bool {
	for _, f := range p.Files {
		for _, word := range [...]string{"native-histograms", "scrape_native_histograms", "scrapeNativeHistograms", "enableFeatures: [native"} {
			if bytes.Contains(f.Bytes, []byte(word)) {
				return true
			}
		}
	}
	return false
}
