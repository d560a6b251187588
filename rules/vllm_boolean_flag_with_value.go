package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-boolean-flag-with-value",
		Title:    "A boolean flag is given a value",
		Category: "engine-args",
		Why: `vLLM's boolean flags take no value: ` + "`--x`" + ` is on, ` + "`--no-x`" + ` is off. ` + "`--trust-remote-code true`" + ` leaves the word true as an extra argument, and the engine stops at start with "unrecognized arguments: true";
` + "`--x=true`" + ` stops it with "ignored explicit argument". Helm templates and orchestrators that write every setting as flag and value produce both.
` + "`--enable-chunked-prefill`" + ` took a value up to 0.8.0.`,
		Remedy:   `Write the flag alone, or its ` + "`--no-`" + ` form to switch it off.`,
		Severity: model.Error, Confidence: model.High,
		Inputs:  []string{"engine.args", "engine.image"},
		Applies: []string{"vllm>=0.8.3"},
		Fix:     model.Safe, FixTitle: "drop the value or write the --no- form",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/utils/argparse_utils.py", Symbol: "BooleanOptionalAction", Checked: "2026-11-29",
				Note: "Run with the parser of 0.33.0: a boolean with a value exits with code 2."},
			{Artefact: "vllm 0.8.0", File: "vllm/engine/arg_utils.py", Symbol: "StoreBoolean", Checked: "2026-11-29",
				Note: "Took an optional true or false for --enable-chunked-prefill and two others."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			for w := range e.writtenFlags() {
				kind := w.entry().Type
				if !w.accepted() || kind != "bool" && kind != "store_true" || w.dotted() {
					continue
				}
				checkBoolean(p, e, w)
			}
		}
	},
})

// dotted reports whether the word is a field of a JSON argument.
func (w *writtenFlag) dotted() bool { return w.Flag.Part != "" }

func checkBoolean(p *Pass, e Part, w writtenFlag) {
	if stray, ok := w.Text("stray"); ok {
		r := p.Report(w.At("stray"), "%s takes no value: the engine stops at start with \"unrecognized arguments: %s\"", model.Quote(w.word), model.Quote(stray))
		if ops, title, ok := w.asSwitch(stray); ok {
			r.Fix(model.Fix{Title: title, Ops: append([]model.Op{model.Remove(w.At("stray"))}, ops...)})
		}
		return
	}
	value, ok := w.Text("values", 0)
	if !ok {
		return
	}
	message := "%s takes no value: the engine stops at start with \"ignored explicit argument '%s'\""
	if !w.IsTrue("inline") {
		message = "%s takes no value: the engine stops at start with \"unrecognized arguments: %s\""
	}
	r := p.Report(w.At("values", 0), message, model.Quote(w.word), model.Quote(value))
	if !w.editable() {
		return
	}
	list := p.Root.At(w.arg()...)
	if list.Origin.Arg() == nil {
		// A text in a config file where a boolean is meant.
		switch strings.ToLower(value) {
		case "true":
			r.Fix(model.Fix{Title: "write true without quotes", Ops: []model.Op{model.Set(w.arg().With(0), true)}})
		case "false":
			r.Fix(model.Fix{Title: "write false without quotes", Ops: []model.Op{model.Set(w.arg().With(0), false)}})
		}
		return
	}
	ops, title, ok := w.asSwitch(value)
	if ok && len(ops) == 0 {
		ops = []model.Op{model.Set(w.arg(), true)}
	}
	if ok && ops[0].Kind == model.OpRename {
		ops = []model.Op{model.Set(e.At("args", strings.TrimPrefix(ops[0].Name, "--")), true), model.Remove(w.arg())}
	}
	if ok {
		r.Fix(model.Fix{Title: title, Ops: ops})
	}
}

// asSwitch is what makes a flag without its value mean what the value says: nothing for true, the --no- form or no flag
// at all for false.
func (w *writtenFlag) asSwitch(value string) (ops []model.Op, title string, ok bool) {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return nil, "drop the value", true
	case "false", "no", "off", "0":
	default:
		return nil, "", false
	}
	e := w.entry()
	negative := "--no-" + strings.TrimPrefix(e.Name, "--")
	if w.Negative {
		return []model.Op{model.Rename(w.arg(), e.Name)}, "write " + e.Name, true
	}
	if f, p := w.release.Flag(negative); p == knowledge.Present && f.Negative {
		return []model.Op{model.Rename(w.arg(), negative)}, "write " + negative, true
	}
	return []model.Op{model.Remove(w.arg())}, "remove " + e.Name, true
}
