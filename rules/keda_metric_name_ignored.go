package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "keda-metric-name-ignored",
		Title:    "metricName of a Prometheus trigger is ignored",
		Category: "autoscaling",
		Why: "KEDA deprecated `metricName` in the metadata of Prometheus triggers in 2.10 and removed it in 2.12: the name of the external metric\n" +
			"is made of the trigger's index and the word prometheus. A name in the file that dashboards or alerts look for does not exist.",
		Remedy:     "Remove the key. The trigger's own `name` is shown in KEDA's metrics.",
		Severity:   model.Info,
		Confidence: model.High,
		Inputs:     []string{"autoscalers"},
		Fix:        model.Safe,
		FixTitle:   "remove metricName",
		Since:      "0.1",
		Evidence: []model.Evidence{{Artefact: "keda 2.12.0", File: "CHANGELOG.md", Symbol: "Remove deprecated `metricName` from trigger metadata section", Checked: "2026-11-29",
			Note: "Removed for all scalers; pkg/scalers/prometheus_scaler.go of 2.12 reads serverAddress, query, threshold and authentication only."}},
	},
	Check: func(p *Pass) {
		for a := range p.Parts("autoscalers") {
			if kind, _ := a.Text("kind"); kind != "keda" || !a.IsTrue("enabled") {
				continue
			}
			for t := range p.Parts(a.At("spec", "triggers")...) {
				kind, _ := t.Text("type")
				at := t.At("metadata", "metricName")
				if kind != "prometheus" || p.State(at...) != model.Present {
					continue
				}
				p.Report(at, "metricName is not read by KEDA from 2.12 on: the metric is named after the trigger's index").OnKey().
					Fix(model.Fix{Ops: []model.Op{model.Remove(at)}})
			}
		}
	},
})
