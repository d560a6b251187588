package rules

import (
	"math"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

// overheadGiB is what activations, CUDA graphs and the runtime take of each GPU as a rule: 1.5 to 4 GiB. Findings that
// are certain count nothing.
const overheadGiB = 3

// memory is what decides how many tokens an engine's GPUs hold.
type memory struct {
	geometry knowledge.Geometry
	// gpu is the accelerator's name, empty when only its memory is known; gib the memory of one.
	gpu string
	gib float64
	// tensor and pipeline are the parallel sizes; shards is what the weights are divided by at most.
	tensor, pipeline, shards int
	// fraction is --gpu-memory-utilization; cache replaces the computation when it is written, in GiB per GPU.
	fraction, cache float64
	// weights is the least memory of the weights per GPU in GiB; 0 when their precision is not known.
	weights float64
	// precision is that of the weights, dtype that of the cache and width its least bytes per element.
	precision, dtype string
	width            float64
	// context is the longest sequence in tokens, 0 when it is not known.
	context float64
}

// memory returns what an engine's memory is made of. It is false when something that decides is not known; a missing
// GPU is then reported as unchecked, since a fact settles it.
func (q Part) memory() (m memory, ok bool) {
	name, _ := q.Text("model")
	if m.geometry, ok = q.geometry(); !ok || q.ArgOn("hf-overrides") {
		return m, false
	}
	for _, flag := range [...]string{"cpu-offload-gb", "offload-backend", "offload-group-size", "offload-num-in-group"} {
		if text, state := q.Arg(flag); state == model.Unseen || state == model.Present && text != "0" {
			return m, false
		}
	}
	for _, flag := range [...]string{"decode-context-parallel-size", "prefill-context-parallel-size"} {
		if n, ok := q.ArgInt(flag, 1); !ok || n != 1 {
			return m, false
		}
	}
	sizes := [3]int{}
	for i, flag := range [...]string{"tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size"} {
		n, ok := q.ArgInt(flag, 1)
		if !ok || n < 1 || n > 1<<16 {
			return m, false
		}
		sizes[i] = int(n)
	}
	m.tensor, m.pipeline = sizes[0], sizes[1]
	// Experts are spread over data-parallel ranks too (vllm 0.29.0, model_executor/layers/fused_moe/config.py).
	m.shards = m.tensor * sizes[2]
	if !q.fraction(&m) || !q.widths(name, &m) {
		return m, false
	}
	m.weights, _ = m.geometry.WeightsGiB(m.precision, m.shards, m.pipeline)
	if n, ok := q.Int("context", "value"); ok && q.contextSeen() {
		m.context = float64(n)
	}
	gib, ok := q.Get("gpu", "gib").AsFloat(false)
	if !ok || gib <= 0 {
		q.pass.Unchecked("gpu")
		return m, false
	}
	m.gib = gib
	if label, ok := q.Text("gpu", "name"); ok {
		m.gpu = label
		if g, ok := knowledge.FindGPU(label); ok {
			m.gpu = g.Name
		}
	}
	return m, true
}

// fraction reads how much of a GPU the engine takes.
func (q Part) fraction(m *memory) bool {
	m.fraction = 0.92
	if !q.AtLeast("0.20.0") {
		m.fraction = 0.9
	}
	switch text, state := q.Arg("gpu-memory-utilization"); state {
	case model.Unseen:
		return false
	case model.Present:
		x, ok := model.NewText(text, model.Origin{}).AsFloat(true)
		if !ok || x <= 0 || x > 1 {
			return false
		}
		m.fraction = x
	}
	bytes, ok := q.ArgInt("kv-cache-memory-bytes", 0)
	m.cache = float64(bytes) / knowledge.GiB
	return ok && bytes >= 0
}

// widths reads the precision of the weights and of the cache.
func (q Part) widths(name string, m *memory) bool {
	quantization, state := q.Arg("quantization")
	dtype, state2 := q.Arg("dtype")
	cache, state3 := q.Arg("kv-cache-dtype")
	if state == model.Unseen || state2 == model.Unseen || state3 == model.Unseen {
		return false
	}
	m.precision = m.geometry.Precision
	if quantization != "" && m.precision == "bf16" {
		// Only fp8 is made out of a checkpoint in 16 bits; anything else says that the checkpoint is quantised in a way its
		// name does not tell.
		m.precision = ""
		if quantization == "fp8" {
			m.precision = "fp8"
		}
	}
	m.dtype = cache
	if cache == "" || cache == "auto" {
		m.dtype = "16-bit"
		m.width = 2
		switch {
		case m.geometry.Match != knowledge.Exact || quantization != "" || declaresCacheScales(name):
			// A quantised checkpoint may bring an fp8 cache with it.
			m.width = 1
			m.dtype = "8- or 16-bit"
		case dtype == "float32" || dtype == "float":
			m.width, m.dtype = 4, "32-bit"
		}
		return true
	}
	var ok bool
	m.width, ok = knowledge.KVElementBytes(cache)
	return ok
}

// declaresCacheScales reports whether a checkpoint's name says that it holds scales of an fp8 cache.
func declaresCacheScales(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	for _, word := range [...]string{"fp8-kv", "kv-fp8", "fp8kv", "kvfp8", "kv-cache-fp8", "kv8", "fp8-dynamic-kv", "-kv-"} {
		if strings.Contains(name+"-", word) {
			return true
		}
	}
	return false
}

// room is the memory of one GPU that is left for the cache in GiB, with some overhead.
func (m *memory) room(overhead float64) float64 {
	if m.cache > 0 {
		return m.cache
	}
	return knowledge.CacheRoomGiB(m.gib, m.fraction, m.weights, overhead)
}

// sequence is the cache of one sequence of the longest context on one GPU in GiB.
func (m *memory) sequence() float64 {
	return m.geometry.SequenceBytesPerGPU(m.width, m.context, m.tensor, m.pipeline) / knowledge.GiB
}

// sequences is how many sequences of the longest context fit, rounded down.
func (m *memory) sequences(overhead float64) int {
	return int(math.Floor(min(m.geometry.MaxSequences(m.room(overhead), m.width, m.context, m.tensor, m.pipeline), 1e9)))
}

// budget reports whether the computation of sequences holds: the cache, the weights and the context are known.
func (m *memory) budget() bool {
	return m.geometry.CacheKnown() && m.context > 0 && (m.weights > 0 || m.cache > 0)
}

// on names the accelerator in a message: " (H100-80GB)".
func (m *memory) on() string {
	if m.gpu == "" {
		return ""
	}
	return " (" + model.Quote(m.gpu) + ")"
}

// contextSeen reports whether a context that is said to be written really is.
func (q Part) contextSeen() bool {
	from, ok := q.Text("context", "source")
	_, state := q.Arg("max-model-len")
	return ok && (from != "args" || state == model.Present)
}

// geometry returns the shape of an engine's model: of its config.json among the files, else of the table.
func (q Part) geometry() (knowledge.Geometry, bool) {
	name, ok := q.Text("model")
	if !ok {
		return knowledge.Geometry{}, false
	}
	switch q.State("model_config") {
	case model.Unseen:
		return knowledge.Geometry{}, false
	case model.Present:
		if config, ok := q.Get("model_config").Plain().(map[string]any); ok {
			return knowledge.GeometryOf(config)
		}
	}
	return knowledge.Model(name)
}

// gib writes a memory as messages do, with one decimal.
func gib(x float64) string { return model.Number(math.Round(x*10) / 10) }
