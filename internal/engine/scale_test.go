package engine

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// scaleInput is a file with many parts of one kind.
type scaleInput struct {
	name, file string
	parts      int
	text       func(n int) string
	findings   int // for each part
}

// moreParts is how many times as many parts the larger file of a test has.
const moreParts = 8

func scaleInputs() []scaleInput {
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	return []scaleInput{
		{"models with fallbacks", "config.yaml", 1000, func(n int) string {
			return "model_list:\n" + repeat(n, "  - {model_name: m%[1]d, litellm_params: {model: openai/m%[1]d, api_base: \"http://vllm-%[1]d:8000/v1\"}}\n") +
				"router_settings:\n  fallbacks:\n" + repeat(n, "    - m%[1]d: [m0]\n")
		}, 0},
		{"unknown keys", "config.yaml", 500, func(n int) string {
			return "model_list: [{model_name: a, litellm_params: {model: openai/a}}]\ngeneral_settings:\n" + repeat(n, "  zz_key_%d: 1\n")
		}, 1},
		{"unknown flags", "run.sh", 200, func(n int) string { return "vllm serve org/m" + repeat(n, " --zz-%d 1") + "\n" }, 1},
		{"configs in one file", "all.yaml", 60, func(n int) string {
			return repeat(n, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\ndata:\n  config.yaml: |\n    model_list: [{model_name: a, litellm_params: {model: openai/a}}]\n    litellm_settings: {drop_paramz: true}\n")
		}, 1},
		{"models of a chart", "values.yaml", 150, func(n int) string {
			return "routerSpec: {routingLogic: kvaware}\nservingEngineSpec:\n  modelSpec:\n" + repeat(n, "    - {name: m%[1]d, repository: vllm/vllm-openai, tag: v0.33.0, modelURL: m%[1]d, requestGPU: 1, env: [{name: A, valueFrom: {secretKeyRef: {name: x, key: y}}}]}\n")
		}, 1},
		{"engines behind Services", "pods.yaml", 100, func(n int) string {
			return repeat(n, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: v%[1]d}\nspec: {replicas: 2, selector: {matchLabels: {app: v%[1]d}}, template: {metadata: {labels: {app: v%[1]d}}, spec: {containers: [{name: c, image: 'vllm/vllm-openai:v0.33.0', envFrom: [{secretRef: {name: s}}], args: [--model, m%[1]d], resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: v%[1]d}\nspec: {type: NodePort, selector: {app: v%[1]d}, ports: [{port: 80, targetPort: 8000}]}\n---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: v%[1]d}\nspec: {scaleTargetRef: {kind: Deployment, name: v%[1]d}, maxReplicas: 5, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}\n")
		}, 1},
	}
}

// run checks the file with n parts.
func (c scaleInput) run(t testing.TB, n int) {
	r, err := Run(context.Background(), Options{FS: fstest.MapFS{c.file: {Data: []byte(c.text(n))}}, Plan: PlanToPrint})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range r.Findings {
		found += len(f.Stacks)
	}
	if found < n*c.findings {
		t.Errorf("%d findings for %d parts", found, n)
	}
}

// Memory in proportion to the parts is eight times as much for the larger file, memory in their square 64 times; a file
// of many configurations is read again for the fixes of each. What the parts cost in time, BenchmarkScale says.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("the other tests show the race detector the same goroutines")
	}
	for _, c := range scaleInputs() {
		t.Run(c.name, func(t *testing.T) {
			allocated := func(n int) uint64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				c.run(t, n)
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			c.run(t, c.parts)
			if few, many := allocated(c.parts), allocated(moreParts*c.parts); many > 3*moreParts*few {
				t.Errorf("%d parts allocate %d bytes, %d allocate %d", c.parts, few, moreParts*c.parts, many)
			}
		})
	}
}

// BenchmarkScale reports how many times as long eight times the parts take.
func BenchmarkScale(b *testing.B) {
	for _, c := range scaleInputs() {
		b.Run(c.name, func(b *testing.B) {
			few, many := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				c.run(b, c.parts)
				between := time.Now()
				c.run(b, moreParts*c.parts)
				few, many = min(few, between.Sub(start)), min(many, time.Since(between))
			}
			b.ReportMetric(float64(many)/float64(few), "times")
		})
	}
}
