package rules

import (
	"agentlint/internal/model"
	"agentlint/internal/secret"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-api-key-literal",
		Title:    "An engine's API key is written in its arguments",
		Category: "secrets",
		Why: `Arguments are no place for a secret: every user of the machine sees them in the process list, everyone who may read
pods sees them in the spec, and with the file they are in the repository.`,
		Remedy:   "Set VLLM_API_KEY in the environment from a secret and leave --api-key out: the server reads the variable when the flag is missing.",
		Severity: model.Warning, Severities: []model.Severity{model.Info}, Confidence: model.High,
		Inputs:   []string{"engine.args", "compose"},
		When:     []string{"engines.*.args.api-key"},
		Fix:      model.Unsafe,
		FixTitle: "take the key from VLLM_API_KEY",
		Question: "Is VLLM_API_KEY set where compose starts, with a new key that the gateway knows too?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/entrypoints/serve/middleware/register.py", Symbol: "args.api_key or [envs.VLLM_API_KEY]", Checked: "2026-11-29"},
			{Artefact: "vllm 0.29.0", File: "vllm/envs.py", Symbol: "VLLM_API_KEY", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.Parts("engines") {
			if runtime, _ := e.Text("runtime"); runtime != "vllm" {
				continue
			}
			for key := range p.Parts(e.At("args", "api-key")...) {
				s, ok := key.AsText()
				if !ok || secret.Placeholder(s) && s != documentedKey {
					continue
				}
				r := p.Report(key.Path(), "the API key stands in the arguments, where process lists and pod specs show it; set VLLM_API_KEY from a secret").InExample(p, model.Info)
				if s == documentedKey {
					r.Severity(model.Info)
				}
				if platform, _ := e.Text("pod", "platform"); platform == "compose" && !key.Fallback() && e.Absent("env", "VLLM_API_KEY") && e.Get("args", "api-key").Len() == 1 {
					r.Fix(model.Fix{Ops: []model.Op{
						model.Remove(e.At("args", "api-key")),
						model.Set(e.At("env", "VLLM_API_KEY"), "${VLLM_API_KEY}"),
					}})
				}
			}
		}
	},
})

// documentedKey is the key of vLLM's own examples.
const documentedKey = "token-abc123"
