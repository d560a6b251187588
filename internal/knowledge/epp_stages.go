package knowledge

import "slices"

// alphaPlugins are the plugins of llm-d's picker that are registered with the stability level Alpha, sorted by type
// (llm-d-router 0.10.0, cmd/epp/runner/runner.go, fwkplugin.StabilityAlpha; read 2026-11-29). Levels and the flag that
// allows them came with 0.10.
var alphaPlugins = [...]string{
	"agent-identity", "burst-prefix-cache-producer", "dcgm-data-source", "dcgm-extractor", "disaggregatedset-rollout-screener",
	"endpoint-attribute-filter", "endpoint-attribute-scorer", "header-label-affinity-scorer", "header-profile-handler",
	"multicluster-approx-prefix-cache-producer", "multicluster-file-discovery", "multicluster-kv-cache-utilization-scorer",
	"multicluster-metrics-data-source", "multicluster-metrics-extractor", "multicluster-prefix-cache-scorer",
	"multicluster-queue-scorer", "multicluster-session-affinity-filter", "p2p-source-producer", "priority-holdback-policy",
	"priority-then-time-eviction-order-policy", "session-affinity-filter", "session-affinity-scorer", "sheddable-eviction-filter",
	"soft-reflective-ceiling-policy", "topology-affinity-filter", "topology-affinity-scorer", "topology-extractor",
	"utilization-filter",
}

// AlphaPlugin reports whether a plugin type of llm-d's picker is experimental in 0.10, so that the picker needs
// --allow-experimental-plugins.
func AlphaPlugin(pluginType string) bool {
	_, found := slices.BinarySearch(alphaPlugins[:], pluginType)
	return found
}
