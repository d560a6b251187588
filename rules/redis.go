package rules

import (
	"slices"
	"strings"

	"agentlint/internal/model"
)

// proxyRedis says whether the proxy has a Redis of its own, which it then gives to a router without one (litellm 1.102.0,
// litellm/proxy/proxy_server.py): general_settings.coordination_redis from 1.93.0 on, a response cache in Redis, or REDIS_
// variables from 1.101.0 on. It is what policies ask with lib.proxy_redis.
func (p *Pass) proxyRedis() model.State {
	if v := p.Get("facts", "redis"); v != nil {
		if on, _ := v.AsBool(); on {
			return model.Present
		}
		return model.Absent
	}
	unseen := false
	look := func(state model.State) bool {
		unseen = unseen || state == model.Unseen
		return state == model.Present
	}
	config := model.Path{"gateway", "config"}
	if p.AtLeast("1.93.0") && look(p.State(config.With("general_settings", "coordination_redis")...)) {
		return model.Present
	}
	if look(p.redisCache(config.With("litellm_settings"))) {
		return model.Present
	}
	if p.AtLeast("1.101.0") && slices.ContainsFunc([]string{"REDIS_HOST", "REDIS_URL", "REDIS_CLUSTER_NODES", "REDIS_SENTINEL_NODES"}, func(name string) bool {
		return look(p.variable(name))
	}) {
		return model.Present
	}
	if unseen {
		return model.Unseen
	}
	return model.Absent
}

// redisCache says whether the response cache is on and in a plain Redis.
func (p *Pass) redisCache(settings model.Path) model.State {
	on := settings.With("cache")
	v := p.Get(on...)
	if word, _ := v.AsText(); reference(word) {
		if v = p.Get("gateway", "env", strings.TrimPrefix(word, referencePrefix)); v == nil {
			return p.State("gateway", "env", strings.TrimPrefix(word, referencePrefix))
		}
	}
	if word, ok := v.Scalar(); !ok || !strings.EqualFold(word, "true") {
		if p.State(on...) == model.Unseen {
			return model.Unseen
		}
		return model.Absent
	}
	switch kind, state := p.cacheType(settings.With("cache_params")); {
	case state == model.Unseen:
		return model.Unseen
	case kind == "redis" || kind == "redis-cluster":
		return model.Present
	}
	return model.Absent
}

// cacheType returns the type of the response cache, and whether the files show it. Without a type, a cache without cache_params is
// in Redis and any other in the memory of the process (litellm 1.60.0 to 1.110.2, litellm/proxy/proxy_server.py and
// litellm/caching/caching.py). It is what policies ask with lib.redis_cache_type.
func (p *Pass) cacheType(params model.Path) (string, model.State) {
	if kind, ok := p.Text(params.With("type")...); ok {
		return kind, model.Present
	}
	switch p.State(params.With("type")...) {
	case model.Unseen:
		return "", model.Unseen
	case model.Present:
		return "", model.Present
	}
	if len(p.Get(params...).Keys()) > 0 {
		return "local", model.Present
	}
	return "redis", model.Present
}

// variable says whether a variable is set in the gateway's process. One of a process that nothing in the files starts
// counts as absent when nothing hints at it.
func (p *Pass) variable(name string) model.State {
	if v := p.Root.At("gateway", "env", name); v != nil {
		if v.Kind == model.Text && v.Text == "" {
			return model.Absent
		}
		return model.Present
	}
	if kind, _ := p.Text("stack", "kind"); kind == "config" {
		return model.Absent
	}
	return p.State("gateway", "env", name)
}

// variableOf says whether a variable is set in the gateway's process; unseen where nothing in the files starts it.
func (p *Pass) variableOf(name string) model.State {
	state := p.variable(name)
	if kind, _ := p.Text("stack", "kind"); kind == "config" && state == model.Absent {
		return model.Unseen
	}
	return state
}
