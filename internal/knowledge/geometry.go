package knowledge

import (
	"strconv"
	"strings"
)

// Geometry is the shape of a model as its config.json gives it, as far as the key-value cache and the weights depend on it. Numbers that
// are not known are 0.
type Geometry struct {
	Family string // organisation on the model hub, lower case: meta-llama
	Name   string // the row: a model name without the organisation, lower case
	// Layers is all layers; FullLayers those whose cache grows with every token; WindowLayers those that keep at most Window tokens.
	// What is left keeps a constant state.
	Layers, FullLayers, WindowLayers int
	Window                           int // tokens
	Heads                            int // query heads
	KVHeads, HeadDim                 int // of the full layers
	WindowKVHeads, WindowHeadDim     int
	// LatentDim is the width of the one vector per token and layer that latent attention (MLA) caches; 0 for other attention.
	LatentDim  int
	Context    int     // longest context of the config without rope scaling, tokens
	Parameters float64 // all parameters, in billions
	Confidence string  // high (read from a config), medium (from another project's table), low
	Note       string
	Source     string
}

// geometryColumns is the header of data/models.tsv. names holds globs of hub ids in lower case, separated by commas; * is any text.
const geometryColumns = "family\tname\tnames\tlayers\tfull_layers\twindow_layers\twindow\theads\tkv_heads\thead_dim\twindow_kv_heads\twindow_head_dim\tlatent_dim\tcontext\tparameters\tconfidence\tnote\tsource"

// BytesPerToken returns how much the cache of the whole model grows per token of context, over the full-attention layers;
// width is bytes per element: 2 for bf16, 1 for fp8.
func (g Geometry) BytesPerToken(width float64) float64 {
	if g.LatentDim > 0 {
		return float64(g.FullLayers*g.LatentDim) * width
	}
	return float64(2*g.FullLayers*g.KVHeads*g.HeadDim) * width
}

// WindowBytes returns what the sliding-window layers add per sequence of at least Window tokens.
func (g Geometry) WindowBytes(width float64) float64 {
	return float64(2*g.WindowLayers*g.WindowKVHeads*g.WindowHeadDim*g.Window) * width
}

// Model returns the shape of a model by its hub id (Qwen/Qwen3-8B), in any case; a path or an alias is not resolved. The longest matching
// pattern decides.
func Model(id string) (Geometry, bool) {
	const longest = 256
	if len(id) > longest {
		return Geometry{}, false
	}
	id = strings.ToLower(id)
	bestLen, best := -1, ""
	for i := range models.len() {
		line := models.line(i)
		_, rest := cell(line)
		_, rest = cell(rest)
		names, _ := cell(rest)
		for pattern := range strings.SplitSeq(names, ",") {
			if len(pattern) > bestLen && glob(pattern, id) {
				bestLen, best = len(pattern), line
			}
		}
	}
	if bestLen < 0 {
		return Geometry{}, false
	}
	return parseGeometry(best), true
}

// Models returns every row, sorted by family and name.
func Models() []Geometry {
	out := make([]Geometry, models.len())
	for i := range out {
		out[i] = parseGeometry(models.line(i))
	}
	return out
}

func parseGeometry(line string) Geometry {
	var g Geometry
	g.Family, line = cell(line)
	g.Name, line = cell(line)
	_, line = cell(line)
	for _, field := range []*int{&g.Layers, &g.FullLayers, &g.WindowLayers, &g.Window, &g.Heads, &g.KVHeads, &g.HeadDim, &g.WindowKVHeads, &g.WindowHeadDim, &g.LatentDim, &g.Context} {
		var text string
		text, line = cell(line)
		*field, _ = strconv.Atoi(text) // empty is not known; a test refuses anything else
	}
	var text string
	text, line = cell(line)
	g.Parameters, _ = strconv.ParseFloat(text, 64)
	g.Confidence, line = cell(line)
	g.Note, line = cell(line)
	g.Source, _ = cell(line)
	g.Note, g.Source = unescape(g.Note), unescape(g.Source)
	return g
}

// glob matches a pattern in which * is any text, without backtracking further than the last star.
func glob(pattern, s string) bool {
	star, mark, i, j := -1, 0, 0, 0
	for j < len(s) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, mark = i, j
			i++
		case i < len(pattern) && pattern[i] == s[j]:
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(pattern) && pattern[i] == '*' {
		i++
	}
	return i == len(pattern)
}

// GPU is one accelerator with the memory that the driver reports.
type GPU struct {
	Name       string  // upper case without the vendor: H100-80GB
	GiB        float64 // memory in GiB (2^30 bytes)
	Confidence string
	Note       string
	Source     string
}

// gpuColumns is the header of data/gpus.tsv. aliases holds globs in lower case, separated by commas: Kubernetes node labels and cloud names.
const gpuColumns = "vendor\tname\taliases\tgib\tconfidence\tnote\tsource"

// FindGPU returns an accelerator by its name in the table, or by a node label or cloud name (NVIDIA-H100-80GB-HBM3, nvidia-l4), in any case.
func FindGPU(label string) (GPU, bool) {
	const longest = 128
	if len(label) > longest {
		return GPU{}, false
	}
	label = strings.ToLower(strings.ReplaceAll(label, " ", "-"))
	bestLen, best := -1, ""
	for i := range gpus.len() {
		line := gpus.line(i)
		_, rest := cell(line)
		name, rest := cell(rest)
		if strings.ToLower(name) == label {
			return parseGPU(line), true
		}
		aliases, _ := cell(rest)
		for pattern := range strings.SplitSeq(aliases, ",") {
			if pattern != "" && len(pattern) > bestLen && glob(pattern, label) {
				bestLen, best = len(pattern), line
			}
		}
	}
	if bestLen < 0 {
		return GPU{}, false
	}
	return parseGPU(best), true
}

// GPUs returns every accelerator, sorted by vendor and name.
func GPUs() []GPU {
	out := make([]GPU, gpus.len())
	for i := range out {
		out[i] = parseGPU(gpus.line(i))
	}
	return out
}

func parseGPU(line string) GPU {
	var g GPU
	var text string
	_, line = cell(line)
	g.Name, line = cell(line)
	_, line = cell(line)
	text, line = cell(line)
	g.GiB, _ = strconv.ParseFloat(text, 64)
	g.Confidence, line = cell(line)
	g.Note, line = cell(line)
	g.Source, _ = cell(line)
	g.Note, g.Source = unescape(g.Note), unescape(g.Source)
	return g
}
