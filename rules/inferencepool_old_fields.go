package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "inferencepool-old-fields",
		Title:    "An InferencePool mixes the fields of two API versions",
		Category: "router-tier",
		Why: `Between v1alpha2 of inference.networking.x-k8s.io and v1 of inference.networking.k8s.io the fields of an InferencePool were
renamed: targetPortNumber became targetPorts, extensionRef became endpointPickerRef, and the labels of selector moved under matchLabels. All
three are required in both versions, so an object with the names of the other one is refused: spec.targetPorts: Required value.`,
		Remedy: "Under `inference.networking.k8s.io/v1` write `selector.matchLabels`, `targetPorts: [{number: N}]` and `endpointPickerRef` with\n" +
			"`name` and `port.number`.",
		Severity:   model.Error,
		Confidence: model.Medium,
		Inputs:     []string{"routers"},
		When:       []string{"routers.*.pool"},
		Fix:        model.Unsafe,
		FixTitle:   "use the field names of v1",
		Question:   "Does the cluster have the v1 definition of InferencePool, and do the picker and the gateway read it?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "gateway-api-inference-extension 1.0.0", File: "api/v1/inferencepool_types.go", Symbol: "json:\"endpointPickerRef,omitzero\"", Checked: "2026-11-30",
				Note: "The definition requires endpointPickerRef, selector (with matchLabels) and targetPorts, and a port for a Service."},
			{Artefact: "gateway-api-inference-extension 1.0.0", File: "apix/v1alpha2/inferencepool_types.go", Symbol: "json:\"targetPortNumber\"", Checked: "2026-11-30",
				Note: "Required, as selector and extensionRef are; port 9002 where none is written."},
		},
	},
	Check: func(p *Pass) {
		for r := range p.Routers() {
			pool := r.Get("pool")
			version, ok := pool.Get("api_version").AsText()
			if !ok {
				continue
			}
			title, _ := pool.Get("name").AsText()
			spec, name := pool.Get("spec"), model.Quote(title)
			before, after := poolFields(spec)
			switch {
			case version == poolV1 && len(before) > 0:
				report := p.Report(r.At("pool", "spec", before[0]), "InferencePool %s is of %s and written as v1alpha2 (%s), so the API server rejects it: %s", name, poolV1,
					strings.Join(fieldWords(before), ", "), missingOf(before)).OnKey()
				if ops := poolToV1(r, spec, before); len(ops) > 0 {
					report.Fix(model.Fix{Ops: ops})
				}
			case strings.HasPrefix(version, "inference.networking.x-k8s.io/v1alpha") && len(after) > 0:
				report := p.Report(r.At("pool", "api_version"), "InferencePool %s is of %s and written as v1 (%s), so the API server rejects it: spec.targetPortNumber: Required value", name, version,
					strings.Join(after, ", "))
				if len(before) == 0 {
					report.Fix(model.Fix{Title: "write the API version of the fields", Ops: []model.Op{model.Set(r.At("pool", "api_version"), poolV1)}})
				}
			}
		}
	},
})

// poolV1 is the API version in which InferencePool is stable.
const poolV1 = "inference.networking.k8s.io/v1"

// poolFields are the fields of a pool's spec that only v1alpha2 has, and those that only v1 has.
func poolFields(spec *model.Value) (before, after []string) {
	for _, f := range [...]string{"targetPortNumber", "extensionRef"} {
		if spec.Get(f) != nil {
			before = append(before, f)
		}
	}
	for _, f := range [...]string{"targetPorts", "endpointPickerRef"} {
		if spec.Get(f) != nil {
			after = append(after, f)
		}
	}
	selector := spec.Get("selector")
	switch {
	case selector.Get("matchLabels") != nil && selector.Get("matchLabels").Kind == model.Map:
		after = append(after, "selector.matchLabels")
	case selector != nil && selector.Kind == model.Map && selector.Len() > 0 && !selector.Open && selector.Get("matchLabels") == nil:
		before = append(before, "selector")
	}
	return before, after
}

// fieldWords are fields as messages name them.
func fieldWords(fields []string) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f
		if f == "selector" {
			out[i] = "selector without matchLabels"
		}
	}
	return out
}

// missingOf is what the API server says of the field that is missing instead.
func missingOf(before []string) string {
	switch before[0] {
	case "targetPortNumber":
		return "spec.targetPorts: Required value"
	case "extensionRef":
		return "spec.endpointPickerRef: Required value"
	}
	return "spec.selector.matchLabels: Required value"
}

// poolToV1 are the edits that give fields of v1alpha2 their names and shapes of v1; none when a value is not seen.
func poolToV1(r Part, spec *model.Value, before []string) []model.Op {
	at := func(field string) model.Path { return r.At("pool", "spec", field) }
	var ops []model.Op
	for _, f := range before {
		v := spec.Get(f)
		switch f {
		case "targetPortNumber":
			n, ok := v.AsInt(false)
			if !ok || spec.Get("targetPorts") != nil {
				return nil
			}
			ops = append(ops, model.Remove(at(f)), model.Set(at("targetPorts"), []any{map[string]any{"number": n}}))
		case "extensionRef":
			ref, ok := v.Plain().(map[string]any)
			if !ok || v.Open || spec.Get("endpointPickerRef") != nil {
				return nil
			}
			port, has := ref["portNumber"]
			if !has {
				port = 9002
			}
			delete(ref, "portNumber")
			ref["port"] = map[string]any{"number": port}
			ops = append(ops, model.Remove(at(f)), model.Set(at("endpointPickerRef"), ref))
		case "selector":
			labels, ok := v.Plain().(map[string]any)
			if !ok {
				return nil
			}
			ops = append(ops, model.Set(at(f), map[string]any{"matchLabels": labels}))
		}
	}
	return ops
}
