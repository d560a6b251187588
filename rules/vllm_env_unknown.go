package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-env-unknown",
		Title:    "A VLLM_ variable that no release reads",
		Category: "engine-args",
		Why: `vLLM is configured by arguments. Most of what one would like to set by a variable has none: ` + "`VLLM_MODEL`" + `, ` + "`VLLM_MAX_MODEL_LEN`" + ` and ` + "`VLLM_TENSOR_PARALLEL_SIZE`" + ` are read by no release, so the server runs
with its defaults and says nothing but "Unknown vLLM environment variable detected" in the log. Some images translate such variables into arguments.`,
		Remedy:   `Pass the setting as an argument, or correct the name; the message names the nearest.`,
		Severity: model.Warning, Severities: []model.Severity{model.Info},
		Confidence: model.Medium,
		Inputs:     []string{"engine.env", "engine.image"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/envs.py", Symbol: "environment_variables", Checked: "2026-11-29",
				Note: "The variables of every release from 0.4.1 to 0.33.0 were read out of this file."},
			{Artefact: "vllm 0.29.0", File: "vllm/envs.py", Symbol: "Unknown vLLM environment variable detected", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			r := e.VLLM()
			if e.foreignImage() && !e.translates() {
				continue
			}
			unknown := 0
			for _, name := range e.Get("env").Keys() {
				if !strings.HasPrefix(name, "VLLM_") || strings.HasSuffix(name, "_") || unknown > maxUnknownVariables {
					continue
				}
				if _, presence := r.Env(name); presence != knowledge.Unknown {
					continue
				}
				if unknown++; p.interpolated(name) || e.sharesVariable(name) {
					continue
				}
				report := p.Report(e.At("env", name), "no vLLM release up to %s reads %s, so it has no effect%s", knowledge.VLLM.Newest(), model.Quote(name), variableHint(r, name)).OnKey()
				if r.Match == knowledge.Newer || e.pluginImage() || e.Unread() {
					report.Severity(model.Info)
				}
			}
		}
	},
})

// maxUnknownVariables bounds how many variables of an engine are looked for in the files of the stack.
const maxUnknownVariables = 100

// translates reports whether an engine's image is known to make arguments out of variables.
func (q Part) translates() bool {
	repository, _ := q.Text("image", "repository")
	for _, word := range [...]string{"runpod", "worker-v1-vllm", "sagemaker", "djl"} {
		if strings.Contains(repository, word) {
			return true
		}
	}
	return false
}

// variableHint names the argument or the variable that was most likely meant.
func variableHint(r knowledge.Release, name string) string {
	rest := strings.TrimPrefix(name, "VLLM_")
	if rest == "MODEL" || rest == "MODEL_NAME" {
		return "; the model is the first word after vllm serve"
	}
	if f, p := r.Flag("--" + strings.ToLower(rest)); p == knowledge.Present {
		return "; the setting is the argument " + f.Name
	}
	if near := r.Nearest(knowledge.KindEnv, "", name); len(near) > 0 && near[0].Distance <= 2 {
		return "; did you mean " + near[0].Entry.Name + "?"
	}
	return "; settings of the server are arguments"
}

// sharesVariable reports whether a variable stands at the same place in the environment of another part, such as an env file
// of a whole compose project: then it may be meant for that one.
func (q Part) sharesVariable(name string) bool {
	own := q.Value.At("env", name)
	if own == nil || own.Origin.File == nil {
		return false
	}
	same := func(v *model.Value) bool {
		return v != nil && v.Origin.File == own.Origin.File && v.Origin.Span == own.Origin.Span
	}
	root := q.pass.Root
	if same(root.At("gateway", "env", name)) {
		return true
	}
	for _, r := range root.Get("routers").Items() {
		if same(r.At("env", name)) {
			return true
		}
	}
	for _, e := range root.Get("engines").Items() {
		if runtime, _ := e.Get("runtime").AsText(); runtime != "vllm" && same(e.At("env", name)) {
			return true
		}
	}
	return q.envFileOfOthers(own)
}

// envFileOfOthers reports whether the env file that holds a variable is also given to a compose service that is none of
// the stack's engines, or may be.
func (q Part) envFileOfOthers(own *model.Value) bool {
	if own.Origin.Env() == nil {
		return false
	}
	base := own.Origin.File.Path[strings.LastIndexByte(own.Origin.File.Path, '/')+1:]
	if q.pass.State("compose") == model.Absent {
		return false
	}
	services := q.pass.Get("compose", "services")
	if services == nil {
		return true // not seen, so it may be
	}
	for i, name := range services.Keys() {
		if q.pass.engineNamed(name) {
			continue
		}
		files := services.Items()[i].Get("env_file")
		if !services.Items()[i].Known() || files != nil && !files.Known() {
			return true
		}
		list := files.Items()
		if text, ok := files.AsText(); ok {
			list = []*model.Value{model.NewText(text, files.Origin)}
		}
		for _, f := range list {
			text, ok := f.AsText()
			if !ok {
				text, ok = f.Get("path").AsText()
			}
			if !ok || text == base || strings.HasSuffix(text, "/"+base) {
				return true
			}
		}
	}
	return false
}

// engineNamed reports whether the stack has an engine of that name.
func (p *Pass) engineNamed(name string) bool {
	for e := range p.Parts("engines") {
		if n, _ := e.Text("name"); n == name {
			return true
		}
	}
	return false
}
