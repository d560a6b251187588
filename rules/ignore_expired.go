package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "ignore-expired",
		Title:    "an ignore has passed its date",
		Category: "schema",
		Why: `Somebody accepted a finding up to a day that is over. From the day after, the ignore silences nothing and the finding
is reported again, so that the risk is decided anew instead of being forgotten.`,
		Remedy: `Mend what the finding says, or write a later date and a reason that holds until then.`,

		Severity:   model.Warning,
		Confidence: model.High,
		Inputs:     []string{"files"},
		Since:      "0.1",
		Evidence:   []model.Evidence{{Artefact: "agentlint", File: "internal/engine/ignore.go", Symbol: "ignoreExpired", Checked: "2026-11-29"}},
	},
	Check: byEngine,
})
