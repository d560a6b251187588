package knowledge

import (
	"math"
	"slices"
	"testing"
)

func model(t *testing.T, id string) Geometry {
	t.Helper()
	g, ok := Model(id)
	if !ok {
		t.Fatalf("no model %s", id)
	}
	return g
}

const mib = 1 << 20

// The growth per token in MiB for bf16, worked out by hand from the configurations.
func TestBytesPerToken(t *testing.T) {
	for _, c := range []struct {
		id   string
		want float64
	}{
		{"meta-llama/Llama-3.2-1B-Instruct", 0.0312}, {"meta-llama/Llama-3.2-3B", 0.1094}, {"meta-llama/Meta-Llama-3.1-8B-Instruct", 0.1250},
		{"meta-llama/Llama-3.3-70B-Instruct", 0.3125}, {"meta-llama/Llama-3.1-405B", 0.4922}, {"meta-llama/Llama-4-Scout-17B-16E", 0.0469},
		{"Qwen/Qwen2.5-0.5B", 0.0117}, {"Qwen/Qwen2.5-1.5B", 0.0273}, {"Qwen/Qwen2.5-3B", 0.0352}, {"Qwen/Qwen2.5-7B-Instruct", 0.0547},
		{"Qwen/Qwen2.5-14B", 0.1875}, {"Qwen/QwQ-32B", 0.2500}, {"Qwen/Qwen2.5-72B-Instruct", 0.3125}, {"Qwen/Qwen3-0.6B", 0.1094}, {"Qwen/Qwen3-4B", 0.1406},
		{"Qwen/Qwen3-8B", 0.1406}, {"Qwen/Qwen3-14B", 0.1562}, {"Qwen/Qwen3-32B", 0.2500}, {"Qwen/Qwen3-30B-A3B", 0.0938},
		{"Qwen/Qwen3-Coder-30B-A3B-Instruct", 0.0938}, {"Qwen/Qwen3-235B-A22B", 0.1836}, {"Qwen/Qwen3-Coder-480B-A35B-Instruct", 0.2422},
		{"Qwen/Qwen3-Next-80B-A3B-Instruct", 0.0234}, {"Qwen/Qwen3.5-27B", 0.0625}, {"Qwen/Qwen3.5-35B-A3B", 0.0195}, {"Qwen/Qwen3.5-122B-A10B", 0.0234},
		{"Qwen/Qwen3.5-397B-A17B", 0.0293}, {"mistralai/Mistral-Nemo-Instruct-2407", 0.1562}, {"mistralai/Mistral-Large-Instruct-2411", 0.3438},
		{"mistralai/Mixtral-8x22B-Instruct-v0.1", 0.2188}, {"deepseek-ai/DeepSeek-R1", 0.0670}, {"moonshotai/Kimi-K2-Thinking", 0.0670}, {"moonshotai/Kimi-K3", 0.0264},
		{"zai-org/GLM-4.5", 0.3594}, {"zai-org/GLM-4.5-Air", 0.1797}, {"zai-org/GLM-5", 0.0857}, {"openai/gpt-oss-20b", 0.0234}, {"openai/gpt-oss-120b", 0.0352},
		{"google/gemma-3-1b-it", 0.0039}, {"google/gemma-3-4b-it", 0.0195}, {"google/gemma-3-12b-it", 0.0625}, {"google/gemma-3-27b-it", 0.0781},
		{"google/gemma-4-26B-A4B", 0.0195}, {"google/gemma-4-31B", 0.0781}, {"microsoft/phi-4", 0.1953}, {"microsoft/Phi-4-mini-instruct", 0.1250},
		{"MiniMaxAI/MiniMax-M2", 0.2422}, {"MiniMaxAI/MiniMax-M3", 0.1172}, {"XiaomiMiMo/MiMo-V2-Flash", 0.0220}, {"stepfun-ai/Step-3.7-Flash", 0.0469},
		{"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B", 0.0059}, {"nvidia/NVIDIA-Nemotron-3-Super-120B-A12B", 0.0078}, {"nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B", 0.0117},
		{"nvidia/Llama-3_3-Nemotron-Super-49B-v1", 0.1914}, {"baidu/ERNIE-4.5-21B-A3B-PT", 0.0547}, {"tiiuae/falcon-40b", 0.1172}, {"databricks/dbrx-instruct", 0.1562},
	} {
		g := model(t, c.id)
		if got := g.BytesPerToken(2) / mib; math.Abs(got-c.want) > 0.00006 {
			t.Errorf("%s: %.4f MiB per token, want %.4f", c.id, got, c.want)
		}
		if got := g.BytesPerToken(1) * 2; got != g.BytesPerToken(2) {
			t.Errorf("%s: fp8 is not half of bf16", c.id)
		}
	}
	if model(t, "deepseek-ai/DeepSeek-V4-Pro").CacheKnown() {
		t.Error("the cache of DeepSeek-V4-Pro counts as known")
	}
}

func TestSequenceBytes(t *testing.T) {
	for _, c := range []struct {
		id     string
		width  float64
		tokens float64
		want   float64 // GiB
	}{
		{"meta-llama/Llama-3.3-70B-Instruct", 2, 142000, 43.3},
		{"Qwen/Qwen2.5-14B", 2, 142000, 26.0},
		{"Qwen/Qwen3-30B-A3B", 2, 142000, 13.0},
		{"Qwen/Qwen3-30B-A3B", 1, 142000, 6.5},
	} {
		if got := model(t, c.id).SequenceBytes(c.width, c.tokens) / GiB; math.Abs(got-c.want) > 0.05 {
			t.Errorf("%s: %.2f GiB for %g tokens, want %.1f", c.id, got, c.tokens, c.want)
		}
	}
	for id, want := range map[string]float64{
		"openai/gpt-oss-20b": 3, "openai/gpt-oss-120b": 4.5, "google/gemma-3-27b-it": 416, "google/gemma-3-12b-it": 320, "google/gemma-4-26B-A4B": 200, "google/gemma-4-31B": 800,
	} {
		if got := model(t, id).WindowBytes(2) / mib; got != want {
			t.Errorf("%s: windows hold %g MiB, want %g", id, got, want)
		}
	}
	g := model(t, "google/gemma-3-27b-it")
	if half, full := g.SequenceBytes(2, 512), g.SequenceBytes(2, 1024); half*2 != full {
		t.Errorf("half a window holds %g, a whole one %g", half, full)
	}
	if got := g.SequenceBytes(2, 2048) - g.SequenceBytes(2, 1024); got != g.BytesPerToken(2)*1024 {
		t.Errorf("beyond the window %g bytes are added for 1024 tokens", got)
	}
}

func TestBytesPerTokenPerGPU(t *testing.T) {
	for _, c := range []struct {
		id               string
		tensor, pipeline int
		want             float64 // part of the whole
	}{
		{"meta-llama/Llama-3.3-70B-Instruct", 1, 1, 1}, {"meta-llama/Llama-3.3-70B-Instruct", 4, 1, 1.0 / 4}, {"meta-llama/Llama-3.3-70B-Instruct", 8, 2, 1.0 / 16},
		{"meta-llama/Llama-3.3-70B-Instruct", 16, 1, 1.0 / 8}, // 8 KV heads, each held twice
		{"Qwen/Qwen3-30B-A3B", 8, 1, 1.0 / 4},
		{"deepseek-ai/DeepSeek-R1", 8, 1, 1}, {"deepseek-ai/DeepSeek-R1", 8, 2, 1.0 / 2},
		{"meta-llama/Llama-3.3-70B-Instruct", 0, -3, 1},
	} {
		g := model(t, c.id)
		if got := g.BytesPerTokenPerGPU(2, c.tensor, c.pipeline) / g.BytesPerToken(2); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s on %d x %d GPUs: %g of the whole, want %g", c.id, c.tensor, c.pipeline, got, c.want)
		}
	}
}

func TestTensorParallel(t *testing.T) {
	for id, want := range map[string][]int{
		"Qwen/Qwen2.5-0.5B": {1, 2, 14}, "Qwen/Qwen2.5-1.5B": {1, 2, 4, 6, 12}, "Qwen/Qwen2.5-3B": {1, 2, 4, 8, 16}, "Qwen/Qwen2.5-7B": {1, 2, 4, 28},
		"Qwen/Qwen3-14B": {1, 2, 4, 8}, "Qwen/Qwen3-32B": {1, 2, 4, 8, 16, 32}, "meta-llama/Llama-3.2-3B": {1, 2, 4, 8, 24},
		"Qwen/Qwen3-30B-A3B": {1, 2, 4, 8, 16, 32}, "Qwen/Qwen3.5-27B": {1, 2, 4, 8, 12, 24}, "Qwen/Qwen3-Next-80B-A3B-Instruct": {1, 2, 4, 8, 16},
		"zai-org/GLM-4.5": {1, 2, 4, 8, 16, 24, 32}, "MiniMaxAI/MiniMax-M2": {1, 2, 4, 8, 16, 24}, "microsoft/phi-4": {1, 2, 5, 10, 20},
		"baidu/ERNIE-4.5-21B-A3B-PT": {1, 2, 4, 20}, "google/gemma-3-4b-it": {1, 2, 4, 8}, "google/gemma-3-27b-it": {1, 2, 4, 8, 16, 32},
		"deepseek-ai/DeepSeek-R1": {1, 2, 4, 8, 16, 32},
	} {
		var got []int
		for n := 1; n <= 32; n++ {
			if heads, kv := model(t, id).TensorParallel(n); heads && kv {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s divides by %v, want %v", id, got, want)
		}
	}
	if heads, kv := model(t, "Qwen/Qwen2.5-7B").TensorParallel(7); !heads || kv {
		t.Errorf("Qwen2.5-7B by 7: heads %v, KV heads %v", heads, kv)
	}
}

func TestModel(t *testing.T) {
	for _, c := range []struct {
		id, name, precision string
		match               Match
	}{
		{"Qwen/Qwen3-8B", "qwen3-8b", "bf16", Exact},
		{"qwen/qwen3-8b", "qwen3-8b", "bf16", Exact},
		{"Qwen/Qwen3-8B-FP8", "qwen3-8b", "fp8", Nearest},
		{"Qwen/Qwen3-4B-AWQ", "qwen3-4b", "int4", Nearest},
		{"Qwen/Qwen2.5-72B-Instruct-GPTQ-Int8", "qwen2.5-72b-instruct", "int8", Nearest},
		{"Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4", "qwen2.5-72b-instruct", "int4", Nearest},
		{"nvidia/Llama-3.3-70B-Instruct-NVFP4", "llama-3.1-70b", "nvfp4", Nearest},
		{"nvidia/Llama-3.3-70B-Instruct-FP4", "llama-3.1-70b", "nvfp4", Nearest},
		{"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "llama-3.1-8b", "int4", Nearest},
		{"RedHatAI/Meta-Llama-3.1-70B-Instruct-FP8-dynamic", "llama-3.1-70b", "fp8", Nearest},
		{"hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4", "llama-3.1-8b", "int4", Nearest},
		{"unsloth/Llama-3.2-1B-Instruct-bnb-4bit", "llama-3.2-1b", "int4", Nearest},
		{"cpatonn/Qwen3-30B-A3B-Instruct-2507-AWQ-4bit", "qwen3-30b-a3b-2507", "int4", Nearest},
		{"openai/gpt-oss-120b", "gpt-oss-120b", "mxfp4", Exact},
		{"meta-llama/Llama-3-8B", "llama-3-8b", "bf16", Exact},
	} {
		g, ok := Model(c.id)
		if !ok || g.Name != c.name || g.Precision != c.precision || g.Match != c.match {
			t.Errorf("Model(%s) = %q %q match %d %v, want %q %q match %d", c.id, g.Name, g.Precision, g.Match, ok, c.name, c.precision, c.match)
		}
		if c.match == Nearest && g.Confidence == "high" && c.id[:5] != "Qwen/" {
			t.Errorf("Model(%s): found by name with high confidence", c.id)
		}
	}
	for _, id := range []string{"", "/models/Qwen3-8B", "./Qwen/Qwen3-8B", "qwen3-8b", "s3://bucket/Qwen3-8B", "Qwen/Qwen3-Coder-30B", "Qwen/Qwen3-8B/extra", "-AWQ", "a/-awq-awq-awq", "org/totally-new-9b"} {
		if g, ok := Model(id); ok {
			t.Errorf("Model(%q) = %s", id, g.Name)
		}
	}
	for in, want := range map[string]string{
		"Qwen/Qwen3-Coder-30B": "Qwen/Qwen3-Coder-30B-A3B-Instruct", "Qwen/Qwen3-8bb": "Qwen/Qwen3-8B", "meta-llama/Lama-3.3-70B-Instruct": "meta-llama/Llama-3.3-70B-Instruct", "x": "",
	} {
		if got, _ := NearestModel(in); got != want {
			t.Errorf("NearestModel(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestFindGPU(t *testing.T) {
	for in, want := range map[string]string{
		"NVIDIA-H100-80GB-HBM3": "H100-80GB", "nvidia-l4": "L4", "NVIDIA-L40S": "L40S", "NVIDIA-L40": "L40", "NVIDIA-A100-SXM4-80GB": "A100-80GB", "NVIDIA-A100-PCIE-40GB": "A100-40GB",
		"Tesla-T4": "T4", "Tesla-V100-SXM2-16GB": "V100-16GB", "NVIDIA-H200": "H200", "NVIDIA-GH200-480GB": "GH200-96GB", "NVIDIA-H100-NVL": "H100-NVL", "NVIDIA-A10G": "A10G", "NVIDIA-A10": "A10",
		"nvidia-tesla-a100": "A100-40GB", "nvidia-a100-80gb": "A100-80GB", "nvidia-h100-mega-80gb": "H100-80GB", "p5.48xlarge": "H100-80GB", "p5en.48xlarge": "H200", "g5.12xlarge": "A10G",
		"g6e.xlarge": "L40S", "g6.xlarge": "L4", "p4d.24xlarge": "A100-40GB", "a2-ultragpu-1g": "A100-80GB", "a3-highgpu-8g": "H100-80GB", "g2-standard-4": "L4", "Standard_ND96isr_H100_v5": "H100-80GB",
		"NVIDIA-RTX-A6000": "RTX-A6000", "NVIDIA-RTX-6000-Ada-Generation": "RTX-6000-Ada", "NVIDIA GeForce RTX 4090": "RTX-4090", "H100-80GB": "H100-80GB", "h200": "H200", "AMD-Instinct-MI300X-OAM": "MI300X",
		"NVIDIA-A100-SXM4-80GB-MIG-3g.40gb": "MIG-3G.40GB", "nvidia.com/mig-1g.10gb": "MIG-1G.10GB", "NVIDIA-B200": "B200", "NVIDIA-GB200": "GB200", "NVIDIA-GB10": "GB10", "NVIDIA-H20": "H20",
		"A100": "", "NVIDIA-A100": "", "v100": "", "GH200": "", "m5.large": "", "": "", "mig-": "", "mig-1g.gb": "", "mig-1g.-5gb": "", "g4ad.xlarge": "",
	} {
		got := ""
		if g, ok := FindGPU(in); ok {
			got = g.Name
		}
		if got != want {
			t.Errorf("FindGPU(%q) = %q, want %q", in, got, want)
		}
	}
	if g, _ := FindGPU("H100-80GB"); math.Abs(g.GiB-79.65) > 0.01 {
		t.Errorf("an H100 has %g GiB", g.GiB)
	}
	if g, _ := FindGPU("NVIDIA-A100-SXM4-80GB-MIG-3g.40gb"); g.GiB != 40 {
		t.Errorf("a 3g.40gb slice has %g GiB", g.GiB)
	}
}

func TestWeightsAndRoom(t *testing.T) {
	// gpt-oss-120b is 61 to 65 GB, gpt-oss-20b 13 to 14 GB on the hub.
	for id, gb := range map[string][2]float64{"openai/gpt-oss-120b": {61, 65}, "openai/gpt-oss-20b": {13, 14}, "meta-llama/Llama-3.1-8B": {16, 16.1}} {
		g := model(t, id)
		least, most := g.WeightsGiB(g.Precision, 1, 1)
		if least*GiB > gb[0]*1e9*1.01 || most*GiB < gb[1]*1e9*0.99 {
			t.Errorf("%s: %.1f to %.1f GB, want to hold %v", id, least*GiB/1e9, most*GiB/1e9, gb)
		}
	}
	g := model(t, "meta-llama/Llama-3.3-70B-Instruct")
	least, most := g.WeightsGiB("bf16", 2, 1)
	if math.Abs(least-65.75) > 0.1 || least != most {
		t.Errorf("half of a 70B in bf16: %.2f to %.2f GiB", least, most)
	}
	if l, m := g.WeightsGiB("nonsense", 1, 1); l != 0 || m != 0 {
		t.Errorf("unknown precision: %g %g", l, m)
	}
	room := CacheRoomGiB(79.65, 0.9, least, 0)
	if math.Abs(room-5.93) > 0.1 {
		t.Errorf("room %.2f GiB", room)
	}
	// 5.93 GiB hold 38,900 tokens at 160 KiB per token and GPU: less than one sequence of 131072.
	if n := g.MaxSequences(room, 2, 131072, 2, 1); math.Abs(n-0.296) > 0.01 {
		t.Errorf("%.3f sequences", n)
	}
	if n := g.MaxSequences(-1, 2, 131072, 2, 1); n != 0 {
		t.Errorf("%g sequences in no room", n)
	}
	if got := RoundToBlocks(1000, 16); got != 1008 {
		t.Errorf("1000 tokens are %g in blocks of 16", got)
	}
	for in, want := range map[string]float64{"auto": 2, "": 2, "fp8": 1, "FP8_E4M3": 1, "fp8_ds_mla": 1, "float32": 4, "nvfp4": 0.5, "int8_per_token_head": 1, "int4_per_token_head": 0.5, "turboquant_k8v4": 0} {
		if got, ok := KVElementBytes(in); got != want || ok != (want > 0) {
			t.Errorf("KVElementBytes(%q) = %g %v, want %g", in, got, ok, want)
		}
	}
}

func TestArithmeticBounds(t *testing.T) {
	big := Geometry{Layers: math.MaxInt, FullLayers: math.MaxInt, WindowLayers: math.MaxInt, Window: math.MaxInt, Heads: math.MaxInt, KVHeads: math.MaxInt, HeadDim: math.MaxInt,
		WindowKVHeads: math.MaxInt, WindowHeadDim: math.MaxInt, Parameters: math.MaxFloat64}
	for _, g := range []Geometry{big, {}, {KVHeads: -1, Heads: -1, Window: -5, LatentDim: -2}, model(t, "Qwen/Qwen3-8B")} {
		for _, n := range []int{math.MinInt, -1, 0, 1, 7, math.MaxInt} {
			for _, x := range []float64{math.NaN(), math.Inf(-1), -1, 0, 1e300, math.Inf(1)} {
				for _, y := range []float64{g.SequenceBytesPerGPU(2, x, n, n), g.MaxSequences(x, 1, x, n, n), RoundToBlocks(x, n)} {
					if math.IsNaN(y) && !math.IsInf(x, 1) && !math.IsNaN(x) || y < 0 {
						t.Errorf("%+v with %d, %g gives %g", g, n, x, y)
					}
				}
				g.WeightsGiB("bf16", n, n)
				if heads, kv := g.TensorParallel(n); n <= 1 && !(heads && kv) {
					t.Errorf("%+v over %d GPUs: %t, %t", g, n, heads, kv)
				}
			}
		}
	}
}

func TestAdvisories(t *testing.T) {
	for _, c := range []struct {
		product, version string
		has, hasNot      []string
	}{
		{"litellm", "1.82.7", []string{"MAL-2026-2144", "GHSA-r75f-5x8p-qvmc", "end-of-support-before-1.87"}, []string{"litellm-1.107.0"}},
		{"litellm", "1.82.6", []string{"GHSA-r75f-5x8p-qvmc", "GHSA-jjhc-v7c2-5hh6"}, []string{"MAL-2026-2144"}},
		{"litellm", "1.81.15", nil, []string{"GHSA-r75f-5x8p-qvmc"}},
		{"litellm", "1.83.7", []string{"GHSA-wxxx-gvqv-xp7p", "GHSA-4xpc-pv4p-pm3w"}, []string{"GHSA-r75f-5x8p-qvmc", "GHSA-v4p8-mg3p-g94g"}},
		{"litellm", "1.84.0", []string{"GHSA-3cv6-jpf6-8222"}, []string{"GHSA-4xpc-pv4p-pm3w", "GHSA-7488-6r32-c95q", "GHSA-7hp6-4w63-5g45"}},
		{"litellm", "1.93.1", []string{"GHSA-3cv6-jpf6-8222", "GHSA-7hp6-4w63-5g45"}, nil},
		{"litellm", "1.93.2", []string{"GHSA-7hp6-4w63-5g45"}, []string{"GHSA-3cv6-jpf6-8222"}},
		{"litellm", "1.102.1", []string{"GHSA-7hp6-4w63-5g45", "end-of-support-1.102"}, nil},
		{"litellm", "1.102.2", nil, []string{"GHSA-7hp6-4w63-5g45"}},
		{"litellm", "1.107.0", []string{"litellm-1.107.0"}, nil},
		{"litellm", "1.108.14", nil, []string{"end-of-support-1.105", "litellm-1.107.0"}},
		{"vllm", "0.21.0", []string{"GHSA-94f4-hr76-p5j6"}, nil},
		{"vllm", "0.22.0", nil, []string{"GHSA-94f4-hr76-p5j6"}},
	} {
		var ids []string
		for _, a := range Affecting(c.product, MustVersion(c.version)) {
			ids = append(ids, a.ID)
		}
		for _, id := range c.has {
			if !slices.Contains(ids, id) {
				t.Errorf("%s %s: %s is missing in %v", c.product, c.version, id, ids)
			}
		}
		for _, id := range c.hasNot {
			if slices.Contains(ids, id) {
				t.Errorf("%s %s: %s does not affect it", c.product, c.version, id)
			}
		}
	}
	if got := len(Affecting("litellm", MustVersion("1.108.14"))); got != 0 {
		t.Errorf("%d advisories for 1.108.14", got)
	}
	for _, product := range []string{"litellm", "vllm"} {
		for _, a := range Advisories(product) {
			if !slices.Contains([]string{"compromised", "vulnerability", "defect", "end-of-support"}, a.Kind) || a.Title == "" || a.Source == "" || len(a.Date) != 10 || a.Date > AdvisoriesAsOf {
				t.Errorf("%s: incomplete: %+v", a.ID, a)
			}
			if a.Kind == "vulnerability" && (a.Fixed == "" || !slices.Contains([]string{"critical", "high", "medium", "low"}, a.Severity)) {
				t.Errorf("%s: no fix or severity", a.ID)
			}
			if a.Kind == "compromised" && a.Attr("artefact") == "" {
				t.Errorf("%s: what is compromised?", a.ID)
			}
		}
	}
}

func FuzzModel(f *testing.F) {
	for _, s := range []string{"Qwen/Qwen3-8B-AWQ", "a/b", "/", "-awq", "x/-awq", "a/b:c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if g, ok := Model(id); ok && g.Layers == 0 {
			t.Errorf("Model(%q) has no layers", id)
		}
		NearestModel(id)
		if g, ok := FindGPU(id); ok && g.GiB <= 0 {
			t.Errorf("FindGPU(%q) has no memory", id)
		}
	})
}
