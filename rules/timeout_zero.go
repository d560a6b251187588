package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "timeout-zero",
		Title:    "A timeout of zero does not mean what it says",
		Category: "timeouts",
		Why: "LiteLLM takes a timeout of 0 for not set nearly everywhere: on the router and on a deployment the next value that is set counts,\n" +
			"and 6000 s when none is. `litellm_settings.request_timeout: 0` has nothing behind it and is handed on: chat calls then run without\n" +
			"a read timeout, and so do streams with `stream_timeout: 0` on their deployment in 1.110.2.",
		Remedy:     "Remove the zero, or write the seconds that are meant: `request_timeout: 600`.",
		Severity:   model.Warning,
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.args"},
		Fix:        model.Safe,
		FixTitle:   "remove the zero timeout",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "self.timeout = timeout or litellm.request_timeout", Checked: "2026-11-30",
				Note: "Run with 1.102.0 and 1.110.2 by the header x-stainless-read-timeout of chat calls: 0 on a router or a deployment gives request_timeout, without one 6000; request_timeout: 0 gives 0 and the call goes through, with a router timeout of 33 it gives 33; stream_timeout: 0 of a deployment gives request_timeout in 1.102.0 and 0 in 1.110.2."},
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "def _get_non_stream_timeout", Checked: "2026-11-30"},
		},
	},
	Check: func(p *Pass) {
		p.zeroRequestTimeout()
		for _, key := range [...]string{"timeout", "stream_timeout"} {
			p.zeroTimeout(model.Path{"gateway", "config", "router_settings", key})
		}
		for entry := range p.ModelList() {
			params := entry.Value.Get("litellm_params")
			if params.Get("timeout") == nil && params.Get("request_timeout") == nil && params.Get("stream_timeout") == nil {
				continue
			}
			for _, key := range [...]string{"timeout", "request_timeout"} {
				p.zeroTimeout(entry.At("litellm_params", key))
			}
			switch at := entry.At("litellm_params", "stream_timeout"); {
			case p.AtLeast("1.102.1"):
				if p.AtLeast("1.110.2") && p.zero(at) {
					p.Report(at, "stream_timeout: 0 switches the read timeout of streams off: one that hangs is never given up")
				}
			default:
				p.zeroTimeout(at)
			}
		}
	},
})

// zero reports whether a number that is zero is written at a path.
func (p *Pass) zero(at model.Path) bool {
	p.noteUnseen(at)
	x, ok := p.Get(at...).AsFloat(false)
	return ok && x == 0
}

// zeroTimeout reports a timeout of zero that counts as not set.
func (p *Pass) zeroTimeout(at model.Path) {
	if !p.zero(at) {
		return
	}
	fix := model.Fix{Ops: []model.Op{model.Remove(at)}}
	if at[len(at)-2] == "router_settings" && at[len(at)-1] == "timeout" {
		fix.Safety, fix.Question, fix.Brings = model.Unsafe, "Which timeout is meant? Without one that is set 6000 s count, as they do now.", []string{"request-timeout-default"}
	}
	p.Report(at, "%s: 0 counts as not set, so the next timeout that is set counts, and 6000 s when none is", at[len(at)-1]).Fix(fix)
}

// zeroRequestTimeout reports a request_timeout of zero: the router's timeout counts in its place, and without one none does.
func (p *Pass) zeroRequestTimeout() {
	at, router := model.Path{"gateway", "config", "litellm_settings", "request_timeout"}, model.Path{"gateway", "config", "router_settings", "timeout"}
	if !p.zero(at) || p.State("gateway", "args", "request-timeout") == model.Present {
		return
	}
	if p.State(router...) == model.Unseen {
		p.Unchecked(router.String())
		return
	}
	v := p.Get(router...)
	x, number := v.AsFloat(false)
	if number && x != 0 {
		p.Report(at, "request_timeout: 0 counts as not set, so the router's timeout of %s s counts", model.Number(x)).
			Related(router, "the timeout that counts").Fix(model.Fix{Ops: []model.Op{model.Remove(at)}})
		return
	}
	if v == nil || v.Kind == model.Null || number {
		p.Report(at, "request_timeout: 0 switches the read timeout of chat calls off: one that hangs is never given up")
	}
}
