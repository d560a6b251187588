package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-flag-removed",
		Title:    "A flag that the engine's release no longer has",
		Category: "engine-args",
		Why: `vLLM drops flags quickly, often without a release in which they are deprecated. A flag that is gone stops the engine at start with "unrecognized arguments", so an upgrade of the image alone
ends in a crash loop: ` + "`--swap-space`" + ` went with 0.18.0, ` + "`--task`" + ` with 0.13.0, ` + "`--guided-decoding-backend`" + ` with 0.12.0. Absence is a range and no end: ` + "`--disable-log-requests`" + ` is unknown from 0.17 to 0.32, and
accepted again from 0.33 on, where every ` + "`--enable-x`" + ` gained a ` + "`--disable-x`" + `. Without a version the newest release is assumed,
unless the image is pinned to one that its name does not tell.`,
		Remedy:   `Write what took its place, or remove the flag; the message names it.`,
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args", "engine.image"},
		Fix:    model.Safe, FixTitle: "remove or replace the flag",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.17.1", File: "vllm/engine/arg_utils.py", Symbol: "--swap-space", Checked: "2026-11-29",
				Note: "The last release with it. The releases of every flag were read out of the argument parsers of all releases from 0.4.1 to 0.33.0."},
			{Artefact: "vllm 0.33.0", File: "vllm/utils/argparse_utils.py", Symbol: "class EnableDisableAction", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			for w := range e.writtenFlags() {
				if w.presence != knowledge.Gone && w.presence != knowledge.Between {
					continue
				}
				if e.Unread() {
					e.uncheckedRelease()
					continue
				}
				gone := w.goneSince()
				stop := "it stops at start with \"unrecognized arguments: " + w.spelling + "\""
				switch {
				case len(w.prefixes) == 1:
					stop = "it is read as the beginning of " + w.prefixes[0].Name
				case len(w.prefixes) > 1:
					stop = "it stops at start with \"ambiguous option\""
				}
				r := p.Report(w.At("word"), "%s is gone from vLLM %s on and the engine runs %s: %s%s", model.Quote(w.word), gone, e.Release(), stop, w.insteadText())
				if fix, ok := w.replacement(); ok && w.editable() {
					r.Fix(fix)
				}
			}
		}
	},
})

// goneSince is the first release without the flag before or at the engine's.
func (w *writtenFlag) goneSince() knowledge.Version {
	var last knowledge.Version
	for _, s := range w.Spans() {
		if !s.To.IsZero() && s.To.Compare(w.release.Version) < 0 {
			last = s.To
		}
	}
	for _, v := range knowledge.VLLM.Releases() {
		if v.Compare(last) > 0 {
			return v
		}
	}
	return last
}

// insteadText says what took the flag's place.
func (w *writtenFlag) insteadText() string {
	switch instead := w.Instead(); {
	case instead == "":
		return ""
	case instead == "nothing":
		return "; drop it"
	case strings.HasPrefix(instead, "nothing"):
		return "; drop it" + strings.TrimPrefix(instead, "nothing")
	default:
		return "; use " + instead
	}
}

// replacement is the change that keeps the meaning: dropping a flag that has no successor, renaming one whose successor
// takes the same value, and for some a question.
func (w *writtenFlag) replacement() (model.Fix, bool) {
	at := w.arg()
	instead, renamed := w.Attr("instead"), w.RenamedTo
	name := strings.TrimPrefix(renamed, "--")
	switch {
	case w.Negative:
		return model.Fix{}, false
	case strings.HasPrefix(instead, "nothing") && (renamed == "" || !w.successorHas()):
		return model.Fix{Title: "remove " + w.Name, Ops: []model.Op{model.Remove(at)}}, true
	case w.Name == "--enable-reasoning" && w.engine.State("args", "reasoning-parser") == model.Present:
		return model.Fix{Title: "remove " + w.Name, Ops: []model.Op{model.Remove(at)}}, true
	case w.Name == "--task":
		return w.taskFix()
	case renamed == "" || !w.engine.Absent("args", name) || !w.successorHas():
		return model.Fix{}, false
	}
	if words := strings.Fields(instead); len(words) == 2 && words[0] == renamed && (w.Type == "bool" || w.Type == "store_true") {
		// --disable-mm-preprocessor-cache became --mm-processor-cache-gb 0.
		return model.Fix{Title: "write " + instead, Ops: []model.Op{model.Set(w.engine.At("args", name), words[1]), model.Remove(at)}}, true
	}
	if instead != "" || w.Name == "--override-neuron-config" {
		return model.Fix{}, false
	}
	successor, _ := w.release.Flag(renamed)
	kind := successor.Type
	if successor.Part != "" {
		field, _ := w.release.Setting(strings.ReplaceAll(strings.TrimPrefix(successor.Name, "--"), "-", "_"), successor.Part)
		if kind = field.Type; w.Type == "bool" || w.Type == "store_true" {
			return model.Fix{Title: "rename it to " + renamed, Ops: []model.Op{model.Set(w.engine.At("args", name), "true"), model.Remove(at)}}, true
		}
	}
	if kind != w.Type && !(w.Type == "choice" && kind == "str") && !(w.Type == "str" && kind == "choice") {
		return model.Fix{}, false
	}
	return model.Fix{Title: "rename it to " + renamed, Ops: []model.Op{model.Rename(at, name)}}, true
}

// successorHas reports whether the release has the flag, or the field of a JSON argument, that took over.
func (w *writtenFlag) successorHas() bool {
	f, p := w.release.Flag(w.RenamedTo)
	if p != knowledge.Present || f.Part == "" {
		return p == knowledge.Present
	}
	_, p = w.release.Setting(strings.ReplaceAll(strings.TrimPrefix(f.Name, "--"), "-", "_"), f.Part)
	return p == knowledge.Present
}

// taskFix writes --runner and --convert for a --task. Which of them a model needs is the model's matter, so a person
// is asked.
func (w *writtenFlag) taskFix() (model.Fix, bool) {
	task, _ := w.engine.Arg("task")
	runner, convert := "pooling", ""
	switch task {
	case "generate", "transcription":
		runner = "generate"
	case "embed", "embedding":
		convert = "embed"
	case "classify", "score":
		convert = "classify"
	case "reward":
	default:
		return model.Fix{}, false
	}
	if !w.engine.Absent("args", "runner") || !w.engine.Absent("args", "convert") {
		return model.Fix{}, false
	}
	title := "write --runner " + runner
	ops := []model.Op{model.Set(w.engine.At("args", "runner"), runner)}
	if convert != "" {
		title += " --convert " + convert
		ops = append(ops, model.Set(w.engine.At("args", "convert"), convert))
	}
	ops = append(ops, model.Remove(w.arg()))
	return model.Fix{Title: title, Safety: model.Unsafe, Question: "Does the model serve the same task with them? A model that is made for pooling needs no --convert.", Ops: ops}, true
}
