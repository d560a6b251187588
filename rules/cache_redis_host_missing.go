package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "cache-redis-host-missing",
		Title:    "The cache is on and has no Redis to connect to",
		Category: "caching",
		Why: `cache: true without a type means Redis. With no host or address in cache_params and no REDIS_ variable the gateway does
not start: Either 'host' or 'url' must be specified for redis (run with 1.102.0 and 1.110.2).`,
		Remedy:     "Write `host` and `port` in cache_params, set REDIS_HOST and REDIS_PORT (or REDIS_URL), or choose a type that needs no Redis, such as local.",
		Severity:   model.Error,
		Confidence: model.Medium,
		Inputs:     []string{"gateway.config", "gateway.env"},
		When:       []string{"gateway.config.litellm_settings.cache"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/_redis.py", Symbol: "Either 'host' or 'url' must be specified for redis.", Checked: "2026-11-29",
				Note: "Run with 1.102.0 and 1.110.2: cache: true alone refuses to start."},
		},
	},
	Check: func(p *Pass) {
		at := model.Path{"gateway", "config", "litellm_settings", "cache"}
		p.noteUnseen(at)
		params := model.Path{"gateway", "config", "litellm_settings", "cache_params"}
		if !p.IsTrue(at...) || p.State(params...) == model.Unseen {
			return
		}
		if kind, _ := p.cacheType(params); kind != "redis" && kind != "redis-semantic" {
			return
		}
		var missing []string
		for _, key := range [...]string{"host", "url", "redis_host", "redis_url", "redis_startup_nodes", "startup_nodes", "sentinel_nodes", "connection_pool"} {
			switch p.redisSource(params.With(key)) {
			case model.Present:
				return
			case model.Unseen:
				missing = append(missing, params.With(key).String())
			}
		}
		for _, name := range [...]string{"REDIS_HOST", "REDIS_URL", "REDIS_CLUSTER_NODES", "REDIS_SENTINEL_NODES"} {
			v := p.Root.At("gateway", "env", name)
			switch {
			case v != nil && (v.Kind != model.Text || v.Text != ""):
				return
			case v == nil && !p.Absent("gateway", "env", name):
				missing = append(missing, "gateway.env."+name)
			}
		}
		r := p.Report(at, "cache is true and neither cache_params nor a REDIS_ variable says where Redis is: the gateway does not start (Either 'host' or 'url' must be specified for redis)").OnKey()
		if kind, _ := p.Text("stack", "kind"); kind == "config" && len(missing) == 0 {
			// An env file beside a config that nothing starts need not hold everything that its process gets.
			missing = append(missing, "gateway.env.REDIS_HOST")
		}
		if len(missing) > 0 {
			r.Needs(missing[0])
		}
	},
})

// redisSource says whether a key of cache_params gives an address: written, or by a reference to a variable that is set. One
// that is not set for certain gives none.
func (p *Pass) redisSource(at model.Path) model.State {
	state := p.State(at...)
	if s, ok := p.Text(at...); ok && reference(s) {
		return p.State("gateway", "env", strings.TrimPrefix(s, referencePrefix))
	}
	if v := p.Get(at...); v != nil && (v.Kind == model.Null || v.Kind == model.Text && v.Text == "") {
		return model.Absent
	}
	return state
}
