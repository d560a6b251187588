package knowledge

import (
	"math"
	"slices"
	"strings"
)

// modelConfig is the part of a config.json that describes the language model.
type modelConfig map[string]any

// GeometryOf returns the shape of a model from its config.json, as encoding/json reads it (numbers may be of any type). It is false for one that
// does not say enough. Parameters is a lower bound: embeddings, attention and feed-forward layers, without what other kinds of layers add.
func GeometryOf(config map[string]any) (Geometry, bool) {
	c := modelConfig(config)
	for _, part := range [...]string{"text_config", "llm_config", "language_config"} {
		if m, ok := config[part].(map[string]any); ok {
			c = m
		}
	}
	g := Geometry{Source: "config.json", Confidence: "medium", Match: Exact}
	layers, known := c.layers()
	g.Layers = layers
	g.Heads = c.number("num_attention_heads", "n_head")
	if g.Layers <= 0 || g.Heads <= 0 || g.Layers > 1<<16 || g.Heads > 1<<16 {
		return Geometry{}, false
	}
	hidden := c.number("hidden_size", "n_embd", "d_model")
	g.KVHeads = c.kvHeads(g.Heads)
	if g.HeadDim = c.number("head_dim"); g.HeadDim == 0 {
		g.HeadDim = hidden / g.Heads
	}
	g.FullLayers, g.WindowLayers, g.Window = c.split(g.Layers)
	g.WindowKVHeads, g.WindowHeadDim = g.KVHeads, g.HeadDim
	if n := c.number("num_global_key_value_heads"); n > 0 {
		g.KVHeads = n
	}
	if n := c.number("global_head_dim"); n > 0 {
		g.HeadDim = n
	}
	if n := c.number("swa_num_key_value_heads"); n > 0 {
		g.WindowKVHeads = n
	}
	if v := c.number("v_head_dim"); v > 0 && c.number("kv_lora_rank") == 0 {
		// Keys and values of different widths: twice their mean is their sum.
		g.HeadDim, g.WindowHeadDim = (g.HeadDim+v)/2, (g.WindowHeadDim+v)/2
	}
	if rank := c.number("kv_lora_rank"); rank > 0 {
		g.LatentDim, g.KVHeads, g.HeadDim = rank+c.number("qk_rope_head_dim"), 0, 0
	}
	if !known || g.KVHeads == 0 && g.LatentDim == 0 || c["compress_ratios"] != nil {
		g.FullLayers, g.WindowLayers, g.Window = 0, 0, 0
	}
	g.Context = c.context()
	g.Parameters = math.Round(c.parameters(&g, hidden)/1e7) / 100
	g.Precision = modelConfig(config).precision()
	if config["quantization_config"] != nil {
		g.Match = Nearest
	}
	return g, true
}

// number returns the first of some fields that is a positive whole number, else 0.
func (c modelConfig) number(names ...string) int {
	for _, name := range names {
		if x := c.float(name); x > 0 && x == math.Trunc(x) && x < 1<<40 {
			return int(x)
		}
	}
	return 0
}

func (c modelConfig) float(name string) float64 {
	switch x := c[name].(type) {
	case int:
		return float64(x)
	case int64:
		return float64(x)
	case float64:
		return x
	}
	return 0
}

func (c modelConfig) text(name string) string { s, _ := c[name].(string); return s }

func (c modelConfig) part(name string) modelConfig {
	m, _ := c[name].(map[string]any)
	return m
}

// layers returns how many layers there are. It is false when their cache cannot be told from the file: layers without attention by
// block_configs, or sliding windows from some layer on.
func (c modelConfig) layers() (n int, known bool) {
	n = c.number("num_hidden_layers", "n_layer", "num_layers")
	for _, list := range [...]string{"layer_types", "layers_block_type"} {
		if items, ok := c[list].([]any); ok && n == 0 {
			n = len(items)
		}
	}
	if n == 0 {
		n = len(c.text("hybrid_override_pattern"))
	}
	return n, c["block_configs"] == nil && !(c["use_sliding_window"] == true && c["layer_types"] == nil)
}

// kvHeads returns the heads of keys and values, those of the queries when nothing else is written.
func (c modelConfig) kvHeads(heads int) int {
	if n := c.number("num_key_value_heads", "multi_query_group_num", "num_kv_heads"); n > 0 {
		return n
	}
	if c["multi_query"] == true {
		return 1
	}
	return heads
}

// split returns the layers whose cache grows with every token, and those that keep a window.
func (c modelConfig) split(layers int) (full, sliding, window int) {
	window = c.number("sliding_window", "attention_chunk_size")
	for _, list := range [...]string{"layer_types", "layers_block_type"} {
		items, ok := c[list].([]any)
		if !ok {
			continue
		}
		for _, item := range items {
			switch item {
			case "full_attention", "attention":
				full++
			case "sliding_attention", "chunked_attention":
				sliding++
			}
		}
		if sliding == 0 {
			window = 0
		}
		return full, sliding, window
	}
	if pattern := c.text("hybrid_override_pattern"); pattern != "" {
		return strings.Count(pattern, "*"), 0, 0
	}
	if n := c.number("full_attention_interval"); n > 0 {
		return layers / n, 0, 0
	}
	if list, ok := c.part("linear_attn_config")["full_attn_layers"].([]any); ok {
		return len(list), 0, 0
	}
	switch n := c.number("sliding_window_pattern"); {
	case window == 0 || c["use_sliding_window"] == false:
		return layers, 0, 0
	case n > 1:
		return layers / n, layers - layers/n, window
	}
	return 0, layers, window
}

// context returns the longest sequence: of the positions, or of YaRN where that is configured.
func (c modelConfig) context() int {
	n := c.number("max_position_embeddings", "n_positions", "max_sequence_length", "seq_length")
	for _, name := range [...]string{"rope_scaling", "rope_parameters"} {
		rope := c.part(name)
		kind := rope.text("rope_type")
		if kind == "" {
			kind = rope.text("type")
		}
		if original := rope.number("original_max_position_embeddings"); kind == "yarn" && original > 0 && rope.float("factor") > 1 {
			n = max(n, int(float64(original)*min(rope.float("factor"), 1<<20)))
		}
	}
	return n
}

// parameters is a lower bound of the number of parameters.
func (c modelConfig) parameters(g *Geometry, hidden int) float64 {
	h := float64(hidden)
	total := float64(c.number("vocab_size")) * h
	if c["tie_word_embeddings"] == false {
		total *= 2
	}
	if g.LatentDim == 0 {
		attention := 2*h*float64(g.Heads*c.headDim(hidden, g.Heads)) + 2*h*float64(c.kvHeads(g.Heads)*c.headDim(hidden, g.Heads))
		total += attention * float64(g.FullLayers+g.WindowLayers)
	}
	matrices := 2.0
	if act := c.text("hidden_act"); strings.HasPrefix(act, "silu") || strings.HasPrefix(act, "swiglu") {
		matrices = 3
	}
	experts := c.number("num_experts", "num_local_experts", "n_routed_experts")
	width := c.number("moe_intermediate_size", "intermediate_size")
	dense := min(c.number("first_k_dense_replace"), g.Layers)
	everyLayer := max(1, c.number("decoder_sparse_step", "moe_layer_freq")) == 1 && (c["mlp_only_layers"] == nil || emptyList(c["mlp_only_layers"]))
	switch {
	case experts > 1 && everyLayer:
		total += float64(experts) * matrices * h * float64(width) * float64(g.Layers-dense)
	case experts > 1:
	default:
		total += matrices * h * float64(c.number("intermediate_size", "ffn_hidden_size", "n_inner")) * float64(g.FullLayers+g.WindowLayers)
	}
	return total
}

func (c modelConfig) headDim(hidden, heads int) int {
	if n := c.number("head_dim"); n > 0 {
		return n
	}
	return hidden / heads
}

func emptyList(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 0
}

// precision returns what the weights are stored in, empty for a quantisation whose size the file does not tell.
func (c modelConfig) precision() string {
	if q := c.part("quantization_config"); q != nil {
		switch method := q.text("quant_method"); {
		case slices.Contains([]string{"fp8", "mxfp4"}, method):
			return method
		case slices.Contains([]string{"awq", "gptq"}, method) && q.number("bits", "w_bit") == 4:
			return "int4"
		case slices.Contains([]string{"awq", "gptq"}, method) && q.number("bits", "w_bit") == 8:
			return "int8"
		}
		return ""
	}
	dtype := c.text("torch_dtype") + c.text("dtype")
	for _, part := range [...]string{"text_config", "llm_config", "language_config"} {
		dtype += c.part(part).text("torch_dtype") + c.part(part).text("dtype")
	}
	if strings.Contains(dtype, "float32") {
		return "" // vLLM converts it, and what is stored is not what is loaded
	}
	return "bf16"
}
