package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "drop-params-list",
		Title:    "drop_params is a list instead of a switch",
		Category: "models",
		Why: `drop_params is a switch: true drops the parameters that the provider does not support. A list counts as off, so that the
parameters it names are sent, and calls with one that the provider does not know fail with UnsupportedParamsError; 1.102.0
says in the log that it is not a flag value. Names belong in additional_drop_params of a deployment; litellm_settings has no such
key (run with 1.102.0 and 1.110.2).`,
		Remedy:     "Write `additional_drop_params: [temperature]` under litellm_params of each model that is to lose the parameter, or `drop_params: true`.",
		Severity:   model.Warning,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.model_list", "gateway.config.litellm_settings.drop_params"},
		Fix:        model.Safe,
		FixTitle:   "rename it to additional_drop_params",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/types/router.py", Symbol: "def coerce_drop_params", Checked: "2026-11-30",
				Note: "Run: with drop_params [temperature] the upstream gets the temperature, with additional_drop_params it does not; the same two under litellm_settings change nothing."},
			{Artefact: "litellm 1.102.0", File: "litellm/utils.py", Symbol: "def _should_drop_param", Checked: "2026-11-30"},
			{Artefact: "litellm 1.90.0", File: "litellm/utils.py", Symbol: "drop_params is True or litellm.drop_params is True", Checked: "2026-11-30", Note: "The switch is compared with True there too."},
		},
	},
	Check: func(p *Pass) {
		const key, list = "drop_params", "additional_drop_params"
		for entry := range p.ModelList() {
			v := entry.Get("litellm_params", key)
			if v == nil || v.Kind != model.List {
				continue
			}
			at := entry.At("litellm_params", key)
			r := p.Report(at, "drop_params is a list and counts as off, so %s sent; names belong in additional_drop_params", droppedNames(v)).OnKey()
			if other := entry.At("litellm_params", list); p.Absent(other...) && v.Len() > 0 && textsOnly(v) {
				r.Fix(model.Fix{Ops: []model.Op{model.Rename(at, list)}})
			}
		}
		at := model.Path{"gateway", "config", "litellm_settings", key}
		p.noteUnseen(at)
		if v := p.Get(at...); v != nil && v.Kind == model.List {
			p.Report(at, "drop_params is a list and counts as off, so %s sent; names belong in additional_drop_params under litellm_params of each model", droppedNames(v)).OnKey()
		}
	},
})

// droppedNames says which parameters a list was meant to drop, with the verb.
func droppedNames(v *model.Value) string {
	var names []string
	for _, item := range v.Items() {
		if name, ok := item.AsText(); ok {
			names = append(names, model.Quote(name))
		}
	}
	switch len(names) {
	case 0:
		return "all parameters are"
	case 1:
		return names[0] + " is"
	}
	return shortList(names) + " are"
}

// textsOnly reports whether a list holds nothing but texts.
func textsOnly(v *model.Value) bool {
	for _, item := range v.Items() {
		if _, ok := item.AsText(); !ok {
			return false
		}
	}
	return !v.Open
}
