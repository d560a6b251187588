package loaders

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// sglangFlags are the flags of SGLang's gateway that take several words (sglang-router 0.3.2, router_args.py).
type sglangFlags struct{}

// Lookup implements source.FlagSpec.
func (sglangFlags) Lookup(option string) (source.FlagInfo, bool) {
	name := strings.TrimPrefix(canonicalFlag(option), "router-")
	switch name {
	case "worker-urls", "selector", "prefill", "decode", "prefill-selector", "decode-selector", "cors-allowed-origins":
		return source.FlagInfo{Name: name, Arity: source.ArityMany}, true
	case "service-discovery", "dp-aware", "pd-disaggregation", "vllm-pd-disaggregation", "disable-retries", "disable-circuit-breaker", "enable-igw":
		return source.FlagInfo{Name: name, Arity: source.AritySwitch}, true
	}
	return source.FlagInfo{Name: name, Arity: source.ArityUnknown}, strings.HasPrefix(canonicalFlag(option), "router-")
}

// Prefix implements source.FlagSpec.
func (sglangFlags) Prefix(string) []string { return nil }

// sglangSettings are the settings of SGLang's gateway, of its successor smg, and of the vLLM project's router, which
// began as a copy (sglang-router 0.3.2, smg 1.13.0, vllm-router 0.1.17; router_args.py each, src/main.rs).
func sglangSettings() []routerSetting {
	return []routerSetting{
		{name: "policy", flags: []string{"policy"}},
		{name: "prefill_policy", flags: []string{"prefill-policy"}},
		{name: "decode_policy", flags: []string{"decode-policy"}},
		{name: "cache_threshold", flags: []string{"cache-threshold"}, kind: numberSetting},
		{name: "balance_abs_threshold", flags: []string{"balance-abs-threshold"}, kind: numberSetting},
		{name: "balance_rel_threshold", flags: []string{"balance-rel-threshold"}, kind: numberSetting},
		{name: "eviction_interval", flags: []string{"eviction-interval-secs", "eviction-interval"}, kind: numberSetting},
		{name: "max_tree_size", flags: []string{"max-tree-size"}, kind: numberSetting},
		{name: "retry_max_retries", flags: []string{"retry-max-retries"}, kind: numberSetting},
		{name: "request_timeout_secs", flags: []string{"request-timeout-secs"}, kind: numberSetting},
		{name: "service_discovery_namespace", flags: []string{"service-discovery-namespace"}},
	}
}

// sglangTargets are the workers of an SGLang gateway: URLs on its command line, or pods that its selectors match.
func (w *world) sglangTargets(p *part) []*part {
	args := p.value.Get("args")
	var out []*part
	for _, f := range []string{"worker-urls", "prefill", "decode"} {
		for _, u := range args.Get(f).Items() {
			out = append(out, w.urlTargets(p, u)...)
		}
	}
	ns, _ := args.At("service-discovery-namespace", 0).AsText()
	for _, f := range []string{"selector", "prefill-selector", "decode-selector"} {
		var words []string
		for _, x := range args.Get(f).Items() {
			if t, ok := x.AsText(); ok {
				words = append(words, t)
			}
		}
		if labels := parseSelector(strings.Join(words, " ")); len(labels) > 0 {
			out = append(out, w.podTargets(p, ns, labels)...)
		}
	}
	return out
}

// isSGLangLine reports whether the command line of a program called vllm-router is the vLLM project's router, which
// has SGLang's flags, and not production-stack's.
func isSGLangLine(line *source.CommandLine) bool {
	fl := source.ParseFlags(line, nil)
	return fl.Last("routing-logic") == nil && (fl.Last("policy") != nil || fl.Last("worker-urls") != nil || fl.Last("vllm-pd-disaggregation") != nil)
}

// sglangRouter completes an SGLang gateway: the form it is launched in, which decides defaults, and its policy, which
// is cache_aware when none is written.
func (w *world) sglangRouter(p *part, v *model.Value) {
	settings := v.Get("settings")
	form := "rust"
	if p.prog.kind == "router" {
		form = "vllm-router"
	} else if p.prog.how == "python" {
		form = "python"
	}
	settings.Set("launch", settingOf(model.NewText(form, commandOrigin(p)), model.FromArgs))
	if settings.Get("policy") == nil && !settings.Open {
		block := v.Get("args")
		if block.Origin.File == nil {
			block = v
		}
		x := model.NewText("cache_aware", model.Origin{Source: model.FromDefault, Detail: &model.Detail{Block: block, Note: "default of the gateway"}})
		settings.Set("policy", settingOf(x, model.FromDefault))
	}
}
