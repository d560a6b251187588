package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "router-redis-without-port",
		Title:    "The router's Redis has no port, so it is ignored",
		Category: "redis",
		Why: "The router connects to Redis when `redis_url` is set, or `redis_host` and `redis_port` both. A host alone is dropped without\n" +
			"a message, also where 6379 was meant: cooldowns, deployment limits, latency figures and session pins stay in each process,\n" +
			"and several workers or replicas route against each other. Where the proxy itself has a Redis (coordination_redis, a cache in\n" +
			"Redis, REDIS_ variables from 1.101 on) the router uses that one, and nothing is reported.",
		Remedy:     "Add `router_settings.redis_port: 6379`, or the port of the server, or write `redis_url`.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.env", "redis", "compose"},
		When:       []string{"gateway.config.router_settings.redis_host"},
		Fix:        model.Safe,
		FixTitle:   "add redis_port 6379",
		Since:      "0.1",
		Evidence: []model.Evidence{{Artefact: "litellm 1.102.0", File: "litellm/router.py",
			Symbol: "if redis_url is not None or (redis_host is not None and redis_port is not None):", Checked: "2026-11-29"}},
	},
	Check: func(p *Pass) {
		router := model.Path{"gateway", "config", "router_settings"}
		host, ok := p.Text(router.With("redis_host")...)
		if !ok || host == "" {
			return
		}
		for _, key := range [...]string{"redis_url", "redis_port"} {
			switch at := router.With(key); p.State(at...) {
			case model.Unseen:
				p.Unchecked(at.String())
				return
			case model.Present:
				if p.Get(at...).Kind != model.Null {
					return
				}
			}
		}
		switch p.proxyRedis() {
		case model.Present:
			// The proxy's Redis is the router's too.
			return
		case model.Unseen:
			p.Unchecked("redis")
			return
		}
		name := host
		if reference(host) {
			variable := strings.TrimPrefix(host, referencePrefix)
			switch p.State("gateway", "env", variable) {
			case model.Absent:
				// Nothing is the host, so nothing is ignored.
				return
			case model.Unseen:
				if kind, _ := p.Text("stack", "kind"); kind != "config" {
					p.Unchecked("gateway.env." + variable)
					return
				}
			}
			name, _ = p.Text("gateway", "env", variable)
		}
		r := p.Report(router.With("redis_host"), "redis_host without redis_port or redis_url is ignored: cooldowns, limits of deployments and session pins stay in each process")
		if p.redisOnDefaultPort(name) {
			r.Fix(model.Fix{Ops: []model.Op{model.Set(router.With("redis_port"), 6379)}})
		}
	},
})

// redisOnDefaultPort reports whether a host is a service that is seen to have Redis on 6379: one of Kubernetes with that
// port, or one of the compose project from an image of Redis whose port nothing moves.
func (p *Pass) redisOnDefaultPort(host string) bool {
	for r := range p.Parts("redis", "instances") {
		if use, _ := r.Text("use"); use != "router" {
			continue
		}
		for i := range r.Get("ports").Items() {
			if n, ok := r.Int("ports", i); ok && n == 6379 {
				return true
			}
		}
	}
	service := model.Path{"compose", "services", host}
	image, ok := p.Text(service.With("image")...)
	if host == "" || !ok || !strings.Contains(image, "redis") && !strings.Contains(image, "valkey") || !p.Absent(service.With("entrypoint")...) ||
		!p.Absent(service.With("build")...) {
		return false
	}
	command := service.With("command")
	if p.Absent(command...) {
		return true
	}
	v := p.Get(command...)
	words, _ := v.AsText()
	for _, w := range v.Items() {
		s, known := w.AsText()
		if !known {
			return false
		}
		words += " " + s
	}
	return words != "" && !strings.Contains(words, "port") && !strings.Contains(words, ".conf")
}
