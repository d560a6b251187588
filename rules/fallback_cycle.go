package rules

import (
	"slices"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "fallback-cycle",
		Title:    "Fallbacks lead back to the model that failed",
		Category: "routing",
		Why: `Below 1.97.0 each fallback that fails has its own fallbacks tried, up to max_fallbacks of 5, whether or not a model was asked
before: with a: [b], b: [c], c: [a] and all of them down, one request makes 6 calls where 3 would tell, and 18 with two retries; with
two targets in each entry it makes 25. From 1.97.0 on a model is asked once. A model among its own fallbacks is passed over in
all releases, so an entry that names nothing else is no fallback.`,
		Remedy:     "Let the chain end: leave out the entry that leads back, or name all models in one entry, `- a: [b, c]`.",
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.router_settings", "gateway.config.litellm_settings"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.96.0", File: "litellm/router_utils/fallback_event_handlers.py", Symbol: "async def run_async_fallback", Checked: "2026-11-30",
				Note: "Run with 1.96.0 and 1.90.0, all models down: a pair that backs each other up makes 6 calls, a cycle of three 6, 18 with num_retries 2; a: [a] makes 1."},
			{Artefact: "litellm 1.97.0", File: "litellm/router_utils/fallback_event_handlers.py", Symbol: "attempted_targets", Checked: "2026-11-30",
				Note: "Absent in 1.96.0. Run with 1.102.0 and 1.110.2: the cycle of three makes 3 calls, the pair 2, a: [a] 1."},
		},
	},
	Check: func(p *Pass) {
		for _, kind := range fallbackKinds {
			if l := p.fallbacksRead(kind); l != nil {
				p.fallbackToItself(l)
				if !p.AtLeast("1.97.0") {
					p.fallbackCycles(l)
				}
			}
		}
	},
})

// fallbacksRead returns the list of a kind that the router reads: that of router_settings, else that of litellm_settings; nil
// for none that the files show.
func (p *Pass) fallbacksRead(kind string) *fallbackList {
	for _, section := range fallbackSections {
		at := model.Path{"gateway", "config", section, kind}
		v := p.Get(at...)
		if v != nil && v.Kind == model.List && v.Len() > 0 {
			return &fallbackList{section, kind, at, v}
		}
		if on, _ := v.Truthy(); on || p.State(at...) == model.Unseen {
			p.noteUnseen(at)
			return nil
		}
	}
	return nil
}

// fallbackToItself reports models among their own fallbacks.
func (p *Pass) fallbackToItself(l *fallbackList) {
	for f := range l.entries() {
		if f.Targets.Kind != model.List {
			continue
		}
		for i, target := range f.Targets.Items() {
			if name, ok := target.AsText(); !ok || name != f.Source {
				continue
			}
			if f.Targets.Len() == 1 && !f.Targets.Open {
				p.Report(f.At.With(i), "%s is its own only fallback in %s, and a model that has failed is passed over: it has no fallback", model.Quote(f.Source), l.Kind)
			} else {
				p.Report(f.At.With(i), "%s is among its own fallbacks in %s, where a model that has failed is passed over", model.Quote(f.Source), l.Kind).Severity(model.Info)
			}
		}
	}
}

// fallbackCycles reports, once for the models of each, the shortest chain of fallbacks that leads back to its beginning.
func (p *Pass) fallbackCycles(l *fallbackList) {
	most, known := p.maxFallbacks()
	if !known {
		return
	}
	entries := map[string]fallback{}
	var order []string
	for f := range l.entries() {
		if _, found := entries[f.Source]; !found {
			entries[f.Source] = f
			order = append(order, f.Source)
		}
	}
	reported := map[string]bool{}
	left := maxFallbackSteps
	for _, source := range order {
		chain := shortestCycle(entries, source, &left)
		if len(chain) == 0 || int64(len(chain)) > most || slices.ContainsFunc(chain, func(g fallback) bool { return reported[g.Source] }) {
			continue
		}
		var names []string
		for _, g := range chain {
			reported[g.Source] = true
			names = append(names, model.Quote(g.Source))
		}
		r := p.Report(chain[0].At, "%s lead from %s back to it (%s): while these models fail, LiteLLM %s makes at least %d calls for one request, and the retries of each", l.Kind, names[0],
			shortList(append(names, names[0])), p.GatewayVersion(), 1+most).OnKey().
			Figure(model.Figure{Name: "calls", Value: float64(1 + most), Unit: "calls", Formula: "1 call + " + model.Number(float64(most)) + " fallbacks"})
		if len(chain) == 2 {
			r.Severity(model.Info)
		}
		for _, g := range chain[1:] {
			r.RelatedKey(g.At, "the next entry")
		}
	}
}

// maxFallbacks is how many fallbacks one request may have, 5 by default; known is false when the files do not show it.
func (p *Pass) maxFallbacks() (n int64, known bool) {
	for _, section := range fallbackSections {
		at := model.Path{"gateway", "config", section, "max_fallbacks"}
		p.noteUnseen(at)
		if n, ok := p.Int(at...); ok {
			return n, true
		}
		if v := p.Get(at...); !p.Absent(at...) && (v == nil || v.Kind != model.Null) {
			return 0, false
		}
	}
	return 5, true
}

// maxFallbackSteps bounds how many targets are looked at in one list.
const maxFallbackSteps = 1_000_000

// shortestCycle returns the entries, by their models, of the shortest chain of two or more that leads from a model back to
// it; nil also when it is not found in the steps that are left.
func shortestCycle(entries map[string]fallback, start string, left *int) []fallback {
	// via holds the model that led to another one.
	via := map[string]string{start: ""}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		targets := entries[at].Targets
		if targets.Kind != model.List {
			continue
		}
		for _, target := range targets.Items() {
			if *left--; *left < 0 {
				return nil
			}
			name, ok := target.AsText()
			switch {
			case !ok || name == at:
				continue
			case name == start:
				var chain []fallback
				for ; at != start; at = via[at] {
					chain = append(chain, entries[at])
				}
				chain = append(chain, entries[start])
				slices.Reverse(chain)
				return chain
			}
			_, seen := via[name]
			if _, found := entries[name]; found && !seen {
				via[name] = at
				queue = append(queue, name)
			}
		}
	}
	return nil
}
