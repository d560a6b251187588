package loaders

import (
	"strings"

	"agentlint/internal/model"
)

// aibrixSettings are the settings of AIBrix' gateway plugins (aibrix 0.7.0, pkg/plugins/gateway, pkg/utils,
// pkg/constants).
func aibrixSettings() []routerSetting {
	return []routerSetting{
		{name: "routing_algorithm", envs: []string{"ROUTING_ALGORITHM"}},
		{name: "tokenizer_type", envs: []string{"AIBRIX_PREFIX_CACHE_TOKENIZER_TYPE"}},
		{name: "block_size", envs: []string{"AIBRIX_PREFIX_CACHE_BLOCK_SIZE"}, kind: numberSetting},
		{name: "hash_seed", envs: []string{"AIBRIX_PREFIX_CACHE_HASH_SEED"}},
		{name: "imbalance_abs_count", envs: []string{"AIBRIX_PREFIX_CACHE_POD_RUNNING_REQUEST_IMBALANCE_ABS_COUNT"}, kind: numberSetting},
		{name: "standard_deviation_factor", envs: []string{"AIBRIX_PREFIX_CACHE_STANDARD_DEVIATION_FACTOR"}, kind: numberSetting},
		{name: "remote_tokenizer", envs: []string{"AIBRIX_PREFIX_CACHE_USE_REMOTE_TOKENIZER"}, kind: switchSetting},
		{name: "remote_tokenizer_endpoint", envs: []string{"AIBRIX_PREFIX_CACHE_REMOTE_TOKENIZER_ENDPOINT"}},
		{name: "kv_events", envs: []string{"AIBRIX_PREFIX_CACHE_KV_EVENT_SYNC_ENABLED"}, kind: switchSetting},
		{name: "state_sync", envs: []string{"AIBRIX_STATESYNC_ENABLED"}, kind: switchSetting},
	}
}

// aibrixTargets are the pods with AIBrix' model label.
func (w *world) aibrixTargets(p *part) []*part {
	var out []*part
	for _, q := range w.parts {
		if _, ok := q.wl.labels["model.aibrix.ai/name"]; ok && q.kind == "engine" && (w.visible(p.wl.scope, q.wl.scope) || q.wl.scope.reaches(p.wl.scope)) {
			out = append(out, q)
		}
	}
	return out
}

// podAutoscaler adds a PodAutoscaler of AIBrix.
func (w *world) podAutoscaler(o *object) {
	spec := o.v.Get("spec")
	v := newAutoscaler("podautoscaler", o.name(), false, o.v.Origin)
	if spec != nil {
		v.Set("spec", spec)
	}
	replicaRange(v, spec.Get("minReplicas"), spec.Get("maxReplicas"), 1, 1)
	a := &autoscaler{scope: o.scope, dir: o.dir, namespace: o.namespace(), value: v}
	a.targetKind, _ = spec.At("scaleTargetRef", "kind").AsText()
	a.targetName, _ = spec.At("scaleTargetRef", "name").AsText()
	metrics := model.NewList(model.Origin{})
	for _, it := range spec.Get("metricsSources").Items() {
		m := model.NewMap(it.Origin)
		m.Set("kind", model.NewText("pods", it.Origin))
		m.Set("target_kind", model.NewText("AverageValue", it.Origin))
		if t := it.Get("targetValue"); t != nil {
			if x, ok := t.AsFloat(true); ok {
				m.Set("target", model.NewFloat(x, t.Origin))
			} else {
				m.Set("target", model.NewUnknown(t.Origin))
			}
		}
		var q *query
		if n := it.Get("targetMetric"); n != nil {
			m.Set("name", n)
			if t, ok := n.AsText(); ok {
				q = podMetricQuery(t, n)
				q.scope, q.dir, q.target = o.scope, o.dir, v
			}
		}
		metrics.Append(m)
		a.queries = append(a.queries, q)
	}
	v.Set("metrics", metrics)
	w.autoscalers = append(w.autoscalers, a)
}

// podMetricQuery is the series that AIBrix reads from the engines themselves; it names them without vLLM's prefix
// (aibrix 0.7.0, pkg/metrics).
func podMetricQuery(name string, text *model.Value) *query {
	if strings.ContainsAny(name, ":{( ") {
		return newQuery("hpa", name, text)
	}
	q := newQuery("hpa", "vllm:"+name, text)
	q.value.Set("text", text)
	for _, m := range q.value.Get("metrics").Items() {
		m.Set("name", text)
	}
	return q
}
