package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-config-file-not-loaded",
		Title:    "The config file of the engine is never read",
		Category: "engine-args",
		Why: `vLLM looks for the word ` + "`--config`" + ` among its arguments and takes the next one as the file. ` + "`--config=engine.yaml`" + ` is accepted by the parser, but it is another word: the file is not
opened, nothing is said, and every setting in it is at its default.`,
		Remedy:   "Write the flag and the path apart: `--config engine.yaml`. LiteLLM takes both forms.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args"},
		When:   []string{"engine.args.config"},
		Fix:    model.Safe, FixTitle: "write --config and the path apart",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/utils/argparse_utils.py", Symbol: `if "--config" in args:`, Checked: "2026-11-29",
				Note: "The same in 0.27.1 and 0.29.0."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			for f := range e.flags() {
				name, _ := f.Text("name")
				value, ok := f.Text("values", 0)
				if name != "config" || !f.IsTrue("inline") || !ok {
					continue
				}
				r := p.Report(f.At("word"), "--config=%s is accepted but the file is never read: vLLM looks for --config as a word of its own, so every setting in it is ignored", model.Quote(value))
				if p.Root.At(e.At("args", "config", 0)...) == nil {
					continue
				}
				r.Fix(model.Fix{Ops: []model.Op{model.Set(e.At("args", "config"), []any{value})}})
			}
		}
	},
})
