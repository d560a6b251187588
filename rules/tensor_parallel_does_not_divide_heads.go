package rules

import (
	"fmt"
	"strconv"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "tensor-parallel-does-not-divide-heads",
		Title:    "The tensor-parallel size does not divide the model's heads",
		Category: "engine-memory",
		Why: `Tensor parallelism gives each GPU whole attention heads. A size that does not divide their number stops the engine at start with "Total number of attention heads (28) must be divisible by
tensor parallel size (8)". The KV heads must be divided by the size, or divide it and be repeated; code of the Llama and Qwen families asserts that, so Qwen2.5-7B with its 28 and 4 heads runs on 1, 2 or 4 GPUs.`,
		Remedy:   `Take a size that divides both; use the remaining GPUs for ` + "`--data-parallel-size` or `--pipeline-parallel-size`" + `.`,
		Severity: model.Error, Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"engine.args"},
		When:       []string{"engine.args.tensor-parallel-size"},
		Fix:        model.Unsafe, FixTitle: "choose a size that divides the heads",
		Question: "Does the model fit on fewer GPUs, or should the others work as data-parallel ranks or pipeline stages?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/config/model.py", Symbol: "must be divisible by tensor parallel size", Checked: "2026-11-29"},
			{Artefact: "vllm 0.29.0", File: "vllm/model_executor/models/qwen2.py", Symbol: "assert tp_size % self.total_num_kv_heads == 0", Checked: "2026-11-29", Note: "The same in llama.py, mixtral.py, qwen3.py, qwen3_moe.py, gemma3.py, glm4_moe.py, granite.py and minimax_m2.py."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			g, n, ok := e.parallel()
			if !ok {
				continue
			}
			heads, kv := g.TensorParallel(n)
			at := e.At("args", "tensor-parallel-size", 0)
			var r *Report
			switch {
			case !heads:
				r = p.Report(at, "--tensor-parallel-size %d does not divide the %d attention heads of the model: the engine stops at start with \"Total number of attention heads (%d) must be divisible by tensor parallel size (%d)\"", n, g.Heads, g.Heads, n)
			case !kv:
				r = p.Report(at, "--tensor-parallel-size %d neither divides the %d KV heads of the model nor is a multiple of them: the engine stops while it builds the model", n, g.KVHeads)
				if !kvHeadsAsserted(g.Family) {
					r.finding.Message = strings.Replace(r.finding.Message, "the engine stops", "the engine most likely stops", 1)
					r.Severity(model.Warning)
				}
			default:
				continue
			}
			r.Related(e.At("model"), "%d attention heads, %d KV heads", g.Heads, g.KVHeads)
			m, question := e.dividingSize(g, n)
			if m > 0 {
				r.Fix(model.Fix{Title: "write " + strconv.Itoa(m), Question: question, Ops: []model.Op{model.Set(at, strconv.Itoa(m))}})
			}
		}
	},
})

// dividingSize returns the size to write instead of n: the largest that the GPUs of the engine allow when all of them are
// for one rank and n leaves some idle, else the next smaller one. The question is its own where it is not the rule's.
func (q Part) dividingSize(g knowledge.Geometry, n int) (size int, question string) {
	fits := func(m int) bool {
		heads, kv := g.TensorParallel(m)
		return heads && kv
	}
	if count, ok := q.Get("gpu", "count").AsInt(false); ok && count <= 1<<12 && q.State("args", "pipeline-parallel-size") == model.Absent && q.State("args", "data-parallel-size") == model.Absent {
		for m := int(count); m > n; m-- {
			if fits(m) {
				return m, fmt.Sprintf("Should the engine use %d of its %d GPUs for one copy of the model?", m, count)
			}
		}
	}
	for m := n - 1; m >= 1; m-- {
		if fits(m) {
			return m, ""
		}
	}
	return 0, ""
}

// kvHeadsAsserted reports whether the code of a family's models was seen to refuse KV heads that do not divide.
func kvHeadsAsserted(family string) bool {
	switch family {
	case "meta-llama", "qwen", "mistralai", "microsoft", "google", "zai-org", "ibm-granite", "minimaxai":
		return true
	}
	return false
}

// parallel returns the shape of an engine's model and its tensor-parallel size, when both are written and above 1.
func (q Part) parallel() (knowledge.Geometry, int, bool) {
	g, ok := q.geometry()
	n, ok2 := q.ArgInt("tensor-parallel-size", 1)
	if !ok || !ok2 || n <= 1 || n > 1<<12 || g.Heads <= 0 || g.Confidence == "low" {
		return g, 0, false
	}
	return g, int(n), true
}
