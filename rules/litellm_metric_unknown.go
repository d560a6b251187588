package rules

import (
	"fmt"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "litellm-metric-unknown",
		Title:    "A query uses a LiteLLM series that does not exist",
		Category: "metrics",
		Why: `Prometheus answers a query for a series that nobody exports with nothing: the panel is empty, the alert never fires, the
scaler sees no load. LiteLLM's counters are exported with _total behind their names (litellm_spend_metric_total), its
histograms as _bucket, _sum and _count. There is no litellm_requests_total and no series of the spend-log queue.
litellm_remaining_requests and its like got _metric behind their names in 1.81; the series of Redis, Postgres and the
spend queues exist only with prometheus_system in service_callback.`,
		Remedy:     `Query the series that the message names, or add the callback that exports it.`,
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.Medium,
		Inputs:     []string{"queries", "gateway.image"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/integrations/prometheus.py", Symbol: "litellm_spend_metric", Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/integrations/prometheus_services.py", Symbol: "class PrometheusServicesLogger", Checked: "2026-11-29",
				Note: "Names are litellm_<service>_latency, _failed_requests, _total_requests and _size; there is no litellm_service_latency."},
		},
	},
	Check: func(p *Pass) {
		recorded, ok := p.recordedNames()
		if !ok {
			return
		}
		for q := range p.Queries() {
			text, ok := q.Text("text")
			if !ok {
				continue
			}
			seen := map[string]bool{}
			for m := range p.Parts(q.At("metrics")...) {
				name, _ := m.Text("name")
				metric, _ := m.Text("metric")
				// A name that the text does not spell out holds a variable of the dashboard.
				if name == "" || !strings.HasPrefix(metric, "litellm_") || strings.Contains(metric, ":") || recorded[name] || seen[name] || !strings.Contains(text, name) {
					continue
				}
				seen[name] = true
				p.liteLLMSeries(q, text, name, metric)
			}
		}
	},
})

// recordedNames returns the names that the recording rules of the stack give to what they compute; ok is false when one
// of the queries may record a name that is not seen.
func (p *Pass) recordedNames() (names map[string]bool, ok bool) {
	names = map[string]bool{}
	for i, q := range p.Root.Get("queries").Items() {
		where, seen := q.Get("where").AsText()
		if !seen {
			p.Unchecked(model.Path{"queries", i}.String())
			return nil, false
		}
		if where != "recording" {
			continue
		}
		name, seen := q.Get("name").AsText()
		if !seen {
			p.Unchecked(model.Path{"queries", i, "name"}.String())
			return nil, false
		}
		names[name] = true
	}
	return names, true
}

// liteLLMSeries reports a series of a query that the gateway's release does not export.
func (p *Pass) liteLLMSeries(q Part, text, name, metric string) {
	release := p.LiteLLM()
	m, presence := release.Metric(metric)
	where, _ := q.Text("where")
	report := func(format string, args ...any) *Report {
		r := p.Report(q.At("text"), "%s %s, so %s", name, fmt.Sprintf(format, args...), emptyQuery(q))
		if where == "recording" || release.Match == knowledge.Newer {
			r.Severity(model.Info)
		}
		return r
	}
	assumed := ""
	if !p.pinned() {
		assumed = fmt.Sprintf(" (no LiteLLM version is pinned: the newest known, %s, is assumed)", release.Version)
	}
	switch {
	case presence == knowledge.Present && m.Exposed:
		callback := m.Attr("callback")
		if callback != "" && p.withoutServiceCallback(callback) {
			// Dashboards are often shared with gateways that have it.
			report("is exported only with %s in service_callback", callback).Severity(model.Info)
		}
	case presence == knowledge.Present:
		if !namesAny(text, m.Series()) {
			report("is no series of LiteLLM: the %s is exported as %s", m.Type, strings.Join(m.Series(), ", "))
		}
	case presence == knowledge.NotYet || presence == knowledge.Between:
		report("is exported from LiteLLM %s on, not by the %s that runs", m.Since(), release.Version)
	case presence == knowledge.Gone:
		switch to := m.RenamedTo; {
		case to == "":
			report("is gone from LiteLLM %s on%s", m.RemovedIn(), assumed)
		case !strings.Contains(text, to):
			report("is gone from LiteLLM %s on, where it is %s%s", m.RemovedIn(), to+m.Suffix, assumed)
		}
	default:
		found, _ := near(metric, func(yield func(string) bool) {
			for e := range release.Present(knowledge.KindMetric, "") {
				for _, s := range e.Series() {
					if !yield(s) {
						return
					}
				}
			}
		})
		if len(found) > 0 {
			report("is no series of any LiteLLM release up to %s (the nearest is %s)", newest(), strings.Join(found, " or "))
		} else if release.Match != knowledge.Newer {
			report("is no series of any LiteLLM release up to %s", newest())
		}
	}
}

// withoutServiceCallback reports whether the gateway's config is seen and lists other service callbacks only.
func (p *Pass) withoutServiceCallback(name string) bool {
	at := model.Path{"gateway", "config", "litellm_settings", "service_callback"}
	if p.Get("gateway", "config") == nil || p.State(at...) == model.Unseen || p.lists(at, name) {
		return false
	}
	for _, item := range p.Get(at...).Items() {
		if !item.Known() {
			return false
		}
	}
	return true
}

// namesAny reports whether a query spells out one of some series.
func namesAny(text string, series []string) bool {
	for _, s := range series {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
