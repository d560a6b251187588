package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-flag-unknown",
		Title:    "A flag that no vLLM release has",
		Category: "engine-args",
		Why: `vLLM stops at start with "unrecognized arguments" when it is given a flag that it does not know, and the pod restarts for ever. agentlint knows the flags of every release from 0.4.1 to
0.33.0. Underscores, unique beginnings (` + "`--tensor-par 2`" + `), ` + "`--no-`" + ` forms and, from 0.33, the ` + "`--enable-x`" + ` and ` + "`--disable-x`" + ` counterpart of a boolean are flags too. A beginning that fits several flags
stops the engine with "ambiguous option". A plugin may add flags of its own.`,
		Remedy:   `Correct the spelling, or remove the flag. When a plugin provides it, ignore the finding with that reason.`,
		Severity: model.Warning, Severities: []model.Severity{model.Info},
		Confidence: model.Medium,
		Inputs:     []string{"engine.args", "engine.image"},
		Fix:        model.Unsafe, FixTitle: "rename it to the nearest flag",
		Question: "Is that the flag that was meant?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/utils/argparse_utils.py", Symbol: "class FlexibleArgumentParser", Checked: "2026-11-29",
				Note: "Underscores become dashes, unique prefixes are accepted, anything else is \"unrecognized arguments\" with exit code 2."},
			{Artefact: "vllm 0.33.0", File: "vllm/engine/arg_utils.py", Symbol: "def add_cli_args", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			uncertain := e.VLLM().Match == knowledge.Newer || e.argsOpen() || e.pluginImage()
			for w := range e.writtenFlags() {
				if w.presence != knowledge.Unknown || w.accepted() || w.hasNoNegative() {
					continue
				}
				var r *Report
				if len(w.prefixes) > 1 {
					r = p.Report(w.At("word"), "%s is the beginning of %s: the engine stops at start with \"ambiguous option\"", model.Quote(w.word), flagNames(w.prefixes))
				} else {
					meant := w.meant()
					if meant == "" && e.omniImage() {
						continue
					}
					hint := ""
					if meant != "" {
						hint = "; did you mean " + meant + "?"
					}
					r = p.Report(w.At("word"), "no vLLM release up to %s has %s: the engine stops at start with \"unrecognized arguments: %s\", unless a plugin provides it%s",
						knowledge.VLLM.Newest(), model.Quote(w.word), model.Quote(w.spelling), hint)
					if meant != "" && w.editable() && e.Absent("args", strings.TrimPrefix(meant, "--")) {
						x := model.Fix{Title: "rename it to " + meant, Ops: []model.Op{model.Rename(w.arg(), strings.TrimPrefix(meant, "--"))}}
						if meant == "--no-enable-prefix-caching" {
							x.Question, x.Brings = prefixCachingQuestion, []string{"vllm-prefix-caching-disabled"}
						}
						r.Fix(x)
					}
				}
				if uncertain {
					r.Severity(model.Info)
				}
			}
		}
	},
})

// omniImage reports whether an engine's image is, or may be, vLLM-Omni, whose server has some sixty flags of its own (vllm-omni 0.22.0,
// entrypoints/cli/serve.py).
func (q Part) omniImage() bool {
	repository, ok := q.Text("image", "repository")
	if !ok {
		return q.State("image", "repository") == model.Unseen
	}
	return strings.Contains(strings.ToLower(repository), "vllm-omni")
}

// prefixCachingQuestion is asked before a correction after which prefix caching is off.
const prefixCachingQuestion = "Was prefix caching meant to be off? Every turn of a conversation prefills its whole history then."

// meant is the flag that the word is most likely a misspelling of; empty when there is none, or more than one. A flag that
// would turn the meaning round is none.
func (w *writtenFlag) meant() string {
	positive, no := w.spelling, ""
	if base, ok := strings.CutPrefix(w.spelling, "--no-"); ok {
		positive, no = "--"+base, "--no-"
	}
	for _, pair := range [...][2]string{{"--disable-", "--enable-"}, {"--enable-", "--disable-"}} {
		if rest, ok := strings.CutPrefix(positive, pair[0]); ok {
			negative := "--no-" + strings.TrimPrefix(pair[1], "--") + rest
			if f, p := w.release.Flag(negative); no == "" && p == knowledge.Present && f.Negative {
				return negative
			}
		}
	}
	var found []knowledge.Suggestion
	for _, s := range w.release.Nearest(knowledge.KindFlag, "", positive) {
		if strings.HasPrefix(positive, "--disable-") == strings.HasPrefix(s.Entry.Name, "--disable-") {
			found = append(found, s)
		}
	}
	if len(found) == 0 || len(found) > 1 && found[1].Distance == found[0].Distance {
		return ""
	}
	name := found[0].Entry.Name
	if no == "" {
		return name
	}
	name = no + strings.TrimPrefix(name, "--")
	if f, p := w.release.Flag(name); p != knowledge.Present || !f.Negative {
		return ""
	}
	return name
}

// hasNoNegative reports whether the word is the --no- form of a flag that has none in the release.
func (w *writtenFlag) hasNoNegative() bool {
	base, ok := strings.CutPrefix(w.spelling, "--no-")
	if !ok {
		return false
	}
	_, p := w.release.Flag("--" + base)
	return p == knowledge.Present
}

// flagNames lists at most three flags.
func flagNames(list []knowledge.Entry) string {
	var names []string
	for _, e := range list[:min(3, len(list))] {
		names = append(names, e.Name)
	}
	s := strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	if len(list) > len(names) {
		s = strings.Join(names, ", ") + " and others"
	}
	return s
}
