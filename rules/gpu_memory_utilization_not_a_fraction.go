package rules

import (
	"strconv"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "gpu-memory-utilization-not-a-fraction",
		Title:    "The share of GPU memory is written as a percentage",
		Category: "engine-memory",
		Why:      "`--gpu-memory-utilization`" + ` is a fraction above 0 and up to 1. A percentage stops the engine at start: "Input should be less than or equal to 1".`,
		Remedy:   "Write the fraction: `0.9` for 90 %.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args"},
		When:   []string{"engine.args.gpu-memory-utilization", "engine.args.device-memory-utilization"},
		Fix:    model.Safe, FixTitle: "divide by 100",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/config/cache.py", Symbol: "gpu_memory_utilization: float = Field(default=0.92, gt=0, le=1)", Checked: "2026-11-29"},
			{Artefact: "vllm 0.8.5", File: "vllm/config.py", Symbol: "GPU memory utilization must be less than 1.0. Got", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			for _, flag := range [...]string{"gpu-memory-utilization", "device-memory-utilization"} {
				text, state := e.Arg(flag)
				x, ok := model.NewText(text, model.Origin{}).AsFloat(true)
				if state != model.Present || !ok || !(x > 1) || x > 1e9 {
					continue
				}
				at := e.At("args", flag, 0)
				r := p.Report(at, "--%s %s is no fraction: the engine stops at start, since it must be 1 at most", flag, model.Quote(text))
				if x >= 5 && x <= 100 {
					r.Fix(model.Fix{Ops: []model.Op{model.Set(at, strconv.FormatFloat(x/100, 'f', -1, 64))}})
				}
			}
		}
	},
})
