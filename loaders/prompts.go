package loaders

import (
	"bytes"
	"path"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// maxPromptHead bounds how many bytes of a template are in the model: what stands further down is no prefix.
const maxPromptHead = 4096

// prompts adds the chat templates of the stack's engines and the prompt templates of its gateway.
func (b *builder) prompts(gw *model.Value) {
	for _, p := range b.parts {
		if p.kind != "engine" || p.value == nil {
			continue
		}
		v := p.value.At("args", "chat-template", 0)
		text, ok := v.AsText()
		if !ok {
			continue
		}
		target := partRef("engine", p.name, v.Origin)
		if strings.ContainsAny(text, "{\n") {
			// vLLM takes a text that is no file for the template itself (vllm 0.29.0, entrypoints/chat_utils.py).
			b.addPrompt("chat-template", target, model.NewList(v.Origin, model.NewText(text, v.Origin)))
			continue
		}
		if f, _ := b.w.configFileAt(p.wl, text); f != nil {
			b.addPrompt("chat-template", target, promptLines(f))
		}
	}
	if gw == nil {
		return
	}
	target := partRef("gateway", "", gw.Origin)
	for _, f := range b.promptFiles(gw.Get("config")) {
		b.addPrompt("dotprompt", target, promptLines(f))
	}
	for _, entry := range gw.At("config", "prompts").Items() {
		// The expressions in a prompt are its own, so its text is taken from the node and not from the value.
		content := entry.At("litellm_params", "dotprompt_content")
		if content == nil || content.Origin.Node == nil || content.Origin.Node.Kind != source.Scalar {
			continue
		}
		if f := source.Nested(content.Origin.File, content.Origin.Node); f != nil {
			b.addPrompt("dotprompt", target, promptLines(f))
		}
	}
}

// promptFiles returns the .prompt files that a LiteLLM config names: prompts[].litellm_params.prompt_file, and those in
// the folder litellm_settings.global_prompt_directory.
func (b *builder) promptFiles(config *model.Value) []*source.File {
	var out []*source.File
	for _, entry := range config.Get("prompts").Items() {
		if name, ok := entry.At("litellm_params", "prompt_file").AsText(); ok {
			if f := b.gatewayFile(name); f != nil {
				out = append(out, f)
			}
		}
	}
	dir, ok := config.At("litellm_settings", "global_prompt_directory").AsText()
	if !ok {
		return out
	}
	for _, name := range b.w.names {
		if path.Ext(name) != ".prompt" {
			continue
		}
		if f := b.gatewayFile(path.Join(dir, path.Base(name))); f != nil && f.Path == name {
			out = append(out, f)
		}
	}
	return out
}

// gatewayFile returns a file by the path that the gateway uses; nil when it is not in the files.
func (b *builder) gatewayFile(name string) *source.File {
	if b.self != nil {
		f, _ := b.w.configFileAt(b.self.wl, name)
		return f
	}
	return b.w.readBeside(name, b.dir, b.dir)
}

func (b *builder) addPrompt(kind string, target, lines *model.Value) {
	if lines.Len() == 0 {
		return
	}
	v := model.NewMap(lines.Origin)
	v.Set("kind", model.NewText(kind, lines.Origin))
	v.Set("target", target)
	v.Set("lines", lines)
	b.root.Get("prompts").Append(v)
	b.addFile(lines.Origin.File)
}

// promptLines returns the first lines of a template, without front matter.
func promptLines(f *source.File) *model.Value {
	text := f.Bytes
	at := frontMatter(text)
	text = text[at:min(len(text), at+maxPromptHead)]
	list := model.NewList(model.Origin{Source: model.FromConfig, File: f, Span: source.Span{Start: at, End: at + len(text)}})
	for line := range bytes.Lines(text) {
		end := at + len(line)
		line = bytes.TrimRight(line, "\r\n")
		list.Append(model.NewText(strings.ToValidUTF8(string(line), "\uFFFD"), model.Origin{Source: model.FromConfig, File: f, Span: source.Span{Start: at, End: at + len(line)}}))
		at = end
	}
	return list
}

// frontMatter returns where the text behind a block between two lines "---" begins, 0 when there is none.
func frontMatter(text []byte) int {
	at := 0
	for line := range bytes.Lines(text) {
		mark := string(bytes.TrimRight(line, " \t\r\n")) == "---"
		if at == 0 && !mark {
			return 0
		}
		if at > 0 && mark {
			return at + len(line)
		}
		at += len(line)
	}
	return 0
}
