package loaders

import "agentlint/internal/model"

// claims adds the PersistentVolumeClaims that a pod's volumes name, as far as the files show them.
func (b *builder) claims(pod *model.Value, wl *workload) {
	list := model.NewList(pod.Get("volumes").OriginOr(pod.Origin))
	for _, v := range pod.Get("volumes").Items() {
		c := v.Get("persistentVolumeClaim")
		if c == nil {
			continue
		}
		name, ok := firstOf(c, "claimName", "existingClaim").AsText()
		if !ok {
			// app-template makes a claim of its own unless one is named.
			if c.Get("existingClaim") == nil && c.Get("accessMode") != nil {
				mode := c.Get("accessMode")
				list.Append(claimPart(v.Get("name"), v.Get("name"), model.NewList(mode.Origin, mode), c.Get("storageClass")))
			}
			continue
		}
		for _, o := range b.w.claims {
			if o.name() != name || !wl.scope.reaches(o.scope) || o.namespace() != "" && wl.namespace != "" && o.namespace() != wl.namespace {
				continue
			}
			list.Append(claimPart(firstOf(c, "claimName", "existingClaim"), v.Get("name"), o.v.At("spec", "accessModes"), o.v.At("spec", "storageClassName")))
			b.addFile(o.v.Origin.File)
			break
		}
	}
	if list.Len() > 0 {
		pod.Set("claims", list)
	}
}

func claimPart(name, volume, modes, class *model.Value) *model.Value {
	m := model.NewMap(modes.OriginOr(name.Origin))
	m.Set("name", name)
	m.Set("volume", orText(volume, name.Origin))
	switch {
	case modes == nil:
		m.Set("access_modes", model.NewList(name.Origin))
	default:
		m.Set("access_modes", modes)
	}
	if class != nil && class.Kind != model.Null {
		m.Set("storage_class", class)
	}
	return m
}
