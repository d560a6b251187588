package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "unused-ignore",
		Title:    "an ignore silences nothing",
		Category: "schema",
		Why: `An ignore that silences nothing waits for the next finding of its rule and hides it, although nobody ever looked
at that one. An ignore without a rule or without a reason never counts: the finding it was written for is still there.`,
		Remedy: `Remove the comment, or the entry under ` + "`ignore:`" + ` in .agentlint.yaml. To keep one, name the rule and say why the
finding is accepted:

    # agentlint: ignore[rule-id] the reason
    # agentlint: ignore[rule-id] until=2027-03-31 the reason`,
		Severity:   model.Info,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"files"},
		Fix:        model.Safe,
		FixTitle:   "remove the ignore comment",
		Since:      "0.1",
		Evidence:   []model.Evidence{{Artefact: "agentlint", File: "internal/engine/ignore.go", Symbol: "unusedIgnore", Checked: "2026-11-29"}},
	},
	Check: byEngine,
})
