package loaders

import "strings"

// stackRouterSettings are the settings of the production-stack router (vllm-stack 0.1.12,
// src/vllm_router/parsers/parser.py).
func stackRouterSettings() []routerSetting {
	return []routerSetting{
		{name: "routing_logic", flags: []string{"routing-logic"}},
		{name: "service_discovery", flags: []string{"service-discovery"}},
		{name: "k8s_service_discovery_type", flags: []string{"k8s-service-discovery-type"}},
		{name: "k8s_namespace", flags: []string{"k8s-namespace"}},
		{name: "k8s_label_selector", flags: []string{"k8s-label-selector"}},
		{name: "static_backends", flags: []string{"static-backends"}, kind: listSetting},
		{name: "static_models", flags: []string{"static-models"}, kind: listSetting},
		{name: "session_key", flags: []string{"session-key"}},
		{name: "prefix_min_match_length", flags: []string{"prefix-min-match-length"}, kind: numberSetting},
		{name: "kv_aware_threshold", flags: []string{"kv-aware-threshold"}, kind: numberSetting},
		{name: "lmcache_controller_port", flags: []string{"lmcache-controller-port"}, kind: numberSetting},
		{name: "prefill_model_labels", flags: []string{"prefill-model-labels"}, kind: listSetting},
		{name: "decode_model_labels", flags: []string{"decode-model-labels"}, kind: listSetting},
		{name: "max_instance_failover_reroute_attempts", flags: []string{"max-instance-failover-reroute-attempts"}, kind: numberSetting},
		{name: "engine_stats_interval", flags: []string{"engine-stats-interval"}, kind: numberSetting},
		{name: "dynamic_config", flags: []string{"dynamic-config-yaml", "dynamic-config-json"}},
		{name: "external_providers_config", flags: []string{"external-providers-config"}},
	}
}

// stackRouterTargets are the engines that a production-stack router finds: those of its static backends, else the
// pods or services that its label selector matches in its namespace.
func (w *world) stackRouterTargets(p *part) []*part {
	settings := p.value.Get("settings")
	var out []*part
	for _, u := range settings.At("static_backends", "value").Items() {
		out = append(out, w.urlTargets(p, u)...)
	}
	if d, _ := settings.At("service_discovery", "value").AsText(); d == "k8s" {
		sel, ok := settings.At("k8s_label_selector", "value").AsText()
		ns, _ := settings.At("k8s_namespace", "value").AsText()
		if labels := parseSelector(sel); ok && len(labels) > 0 {
			out = append(out, w.podTargets(p, ns, labels)...)
			for _, s := range w.services {
				if matchLabels(labels, labelsOf(s.value)) && w.visible(p.wl.scope, s.scope) && (ns == "" || s.namespace == "" || ns == s.namespace) {
					out = append(out, engineParts(w.selected(s.scope, s.dir, s.namespace, s.selector))...)
				}
			}
		}
	}
	return out
}

// parseSelector reads a label selector of equalities: "app=vllm,environment=prod".
func parseSelector(s string) map[string]string {
	out := map[string]string{}
	for kv := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		k, v, ok := strings.Cut(kv, "=")
		if !ok {
			return nil
		}
		out[strings.TrimSpace(strings.TrimSuffix(k, "!"))] = strings.TrimSpace(strings.TrimPrefix(v, "="))
		if strings.HasSuffix(k, "!") {
			return nil
		}
	}
	return out
}
