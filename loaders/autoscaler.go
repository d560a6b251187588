package loaders

import (
	"strings"

	"agentlint/internal/model"
)

// newAutoscaler starts an autoscaler in shape AutoscalerPart.
func newAutoscaler(kind, name string, chart bool, o model.Origin) *model.Value {
	v := model.NewMap(o)
	v.Set("kind", model.NewText(kind, o))
	v.Set("chart", model.NewBool(chart, o))
	v.Set("name", model.NewText(name, o))
	v.Set("enabled", model.NewBool(true, o))
	v.Set("polling_written", model.NewBool(false, o))
	v.Set("cooldown_written", model.NewBool(false, o))
	v.Set("spec", model.NewMap(o))
	return v
}

// replicaRange sets min, max and min_written. A missing minimum is the product's default.
func replicaRange(v, lo, hi *model.Value, minDefault, maxDefault int64) {
	set := func(key string, x *model.Value, def int64) {
		switch n, ok := x.AsInt(true); {
		case x == nil || x.Kind == model.Null:
			v.Set(key, model.NewInt(def, model.Origin{Source: model.FromDefault, Detail: &model.Detail{Block: v}}))
		case ok && n >= 0:
			m := model.NewInt(n, x.Origin)
			m.SetLosers(x.Losers())
			v.Set(key, m)
		default:
			v.Set(key, model.NewUnknown(x.Origin))
		}
	}
	set("min", lo, minDefault)
	set("max", hi, maxDefault)
	v.Set("min_written", model.NewBool(lo != nil && lo.Kind != model.Null && lo.Origin.Source != model.FromChart, v.Origin))
}

// hpa adds a HorizontalPodAutoscaler of any version.
func (w *world) hpa(o *object) {
	spec := o.v.Get("spec")
	v := newAutoscaler("hpa", o.name(), false, o.v.Origin)
	v.Set("spec", spec)
	replicaRange(v, spec.Get("minReplicas"), spec.Get("maxReplicas"), 1, 1)
	a := &autoscaler{scope: o.scope, dir: o.dir, namespace: o.namespace(), value: v}
	a.targetKind, _ = spec.At("scaleTargetRef", "kind").AsText()
	a.targetName, _ = spec.At("scaleTargetRef", "name").AsText()
	metrics := model.NewList(model.Origin{})
	if t := spec.Get("targetCPUUtilizationPercentage"); t != nil {
		metrics.Append(resourceMetric("cpu", "Utilization", t, t.Origin, t.Origin))
		a.queries = append(a.queries, nil)
	}
	if m := spec.Get("metrics"); m != nil {
		metrics.Origin = m.Origin
		metrics.Open = m.Kind == model.Unknown
		for _, it := range m.Items() {
			mv, q := hpaMetric(it)
			metrics.Append(mv)
			if q != nil {
				q.scope, q.dir, q.target = o.scope, o.dir, v
			}
			a.queries = append(a.queries, q)
		}
	}
	v.Set("metrics", metrics)
	if b := spec.Get("behavior"); b != nil {
		v.Set("behavior", b)
	}
	w.autoscalers = append(w.autoscalers, a)
}

// resourceMetric is a cpu or memory metric: item is the place of the whole metric, name that of the word cpu or
// memory.
func resourceMetric(kind, targetKind string, target *model.Value, item, name model.Origin) *model.Value {
	m := model.NewMap(item)
	o := name
	m.Set("kind", model.NewText(kind, o))
	m.Set("target_kind", model.NewText(targetKind, o))
	if target != nil {
		switch x, ok := target.AsFloat(true); {
		case ok:
			n := model.NewFloat(x, target.Origin)
			n.SetLosers(target.Losers())
			m.Set("target", n)
		default:
			if s, is := target.AsText(); is {
				parse := parseCPUs
				if kind == "memory" {
					parse = parseBytes
				}
				if x, ok := parse(s); ok {
					m.Set("target", model.NewFloat(x, target.Origin))
					break
				}
			}
			m.Set("target", model.NewUnknown(target.Origin))
		}
	}
	return m
}

// containerName is the container that a metric of one container names.
func containerName(c *model.Value) *model.Value {
	if name, ok := c.AsText(); ok {
		return model.NewText(name, c.Origin)
	}
	return model.NewUnknown(c.Origin)
}

// unseenMetric is a metric of which the files show nothing.
func unseenMetric(o model.Origin) *model.Value {
	m := model.NewMap(o)
	m.Set("kind", model.NewUnknown(o))
	m.Open = true
	return m
}

// hpaMetric reads one entry of metrics: autoscaling/v2 and the older v2beta1 and v2beta2.
func hpaMetric(it *model.Value) (*model.Value, *query) {
	typ, _ := it.Get("type").AsText()
	switch typ {
	case "Resource", "ContainerResource":
		r := it.Get("resource")
		if typ == "ContainerResource" {
			r = it.Get("containerResource")
		}
		name, ok := r.Get("name").AsText()
		if !ok {
			return unseenMetric(it.Origin), nil
		}
		o := r.Get("name").Origin
		kind, target := "Utilization", (*model.Value)(nil)
		for _, t := range []struct {
			kind string
			path []any
		}{{"Utilization", []any{"target", "averageUtilization"}}, {"AverageValue", []any{"target", "averageValue"}}, {"Value", []any{"target", "value"}},
			{"Utilization", []any{"targetAverageUtilization"}}, {"AverageValue", []any{"targetAverageValue"}}} {
			if v := r.At(t.path...); v != nil {
				kind, target = t.kind, v
				break
			}
		}
		m := resourceMetric(name, kind, target, it.Origin, o)
		if c := r.Get("container"); c != nil && typ == "ContainerResource" {
			m.Set("container", containerName(c))
		}
		return m, nil
	case "Pods", "Object", "External":
		kind := map[string]string{"Pods": "pods", "Object": "object", "External": "external"}[typ]
		b := it.Get(kind)
		m := model.NewMap(it.Origin)
		m.Set("kind", model.NewText(kind, it.Origin))
		name := b.At("metric", "name")
		if name == nil {
			name = b.Get("metricName")
		}
		var q *query
		if s, ok := name.AsText(); ok {
			m.Set("name", name)
			q = newQuery("hpa", s, name)
		} else if name != nil {
			m.Set("name", model.NewUnknown(name.Origin))
		}
		for _, t := range []struct{ key, kind string }{{"averageValue", "AverageValue"}, {"value", "Value"}} {
			if v := b.At("target", t.key); v != nil {
				m.Set("target_kind", model.NewText(t.kind, v.Origin))
				m.Set("target", quantity(v))
			}
		}
		return m, q
	}
	return unseenMetric(it.Origin), nil
}

func quantity(v *model.Value) *model.Value {
	if x, ok := v.AsFloat(true); ok {
		return model.NewFloat(x, v.Origin)
	}
	if s, ok := v.AsText(); ok {
		if x, ok := parseBytes(s); ok {
			return model.NewFloat(x, v.Origin)
		}
	}
	return model.NewUnknown(v.Origin)
}

// scaledObject adds a KEDA ScaledObject.
func (w *world) scaledObject(o *object) {
	spec := o.v.Get("spec")
	v := newAutoscaler("keda", o.name(), false, o.v.Origin)
	a := &autoscaler{scope: o.scope, dir: o.dir, namespace: o.namespace(), value: v}
	a.targetKind, _ = spec.At("scaleTargetRef", "kind").AsText()
	if a.targetKind == "" {
		a.targetKind = "Deployment"
	}
	a.targetName, _ = spec.At("scaleTargetRef", "name").AsText()
	kedaSpec(a, v, spec, o.v.Origin)
	for _, q := range a.queries {
		if q != nil {
			q.scope, q.dir, q.target = o.scope, o.dir, v
		}
	}
	if on := kedaEnabled(o.v.At("metadata", "annotations"), o.v.Origin); on != nil {
		v.Set("enabled", on)
	}
	w.autoscalers = append(w.autoscalers, a)
}

// kedaEnabled is what annotations say about pausing a ScaledObject, nil for nothing: a number at which it is held, or the
// word true (KEDA 2.12, apis/keda/v1alpha1/scaledobject_types.go).
func kedaEnabled(annotations *model.Value, o model.Origin) *model.Value {
	if annotations.Get("autoscaling.keda.sh/paused-replicas") != nil {
		return model.NewBool(false, o)
	}
	p := annotations.Get("autoscaling.keda.sh/paused")
	switch word, ok := p.Scalar(); {
	case p == nil:
		return nil
	case !ok:
		return model.NewUnknown(p.Origin)
	default:
		return model.NewBool(!strings.EqualFold(word, "true"), o)
	}
}

// kedaSpec reads what ScaledObjects and the charts' keda blocks share.
func kedaSpec(a *autoscaler, v, spec *model.Value, o model.Origin) {
	if spec == nil {
		spec = model.NewMap(o) // half written
	}
	// KEDA 2: minReplicaCount 0, maxReplicaCount 100.
	replicaRange(v, spec.Get("minReplicaCount"), spec.Get("maxReplicaCount"), 0, 100)
	for _, f := range []struct{ key, name, written string }{{"pollingInterval", "polling_interval_seconds", "polling_written"}, {"cooldownPeriod", "cooldown_period_seconds", "cooldown_written"}} {
		x := spec.Get(f.key)
		if x != nil && x.Kind != model.Null {
			v.Set(f.name, numberOr(x, 0))
		}
		v.Set(f.written, model.NewBool(x != nil && x.Origin.File != nil, v.Origin))
	}
	v.Set("spec", spec)
	if x := spec.Get("idleReplicaCount"); x != nil {
		if n, ok := x.AsInt(true); ok {
			v.Set("idle_replicas", model.NewInt(n, x.Origin))
		} else if x.Kind != model.Null {
			v.Set("idle_replicas", model.NewUnknown(x.Origin))
		}
	}
	if at := []any{"advanced", "horizontalPodAutoscalerConfig", "behavior"}; spec.State(at...) == model.Unseen {
		v.Set("behavior", model.NewUnknown(spec.Origin))
	} else if b := spec.At(at...); b != nil {
		v.Set("behavior", b)
	}
	metrics := model.NewList(o)
	if t := spec.Get("triggers"); t != nil {
		metrics.Origin = t.Origin
		metrics.Open = t.Kind == model.Unknown
		triggers := t.Items()
		if t.Kind == model.Map {
			triggers = []*model.Value{t}
		}
		for _, it := range triggers {
			m, q := kedaTrigger(it)
			metrics.Append(m)
			a.queries = append(a.queries, q)
		}
	}
	v.Set("metrics", metrics)
}

// kedaTrigger reads one trigger.
func kedaTrigger(it *model.Value) (*model.Value, *query) {
	typ, ok := it.Get("type").AsText()
	if !ok {
		return unseenMetric(it.Origin), nil
	}
	meta := it.Get("metadata")
	switch typ {
	case "cpu", "memory":
		kind := "Utilization"
		if k, ok := it.Get("metricType").AsText(); ok {
			kind = k
		} else if k, ok := meta.Get("type").AsText(); ok {
			kind = k
		}
		m := resourceMetric(typ, kind, meta.Get("value"), it.Origin, it.Get("type").Origin)
		if c := meta.Get("containerName"); c != nil {
			m.Set("container", containerName(c))
		}
		return m, nil
	}
	m := model.NewMap(it.Origin)
	m.Set("kind", model.NewText(typ, it.Get("type").Origin))
	if n := meta.Get("metricName"); n != nil {
		m.Set("name", orText(n, it.Origin))
	}
	if t := meta.Get("threshold"); t != nil {
		m.Set("target_kind", model.NewText("AverageValue", t.Origin))
		m.Set("target", quantity(t))
	}
	var q *query
	if text := meta.Get("query"); text != nil {
		if s, ok := text.AsText(); ok {
			q = newQuery("keda", s, text)
		}
	}
	return m, q
}
