package rules

import (
	"fmt"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "redis-sentinel-incomplete",
		Title:    "One half of a Redis Sentinel is missing",
		Category: "redis",
		Why: "LiteLLM asks a Sentinel only when `sentinel_nodes` and `service_name` are both there. With one of them it hands that one to a\n" +
			"plain Redis client, which does not know it, and the gateway does not start: Redis.__init__() got an unexpected keyword argument\n" +
			"'sentinel_nodes'.",
		Remedy:     "Write both: `sentinel_nodes: [[\"sentinel-0\", 26379]]` and `service_name: mymaster`. The other half may also be in REDIS_SENTINEL_NODES or REDIS_SERVICE_NAME.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.env"},
		When: []string{"gateway.config.litellm_settings.cache_params.sentinel_nodes", "gateway.config.litellm_settings.cache_params.service_name",
			"gateway.config.general_settings.coordination_redis.sentinel_nodes", "gateway.config.general_settings.coordination_redis.service_name"},
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/_redis.py", Symbol: `if "sentinel_nodes" in redis_kwargs and "service_name" in redis_kwargs:`, Checked: "2026-11-30",
				Note: "Run with 1.102.0 and 1.110.2, under cache_params and coordination_redis: either half alone raises TypeError at load, an empty half ValueError; the other half in its variable loads, and with url neither is used."},
		},
	},
	Check: func(p *Pass) {
		cache := model.Path{"gateway", "config", "litellm_settings", "cache_params"}
		if p.IsTrue("gateway", "config", "litellm_settings", "cache") {
			if kind, _ := p.cacheType(cache); kind == "redis" {
				p.sentinelHalves(cache)
			}
		}
		if p.AtLeast("1.93.0") {
			p.sentinelHalves(generalSettings("coordination_redis"))
		}
	},
})

// sentinelHalves reports a block of a Redis connection that has one of the two keys of a Sentinel.
func (p *Pass) sentinelHalves(block model.Path) {
	for _, key := range [...]string{"url", "redis_url", "startup_nodes", "redis_startup_nodes"} {
		if p.connectionKey(block.With(key)) != model.Absent {
			return
		}
	}
	nodes, name := p.connectionKey(block.With("sentinel_nodes")), p.connectionKey(block.With("service_name"))
	have, lack, variable := "sentinel_nodes", "service_name", "REDIS_SERVICE_NAME"
	if name == model.Present {
		have, lack, variable = lack, have, "REDIS_SENTINEL_NODES"
	}
	if nodes == model.Unseen || name == model.Unseen {
		p.Unchecked(block.With(lack).String())
		return
	}
	if nodes == name {
		return
	}
	variables := []string{variable, "REDIS_CLUSTER_NODES"}
	if have == "service_name" || !p.AtLeast("1.102.0") {
		variables = append(variables, "REDIS_URL")
	}
	var missing []string
	for _, v := range variables {
		switch p.variableOf(v) {
		case model.Present:
			return
		case model.Unseen:
			missing = append(missing, "gateway.env."+v)
		}
	}
	where, refusal := block[len(block)-1], ""
	switch {
	case !p.Absent(block.With(lack)...):
		if where == "coordination_redis" {
			break // whether an empty key counts as written depends on how it is empty
		}
		refusal = " (Both 'sentinel_nodes' and 'service_name' are required for Redis Sentinel)"
	case have == "sentinel_nodes" || p.connectionKey(block.With("host")) == model.Present:
		refusal = fmt.Sprintf(" (Redis.__init__() got an unexpected keyword argument '%s')", have)
	}
	r := p.Report(block.With(have), "%s of %s needs %s, which is set neither there nor as %s: the gateway does not start%s", have, where, lack, variable, refusal).OnKey()
	if len(missing) > 0 {
		r.Needs(missing[0])
	}
}
