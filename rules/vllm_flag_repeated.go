package rules

import (
	"slices"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-flag-repeated",
		Title:    "A flag of the engine is given twice",
		Category: "engine-args",
		Why: `Of two occurrences of a flag vLLM takes the last one; a warning "Found duplicate keys" in the log is all that says so. It happens when a chart or a base layer writes a flag and extra
arguments add it again, and whoever reads the first number plans with a wrong one. A flag and its ` + "`--no-`" + ` form are one setting.`,
		Remedy:   `Keep the occurrence that is meant, which is the last one as things stand.`,
		Severity: model.Warning, Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"engine.args"},
		Fix:        model.Safe, FixTitle: "remove the earlier occurrence",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/utils/argparse_utils.py", Symbol: "Found duplicate keys", Checked: "2026-11-29"},
			{Artefact: "vllm 0.33.0", File: "vllm/entrypoints/common/cli_args.py", Symbol: `frontend_kwargs["middleware"]["action"] = "append"`, Checked: "2026-11-29", Note: "The only flag whose occurrences add up."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			last := map[string]writtenFlag{}
			var all []writtenFlag
			for w := range e.writtenFlags() {
				if w.accepted() && w.Flag.Part == "" && !strings.Contains(w.word, ".") && w.entry().Name != "--middleware" && w.onLine() {
					all = append(all, w)
					last[w.entry().Name] = w
				}
			}
			for _, w := range all {
				name := w.entry().Name
				wins := last[name]
				if wins.Index == w.Index {
					continue
				}
				first, known := w.value()
				second, known2 := wins.value()
				r := p.Report(w.At("word"), "%s is given again, and the last occurrence counts: %s, not %s", model.Quote(w.word), model.Quote(second), model.Quote(first)).
					Related(wins.At("word"), "counts")
				if !known || !known2 {
					r.finding.Message = model.Quote(w.word) + " is given again, and the last occurrence counts: this one has no effect"
				}
				if !known || !known2 || first == second {
					r.Severity(model.Info)
					if known && known2 {
						r.finding.Message = model.Quote(w.word) + " is given twice with the same value"
					}
				}
				if w.editable() && w.Get("word").Origin.Arg() != nil {
					r.Fix(model.Fix{Ops: []model.Op{model.Remove(w.At("word"))}})
				}
			}
		}
	},
})

// onLine reports whether a flag stands on the command line, or is rendered to it, and not in a config file below it.
func (w *writtenFlag) onLine() bool { return strings.HasPrefix(textOf(w.Get("word")), "-") }

func textOf(v *model.Value) string { s, _ := v.AsText(); return s }

// value is what an occurrence of a flag sets, as a message says it; false when a part of it is not known.
func (w *writtenFlag) value() (string, bool) {
	list := w.Get("values")
	if list == nil {
		return "", false
	}
	var values []string
	for i := range list.Len() {
		s, ok := w.Text("values", i)
		if !ok {
			return "", false
		}
		values = append(values, s)
	}
	if len(values) == 0 {
		return w.word, true
	}
	return strings.Join(slices.Clip(values), " "), true
}
