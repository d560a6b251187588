package rules

import (
	"fmt"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-metric-removed",
		Title:    "A query uses a vLLM metric that the running release no longer exports",
		Category: "metrics",
		Why: `vLLM renamed and removed metrics between 0.7 and 0.20. Prometheus answers a query for a name nobody exports with
nothing, not with an error: panels are empty, alerts never fire and scalers see zero load. ` + "`vllm:gpu_cache_usage_perc`" + `, for example,
got the name ` + "`vllm:kv_cache_usage_perc`" + ` in 0.9.2 and left in 0.12.0. Seven names of the first engine were never exported by the V1
engine, which is the default since 0.8: their panels are empty from then on.`,
		Remedy: `Query the new name. While engines of both kinds run, ask for both: ` + "`vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc`" + `.
A metric without a successor has none to write: drop the panel, or use what the message names.`,
		Severity:    model.Error,
		Confidence:  model.High,
		Confidences: []model.Confidence{model.Medium},
		Inputs:      []string{"queries", "autoscalers", "routers", "engines"},
		Applies:     []string{"vllm>=0.7"},
		Fix:         model.Safe,
		FixTitle:    "use the new name",
		Since:       "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.11.2", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:gpu_cache_usage_perc", Checked: "2026-11-29", Note: "the last release that has the name; 0.12.0 has not"},
			{Artefact: "vllm 0.29.0", File: "vllm/v1/metrics/loggers.py", Symbol: "vllm:kv_cache_usage_perc", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		seen := map[string]bool{}
		p.vllmSeries(func(u seriesUse) {
			m, presence := u.release.Metric(u.metric)
			never := m.Attr("v1_since") == "never"
			switch {
			case presence == knowledge.Gone:
			case presence == knowledge.Present && never && u.release.Version.Compare(knowledge.MustVersion("0.8.0")) >= 0 && !p.oldEngine():
			default:
				return
			}
			if m.RenamedTo != "" && u.beside(m.RenamedTo) {
				return
			}
			key := u.at.String() + u.name
			if seen[key] {
				return
			}
			seen[key] = true
			text := fmt.Sprintf("%s was removed in vLLM %s", u.name, m.RemovedIn())
			if never {
				text = u.name + " was never exported by the V1 engine, the default since vLLM 0.8"
			}
			text += u.assumption() + ", so " + u.effect()
			to, ok := "", false
			if m.RenamedTo != "" {
				if to, ok = u.renamed(m.Name, m.RenamedTo); ok {
					text += fmt.Sprintf("; its successor is %s", to)
				}
			} else if instead := m.Attr("instead"); instead != "" {
				text += "; use " + instead
			}
			r := p.Report(u.at, "%s", text).Subject("metric " + u.name)
			if !u.pinned {
				r.Confidence(model.Medium)
			}
			if ok {
				r.Fix(u.rename(to))
			}
		})
	},
})

// oldEngine reports whether an engine of the stack runs with VLLM_USE_V1=0, or may.
func (p *Pass) oldEngine() bool {
	for e := range p.Parts("engines") {
		if v, _ := e.Text("env", "VLLM_USE_V1"); v == "0" || e.State("env", "VLLM_USE_V1") == model.Unseen {
			return true
		}
	}
	return false
}
