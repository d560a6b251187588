package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

// writtenFlag is one occurrence of a flag on a vLLM command line, with what the engine's release makes of it.
type writtenFlag struct {
	Part
	// engine is the engine that is given the flag, release the tables at its version.
	engine  Part
	release knowledge.Release
	// word is the flag as written, with dashes; spelling as the parser compares it, without what follows a dot.
	word, spelling string
	knowledge.Flag
	presence knowledge.Presence
	// prefixes are the flags of the release that the word is the beginning of, when it is none itself: the parser takes
	// the only one.
	prefixes []knowledge.Entry
}

// writtenFlags walks the flags of an engine. Flags that argparse and vLLM handle themselves are left out.
func (q Part) writtenFlags() func(yield func(writtenFlag) bool) {
	return func(yield func(writtenFlag) bool) {
		r := q.VLLM()
		for f := range q.flags() {
			w := writtenFlag{Part: f.Part, engine: q, release: r, word: f.word}
			if !strings.HasPrefix(w.word, "-") {
				w.word = "--" + w.word // a key of a config file
			}
			if ownFlag(w.word) {
				continue
			}
			w.Flag, w.presence = r.Flag(w.word)
			w.spelling = w.Written
			if w.presence != knowledge.Present && strings.HasPrefix(w.spelling, "--") {
				w.prefixes = prefixed(r, w.spelling)
			}
			if !yield(w) {
				return
			}
		}
	}
}

// ownFlag reports whether a word is no flag of the tables but handled by the parser: help, versions, and -O with its level.
func ownFlag(word string) bool {
	switch word {
	case "-h", "--help", "-v", "--version":
		return true
	}
	return strings.HasPrefix(word, "-O") || strings.HasPrefix(word, "--help=")
}

// prefixed returns the flags of a release that a spelling is the beginning of, negative forms included.
func prefixed(r knowledge.Release, spelling string) []knowledge.Entry {
	out := r.FlagsWithPrefix(spelling)
	if base, ok := strings.CutPrefix(spelling, "--no-"); ok && base != "" {
		for _, e := range r.FlagsWithPrefix("--" + base) {
			if f, p := r.Flag("--no-" + strings.TrimPrefix(e.Name, "--")); p == knowledge.Present && f.Negative {
				out = append(out, e)
			}
		}
	}
	return out
}

// accepted reports whether the release takes the word: as a flag, or as the beginning of exactly one.
func (w *writtenFlag) accepted() bool {
	return w.presence == knowledge.Present || len(w.prefixes) == 1
}

// entry is the row of the flag that the release takes the word for.
func (w *writtenFlag) entry() knowledge.Entry {
	if w.presence != knowledge.Present && len(w.prefixes) == 1 {
		return w.prefixes[0]
	}
	return w.Entry
}

// arg is the path of the flag in the engine's arguments.
func (w *writtenFlag) arg() model.Path {
	name, _ := w.Text("name")
	return w.engine.At("args", name)
}

// editable reports whether a fix can change the flag where it is written: not where a chart renders it out of a value.
func (w *writtenFlag) editable() bool {
	list := w.engine.pass.Root.At(w.arg()...)
	if list == nil {
		return false
	}
	how, _ := w.engine.Text("command")
	return list.Origin.Arg() != nil || how != "chart"
}

// pluginImage reports whether an engine's image adds flags of its own: of a hardware plugin, or of another server built
// on vLLM.
func (q Part) pluginImage() bool {
	repository, ok := q.Text("image", "repository")
	if !ok {
		return q.State("image") == model.Unseen
	}
	repository = strings.ToLower(repository)
	for _, word := range [...]string{"ascend", "gaudi", "hpu", "habana", "neuron", "tpu", "spyre", "rbln", "rebel", "metal", "xpu", "kunlun", "mlu", "musa", "furiosa", "tenstorrent", "omni", "sagemaker", "djl", "runpod", "openvino"} {
		if strings.Contains(repository, word) {
			return true
		}
	}
	return q.foreignImage()
}

// foreignImage reports whether an engine's image starts something by itself and its name is none of vLLM's own: what runs
// in it may be another program.
func (q Part) foreignImage() bool {
	repository, _ := q.Text("image", "repository")
	base := strings.ToLower(repository[strings.LastIndexByte(repository, '/')+1:])
	if how, ok := q.Text("command"); ok && how != "image" {
		return false
	}
	return !strings.HasPrefix(base, "vllm-openai") && !strings.HasPrefix(base, "vllm-cpu") && base != "vllm" && base != "vllm-rocm" && base != "rocm-vllm"
}
