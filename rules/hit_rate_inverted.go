package rules

import (
	"maps"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/promql"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "hit-rate-inverted",
		Title:    "The cache hit rate divides queries by hits",
		Category: "metrics",
		Why: `Every hit is a query, so queries over hits is 1 or more, and infinite while nothing hits: a dashboard in percent always looks perfect, and an alert below some rate never fires. A cache that serves every fifth
token reads 500 percent.`,
		Remedy:   "Divide hits by queries: `sum(rate(vllm:prefix_cache_hits_total[5m])) / sum(rate(vllm:prefix_cache_queries_total[5m]))`.",
		Severity: model.Warning, Confidence: model.High,
		Inputs: []string{"queries"},
		Fix:    model.Safe, FixTitle: "swap the counters",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:prefix_cache_queries", Checked: "2026-11-30", Note: "Counts the tokens that were asked for, hits those that were there."},
			{Artefact: "vllm 0.33.0", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:prefix_cache_hits", Checked: "2026-11-30"},
		},
	},
	Check: func(p *Pass) {
		for q := range p.Queries() {
			text, _ := q.Text("text")
			if !strings.Contains(text, "prefix_cache_hit") {
				continue
			}
			parsed, ok := promql.Parse(text)
			if !ok || asksForMore(parsed) {
				continue
			}
			ratios := parsed.Ratios()
			for i, r := range ratios {
				if !allSides(text, r.Left, "prefix_cache_queries") || !allSides(text, r.Right, "prefix_cache_hits") || inverted(ratios[:i]) {
					continue
				}
				at := q.At("text")
				report := p.Report(at, "the hit rate divides %s by %s: that is 1 or more, and the larger the fewer hits there are; divide hits by queries", r.Left[0].Name, r.Right[0].Name)
				if fixed, ok := swapped(text, r); ok {
					report.Fix(model.Fix{Ops: []model.Op{model.Set(at, fixed)}})
				}
				break
			}
		}
	},
})

// asksForMore reports whether a query compares with a number of 1 and more from below, as one does that means queries per
// hit.
func asksForMore(q *promql.Query) bool {
	for _, t := range q.Thresholds() {
		if t.Value >= 1 && (t.Op == ">" || t.Op == ">=") {
			return true
		}
	}
	return false
}

// allSides reports whether a side of a ratio is made of counters of one kind, their names written out.
func allSides(text string, sides []promql.Side, part string) bool {
	for _, s := range sides {
		if !strings.Contains(s.Name, part) || !strings.Contains(text, s.Name) {
			return false
		}
	}
	return len(sides) > 0
}

// inverted reports whether one of the divisions that may hold another one divides by it, which turns it over again.
func inverted(outer []promql.Ratio) bool {
	for _, r := range outer {
		if anySide(r.Right, "prefix_cache_queries") && anySide(r.Right, "prefix_cache_hits") {
			return true
		}
	}
	return false
}

// swapped is a query with the two counters of a ratio in each other's place; false where that leaves another mistake, or
// where their matchers are not the same.
func swapped(text string, r promql.Ratio) (string, bool) {
	if len(r.Left) != 1 || len(r.Right) != 1 {
		return "", false
	}
	left, right := r.Left[0], r.Right[0]
	if !left.Rated || !right.Rated || left.Span.IsZero() || right.Span.IsZero() || left.Span.End > right.Span.Start || !maps.Equal(left.Labels, right.Labels) {
		return "", false
	}
	return text[:left.Span.Start] + right.Name + text[left.Span.End:right.Span.Start] + left.Name + text[right.Span.End:], true
}
