package rules

import (
	"bytes"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-entrypoint-doubled",
		Title:    "The command of the engine repeats what the image starts",
		Category: "engine-args",
		Why: "From 0.11.1 on the image vllm/vllm-openai starts `vllm serve`, and what a container is given as its command are arguments of it. `serve` or `vllm serve`" + ` in front of them is taken for the model, and the
engine stops at start with "unrecognized arguments", the real model among them; without one it looks for a model of the name serve.`,
		Remedy:   "Begin with the model: `command: [Qwen/Qwen3-8B, --port, \"8000\"]` in compose, `args:` in Kubernetes. To write the program too, replace the entrypoint (`entrypoint:` in compose, `command:` in Kubernetes).",
		Severity: model.Error, Confidence: model.High,
		Inputs:  []string{"engine.args", "engine.image", "engine.pod"},
		Applies: []string{"vllm>=0.11.1"},
		Fix:     model.Safe, FixTitle: "remove the repeated words",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.11.1", File: "docker/Dockerfile", Symbol: `ENTRYPOINT ["vllm", "serve"]`, Checked: "2026-11-30", Note: "In 0.11.0 it is python3 -m vllm.entrypoints.openai.api_server, in 0.29.0 and 0.33.0 as here."},
			{Artefact: "vllm 0.33.0", File: "vllm/entrypoints/common/cli_args.py", Symbol: `"model_tag"`, Checked: "2026-11-30", Note: "One word, the first that is no flag. A --model is moved in front of it."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			if !e.officialImage() || !e.entrypointKept() {
				continue
			}
			switch how, _ := e.Text("command"); how {
			case "image":
				word := e.Get("strays", 0)
				if text, _ := word.AsText(); text != "serve" || word.Origin.Arg() == nil || word.Origin.Arg().Flag != 0 {
					continue
				}
				p.Report(e.At("strays", 0), "the image starts vllm serve, and serve is given again: it is taken for the model%s", e.unrecognized("serve")).
					Fix(model.Fix{Ops: []model.Op{model.Remove(e.At("strays", 0))}})
			case "serve":
				if !e.repeatsProgram() {
					continue
				}
				p.Report(e.At("command"), "the image starts vllm serve, and vllm serve is given again: vllm is taken for the model%s", e.unrecognized("vllm serve")).
					Fix(model.Fix{Ops: []model.Op{model.Remove(e.At("command"))}})
			}
		}
	},
})

// officialImage reports whether an engine runs an image of the project with a known tag, and not the variant that starts a
// script of its own.
func (q Part) officialImage() bool {
	repository, _ := q.Text("image", "repository")
	version, _ := q.Text("image", "version")
	tag, _ := q.Text("image", "tag")
	return strings.TrimPrefix(repository, "docker.io/") == "vllm/vllm-openai" && version != "" && tag != "" && !strings.Contains(tag, "nonroot")
}

// entrypointKept reports whether the container runs what its image starts.
func (q Part) entrypointKept() bool {
	switch platform, _ := q.Text("pod", "platform"); platform {
	case "kubernetes":
		return q.Absent("pod", "spec", "container", "command")
	case "compose", "docker":
		return q.Absent("pod", "spec", "container", "entrypoint")
	}
	return false
}

// repeatsProgram reports whether the words that the container gives to its image begin with vllm serve.
func (q Part) repeatsProgram() bool {
	platform, _ := q.Text("pod", "platform")
	if platform == "docker" {
		launch := q.Get("command").Origin.Arg()
		if launch == nil || len(launch.Values) != 1 || launch.Line.Words[0].Text != "vllm" || launch.Line.Words[1].Text != "serve" {
			return false
		}
		// Right behind the image: in a shell of its own the words are another program's.
		first := launch.Line.Words[0]
		tag, _ := q.Text("image", "tag")
		if first.Args.File == nil || first.Span.Start > len(first.Args.File.Bytes) {
			return false
		}
		before := first.Args.File.Bytes[:first.Span.Start]
		return bytes.HasSuffix(bytes.TrimRight(before, " \t\r\n\\\"'"), []byte(":"+tag))
	}
	key := "args"
	if platform == "compose" {
		key = "command"
	}
	words := q.Get("pod", "spec", "container", key)
	if text, ok := words.AsText(); ok {
		words := strings.Fields(text)
		return len(words) > 1 && words[0] == "vllm" && words[1] == "serve"
	}
	program, _ := words.At(0).AsText()
	verb, _ := words.At(1).AsText()
	return program == "vllm" && verb == "serve"
}

// unrecognized says what the parser makes of the words that stand before the arguments of an engine.
func (q Part) unrecognized(words string) string {
	rest := ""
	switch name, known := q.Text("model"); {
	case q.State("args", "model") == model.Present:
		// It moves to the front.
		rest = words
	case known && words == "serve":
		rest = model.Quote(name)
	case known:
		rest = "serve " + model.Quote(name)
	case words != "serve":
		rest = "serve"
	default:
		return ""
	}
	return ", and the engine stops at start with \"unrecognized arguments: " + rest + "\""
}
