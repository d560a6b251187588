package rules

import (
	"strings"

	"agentlint/internal/promql"
)

// hitRate is a prefix-cache hit rate in a query: hits divided by queries.
type hitRate struct {
	query Part
	ratio promql.Ratio
}

// hitRates returns the prefix-cache hit rates of all queries, also those of the gauge of older engines, which has
// no ratio.
func (p *Pass) hitRates() []hitRate {
	var out []hitRate
	for q := range p.Queries() {
		text, _ := q.Text("text")
		if !strings.Contains(text, "prefix_cache_hit") {
			continue
		}
		parsed, ok := promql.Parse(text)
		if !ok {
			continue
		}
		for _, r := range parsed.Ratios() {
			if anySide(r.Left, "prefix_cache_hits") && anySide(r.Right, "prefix_cache_queries") {
				out = append(out, hitRate{q, r})
				break
			}
		}
	}
	return out
}

func anySide(sides []promql.Side, part string) bool {
	for _, s := range sides {
		if strings.Contains(s.Name, part) {
			return true
		}
	}
	return false
}
