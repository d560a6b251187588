package rules

import (
	"math"
	"strconv"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-kv-cache-does-not-fit",
		Title:    "The KV cache has no room for one sequence of the longest context",
		Category: "engine-memory",
		Why: `vLLM takes ` + "`--gpu-memory-utilization`" + ` of each GPU (0.92 of it, 0.9 below 0.20), loads the weights into it, and keeps the KV cache in
what is left. When one sequence of ` + "`--max-model-len`" + ` does not fit there, it stops at start with "To serve at least one request with the
model's max seq len (131072), 20.0 GiB KV cache is needed, which is larger than the available KV cache memory".
A token costs 2 x layers x KV heads x head dimension x bytes: 0.31 MiB for Llama 70B in 16 bits, so a context of 131072 needs 40 GiB. Tensor
parallelism divides the KV heads, but not the latent vector of MLA models. An error is certain: it counts no activations, no CUDA graphs and
no page padding. A warning counts 3 GiB per GPU for them.`,
		Remedy: `Lower ` + "`--max-model-len`" + `, quantise the cache (` + "`--kv-cache-dtype fp8`" + ` halves it), or spread the model over more GPUs with
` + "`--tensor-parallel-size`" + `. ` + "`--max-model-len auto`" + ` (0.14 and newer) takes the longest length that fits.`,
		Severity: model.Error, Severities: []model.Severity{model.Warning},
		Confidence: model.Medium,
		Inputs:     []string{"engine.args", "engine.gpu"},
		Fix:        model.Unsafe, FixTitle: "lower --max-model-len to what fits",
		Question: "Do the clients manage with the shorter context?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/v1/core/kv_cache_utils.py", Symbol: "To serve at least one request with the model's max seq len", Checked: "2026-11-29",
				Note: "A ValueError, always; the check plans against one sequence of max_model_len."},
			{Artefact: "vllm 0.20.2", File: "vllm/v1/worker/gpu_worker.py", Symbol: "determine_available_memory", Checked: "2026-11-29",
				Note: "Total memory times the fraction, minus weights, activation peak and captured CUDA graphs; the fraction is 0.9 in 0.19.1 and 0.92 in 0.20.0."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			if blocks, state := e.Arg("num-gpu-blocks-override"); state != model.Absent {
				checkBlocks(p, e, blocks)
				continue
			}
			m, ok := e.memory()
			if ok && m.budget() {
				checkRoom(p, e, m)
			}
		}
	},
})

// contextPath is where the longest context of an engine is, or would be, written.
func (q Part) contextPath() model.Path {
	if q.State("args", "max-model-len") == model.Present {
		return q.At("args", "max-model-len", 0)
	}
	return q.At("args", "max-model-len")
}

func checkRoom(p *Pass, e Part, m memory) {
	certain, need := m.room(0), m.sequence()
	likely := m.room(overheadGiB)
	figure := model.Figure{Name: "KV cache of one sequence per GPU", Value: math.Round(need*100) / 100, Unit: "GiB", Formula: m.sequenceFormula(), Limit: new(math.Round(certain*100) / 100)}
	p.Measure(figure)
	if certain <= 0 || need <= likely {
		return // weights that do not fit are a rule of their own
	}
	written, _ := e.Int("context", "value")
	left := "of " + gib(m.gib) + " GiB are left after the weights"
	if m.cache > 0 {
		left = "are set aside by --kv-cache-memory-bytes"
	}
	var r *Report
	if need > certain {
		r = p.Report(e.contextPath(), "one sequence of %d tokens needs %s GiB of %s KV cache per GPU and at most %s GiB %s%s: the engine stops at start with \"To serve at least one request with the model's max seq len (%d)\"",
			written, gib(need), m.dtype, gib(certain), left, m.on(), written)
	} else {
		r = p.Report(e.contextPath(), "one sequence of %d tokens needs %s GiB of %s KV cache per GPU and %s GiB %s%s, %d GiB less with what activations and CUDA graphs usually take: the engine may stop at start with \"To serve at least one request with the model's max seq len (%d)\"",
			written, gib(need), m.dtype, gib(certain), left, m.on(), overheadGiB, written).Severity(model.Warning)
	}
	r.Figure(figure)
	if e.State("model") == model.Present {
		r.Related(e.At("model"), "%s", m.weightsText())
	}
	if n := m.longest(); n > 0 {
		r.Fix(model.Fix{Ops: []model.Op{model.Set(e.contextPath(), strconv.Itoa(n))}})
	}
}

// longest is the longest context that fits with the usual overhead, in whole thousands of 1024 tokens; 0 when none does.
func (m *memory) longest() int {
	room := m.room(overheadGiB) * knowledge.GiB
	low, high := 0, int(m.context)/1024
	for low < high {
		mid := (low + high + 1) / 2
		if m.geometry.SequenceBytesPerGPU(m.width, float64(mid)*1024, m.tensor, m.pipeline) <= room {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low * 1024
}

// sequenceFormula is how the cache of one sequence comes about.
func (m *memory) sequenceFormula() string {
	g := &m.geometry
	s := model.Number(m.context) + " tokens x "
	if g.LatentDim > 0 {
		s += model.Number(float64(g.FullLayers)) + " layers x " + model.Number(float64(g.LatentDim)) + " (latent)"
	} else {
		s += "2 x " + model.Number(float64(g.FullLayers)) + " layers x " + model.Number(float64(g.KVHeads)) + " KV heads x " + model.Number(float64(g.HeadDim))
	}
	s += " x " + model.Number(m.width) + " bytes"
	if g.LatentDim == 0 && m.tensor > 1 {
		s += " / " + strconv.Itoa(min(m.tensor, max(1, g.KVHeads))) + " GPUs"
	}
	if m.pipeline > 1 {
		s += " / " + strconv.Itoa(m.pipeline) + " stages"
	}
	if g.WindowLayers > 0 {
		s += ", plus " + strconv.Itoa(g.WindowLayers) + " layers of at most " + strconv.Itoa(g.Window) + " tokens"
	}
	return s
}

// weightsText says what the weights take.
func (m *memory) weightsText() string {
	if m.weights == 0 {
		return "the weights are not counted"
	}
	s := "at least " + gib(m.weights) + " GiB of weights per GPU: " + model.Number(m.geometry.Parameters) + " billion parameters in " + m.precision
	if n := m.shards * m.pipeline; n > 1 {
		s += " over " + strconv.Itoa(n) + " GPUs"
	}
	return s
}

// checkBlocks checks a written number of blocks, which replaces the computation. Hybrid models share blocks between
// groups of layers, and an unwritten block size is the backend's choice.
func checkBlocks(p *Pass, e Part, text string) {
	g, ok := e.geometry()
	blocks, err := strconv.ParseInt(text, 10, 64)
	size, ok2 := e.ArgInt("block-size", 0)
	context, ok3 := e.Int("context", "value")
	if !ok || !e.contextSeen() || err != nil || !ok2 || !ok3 || size <= 0 || size > 1<<20 || blocks <= 0 || blocks > 1<<40 || g.FullLayers != g.Layers {
		return
	}
	if tokens := blocks * size; tokens < context {
		p.Report(e.contextPath(), "--num-gpu-blocks-override %d with --block-size %d makes a KV cache of %d tokens, and one sequence may have %d: the engine stops at start with \"To serve at least one request with the model's max seq len (%d)\"",
			blocks, size, tokens, context, context).
			Related(e.At("args", "num-gpu-blocks-override", 0), "%d blocks of %d tokens", blocks, size).
			Fix(model.Fix{Ops: []model.Op{model.Set(e.contextPath(), strconv.FormatInt(tokens, 10))}})
	}
}
