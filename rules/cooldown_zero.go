package rules

import "agentlint/internal/model"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "cooldown-zero",
		Title:    "A cooldown of zero does not switch cooldowns off",
		Category: "retries",
		Why: "The router takes `cooldown_time: 0` for not set and uses its default, 5 s: a deployment that fails is still left out, for all\n" +
			"requests of the process. Only under the `litellm_params` or `model_info` of a deployment is 0 a number like any other.",
		Remedy:     "Write `disable_cooldowns: true` under router_settings, or the seconds that are wanted.",
		Severity:   model.Warning,
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.env"},
		When:       []string{"gateway.config.router_settings.cooldown_time"},
		Fix:        model.Safe,
		FixTitle:   "write disable_cooldowns: true",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "self.cooldown_time = cooldown_time or DEFAULT_COOLDOWN_TIME_SECONDS", Checked: "2026-11-30",
				Note: "Run with 1.102.0 and 1.110.2: a Router made with cooldown_time 0 or 0.0 has 5."},
			{Artefact: "litellm 1.102.0", File: "litellm/router_utils/cooldown_handlers.py", Symbol: "if litellm_router_instance.disable_cooldowns:", Checked: "2026-11-30"},
			{Artefact: "litellm 1.102.0", File: "litellm/constants.py", Symbol: `"DEFAULT_COOLDOWN_TIME_SECONDS", 5`, Checked: "2026-11-30"},
		},
	},
	Check: func(p *Pass) {
		router := model.Path{"gateway", "config", "router_settings"}
		at, off := router.With("cooldown_time"), router.With("disable_cooldowns")
		p.noteUnseen(at)
		v := p.Get(at...)
		if seconds, ok := v.AsFloat(false); !ok || seconds != 0 {
			return
		}
		if p.State(off...) == model.Unseen {
			p.Unchecked(off.String())
			return
		}
		if on, ok := p.Get(off...).Truthy(); ok && on {
			return
		}
		seconds, ok := p.defaultCooldown()
		if !ok || seconds == 0 {
			return
		}
		r := p.Report(at, "cooldown_time: 0 counts as not set and becomes the default, %s s: cooldowns stay on", model.Number(seconds))
		if p.Absent(off...) {
			r.Fix(model.Fix{Ops: []model.Op{model.Rename(at, "disable_cooldowns"), model.Set(at, true)}})
		}
	},
})

// defaultCooldown is the cooldown of a router that sets none, in seconds; ok is false when a variable that is not seen may
// have moved it.
func (p *Pass) defaultCooldown() (seconds float64, ok bool) {
	at := model.Path{"gateway", "env", "DEFAULT_COOLDOWN_TIME_SECONDS"}
	if e := p.Get(at...); e != nil {
		return decimal(e)
	}
	if p.variable("DEFAULT_COOLDOWN_TIME_SECONDS") == model.Absent {
		return 5, true
	}
	p.Unchecked(at.String())
	return 0, false
}
