package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "model-group-mixes-models",
		Title:    "A group mixes different models",
		Category: "models",
		Why: `All entries of one model_name form one group, and the router spreads requests over them: of two entries each gets half.
With different models in it the answers of one conversation alternate between them, and an entry that was meant as a
fallback is served half of the traffic all the time.`,
		Remedy:   "Give each model a model_name of its own and connect them with `fallbacks`; or write `order: 2` on the entry that is to be used when the first fails.",
		Severity: model.Warning, Confidence: model.Medium,
		Inputs: []string{"gateway.config"},
		When:   []string{"gateway.config.model_list"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router_strategy/simple_shuffle.py", Symbol: "def simple_shuffle", Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "def _get_all_deployments", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		var at, first model.Path
		var mixed []string
		for g := range p.Groups() {
			name, ok := g.Text("name")
			if !ok || strings.Contains(name, "*") {
				continue
			}
			second, a, b := p.mixes(g)
			if a == "" {
				continue
			}
			if at == nil {
				at = model.Path{"gateway", "config", "model_list", second, "model_name"}
				index, _ := g.Int("deployments", 0, "index")
				first = model.Path{"gateway", "config", "model_list", int(index), "model_name"}
			}
			mixed = append(mixed, model.Quote(name)+" ("+a+" and "+b+")")
		}
		if at != nil {
			p.Report(at, "entries of one model_name share its requests, and these groups mix models: %s", strings.Join(mixed, ", ")).Related(first, "the first entry of the group")
		}
	},
})

// mixes returns two kinds of model that the deployments of a group have, with the model_list entry of the second deployment;
// "" when there is one kind, when some of them are not known, or when order or weight say that they are no equals.
func (p *Pass) mixes(g Part) (second int, a, b string) {
	n := 0
	if len(g.Deployments()) < 2 {
		return 0, "", ""
	}
	list := p.Root.At(modelListPath...)
	for _, d := range g.Deployments() {
		index, ok := d.Get("index").AsInt(false)
		if !ok {
			return 0, "", ""
		}
		entry := list.At(int(index))
		if entry == nil || entry.State("litellm_params", "order") != model.Absent || entry.State("litellm_params", "weight") != model.Absent {
			return 0, "", ""
		}
		kind := p.modelKind(d)
		if kind == "" {
			return 0, "", ""
		}
		if n++; n == 2 {
			second = int(index)
		}
		switch {
		case a == "":
			a = kind
		case b == "" && kind != a:
			b = kind
		}
	}
	if b == "" || n != len(g.Deployments()) {
		return 0, "", ""
	}
	return second, a, b
}

// modelKind is the family of a deployment's model, with what it is for where that is no text: "qwen", "qwen embedding"; "" when
// the name does not tell. The names of Azure's deployments are free, and so are those of an engine of one's own: there the
// engine's model counts.
func (p *Pass) modelKind(d *model.Value) string {
	name, ok := d.Get("model").AsText()
	provider, known := d.Get("provider").AsText()
	if !ok || !known || strings.HasPrefix(provider, "azure") || strings.Contains(name, "*") {
		return ""
	}
	if kind, _ := d.At("target", "kind").AsText(); kind == "engine" {
		target, _ := d.At("target", "name").AsText()
		e, ok := engineNamed(p, target)
		if !ok {
			return ""
		}
		if name, ok = e.Text("model"); !ok {
			return ""
		}
	}
	return knowledge.ModelFamily(name)
}
