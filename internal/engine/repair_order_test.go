package engine

import (
	"context"
	"strings"
	"testing"
)

// TestFixesFromNewNumbers has fixes whose numbers are computed from what other fixes of the run change.
func TestFixesFromNewNumbers(t *testing.T) {
	const values = `servingEngineSpec:
  modelSpec:
    - name: coder
      repository: vllm/vllm-openai
      tag: v0.29.0
      modelURL: MODEL
      replicaCount: 2
      requestGPU: 4
      vllmConfig:
`
	all := []string{"vllm-admission-control-missing", "vllm-kv-cache-full-precision", "vllm-max-num-seqs-exceeds-kv", "vllm-max-model-len-exceeds-model",
		"tensor-parallel-does-not-divide-heads"}
	for _, c := range []struct {
		name, model, gpu, config string
		only                     []string
		want, not                []string
	}{
		{"the queue follows the slots", "Qwen/Qwen3-32B", "h100", "        tensorParallelSize: 2\n        maxModelLen: 131072\n        maxNumSeqs: 64\n",
			[]string{"vllm-admission-control-missing", "vllm-max-num-seqs-exceeds-kv"}, []string{"maxNumSeqs: 2\n", "--max-num-queued-reqs=4\n"}, nil},
		{"the slots fit when the rest is right", "Qwen/Qwen3-8B", "l4", "        tensorParallelSize: 3\n        maxModelLen: 131072\n        maxNumSeqs: 64\n",
			all, []string{"maxModelLen: 40960\n", "maxNumSeqs: 64\n", "--max-num-queued-reqs=128\n"}, []string{"tensorParallelSize: 3"}},
	} {
		o := repairOptions(map[string]string{"values.yaml": strings.ReplaceAll(values, "MODEL", c.model) + c.config})
		o.Facts = map[string]any{"gpu": c.gpu}
		r, err := ApplyFixes(context.Background(), o, RepairOptions{Only: c.only, Unsafe: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Changed) != 1 || r.Exhausted {
			t.Fatalf("%s: changed %d files", c.name, len(r.Changed))
		}
		got := string(r.Changed[0].New)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in\n%s", c.name, w, got)
			}
		}
		for _, w := range c.not {
			if strings.Contains(got, w) {
				t.Errorf("%s: %q in\n%s", c.name, w, got)
			}
		}
	}
}
