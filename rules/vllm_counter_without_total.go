package rules

import (
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-counter-without-total",
		Title:    "A vLLM counter is queried without _total",
		Category: "metrics",
		Why: `The Prometheus client exports a counter under its name with ` + "`_total`" + ` at the end, whatever the name in the source and in
release notes. A query for ` + "`vllm:prefix_cache_hits`" + ` returns nothing, so a hit rate built on it is always empty.`,
		Remedy:     "Append `_total` to the counter's name, and read it through `rate()`.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"queries", "autoscalers"},
		Fix:        model.Safe,
		FixTitle:   "append _total",
		Since:      "0.1",
		Evidence:   []model.Evidence{{Artefact: "vllm 0.29.0", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:prefix_cache_hits", Checked: "2026-11-29", Note: "declared as a counter without _total; the client adds it at exposition"}},
	},
	Check: func(p *Pass) {
		// Names that stand beside their right form: a panel that asks for both still shows data.
		right := map[string]bool{}
		p.vllmSeries(func(u seriesUse) {
			if m, presence := u.release.Metric(u.metric); presence == knowledge.Present && m.Type == "counter" && m.Suffix == "_total" {
				right[fileOf(u)+m.Name] = true
			}
		})
		seen := map[string]bool{}
		p.vllmSeries(func(u seriesUse) {
			m, presence := u.release.Metric(u.metric)
			if presence != knowledge.Present || m.Type != "counter" || m.Suffix != "" || m.Exposed || seen[u.at.String()+u.name] {
				return
			}
			seen[u.at.String()+u.name] = true
			r := p.Report(u.at, "%s is a counter, which vLLM exports as %s_total: the name as written returns nothing, so %s", u.name, u.name, u.effect())
			if where, _ := u.query.Text("where"); where == "dashboard" && right[fileOf(u)+m.Name] {
				r.Severity(model.Warning)
			}
			r.Fix(u.rename(u.name + "_total"))
		})
	},
})

// fileOf is the path of the file a use stands in.
func fileOf(u seriesUse) string {
	if f := u.query.Origin.File; f != nil {
		return f.Path + "\x00"
	}
	return "\x00"
}
