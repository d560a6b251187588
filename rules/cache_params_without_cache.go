package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "cache-params-without-cache",
		Title:    "cache_params are written and the cache is not on",
		Category: "caching",
		Why: "The cache starts for the boolean `cache: true` alone. Without it `cache_params` is not read: nothing is cached, and the Redis\n" +
			"in it is not shared for limits and cooldowns either. A text, a number or a mapping in place of the boolean is worse: LiteLLM\n" +
			"takes it for the cache, and every chat request fails with 400: 'str' object has no attribute 'cache'.",
		Remedy: "Write `cache: true`, without quotes. It also answers equal prompts from the cache; `mode: default_off` in cache_params leaves\n" +
			"that to requests that ask for it. Or remove cache_params.",
		Severity:   model.Warning,
		Severities: []model.Severity{model.Error, model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.env"},
		When:       []string{"gateway.config.litellm_settings.cache_params"},
		Fix:        model.Safe,
		FixTitle:   "write cache: true",
		Question:   "Should the cache be on? Unless cache_params says otherwise it also answers equal prompts from the cache, across keys and teams.",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: `if key == "cache" and value is True:`, Checked: "2026-11-30",
				Note: "Run with 1.102.0 and 1.110.2, each with cache_params: absent, null, false and a reference to a variable that is unset or false cache nothing; \"true\", \"false\", yes in quotes, 1 and a mapping give 400 to every chat request, as does a variable that holds 1; one that holds true caches."},
		},
	},
	Check: func(p *Pass) {
		params := model.Path{"gateway", "config", "litellm_settings", "cache_params"}
		p.noteUnseen(params)
		if v := p.Get(params...); v == nil || v.Kind != model.Map || v.Len() == 0 {
			return
		}
		at := model.Path{"gateway", "config", "litellm_settings", "cache"}
		if p.State(at...) == model.Unseen {
			p.Unchecked(at.String())
			return
		}
		v := p.Get(at...)
		if v == nil || v.Kind == model.Null {
			r := p.Report(params, "cache_params is not used without cache: true: %s", p.cacheLost(params)).OnKey()
			r.Fix(model.Fix{Safety: model.Unsafe, Ops: []model.Op{model.Set(at, true)}, Brings: []string{"response-cache-on-by-accident"}})
			return
		}
		text, isText := v.AsText()
		if reference(text) {
			p.cacheReference(at, params, strings.TrimPrefix(text, referencePrefix))
			return
		}
		on, isBool := v.AsBool()
		switch {
		case on:
		case isBool:
			p.Report(at, "cache is false, so cache_params is not used").Severity(model.Info)
		default:
			r := p.Report(at, "cache is %s and not the boolean true: %s", described(v), brokenCache).Severity(model.Error)
			if isText && strings.EqualFold(text, "true") {
				r.Fix(model.Fix{Ops: []model.Op{model.Set(at, true)}})
			}
		}
	},
})

// brokenCache is what comes of a cache that is neither on nor off.
const brokenCache = "LiteLLM takes it for the cache itself, and every chat request fails with 400 (object has no attribute 'cache')"

// cacheReference judges a cache that a variable switches.
func (p *Pass) cacheReference(at, params model.Path, name string) {
	text, known := p.Text("gateway", "env", name)
	switch {
	case known && strings.EqualFold(strings.TrimSpace(text), "true"):
	case known && strings.EqualFold(strings.TrimSpace(text), "false"):
		p.Report(at, "cache is %s, which is false, so cache_params is not used", name).Severity(model.Info)
	case known:
		p.Report(at, "cache is %s, which is %s and not true: %s", name, model.Quote(text), brokenCache).Severity(model.Error)
	case p.variableOf(name) == model.Absent:
		p.Report(at, "cache is %s, which is set nowhere, so cache_params is not used: %s", name, p.cacheLost(params))
	default:
		p.Report(at, "cache is %s: unless that is true, cache_params is not used", name).Needs("gateway.env." + name)
	}
}

// cacheLost says what a gateway does without that has cache_params and no cache.
func (p *Pass) cacheLost(params model.Path) string {
	if kind, _ := p.cacheType(params); kind == "redis" && p.proxyRedis() == model.Absent {
		return "nothing is cached, and limits and cooldowns are not shared through its Redis"
	}
	return "nothing is cached"
}
