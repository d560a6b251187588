package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

const routingStrategy = "routing_strategy"

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "routing-strategy-unknown",
		Title:    "A routing strategy does not exist",
		Category: "routing",
		Why: `From 1.81.0 the router refuses a strategy it does not know, so the gateway does not start: ValueError: Invalid
routing_strategy: 'simple_shuffle'. Older releases start and then find no deployment for any request: No deployments
available for selected model. LiteLLM has no prefix- or KV-aware strategy: kv_aware, cache-aware and round-robin are names of other routers.`,
		Remedy: `Write one of simple-shuffle, least-busy, latency-based-routing, cost-based-routing, usage-based-routing-v2,
usage-based-routing, provider-budget-routing, and lar1 from 1.91 on. The strategy priority exists only inside
routing_groups, from 1.104 on. Routing by prefix needs a router in front of the engines; inside LiteLLM session_affinity
keeps a conversation on one engine.`,
		Severity:   model.Error,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.image"},
		When:       []string{"gateway.config.router_settings.routing_strategy", "gateway.config.router_settings.routing_groups"},
		Fix:        model.Safe,
		FixTitle:   "write the strategy that exists",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "_validate_routing_strategy", Checked: "2026-11-29",
				Note: "Run: simple_shuffle, SIMPLE-SHUFFLE, round-robin and priority raise ValueError, in a routing group too. First in 1.81.0, absent in 1.80.0."},
			{Artefact: "litellm 1.80.0", File: "litellm/router.py", Symbol: "def get_available_deployment", Checked: "2026-11-29",
				Note: "Run with simple_shuffle: the router is made, and completion and acompletion raise RouterRateLimitError at once."},
			{Artefact: "litellm 1.110.2", File: "litellm/litellm_core_utils/routing_groups.py", Symbol: "VALID_ROUTING_STRATEGIES", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		router := model.Path{"gateway", "config", "router_settings"}
		p.strategy(router.With(routingStrategy), false)
		if !p.AtLeast("1.84.0") {
			return // routing_groups are not read
		}
		for group := range p.Parts(router.With("routing_groups")...) {
			p.strategy(group.At(routingStrategy), true)
		}
	},
})

// strategy reports an unknown routing strategy at a path.
func (p *Pass) strategy(at model.Path, inGroup bool) {
	p.noteUnseen(at)
	name, ok := p.Text(at...)
	if !ok || reference(name) {
		return
	}
	if _, presence := p.LiteLLM().EnumValue(routingStrategy, name); presence != knowledge.Unknown || name == "priority" && inGroup && p.AtLeast("1.104.0") {
		return
	}
	found := p.nearValues(name, routingStrategy)
	end := didYouMean(found)
	switch {
	case name != "priority":
	case inGroup:
		end = "; in routing_groups it exists from 1.104 on"
	default:
		end = "; it exists only inside routing_groups"
	}
	effect := "the gateway does not start (Invalid routing_strategy)"
	if !p.AtLeast("1.81.0") {
		effect = "the gateway starts and fails every request (No deployments available for selected model)"
	}
	r := p.Report(at, "%s is no routing strategy of LiteLLM %s: %s%s", model.Quote(name), p.LiteLLM().Version, effect, end)
	if p.newerThanTables() {
		r.Severity(model.Info)
	}
	// The fix goes as far as 2 letters for short names too: the strategies are far from each other.
	if len(found) == 0 {
		if c := knowledge.Closest(name, p.LiteLLM().Enum(routingStrategy)); c != "" && knowledge.Distance(name, c, 2) <= 2 {
			found = []string{c}
		}
	}
	if len(found) == 1 && !strings.EqualFold(name, "priority") {
		r.Fix(model.Fix{Title: "write " + found[0], Ops: []model.Op{model.Set(at, found[0])}})
	}
}
