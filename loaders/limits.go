package loaders

import (
	"cmp"
	"slices"
	"strings"

	"agentlint/internal/model"
)

// limitRange is what a LimitRange gives to containers of its namespace that set no resources.
type limitRange struct {
	scope     *scope
	namespace string
	// limits and requests are the shape ResourcePart, nil when the object gives none.
	limits, requests *model.Value
}

// sizer is a VerticalPodAutoscaler that changes the requests of a workload.
type sizer struct {
	scope           *scope
	namespace, name string
	origin          model.Origin
}

// limitRangeObject reads a LimitRange.
func (w *world) limitRangeObject(o *object) {
	for _, l := range o.v.At("spec", "limits").Items() {
		if t, _ := l.Get("type").AsText(); t != "Container" {
			continue
		}
		sides := model.NewMap(l.Origin)
		for _, k := range []struct{ key, side string }{{"default", "limits"}, {"defaultRequest", "requests"}} {
			if v := l.Get(k.key); v != nil {
				sides.Set(k.side, v)
			}
		}
		r := kubernetesResources(sides)
		if r.Len() > 0 {
			w.limitRanges = append(w.limitRanges, &limitRange{o.scope, o.namespace(), r.Get("limits"), r.Get("requests")})
		}
	}
}

// verticalAutoscaler reads a VerticalPodAutoscaler, unless it only recommends.
func (w *world) verticalAutoscaler(o *object) {
	if mode, _ := o.v.At("spec", "updatePolicy", "updateMode").AsText(); mode == "Off" {
		return
	}
	if name, ok := o.v.At("spec", "targetRef", "name").AsText(); ok {
		w.sizers = append(w.sizers, &sizer{o.scope, o.namespace(), name, o.v.Origin})
	}
}

// completeResources gives the containers of pods what the cluster adds to their own resources: the defaults of a
// LimitRange, and the requests of a VerticalPodAutoscaler, which no file shows. A LimitRange that may or may not be of
// the container's namespace makes unknown what it would set.
func (w *world) completeResources() {
	for _, wl := range w.workloads {
		if wl.platform != "kubernetes" || wl.resources != nil && wl.resources.Kind == model.Unknown {
			continue
		}
		for _, l := range w.limitRanges {
			if wl.scope.reaches(l.scope) && (l.namespace == wl.namespace || l.namespace == "" || wl.namespace == "") {
				l.complete(wl)
			}
		}
		for _, s := range w.sizers {
			if s.name == wl.name && wl.scope.reaches(s.scope) && wl.resources.Get("requests") == nil && wl.resources.Get("limits") == nil {
				wl.resources = model.NewUnknown(s.origin)
			}
		}
	}
}

// complete fills in what the container does not set. Kubernetes takes a written limit as the request first, so the
// default request counts only for resources without one.
func (l *limitRange) complete(wl *workload) {
	out := model.NewMap(wl.origin)
	if wl.resources != nil {
		out = copyMap(wl.resources)
	}
	written := out.Get("limits")
	side := func(name string, from ...*model.Value) {
		var m *model.Value
		switch own := out.Get(name); {
		case own == nil:
			m = model.NewMap(out.Origin)
		case own.Kind != model.Map:
			return
		default:
			m = copyMap(own)
		}
		for _, f := range from {
			for i, resource := range f.Keys() {
				if m.Get(resource) != nil || name == "requests" && written.Get(resource) != nil {
					continue
				}
				v := f.Items()[i]
				if l.namespace != wl.namespace {
					v = model.NewUnknown(v.Origin)
				}
				m.Set(resource, v)
			}
		}
		if m.Len() > 0 {
			out.Set(name, m)
		}
	}
	side("limits", l.limits)
	side("requests", l.requests, l.limits)
	wl.resources = out
}

// orderQueries puts queries in the order of their files and of their places in them.
func (w *world) orderQueries() {
	slices.SortStableFunc(w.queries, func(a, b *query) int {
		f, fs := a.value.Origin.File.Outer(a.value.Origin.Span)
		g, gs := b.value.Origin.File.Outer(b.value.Origin.Span)
		return cmp.Or(strings.Compare(f.Path, g.Path), cmp.Compare(fs.Start, gs.Start))
	})
}
