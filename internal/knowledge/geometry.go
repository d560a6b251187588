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
	// Precision of the weights in the repository: bf16, fp8, int8, int4, mxfp4 or nvfp4; see WeightBytes.
	Precision  string
	Confidence string // high (read from a config), medium (from another project's table, or found by name only), low
	Note       string
	Source     string
	Match      Match // Exact; Nearest when the id is a quantised copy or another organisation's repository with the same name
}

// geometryColumns is the header of data/models.tsv. ids holds hub ids as their owners write them, names further globs in lower case; both are separated
// by commas, and * is any text.
const geometryColumns = "family\tname\tids\tnames\tlayers\tfull_layers\twindow_layers\twindow\theads\tkv_heads\thead_dim\twindow_kv_heads\twindow_head_dim\tlatent_dim\tcontext\tparameters\tprecision\tconfidence\tnote\tsource"

// maxModelID bounds what Model and NearestModel look at.
const maxModelID = 256

// Model returns the shape of a model by its hub id (Qwen/Qwen3-8B), in any case. A quantised copy (-AWQ, -GPTQ-Int4, -FP8, -NVFP4, -quantized.w4a16, ...)
// has the shape of its base and its own precision; a repository of another organisation is found by its name, with medium confidence at most. Paths,
// URLs and names without an organisation are not resolved.
func Model(id string) (Geometry, bool) {
	id = strings.TrimSpace(id)
	if len(id) > maxModelID || !isHubID(id) {
		return Geometry{}, false
	}
	id = strings.ToLower(id)
	precision := ""
	for {
		if g, ok := findModel(id, true); ok {
			if precision != "" {
				g.Precision, g.Match = precision, Nearest
			}
			return g, true
		}
		if g, ok := findModel(id, false); ok {
			if precision != "" {
				g.Precision = precision
			}
			g.Match = Nearest
			if g.Confidence == "high" {
				g.Confidence = "medium"
			}
			return g, true
		}
		base, p := cutQuantisation(id)
		if base == id {
			return Geometry{}, false
		}
		if precision == "" {
			precision = p
		}
		id = base
	}
}

// NearestModel returns the hub id in the table that a spelling most likely stands for: the shortest one that it begins, else the closest by letters.
func NearestModel(id string) (string, bool) {
	id = strings.ToLower(strings.TrimSpace(id))
	if id == "" || len(id) > maxModelID {
		return "", false
	}
	begins, closest := "", ""
	limit := max(2, len(id)/4)
	least := limit + 1
	for i := range models.len() {
		for known := range strings.SplitSeq(modelIDs(models.line(i)), ",") {
			lower := strings.ToLower(known)
			if len(id) >= 6 && strings.HasPrefix(lower, id) && (begins == "" || len(known) < len(begins)) {
				begins = known
			}
			if d := Distance(id, lower, limit); d < least {
				least, closest = d, known
			}
		}
	}
	if begins != "" {
		return begins, true
	}
	return closest, closest != ""
}

// isHubID reports whether a text has the form owner/name.
func isHubID(id string) bool {
	owner, name, ok := strings.Cut(id, "/")
	return ok && owner != "" && owner[0] != '.' && owner[0] != '~' && name != "" && !strings.Contains(name, "/") && !strings.Contains(id, ":")
}

// quantisations are the parts of a name that say how its weights were quantised, and to what; empty for parts that only accompany others.
var quantisations = [...][2]string{
	{"awq", "int4"}, {"gptq", "int4"}, {"gptqmodel", "int4"}, {"autoround", "int4"}, {"auto-round", "int4"}, {"w4a16", "int4"}, {"int4", "int4"}, {"4bit", "int4"},
	{"w8a16", "int8"}, {"w8a8", "int8"}, {"int8", "int8"}, {"8bit", "int8"},
	{"fp8", "fp8"}, {"float8", "fp8"}, {"nvfp4", "nvfp4"}, {"fp4", "nvfp4"}, {"w4a4", "nvfp4"}, {"mxfp4", "mxfp4"}, {"bf16", "bf16"},
	{"quantized", ""}, {"dynamic", ""}, {"block", ""}, {"kv", ""}, {"bnb", ""}, {"marlin", ""}, {"sym", ""}, {"asym", ""}, {"128g", ""}, {"g128", ""},
}

// cutQuantisation removes the last part of a lower-case name when it tells a quantisation.
func cutQuantisation(id string) (base, precision string) {
	for _, q := range quantisations {
		if rest, ok := strings.CutSuffix(id, q[0]); ok && len(rest) > 1 && strings.IndexByte("-_.", rest[len(rest)-1]) >= 0 {
			return rest[:len(rest)-1], q[1]
		}
	}
	return id, ""
}

// findModel looks for a lower-case id, with its organisation or by its name alone. The longest matching pattern decides.
func findModel(id string, owner bool) (Geometry, bool) {
	if !owner {
		id = id[strings.IndexByte(id, '/')+1:]
	}
	bestLen, best := -1, ""
	for i := range models.len() {
		line := models.line(i)
		for known := range strings.SplitSeq(modelIDs(line), ",") {
			if !owner {
				known = known[strings.IndexByte(known, '/')+1:]
			}
			if len(known) == len(id) && len(known) > bestLen && strings.EqualFold(known, id) {
				bestLen, best = len(known), line
			}
		}
		if !owner {
			continue
		}
		names := modelNames(line)
		for pattern := range strings.SplitSeq(names, ",") {
			if pattern != "" && len(pattern) > bestLen && glob(pattern, id) {
				bestLen, best = len(pattern), line
			}
		}
	}
	if bestLen < 0 {
		return Geometry{}, false
	}
	return parseGeometry(best), true
}

// modelIDs returns the ids column of a line.
func modelIDs(line string) string { return column(line, 2) }

// modelNames returns the names column of a line.
func modelNames(line string) string { return column(line, 3) }

func column(line string, n int) string {
	for range n {
		_, line = cell(line)
	}
	c, _ := cell(line)
	return c
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
	_, line = cell(line)
	for _, field := range []*int{&g.Layers, &g.FullLayers, &g.WindowLayers, &g.Window, &g.Heads, &g.KVHeads, &g.HeadDim, &g.WindowKVHeads, &g.WindowHeadDim, &g.LatentDim, &g.Context} {
		var text string
		text, line = cell(line)
		*field, _ = strconv.Atoi(text) // empty is not known; a test refuses anything else
	}
	var text string
	text, line = cell(line)
	g.Parameters, _ = strconv.ParseFloat(text, 64)
	g.Precision, line = cell(line)
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

// FindGPU returns an accelerator by its name in the table, or by a node label or cloud name (NVIDIA-H100-80GB-HBM3, nvidia-l4, p5.48xlarge), in any case.
// A slice (NVIDIA-A100-SXM4-80GB-MIG-3g.40gb, nvidia.com/mig-3g.40gb) has the memory of its profile. A name that stands for several sizes, such as
// A100, is not resolved.
func FindGPU(label string) (GPU, bool) {
	const longest = 128
	if len(label) > longest {
		return GPU{}, false
	}
	label = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(label), " ", "-"))
	if g, ok := slice(label); ok {
		return g, true
	}
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

// slice reads a MIG profile at the end of a label: mig-<compute>g.<memory>gb.
func slice(label string) (GPU, bool) {
	i := strings.LastIndex(label, "mig-")
	if i < 0 {
		return GPU{}, false
	}
	profile := label[i+len("mig-"):]
	compute, memory, ok := strings.Cut(profile, "g.")
	size, ok2 := strings.CutSuffix(memory, "gb")
	n, err := strconv.Atoi(size)
	if _, err2 := strconv.Atoi(compute); !ok || !ok2 || err != nil || err2 != nil || n <= 0 || n > 1024 {
		return GPU{}, false
	}
	return GPU{Name: "MIG-" + strings.ToUpper(profile), GiB: float64(n), Confidence: "medium", Note: "a slice; the profile's size taken as GiB", Source: "the profile's name"}, true
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
