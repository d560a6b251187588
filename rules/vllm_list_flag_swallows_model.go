package rules

import (
	"fmt"
	"path"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-list-flag-swallows-model",
		Title:    "The model is taken for one more value of a flag",
		Category: "engine-args",
		Why: "A flag with several values, such as `--served-model-name`, `--api-key` and `--lora-modules`" + `, takes every word up to the next flag. The model behind it is one more of its values, and the engine
is left without a model: it loads the default one, Qwen/Qwen3-0.6B (facebook/opt-125m before 0.10.0), under the names that were meant for the other. From 0.17.0 on it stops when ` + "`--served-model-name`" + ` is there and the
first word is no model; adapters and numbers that are none stop every release, and before 0.8.3 the model was required.`,
		Remedy:   "Write the model first: `vllm serve MODEL --served-model-name NAME`.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args", "engine.image"},
		Fix:    model.Safe, FixTitle: "move the model to the front",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/engine/arg_utils.py", Symbol: "def collection_to_kwargs", Checked: "2026-11-30", Note: "Lists get nargs=\"+\"."},
			{Artefact: "vllm 0.33.0", File: "vllm/utils/argparse_utils.py", Symbol: "`model` should be provided as the first positional argument when ", Checked: "2026-11-30",
				Note: "Raised for --served-model-name when the first word begins with a dash and neither --model nor --config is there; not in 0.16.0, in 0.17.0."},
			{Artefact: "vllm 0.8.3", File: "vllm/entrypoints/cli/serve.py", Symbol: "nargs='?'", Checked: "2026-11-30", Note: "The model became optional; not in 0.8.2."},
			{Artefact: "vllm 0.33.0", File: "vllm/config/model.py", Symbol: `model: str = "Qwen/Qwen3-0.6B"`, Checked: "2026-11-30"},
			{Artefact: "vllm 0.33.0", File: "vllm/entrypoints/common/cli_args.py", Symbol: "Invalid JSON format for --lora-modules: ", Checked: "2026-11-30"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			how, _ := e.Text("command")
			// Before 0.11.1 the image started a module that takes the model as --model.
			if how != "serve" && (how != "image" || !e.AtLeast("0.11.1")) || e.foreignImage() {
				continue
			}
			if e.argsOpen() || !e.Absent("model") || !e.Absent("args", "model") || !e.Absent("args", "config") || e.Get("strays").Len() > 0 {
				continue
			}
			served := e.State("args", "served-model-name") == model.Present
			for w := range e.writtenFlags() {
				last := w.Get("values").Len() - 1
				text, known := w.Text("values", last)
				if !w.accepted() || w.entry().Type != "list" || w.entry().Name == "--middleware" || w.IsTrue("inline") || !w.onLine() || last < 1 || !known || !modelLike(text) {
					continue
				}
				does := "the engine serves the default model, Qwen/Qwen3-0.6B"
				switch name := w.entry().Name; {
				case served && e.AtLeast("0.17.0"):
					does = "the engine stops at start with \"`model` should be provided as the first positional argument\""
				case name == "--lora-modules":
					does = "the engine stops at start with \"Invalid JSON format for --lora-modules: " + model.Quote(text) + "\""
				case name == "--cudagraph-capture-sizes" || name == "--cuda-graph-sizes" || name == "--numa-bind-nodes":
					does = fmt.Sprintf("the engine stops at start with \"invalid int value: '%s'\"", model.Quote(text))
				case name == "--collect-detailed-traces":
					does = fmt.Sprintf("the engine stops at start with \"invalid choice: '%s'\"", model.Quote(text))
				case !e.AtLeast("0.8.3"):
					does = "the engine stops at start with \"the following arguments are required: model_tag\""
				case !e.AtLeast("0.10.0"):
					does = "the engine serves the default model, facebook/opt-125m"
				}
				at := e.At("args", strings.TrimPrefix(w.entry().Name, "--"), last)
				r := p.Report(w.At("values", last), "the model is one more value of %s here: %s; write the model first", model.Quote(w.word), does)
				if p.State(at...) == model.Present && e.Get("args", strings.TrimPrefix(w.entry().Name, "--")).Len() == last+1 {
					r.Fix(model.Fix{Ops: []model.Op{{Kind: model.OpMove, At: at, To: e.At("model")}}})
				}
			}
		}
	},
})

// modelLike reports whether a word is written as a model is: a repository of the hub, a folder, or a place of an object
// store. A file is none, except for GGUF.
func modelLike(s string) bool {
	if strings.ContainsAny(s, " =*?{}[],\\$") || strings.HasPrefix(s, "-") {
		return false
	}
	switch strings.ToLower(path.Ext(s)) {
	case ".pth", ".pt", ".bin", ".safetensors", ".json", ".txt", ".md", ".py":
		return false
	}
	for _, start := range [...]string{"/", "./", "../", "s3://", "gs://", "hf://"} {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	owner, name, ok := strings.Cut(s, "/")
	return ok && owner != "" && name != "" && !strings.ContainsAny(s, ":") && strings.Count(name, "/") == 0
}
