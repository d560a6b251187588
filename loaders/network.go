package loaders

import "agentlint/internal/model"

// networkPolicies adds the names of the policies that limit what comes in to a pod, as far as the files show them.
func (b *builder) networkPolicies(pod *model.Value, wl *workload) {
	if wl.platform != "kubernetes" {
		return
	}
	list := model.NewList(pod.Origin)
	for _, o := range b.w.networkPolicies {
		if !b.w.visible(wl.scope, o.scope) && !o.scope.reaches(wl.scope) || o.namespace() != "" && wl.namespace != "" && o.namespace() != wl.namespace {
			continue
		}
		if !limitsIngress(o.v.Get("spec")) || !policySelects(o.v.Get("spec"), wl) {
			continue
		}
		list.Append(model.NewText(o.name(), o.v.At("metadata", "name").OriginOr(o.v.Origin)))
		b.addFile(o.v.Origin.File)
	}
	if list.Len() > 0 {
		pod.Set("network_policies", list)
	}
}

// limitsIngress reports whether a policy is about what comes in, as every policy is that does not say otherwise.
func limitsIngress(spec *model.Value) bool {
	types := spec.Get("policyTypes")
	if types == nil {
		return true
	}
	for _, t := range types.Items() {
		if s, ok := t.AsText(); !ok || s == "Ingress" {
			return true
		}
	}
	return false
}

// policySelects reports whether a policy selects a pod, or may: expressions are not followed, and the labels that a chart
// renders are not all seen.
func policySelects(spec *model.Value, wl *workload) bool {
	selector := firstOf(spec, "podSelector", "endpointSelector")
	if wl.owner == "chart" || selector.Get("matchExpressions") != nil {
		return true
	}
	return matchLabels(textMap(selector.Get("matchLabels")), wl.labels)
}
