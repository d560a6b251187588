package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "upperbound-not-a-mapping",
		Title:    "The upper bounds of new keys are no mapping",
		Category: "limits",
		Why: "`upperbound_key_generate_params` has to be a mapping of limits. A list, a number, a text, a reference to a variable and a key\n" +
			"with nothing after it all stop the gateway at the start: Invalid value set for upperbound_key_generate_params.",
		Remedy:     "Write the limits as keys: `upperbound_key_generate_params: {max_budget: 100, budget_duration: 30d}`, or take the key out.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.litellm_settings.upperbound_key_generate_params"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "Invalid value set for upperbound_key_generate_params - value={value}", Checked: "2026-11-30",
				Note: "Run with 1.102.0 and 1.110.2: a list, a number, a text, false, a variable that holds JSON and an empty value refuse to load; {} loads. The same code in 1.81.0."},
		},
	},
	Check: func(p *Pass) {
		at := model.Path{"gateway", "config", "litellm_settings", "upperbound_key_generate_params"}
		p.noteUnseen(at)
		v := p.Get(at...)
		if v == nil || v.Kind == model.Map {
			return
		}
		p.Report(at, "upperbound_key_generate_params is %s and no mapping: the gateway does not start (Invalid value set for upperbound_key_generate_params)", described(v)).OnKey()
	},
})
