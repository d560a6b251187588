package knowledge

import (
	"math"
	"strings"
)

// GiB is 2^30 bytes.
const GiB = 1 << 30

// CacheKnown reports whether the growth of the cache per token is known; it is not for some sparse attentions.
func (g Geometry) CacheKnown() bool { return g.BytesPerToken(1) > 0 }

// BytesPerToken returns how much the cache of the whole model grows per token of context, over the full-attention layers; width is bytes per
// element, see KVElementBytes.
//
//	2 x full layers x KV heads x head dim x width, or with latent attention layers x latent dim x width
func (g Geometry) BytesPerToken(width float64) float64 {
	if g.LatentDim > 0 {
		return float64(g.FullLayers) * float64(g.LatentDim) * width
	}
	return 2 * float64(g.FullLayers) * float64(g.KVHeads) * float64(g.HeadDim) * width
}

// BytesPerTokenPerGPU returns the growth per token on one of tensor x pipeline GPUs. Tensor parallelism divides the KV heads, down to one per GPU:
// with more GPUs than KV heads each head is held several times. It does not divide a latent vector. Pipeline parallelism divides the layers.
//
//	BytesPerToken x ceil(KV heads / tensor) / KV heads / pipeline
func (g Geometry) BytesPerTokenPerGPU(width float64, tensor, pipeline int) float64 {
	return g.BytesPerToken(width) * headShare(g.KVHeads, g.LatentDim, tensor) / atLeastOne(pipeline)
}

// headShare is the part of a layer's cache that one of tensor GPUs holds.
func headShare(heads, latent, tensor int) float64 {
	if latent > 0 || heads <= 0 || tensor <= 1 {
		return 1
	}
	return math.Ceil(float64(heads)/float64(tensor)) / float64(heads)
}

func atLeastOne(n int) float64 { return float64(max(1, n)) }

// WindowBytes returns what the sliding-window layers add per sequence of at least Window tokens.
//
//	2 x window layers x window KV heads x window head dim x window x width
func (g Geometry) WindowBytes(width float64) float64 {
	return 2 * float64(g.WindowLayers) * float64(g.WindowKVHeads) * float64(g.WindowHeadDim) * float64(g.Window) * width
}

// SequenceBytes returns the cache of one sequence in the whole model: a lower bound, since hybrid models pad the pages of their layer groups.
//
//	BytesPerToken x tokens + WindowBytes x min(tokens, window) / window
func (g Geometry) SequenceBytes(width, tokens float64) float64 {
	return g.SequenceBytesPerGPU(width, tokens, 1, 1)
}

// SequenceBytesPerGPU is SequenceBytes on one of tensor x pipeline GPUs.
func (g Geometry) SequenceBytesPerGPU(width, tokens float64, tensor, pipeline int) float64 {
	tokens = positive(tokens)
	bytes := g.BytesPerTokenPerGPU(width, tensor, pipeline) * tokens
	if g.Window > 0 {
		window := min(tokens, float64(g.Window)) / float64(g.Window)
		bytes += g.WindowBytes(width) * window * headShare(g.WindowKVHeads, 0, tensor) / atLeastOne(pipeline)
	}
	return bytes
}

// positive turns negative numbers and NaN into 0.
func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return 0
}

// RoundToBlocks returns tokens rounded up to whole blocks of the cache.
func RoundToBlocks(tokens float64, block int) float64 {
	if block <= 1 {
		return positive(tokens)
	}
	return math.Ceil(positive(tokens)/float64(block)) * float64(block)
}

// KVElementBytes returns the bytes per element of a --kv-cache-dtype, without the scales of 8-bit types, and false for a type that is not known. auto is
// the width of the model's own type, which is two bytes for every model in the table that does not say otherwise in its configuration.
func KVElementBytes(dtype string) (float64, bool) {
	switch d := strings.ToLower(dtype); {
	case d == "", d == "auto", d == "bfloat16", d == "bf16", d == "float16", d == "fp16", d == "half":
		return 2, true
	case d == "float32", d == "float":
		return 4, true
	case strings.HasPrefix(d, "fp8"), strings.HasPrefix(d, "int8"):
		return 1, true
	case strings.HasPrefix(d, "int4"), strings.HasPrefix(d, "nvfp4"), strings.HasSuffix(d, "_4bit"):
		return 0.5, true
	}
	return 0, false
}

// WeightBytes returns the least and the most bytes per parameter of a precision: 2 for bf16, 1 to 1.05 for 8-bit types (scales), 0.5 to 0.7 for 4-bit
// types (scales, and layers left in 16 bits), and 0, 0 for one that is not known.
func WeightBytes(precision string) (least, most float64) {
	switch strings.ToLower(precision) {
	case "fp32", "float32", "float":
		return 4, 4
	case "bf16", "bfloat16", "fp16", "float16", "half":
		return 2, 2
	case "fp8", "int8", "w8a8", "w8a16":
		return 1, 1.05
	case "int4", "awq", "awq_marlin", "gptq", "gptq_marlin", "mxfp4", "nvfp4", "fp4", "w4a16", "4bit":
		return 0.5, 0.7
	}
	return 0, 0
}

// WeightsGiB returns the least and the most memory of the weights on one of tensor x pipeline GPUs, 0, 0 when parameters or precision are not known. All
// parameters count, the inactive experts too.
//
//	parameters x 10^9 x WeightBytes / (tensor x pipeline) / 2^30
func (g Geometry) WeightsGiB(precision string, tensor, pipeline int) (least, most float64) {
	least, most = WeightBytes(precision)
	scale := g.Parameters * 1e9 / (atLeastOne(tensor) * atLeastOne(pipeline)) / GiB
	return least * scale, most * scale
}

// CacheRoomGiB returns the memory of one GPU that is left for the cache; it is negative when the weights alone do not fit. fraction is
// --gpu-memory-utilization, overhead what activations, CUDA graphs and the runtime take (1.5 to 4 GiB as a rule).
//
//	memory x fraction - weights - overhead
func CacheRoomGiB(memory, fraction, weights, overhead float64) float64 {
	return memory*fraction - weights - overhead
}

// MaxSequences returns how many sequences of a length fit into room GiB per GPU, as a fraction; 0 when the cache is not known or room is not positive.
//
//	room x 2^30 / SequenceBytesPerGPU
func (g Geometry) MaxSequences(room, width, tokens float64, tensor, pipeline int) float64 {
	bytes := g.SequenceBytesPerGPU(width, tokens, tensor, pipeline)
	if !(bytes > 0) || math.IsInf(bytes, 1) {
		return 0
	}
	return positive(room) * GiB / bytes
}

// TensorParallel reports whether a degree of tensor parallelism divides the model. heads is false when the query heads cannot be divided, kv when the KV
// heads are neither divided nor repeated evenly; unknown numbers divide.
//
//	heads mod n = 0, and KV heads mod n = 0 or n mod KV heads = 0
func (g Geometry) TensorParallel(n int) (heads, kv bool) {
	if n <= 1 {
		return true, true
	}
	heads = g.Heads%n == 0
	kv = g.LatentDim > 0 || g.KVHeads <= 0 || g.KVHeads%n == 0 || n%g.KVHeads == 0
	return heads, kv
}
