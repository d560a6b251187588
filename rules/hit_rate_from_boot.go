package rules

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/promql"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "hit-rate-from-boot",
		Title:    "The cache hit rate divides raw counters",
		Category: "metrics",
		Why: `Counters grow from the start of the engine. Their quotient is the average since then: after a week of 80 percent, an hour
of 0 percent moves it by less than half a point, so the collapse of the cache after a rollout or a new system prompt is invisible.`,
		Remedy:     "Divide the rates: `sum(rate(vllm:prefix_cache_hits_total[5m])) / sum(rate(vllm:prefix_cache_queries_total[5m]))`.",
		Severity:   model.Warning,
		Confidence: model.High,
		Inputs:     []string{"queries"},
		Fix:        model.Unsafe,
		FixTitle:   "wrap both counters in rate()",
		Question:   "Is a window of 5 minutes right for this panel?",
		Since:      "0.1",
		Evidence:   []model.Evidence{{Artefact: "vllm 0.29.0", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:prefix_cache_queries", Checked: "2026-11-29", Note: "both are counters since the start of the engine"}},
	},
	Check: func(p *Pass) {
		for _, h := range p.hitRates() {
			if where, _ := h.query.Text("where"); where == "recording" && !h.ratio.Aggregated && len(h.ratio.Left)+len(h.ratio.Right) == 1 {
				continue
			}
			var raw []promql.Side
			for _, s := range append(h.ratio.Left[:len(h.ratio.Left):len(h.ratio.Left)], h.ratio.Right...) {
				if !s.Rated && strings.Contains(s.Name, "prefix_cache_") {
					raw = append(raw, s)
				}
			}
			if len(raw) == 0 {
				continue
			}
			at := h.query.At("text")
			r := p.Report(at, "the hit rate divides the raw counters %s and %s: that is the average since the engine started, in which a collapse of the cache does not show; divide their rates", h.ratio.Left[0].Name, h.ratio.Right[0].Name)
			text, _ := h.query.Text("text")
			if fixed, ok := rated(text, raw); ok {
				r.Fix(model.Fix{Ops: []model.Op{model.Set(at, fixed)}})
			}
		}
	},
})

// rated wraps selectors of a query in rate() over five minutes.
func rated(text string, raw []promql.Side) (string, bool) {
	for i := len(raw) - 1; i >= 0; i-- {
		s := raw[i].Span
		if s.IsZero() || s.End > len(text) || i > 0 && raw[i-1].Span.End > s.Start {
			return "", false
		}
		end := s.End
		if rest := text[end:]; strings.HasPrefix(rest, "{") {
			n := strings.IndexByte(rest, '}')
			if n < 0 {
				return "", false
			}
			end += n + 1
		}
		text = text[:s.Start] + "rate(" + text[s.Start:end] + "[5m])" + text[end:]
	}
	_, ok := promql.Parse(text)
	return text, ok
}
