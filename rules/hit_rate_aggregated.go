package rules

import (
	"slices"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "hit-rate-aggregated",
		Title:    "The cache hit rate is only watched as one number over all replicas",
		Category: "metrics",
		Why: `One hit rate over all replicas hides the replica that is cold: with four replicas at 80 percent and one at 0 the number
still reads 64 percent. It also hides turn boundaries, where a conversation lands on another replica and pays the whole prefix again.`,
		Remedy:     "Group at least one panel by the replica: `sum by (pod) (rate(vllm:prefix_cache_hits_total[5m])) / sum by (pod) (rate(vllm:prefix_cache_queries_total[5m]))`.",
		Severity:   model.Info,
		Confidence: model.Low,
		Inputs:     []string{"queries"},
		Since:      "0.1",
		Evidence:   []model.Evidence{{Artefact: "vllm 0.29.0", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:prefix_cache_hits", Checked: "2026-11-29", Note: "labelled by model_name and engine; the scrape adds pod and instance"}},
	},
	Check: func(p *Pass) {
		list := p.Root.Get("queries")
		if list != nil && list.Open {
			p.Unchecked(model.Path{"queries"}.String())
			return
		}
		for i, q := range list.Items() {
			if !q.Known() || !q.Get("text").Known() {
				// The query that is not seen may be the one that groups.
				p.Unchecked(model.Path{"queries", i}.String())
				return
			}
		}
		rates := p.hitRates()
		var first *hitRate
		for i := range rates {
			r := &rates[i]
			if !r.ratio.Aggregated || slices.ContainsFunc(r.ratio.Labels, perReplica) {
				return
			}
			if first == nil {
				first = r
			}
		}
		if first != nil {
			p.Report(first.query.At("text"), "the prefix-cache hit rate is only watched summed over all replicas (%d %s): one cold replica disappears in the average; group one panel by pod or instance", len(rates), noun(len(rates), "query", "queries"))
		}
	},
})

// perReplica reports whether a label tells replicas apart; the empty one stands for "without".
func perReplica(label string) bool {
	switch label {
	case "", "pod", "instance", "engine", "server", "kubernetes_pod_name", "pod_name", "node", "hostname":
		return true
	}
	return false
}

func noun(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
