package engine

import (
	"context"
	"strings"
	"testing"

	"agentlint/internal/model"
)

const (
	overlayBase = `apiVersion: apps/v1
kind: Deployment
metadata: {name: litellm}
spec:
  replicas: 2
  selector: {matchLabels: {app: litellm}}
  template:
    metadata: {labels: {app: litellm}}
    spec:
      containers:
        - name: litellm
          image: ghcr.io/berriai/litellm:v1.102.0
`
	overlayHPA = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: litellm}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: litellm}
  minReplicas: 2
  maxReplicas: 8
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: {type: Utilization, averageUtilization: 60}
`
	ownReplicas = `resources: [../../base]
patches:
  - patch: |
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: litellm}
      spec: {replicas: 3}
`
)

func TestFixOfSharedFile(t *testing.T) {
	const rule = "replicas-set-with-autoscaler"
	for _, c := range []struct {
		name    string
		staging string
		paths   []string
		safety  model.Safety
	}{
		{"the other has no autoscaler", "resources: [../../base]\n", nil, model.Unsafe},
		{"only the one with the autoscaler is named", "resources: [../../base]\n", []string{"overlays/prod"}, model.Unsafe},
		{"both have one", "resources: [../../base, ../prod/hpa.yaml]\n", nil, model.Safe},
		{"both have one and one is named", "resources: [../../base, ../prod/hpa.yaml]\n", []string{"overlays/prod/kustomization.yaml"}, model.Safe},
		{"the other sets its own number", ownReplicas, nil, model.Safe},
		{"there is no other", "", nil, model.Safe},
	} {
		for _, plan := range []int{0, PlanToCount} {
			files := map[string]string{
				"base/deployment.yaml":                overlayBase,
				"base/kustomization.yaml":             "resources: [deployment.yaml]\n",
				"overlays/prod/kustomization.yaml":    "resources: [../../base, hpa.yaml]\n",
				"overlays/prod/hpa.yaml":              overlayHPA,
				"overlays/staging/kustomization.yaml": c.staging,
			}
			if c.staging == "" {
				delete(files, "overlays/staging/kustomization.yaml")
			}
			o := repairOptions(files)
			o.Paths, o.Plan = c.paths, plan
			r, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range r.Findings {
				if f.Rule != rule || f.File.Path != "base/deployment.yaml" {
					continue
				}
				found = true
				x := f.Fixes[0]
				if x.Safety != c.safety || strings.Contains(x.Question, "overlays/staging/kustomization.yaml") != (c.safety == model.Unsafe) {
					t.Errorf("%s: the fix is %s: %q", c.name, x.Safety, x.Question)
				}
			}
			if !found && len(c.paths) == 0 {
				t.Errorf("%s: no finding", c.name)
			}
			if plan > 0 {
				continue
			}
			done, err := ApplyFixes(context.Background(), o, RepairOptions{Only: []string{rule}})
			if err != nil {
				t.Fatal(err)
			}
			if found && (len(done.Changed) > 0) != (c.safety == model.Safe) {
				t.Errorf("%s: %d files changed", c.name, len(done.Changed))
			}
		}
	}
}
