package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-api-server-entrypoint",
		Title:    "The engine is started through the api_server module",
		Category: "engine-args",
		Why: `` + "`python -m vllm.entrypoints.openai.api_server`" + ` is the old way to start the server. From 0.29 on it prints "The ` + "`python -m vllm.entrypoints.openai.api_server`" + ` command is
deprecated and may be removed in a future release". It still starts in 0.33, and no release is named for its removal. ` + "`vllm serve`" + ` takes the same flags and the model as its first word.`,
		Remedy:   `Start ` + "`vllm serve MODEL --flags`" + ` instead: the model without ` + "`--model`" + `, the other flags as they are.`,
		Severity: model.Info, Confidence: model.High,
		Fix:      model.Unsafe,
		FixTitle: "start vllm serve",
		Question: "Is the vllm command installed beside that Python, and does nothing look for the module's name (a probe, pkill)?",
		Inputs:   []string{"engine.args", "engine.image"},
		Applies:  []string{"vllm>=0.11.1"},
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/entrypoints/openai/api_server.py", Symbol: "command is deprecated", Checked: "2026-11-29",
				Note: "The warning is not in 0.28.0; the module still starts in 0.33.0. From 0.11.1 on the image starts vllm serve."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			if how, _ := e.Text("command"); how != "api_server" {
				continue
			}
			fix := model.Fix{Ops: []model.Op{model.Set(e.At("command"), "serve")}}
			// A value that is not known stays: vllm serve takes --model, too, with a warning.
			if values := e.Get("args", "model"); values.Len() == 1 && values.Items()[0].Known() {
				fix.Ops = append(fix.Ops, model.Op{Kind: model.OpMove, At: e.At("args", "model"), To: e.At("model")})
			}
			if e.AtLeast("0.29.0") {
				p.Report(e.At("command"), "the engine starts as python -m vllm.entrypoints.openai.api_server, which is deprecated from vLLM 0.29 on; write vllm serve MODEL").Fix(fix)
			} else {
				p.Report(e.At("command"), "the engine starts as python -m vllm.entrypoints.openai.api_server; vllm serve MODEL takes the same flags, and the module prints a warning from vLLM 0.29 on").Fix(fix)
			}
		}
	},
})
