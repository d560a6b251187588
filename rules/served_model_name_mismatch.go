package rules

import (
	"encoding/json"
	"slices"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "served-model-name-mismatch",
		Title:    "The gateway asks for a model that the engine does not serve",
		Category: "models",
		Why: "The gateway sends what follows the provider in `litellm_params.model` as the model's name, and vLLM compares it with the " +
			"names of `--served-model-name`, or with the model's id or path when there are none, and with its LoRA adapters. Any " +
			"other name is answered 404, \"The model `NAME` does not exist.\", for every request. A path begins with a slash of its " +
			"own: `/models/coder` is `hosted_vllm//models/coder`.",
		Remedy:   "Write one of the served names after the provider, or add the gateway's name to `--served-model-name`, which takes several.",
		Severity: model.Error, Confidence: model.High,
		Inputs:   []string{"engines", "gateway.config"},
		When:     []string{"gateway.config.model_list"},
		Fix:      model.Safe,
		FixTitle: "use the served name",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/entrypoints/serve/engine/serving.py", Symbol: "does not exist.", Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/litellm_core_utils/get_llm_provider_logic.py", Symbol: `model.split("/", 1)`, Checked: "2026-11-29",
				Note: "Run with 1.102.0: hosted_vllm//models/llama asks for /models/llama, hosted_vllm/models/llama for models/llama."},
		},
	},
	Check: func(p *Pass) {
		for g := range p.Groups() {
			name, _ := g.Text("name")
			if strings.Contains(name, "*") {
				continue
			}
			for _, d := range g.Deployments() {
				servedModelName(p, name, d)
			}
		}
	},
})

// servedModelName holds one deployment against the engine that it reaches without a router between.
func servedModelName(p *Pass, group string, d *model.Value) {
	if kind, _ := d.At("target", "kind").AsText(); kind != "engine" {
		return
	}
	asked, ok := d.Get("model").AsText()
	provider, _ := d.Get("provider").AsText()
	index, known := d.Get("index").AsInt(false)
	if !ok || !known || asked == "" || provider == "" || strings.ContainsAny(asked, "*{$") {
		return
	}
	target, _ := d.At("target", "name").AsText()
	e, ok := engineNamed(p, target)
	if !ok {
		return
	}
	served, adapters, ok := servedNames(e)
	if !ok || slices.Contains(served, asked) || slices.Contains(adapters, asked) {
		return
	}
	at := model.Path{"gateway", "config", "model_list", int(index), "litellm_params", "model"}
	written, ok := p.Text(at...)
	if !ok {
		return
	}
	hint := ""
	if slices.Contains(served, "/"+asked) {
		hint = " (the slash of the path belongs to the name)"
	}
	r := p.Report(at, "group %s asks for %s and the engine %s serves %s%s: every request is answered 404, \"The model `%s` does not exist.\"",
		model.Quote(group), model.Quote(asked), model.Quote(target), quoted(slices.Concat(served, adapters)), hint, model.Quote(asked)).
		Related(e.At("served_names", 0), "the name that is served")
	if prefix, ok := strings.CutSuffix(written, asked); ok && len(served) == 1 {
		r.Fix(model.Fix{Ops: []model.Op{model.Set(at, prefix+served[0])}})
	}
}

// engineNamed returns the only engine of a name.
func engineNamed(p *Pass, name string) (found Part, ok bool) {
	for e := range p.Parts("engines") {
		if n, known := e.Text("name"); !known || n != name {
			continue
		}
		if ok {
			return Part{}, false
		}
		found, ok = e, true
	}
	return found, ok
}

// servedNames returns the names an engine answers to, the model's and those of its adapters; ok is false when the files
// do not show all of them, and for runtimes that have rules of their own.
func servedNames(e Part) (served, adapters []string, ok bool) {
	if runtime, _ := e.Text("runtime"); runtime != "vllm" && runtime != "sglang" {
		return nil, nil, false
	}
	list := e.Get("served_names")
	if list == nil || list.Open || list.Len() == 0 || e.State("args", "served-model-name") == model.Unseen {
		return nil, nil, false
	}
	for _, v := range list.Items() {
		s, known := v.AsText()
		if !known || strings.ContainsAny(s, "{$") {
			return nil, nil, false
		}
		served = append(served, s)
	}
	// Adapters may be loaded while the engine runs.
	if e.State("env", "VLLM_ALLOW_RUNTIME_LORA_UPDATING") != model.Absent {
		return nil, nil, false
	}
	for _, flag := range []string{"lora-modules", "lora-paths"} {
		switch e.State("args", flag) {
		case model.Unseen:
			return nil, nil, false
		case model.Present:
			for _, v := range e.Get("args", flag).Items() {
				s, known := v.AsText()
				if !known {
					return nil, nil, false
				}
				adapters = append(adapters, adapterName(s))
			}
		}
	}
	return served, adapters, true
}

// adapterName is the name in "name=path", in a JSON object with the key name, or the whole text.
func adapterName(s string) string {
	var module struct{ Name string }
	if strings.HasPrefix(s, "{") && json.Unmarshal([]byte(s), &module) == nil {
		return module.Name
	}
	name, _, _ := strings.Cut(s, "=")
	return name
}

// quoted joins names for a message, a few of them.
func quoted(names []string) string {
	const most = 4
	out := make([]string, 0, most+1)
	for i, n := range names {
		if i == most {
			out = append(out, "…")
			break
		}
		out = append(out, model.Quote(n))
	}
	return strings.Join(out, ", ")
}
