package rules

import (
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-metric-deprecated",
		Title:    "A query uses a vLLM metric that an upgrade will remove",
		Category: "metrics",
		Why: `vLLM announces that a metric will leave, exports it beside its successor for some releases, hides it, and removes it.
The query works until then and returns nothing after the upgrade, without an error. ` + "`vllm:time_per_output_token_seconds`" + `, for example, was
deprecated in 0.10.2, hidden in 0.12.0 and gone in 0.15.0.`,
		Remedy:      "Query the successor, which is exported already.",
		Severity:    model.Warning,
		Severities:  []model.Severity{model.Info},
		Confidence:  model.High,
		Confidences: []model.Confidence{model.Medium},
		Inputs:      []string{"queries", "autoscalers", "engines"},
		Applies:     []string{"vllm>=0.8"},
		Fix:         model.Safe,
		FixTitle:    "use the successor",
		Since:       "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.14.1", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:time_per_output_token_seconds", Checked: "2026-11-29", Note: "hidden there, absent in 0.15.0"},
			{Artefact: "vllm 0.33.0", File: "vllm/distributed/kv_transfer/kv_connector/v1/offloading/metrics.py", Symbol: "vllm:kv_offload_total_bytes", Checked: "2026-11-29", Note: "deprecated since 0.24.0, still exported"},
		},
	},
	Check: func(p *Pass) {
		seen := map[string]bool{}
		p.vllmSeries(func(u seriesUse) {
			m, presence := u.release.Metric(u.metric)
			since := m.Deprecated()
			if presence != knowledge.Present || since.IsZero() || u.release.Version.Compare(since) < 0 || seen[u.at.String()+u.name] {
				return
			}
			if m.Attr("v1_since") == "never" && u.release.Version.Compare(knowledge.MustVersion("0.8.0")) >= 0 && !p.oldEngine() {
				return // empty already: vllm-metric-removed says so
			}
			newest, _ := knowledge.VLLM.At(knowledge.VLLM.Newest()).Metric(u.metric)
			if !u.pinned && newest.Name != m.Name {
				return
			}
			seen[u.at.String()+u.name] = true
			until := "an upgrade will remove it"
			if gone := m.RemovedIn(); !gone.IsZero() {
				until = gone.String() + " removes it"
			}
			to, ok := "", false
			next := "it has no direct successor"
			if m.RenamedTo != "" {
				if to, ok = u.renamed(m.Name, m.RenamedTo); ok {
					next = "the successor is " + to
				}
			} else if instead := m.Attr("instead"); instead != "" {
				next = "use " + instead
			}
			r := p.Report(u.at, "%s is deprecated since vLLM %s%s: %s, and then %s; %s", u.name, since, u.assumption(), until, u.effect(), next).Subject("metric " + u.name)
			if !u.pinned {
				r.Confidence(model.Medium)
			}
			if m.RenamedTo != "" && u.beside(m.RenamedTo) {
				r.Severity(model.Info)
				return
			}
			if ok {
				r.Fix(u.rename(to))
			}
		})
	},
})
