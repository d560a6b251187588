package rules

import (
	"encoding/json"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

// Arg returns the first value of an engine's flag, "" for a flag without one. State says whether the flag stands there;
// a flag with an unknown value is unseen.
func (q Part) Arg(flag string) (string, model.State) {
	if s := q.State("args", flag); s != model.Present {
		return "", s
	}
	if q.Get("args", flag).Len() == 0 {
		return "", model.Present
	}
	text, ok := q.Text("args", flag, 0)
	if !ok {
		return "", model.Unseen
	}
	return text, model.Present
}

// ArgInt returns the number of an engine's flag, and the default where the flag is absent; false when the files do not
// show it, or when it is no whole number.
func (q Part) ArgInt(flag string, fallback int64) (int64, bool) {
	text, state := q.Arg(flag)
	switch state {
	case model.Absent:
		return fallback, true
	case model.Unseen:
		return 0, false
	}
	return knowledge.HumanInt(text)
}

// ArgOn reports whether an engine's boolean flag may be on: it stands there, or may stand there unseen.
func (q Part) ArgOn(flag string) bool { return q.State("args", flag) != model.Absent }

// ArgField returns a field of an engine's JSON argument, written as JSON or with dots (--speculative-config.method x),
// fields of fields joined with dots. A field of which only fields are written with dots is an empty map; present without
// a value stands for text that is no JSON.
func (q Part) ArgField(flag, field string) (value any, state model.State) {
	if text, s := q.Arg(flag + "." + field); s != model.Absent {
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			v = text
		}
		return v, s
	}
	for _, name := range q.Get("args").Keys() {
		if strings.HasPrefix(name, flag+"."+field+".") {
			return map[string]any{}, model.Present
		}
	}
	text, s := q.Arg(flag)
	if s != model.Present {
		return nil, s
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil, model.Present
	}
	for name := range strings.SplitSeq(field, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, model.Absent
		}
		if v, ok = m[name]; !ok {
			return nil, model.Absent
		}
	}
	return v, model.Present
}

// argsOpen reports whether words of the command line are not seen that may be flags.
func (q Part) argsOpen() bool {
	args := q.Value.Get("args")
	return args == nil || args.Open || !args.Known()
}

// VLLMEngines returns the engines that are vLLM servers, and whose release is in the rule's version ranges.
func (p *Pass) VLLMEngines() func(yield func(Part) bool) {
	return func(yield func(Part) bool) {
		for e := range p.Engines() {
			if runtime, _ := e.Text("runtime"); runtime == "vllm" && !yield(e) {
				return
			}
		}
	}
}

// Pinned reports whether the files or the options name the part's release, instead of the newest one being assumed.
func (q Part) Pinned() bool {
	from, ok := q.Text("version_source")
	return ok && from != "newest" && from != "unknown"
}

// Unread reports whether the part's image is pinned to a release that its name does not tell: by a digest, by a day, or by
// the numbers of those who built it. The newest release is the best guess for defaults then, but what it lacks proves
// nothing about the image.
func (q Part) Unread() bool {
	return !q.Pinned() && !q.Absent("image") && !q.IsTrue("image", "floating")
}

// uncheckedRelease notes that a rule says nothing about a part for want of its release.
func (q Part) uncheckedRelease() {
	q.pass.Unchecked(q.At("version").String())
}

// Release returns the part's release as messages name it: "0.29.0", or "0.33.0 (assumed)" when nothing names one.
func (q Part) Release() string {
	v := q.Version().String()
	if !q.Pinned() {
		v += " (assumed)"
	}
	return v
}

// flag is one occurrence of a flag on an engine's command line.
type flag struct {
	Part
	// word is the flag as written, with dashes.
	word string
}

// flags returns the occurrences of flags on an engine's command line whose words are known.
func (q Part) flags() func(yield func(flag) bool) {
	return func(yield func(flag) bool) {
		for f := range q.pass.Parts(q.At("flags")...) {
			if word, ok := f.Text("word"); ok && word != "" && !yield(flag{f, word}) {
				return
			}
		}
	}
}
