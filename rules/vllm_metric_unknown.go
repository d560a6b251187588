package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-metric-unknown",
		Title:    "A query uses a vLLM series that no release has",
		Category: "metrics",
		Why: "Prometheus answers a query for a series that nobody exports with nothing: the panel is empty, the alert never fires, the scaler sees\n" +
			"no load. A name is called unknown only when it is close to one that vLLM exports, since plugins, routers and builds of others\n" +
			"export series of their own under vllm: too.",
		Remedy:     "Query the series that the message names.",
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.Medium,
		Inputs:     []string{"queries", "engine.image"},
		When:       []string{"queries"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:num_requests_waiting", Checked: "2026-11-30"},
		},
	},
	Check: func(p *Pass) {
		recorded, ok := p.recordedNames()
		if !ok {
			return
		}
		seen := map[string]bool{}
		p.vllmSeries(func(u seriesUse) {
			text, _ := p.Text(u.at...)
			key := u.at.String() + u.name
			// A name that the text does not spell out holds a variable of the dashboard.
			if _, presence := u.release.Metric(u.metric); presence != knowledge.Unknown || u.name == "" || recorded[u.name] || seen[key] || !strings.Contains(text, u.name) {
				return
			}
			seen[key] = true
			found, _ := near(u.metric, func(yield func(string) bool) {
				for e := range u.release.Present(knowledge.KindMetric, "") {
					for _, s := range e.Series() {
						if !yield(s) {
							return
						}
					}
				}
			})
			if len(found) == 0 {
				return
			}
			r := p.Report(u.at, "%s is no series of any vLLM release up to %s (the nearest is %s), so %s", u.name, knowledge.VLLM.Newest(), strings.Join(found, " or "), u.effect()).
				Subject("metric " + u.name)
			if u.release.Match == knowledge.Newer {
				r.Severity(model.Info)
			}
		})
	},
})
