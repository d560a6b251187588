package knowledge

import (
	"encoding/json"
	"math"
	"testing"
)

// Configurations in the fields that count, and what the table says of the same models.
func TestGeometryOf(t *testing.T) {
	for _, c := range []struct {
		id, config string
		billions   float64 // lower bound that must be reached, next to the true number
	}{
		{"Qwen/Qwen3-8B", `{"architectures":["Qwen3ForCausalLM"],"head_dim":128,"hidden_act":"silu","hidden_size":4096,"intermediate_size":12288,"max_position_embeddings":40960,
			"num_attention_heads":32,"num_hidden_layers":36,"num_key_value_heads":8,"rope_scaling":null,"sliding_window":null,"tie_word_embeddings":false,"torch_dtype":"bfloat16",
			"use_sliding_window":false,"vocab_size":151936}`, 8.1},
		{"Qwen/Qwen3-30B-A3B", `{"head_dim":128,"hidden_act":"silu","hidden_size":2048,"intermediate_size":6144,"max_position_embeddings":40960,"moe_intermediate_size":768,"mlp_only_layers":[],
			"decoder_sparse_step":1,"num_attention_heads":32,"num_experts":128,"num_hidden_layers":48,"num_key_value_heads":4,"tie_word_embeddings":false,"torch_dtype":"bfloat16","vocab_size":151936}`, 30.4},
		{"meta-llama/Llama-3.3-70B-Instruct", `{"hidden_act":"silu","hidden_size":8192,"intermediate_size":28672,"max_position_embeddings":131072,"num_attention_heads":64,"num_hidden_layers":80,
			"num_key_value_heads":8,"rope_scaling":{"factor":8.0,"rope_type":"llama3","original_max_position_embeddings":8192},"tie_word_embeddings":false,"torch_dtype":"bfloat16","vocab_size":128256}`, 70.4},
		{"openai/gpt-oss-20b", `{"head_dim":64,"hidden_act":"silu","hidden_size":2880,"intermediate_size":2880,"max_position_embeddings":131072,"num_attention_heads":64,"num_hidden_layers":24,
			"num_key_value_heads":8,"num_local_experts":32,"sliding_window":128,"tie_word_embeddings":false,"vocab_size":201088,"quantization_config":{"quant_method":"mxfp4"},
			"layer_types":["sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention",
			"sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention"]}`, 20.7},
		{"google/gemma-3-27b-it", `{"text_config":{"head_dim":128,"hidden_size":5376,"intermediate_size":21504,"max_position_embeddings":131072,"num_attention_heads":32,"num_hidden_layers":62,"num_key_value_heads":16,
			"sliding_window":1024,"sliding_window_pattern":6,"vocab_size":262208},"torch_dtype":"bfloat16"}`, 18},
		{"deepseek-ai/DeepSeek-V3", `{"hidden_act":"silu","hidden_size":7168,"intermediate_size":18432,"kv_lora_rank":512,"qk_rope_head_dim":64,"max_position_embeddings":163840,"moe_intermediate_size":2048,"moe_layer_freq":1,
			"first_k_dense_replace":3,"n_routed_experts":256,"num_attention_heads":128,"num_hidden_layers":61,"num_key_value_heads":128,"v_head_dim":128,"vocab_size":129280,"quantization_config":{"quant_method":"fp8"},
			"rope_scaling":{"type":"yarn","factor":40,"original_max_position_embeddings":4096}}`, 650},
		{"Qwen/Qwen3-Next-80B-A3B-Instruct", `{"full_attention_interval":4,"head_dim":256,"hidden_act":"silu","hidden_size":2048,"intermediate_size":5120,"max_position_embeddings":262144,"moe_intermediate_size":512,"mlp_only_layers":[],
			"num_attention_heads":16,"num_experts":512,"num_hidden_layers":48,"num_key_value_heads":2,"vocab_size":151936,"dtype":"bfloat16"}`, 77},
	} {
		var config map[string]any
		if err := json.Unmarshal([]byte(c.config), &config); err != nil {
			t.Fatal(c.id, err)
		}
		got, ok := GeometryOf(config)
		want := model(t, c.id)
		if !ok || got.Layers != want.Layers || got.Heads != want.Heads || got.FullLayers != want.FullLayers || got.WindowLayers != want.WindowLayers || got.Window != want.Window ||
			got.KVHeads != want.KVHeads || got.HeadDim != want.HeadDim || got.LatentDim != want.LatentDim || got.Context != want.Context || got.Precision != want.Precision {
			t.Errorf("%s: %+v, the table has %+v", c.id, got, want)
		}
		if math.Abs(got.SequenceBytes(2, 100000)-want.SequenceBytes(2, 100000)) > 1 {
			t.Errorf("%s: a sequence of %v bytes, the table has %v", c.id, got.SequenceBytes(2, 100000), want.SequenceBytes(2, 100000))
		}
		if got.Parameters < c.billions || got.Parameters > want.Parameters*1.001 {
			t.Errorf("%s: %v billion parameters, want %v to %v", c.id, got.Parameters, c.billions, want.Parameters)
		}
	}
}

func TestGeometryOfUnknown(t *testing.T) {
	for name, config := range map[string]map[string]any{
		"empty":            {},
		"no heads":         {"num_hidden_layers": 2.0},
		"negative":         {"num_hidden_layers": -2.0, "num_attention_heads": 2.0},
		"huge":             {"num_hidden_layers": 1e300, "num_attention_heads": 2.0},
		"text for numbers": {"num_hidden_layers": "2", "num_attention_heads": "2"},
	} {
		if g, ok := GeometryOf(config); ok {
			t.Errorf("%s: %+v", name, g)
		}
	}
	base := func(k string, v any) map[string]any {
		return map[string]any{"num_hidden_layers": 4.0, "num_attention_heads": 8.0, "hidden_size": 512.0, "max_position_embeddings": 4096.0, k: v}
	}
	for name, config := range map[string]map[string]any{
		"blocks": base("block_configs", []any{}), "sliding from some layer on": base("use_sliding_window", true), "compressed": base("compress_ratios", []any{4.0}),
	} {
		if g, ok := GeometryOf(config); !ok || g.CacheKnown() {
			t.Errorf("%s: the cache counts as known: %+v", name, g)
		}
	}
	if g, _ := GeometryOf(base("quantization_config", map[string]any{"quant_method": "compressed-tensors"})); g.Precision != "" {
		t.Errorf("precision %q of an unknown quantisation", g.Precision)
	}
	if g, _ := GeometryOf(base("multi_query", true)); g.KVHeads != 1 {
		t.Errorf("multi_query has %d KV heads", g.KVHeads)
	}
}

func FuzzGeometryOf(f *testing.F) {
	f.Add(`{"num_hidden_layers":4,"num_attention_heads":8,"hidden_size":512,"layer_types":["full_attention"]}`)
	f.Add(`{"text_config":{"num_hidden_layers":4,"num_attention_heads":0,"kv_lora_rank":1e9}}`)
	f.Fuzz(func(t *testing.T, s string) {
		var config map[string]any
		if json.Unmarshal([]byte(s), &config) != nil {
			return
		}
		if g, ok := GeometryOf(config); ok && (g.FullLayers < 0 || g.WindowLayers < 0 || g.BytesPerToken(2) < 0 || math.IsNaN(g.Parameters) || g.Parameters < 0) {
			t.Errorf("%s: %+v", s, g)
		}
	})
}
