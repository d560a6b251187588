package rules

import (
	"fmt"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "fallback-entry-malformed",
		Title:    "A fallback entry is not a mapping with one key",
		Category: "routing",
		Why: `fallbacks and content_policy_fallbacks are lists of mappings with one key each, and the router refuses any other entry, so
the gateway does not start: Dictionary '{'a': ['b'], 'c': ['b']}' must have exactly one key, but has 2 keys, or Item 'b' is not a
dictionary. One mapping instead of the list stops it too; from 1.110.0 on the gateway starts with one under router_settings and
has no fallback.
context_window_fallbacks are not looked at: of an entry with two keys only the first counts, and a mapping in the list's
place is no fallback (run with 1.102.0 and 1.110.2).`,
		Remedy:     "Write a list with one entry for each model: `- a: [b]`, `- c: [b]`.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.router_settings", "gateway.config.litellm_settings"},
		Fix:        model.Safe,
		FixTitle:   "split it into entries with one key",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "def validate_fallbacks", Checked: "2026-11-30",
				Note: "Run: entries with two keys or none, a text or null as an entry, and a mapping or a text as the list raise ValueError at the start."},
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/fallback_event_handlers.py", Symbol: "list(item.keys())[0]", Checked: "2026-11-30"},
			{Artefact: "litellm 1.110.2", File: "litellm/router_rust/surface/fallbacks.py", Symbol: "def refuse_malformed_fallbacks", Checked: "2026-11-30"},
			{Artefact: "litellm 1.110.0", File: "litellm/router_rust/core.py", Symbol: `list(_as_list(get("fallbacks")))`, Checked: "2026-11-30",
				Note: "What is no list under router_settings counts as none. The file is absent in 1.109.3."},
		},
	},
	Check: func(p *Pass) {
		config := p.Root.At("gateway", "config")
		for _, kind := range fallbackKinds {
			for _, section := range fallbackSections {
				v := config.Get(section).Get(kind)
				at := model.Path{"gateway", "config", section, kind}
				if v == nil && p.Absent(at...) {
					continue
				}
				p.noteUnseen(at)
				if on, known := v.Truthy(); !known || v == nil {
					break
				} else if on {
					p.malformedFallbacks(&fallbackList{section, kind, at, v})
					break // the list of litellm_settings is not read
				}
			}
		}
	},
})

// malformedFallbacks reports what is no list of mappings with one key.
func (p *Pass) malformedFallbacks(l *fallbackList) {
	switch l.List.Kind {
	case model.Map:
		p.fallbacksNoList(l, "one mapping")
	case model.Text:
		if !reference(l.List.Text) {
			p.fallbacksNoList(l, "a text")
		}
	case model.List:
		for i, e := range l.List.Items() {
			p.malformedFallback(l, l.Path.With(i), e)
		}
	}
}

// fallbacksNoList reports one mapping or a text in the place of a list.
func (p *Pass) fallbacksNoList(l *fallbackList, what string) {
	effect := "it stops the gateway at the start (is not a dictionary)"
	if l.Kind == "context_window_fallbacks" || l.Section == "router_settings" && p.AtLeast("1.110.0") {
		effect = "the gateway starts and has no such fallback"
	}
	r := p.Report(l.Path, "%s is %s and no list: %s; write a list with an entry for each model", l.Kind, what, effect).OnKey()
	if l.List.Kind != model.Map || l.List.Open {
		return
	}
	var entries []any
	for i, source := range l.List.Keys() {
		targets := l.List.Items()[i]
		if targets.Kind != model.List || !fullyKnown(targets) {
			return
		}
		entries = append(entries, map[string]any{source: targets.Plain()})
	}
	r.Fix(model.Fix{Title: "write a list", Ops: []model.Op{model.Set(l.Path, entries)}})
}

// malformedFallback reports an entry that is no mapping with one key.
func (p *Pass) malformedFallback(l *fallbackList, at model.Path, e *model.Value) {
	checked := l.Kind != "context_window_fallbacks"
	switch e.Kind {
	case model.Unknown:
		return
	case model.Map:
		if e.Len() == 1 || e.Len() == 0 && e.Open {
			return
		}
	default:
		if text, ok := e.Scalar(); checked && !reference(text) {
			what := "empty"
			if ok {
				what = model.Quote(text)
			}
			p.Report(at, "this entry of %s is %s and no mapping: it stops the gateway at the start (is not a dictionary); write the model that fails as a key, with a list of those that take over", l.Kind, what)
		}
		return
	}
	keys := "no key"
	if e.Len() > 0 {
		keys = fmt.Sprintf("%d keys", e.Len())
	}
	var r *Report
	if !checked {
		if e.Len() == 0 {
			return
		}
		r = p.Report(at, "this entry of %s has %s, and only the first one, %s, counts; write an entry for each model", l.Kind, keys, model.Quote(e.Keys()[0])).Severity(model.Warning)
	} else {
		r = p.Report(at, "this entry of %s has %s: it stops the gateway at the start (must have exactly one key); write an entry for each model", l.Kind, keys)
	}
	if ops := splitFallback(l.Path, at, e); ops != nil {
		r.Fix(model.Fix{Ops: ops})
	}
}

// splitFallback moves all keys of an entry but the first to entries of their own at the end of the list; nil when they are
// not plain lists.
func splitFallback(list, at model.Path, e *model.Value) (ops []model.Op) {
	if e.Open {
		return nil
	}
	for i, source := range e.Keys() {
		targets := e.Items()[i]
		if targets.Kind != model.List || !fullyKnown(targets) {
			return nil
		}
		if i > 0 {
			ops = append(ops, model.Append(list, map[string]any{source: targets.Plain()}), model.Remove(at.With(source)))
		}
	}
	return ops
}
