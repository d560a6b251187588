package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "hf-token-literal",
		Title:    "A Hugging Face token is written in a file",
		Category: "secrets",
		Why: `A token in a manifest, a compose file or values is in the repository and its history. Whoever reads it downloads every
gated and private model of its account, and with a write token changes them.`,
		Remedy: "Reference a secret: `secretKeyRef` in a manifest, `${HF_TOKEN}` in compose, `hf_token: {secretName, secretKey}` in production-stack's values. " +
			"Then revoke the token: the old one stays in the history.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"engine.env", "engine.args", "routers", "compose"},
		Fix:        model.Unsafe,
		FixTitle:   "take the token from the environment",
		Question:   "Is the variable set where compose starts, and will the token be revoked?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/engine/arg_utils.py", Symbol: "hf_token", Checked: "2026-11-29",
				Note: "--hf-token takes the token itself; without a value the one of the machine is used, so HF_TOKEN is enough."},
			{Artefact: "vllm-stack 0.1.12", File: "values.yaml", Symbol: "hf_token", Checked: "2026-11-29", Note: "The chart takes a text or a reference to a Secret."},
		},
	},
	Check: func(p *Pass) {
		var found places
		for _, list := range [...]string{"engines", "routers"} {
			for part := range p.Parts(list) {
				for _, name := range part.Get("env").Keys() {
					found.add(p, part.At("env", name))
				}
				for i := range part.Get("args", "hf-token").Len() {
					found.add(p, part.At("args", "hf-token", i))
				}
			}
		}
		for i, service := range p.Get("compose", "services").Keys() {
			env := p.Get("compose", "services").Items()[i].Get("environment")
			at := model.Path{"compose", "services", service, "environment"}
			for j := range env.Len() {
				if env.Kind == model.Map {
					found.add(p, at.With(env.Keys()[j]))
				} else if s, ok := env.Items()[j].AsText(); ok && strings.Contains(s, "hf_") {
					found.addAssignment(p, at.With(j))
				}
			}
		}
		for _, x := range found.list {
			shape, ok := knowledge.FindKeyShape(x.Text)
			if !ok || shape.Provider != "huggingface" || p.secretsPlace(x.Value) {
				continue
			}
			r := p.Report(x.Path, "a Hugging Face token is written here: everyone who can read the repository can use it").InExample(p, model.Info)
			if platform, _ := p.Text(x.Path[0], x.Path[1], "pod", "platform"); platform == "compose" && x.Path[2] == "env" && !x.Value.Fallback() {
				r.Fix(model.Fix{Ops: []model.Op{model.Set(x.Path, "${"+x.Path[3].(string)+"}")}})
			}
		}
	},
})

// addAssignment adds the value of NAME=value at a path.
func (l *places) addAssignment(p *Pass, at model.Path) {
	n := len(l.list)
	l.add(p, at)
	if len(l.list) > n {
		_, l.list[n].Text, _ = strings.Cut(l.list[n].Text, "=")
	}
}
