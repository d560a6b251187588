package rules

import (
	"fmt"
	"reflect"
	"slices"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "fallbacks-in-two-sections",
		Title:    "Fallbacks stand in two sections, and one of them is dead",
		Category: "routing",
		Why: `The router takes its fallbacks from router_settings, and those of litellm_settings only when it was given none. The two
lists are not joined: with a fallback for a under litellm_settings and one for c under router_settings, a call to a that
fails has no fallback (run with 1.102.0 and 1.110.2). The same holds for context_window_fallbacks, content_policy_fallbacks and default_fallbacks,
each by itself.`,
		Remedy:     "Keep one list, under router_settings, with the entries of both.",
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.litellm_settings"},
		Fix:        model.Unsafe,
		FixTitle:   "remove the list that is not read",
		Question:   "Has the list of router_settings all the entries that you need? Those of the other one are not read today.",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "fallbacks or litellm.fallbacks", Checked: "2026-11-30",
				Note: "Run: with lists in both sections only the router's are used; an empty one under router_settings counts as none."},
			{Artefact: "litellm 1.110.2", File: "litellm/router_rust/core.py", Symbol: `get("default_fallbacks") or dynamic.default_fallbacks`, Checked: "2026-11-30"},
		},
	},
	Check: func(p *Pass) {
		config := p.Root.At("gateway", "config")
		for _, kind := range append(fallbackKinds[:], "default_fallbacks") {
			read, dead := config.Get("router_settings").Get(kind), config.Get("litellm_settings").Get(kind)
			if read == nil || dead == nil {
				continue
			}
			at := model.Path{"gateway", "config", "litellm_settings", kind}
			reads := model.Path{"gateway", "config", "router_settings", kind}
			p.noteUnseen(at)
			p.noteUnseen(reads)
			if read.Kind != model.List || dead.Kind != model.List || read.Len() == 0 || dead.Len() == 0 || !fullyKnown(read) || !fullyKnown(dead) {
				continue
			}
			if reflect.DeepEqual(read.Plain(), dead.Plain()) {
				p.Report(at, "%s stands under router_settings too, with the same content: this list is not read", kind).OnKey().Severity(model.Info).
					RelatedKey(reads, "the list that counts").
					Fix(model.Fix{Question: "May the copy go? It is the same as the list that counts.", Ops: []model.Op{model.Remove(at)}})
				continue
			}
			lost := ""
			if sources := lostSources(&fallbackList{"router_settings", kind, reads, read}, &fallbackList{"litellm_settings", kind, at, dead}); len(sources) > 0 {
				lost = fmt.Sprintf("; it alone has an entry for %s", shortList(sources))
			}
			p.Report(at, "%s stands under router_settings too, and only that list counts: this one is dead%s", kind, lost).OnKey().
				RelatedKey(reads, "the list that counts").
				Fix(model.Fix{Ops: []model.Op{model.Remove(at)}})
		}
	},
})

// lostSources are the models that only the dead one of two lists has an entry for.
func lostSources(read, dead *fallbackList) (out []string) {
	for f := range dead.entries() {
		found := false
		for g := range read.entries() {
			found = found || g.Source == f.Source || g.Source == "*"
		}
		if name := model.Quote(f.Source); !found && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
