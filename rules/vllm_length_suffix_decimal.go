package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-length-suffix-decimal",
		Title:    "A token count with a decimal suffix is smaller than it looks",
		Category: "engine-args",
		Why: `vLLM reads k, m and g as powers of ten and K, M and G as powers of two: 32k is 32000 tokens and 32K is 32768. A gateway that declares 32768 for the model then sends prompts that the engine
refuses with HTTP 400.`,
		Remedy:   "Write the upper-case suffix, or the number itself.",
		Severity: model.Info, Confidence: model.High,
		Inputs:  []string{"engine.args"},
		Applies: []string{"vllm>=0.8.4"},
		Since:   "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/utils/argparse_utils.py", Symbol: "def human_readable_int", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			for _, flag := range [...]string{"max-model-len", "max-num-batched-tokens", "max-num-queued-tokens", "max-num-scheduled-tokens"} {
				text, state := e.Arg(flag)
				number, suffix := strings.TrimRight(text, "kmg"), ""
				if state != model.Present || len(number) != len(text)-1 {
					continue
				}
				suffix = text[len(number):]
				decimal, ok := knowledge.HumanInt(text)
				binary, ok2 := knowledge.HumanInt(number + strings.ToUpper(suffix))
				if !ok || !ok2 || decimal >= binary {
					continue
				}
				p.Report(e.At("args", flag, 0), "--%s %s is %d tokens, %d less than %s%s; write %[5]s%[6]s, or the number itself", flag, model.Quote(text), decimal, binary-decimal, number, strings.ToUpper(suffix))
			}
		}
	},
})
