package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "lora-not-enabled",
		Title:    "Adapters are listed without LoRA being enabled",
		Category: "engine-args",
		Why: "`--lora-modules`" + ` only lists adapters; the weights have room for them with ` + "`--enable-lora`" + `. Without it the API server loads the first adapter, is refused, and stops at start with
"LoRA is not enabled. Use --enable-lora to enable LoRA." Before 0.7.0 it starts, and refuses each request for an adapter with "LoRA is not enabled!".`,
		Remedy:   "Add `--enable-lora`.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args", "engine.image"},
		When:   []string{"engine.args.lora-modules"},
		Fix:    model.Safe, FixTitle: "add --enable-lora",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/v1/worker/lora_model_runner_mixin.py", Symbol: "LoRA is not enabled. Use --enable-lora to enable LoRA.", Checked: "2026-11-30"},
			{Artefact: "vllm 0.33.0", File: "vllm/entrypoints/openai/models/serving.py", Symbol: "async def init_static_loras", Checked: "2026-11-30",
				Note: "Loads every adapter of --lora-modules into the engine, and raises what the engine answers; awaited in init_app_state, so the server does not come up."},
			{Artefact: "vllm 0.33.0", File: "vllm/engine/arg_utils.py", Symbol: "if self.enable_lora", Checked: "2026-11-30",
				Note: "There is no LoRA configuration without the flag, whatever else is set."},
			{Artefact: "vllm 0.7.0", File: "vllm/entrypoints/openai/serving_models.py", Symbol: "async def init_static_loras", Checked: "2026-11-30"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			adapter, state := e.Arg("lora-modules")
			// Values that are empty texts are skipped, and an engine without an API server loads no adapter.
			if state != model.Present || !strings.ContainsAny(adapter, "={") || !e.Absent("args", "enable-lora") || e.ArgOn("headless") || e.foreignImage() {
				continue
			}
			does := "the engine stops at start with \"LoRA is not enabled. Use --enable-lora to enable LoRA.\""
			switch {
			case !e.AtLeast("0.7.0"):
				does = "each request for an adapter is refused with \"LoRA is not enabled!\""
			case !e.AtLeast("0.11.0"):
				does = "the engine stops at start with \"LoRA is not enabled.\""
			}
			r := p.Report(e.At("args", "lora-modules"), "--lora-modules without --enable-lora: %s", does).OnKey()
			if how, _ := e.Text("command"); how != "chart" && e.Absent("args", "no-enable-lora") {
				r.Fix(model.Fix{Ops: []model.Op{model.Set(e.At("args", "enable-lora"), true)}})
			}
		}
	},
})
