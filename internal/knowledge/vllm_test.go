package knowledge

import (
	"slices"
	"strings"
	"testing"
)

// Each row holds the first release with the name, the first without it, and the first that deprecates it; empty where there is none. "<" stands for
// the oldest release in the tables.
func TestVLLMBoundaries(t *testing.T) {
	for _, c := range []struct {
		kind                             Kind
		name, since, removed, deprecated string
	}{
		{KindFlag, "--worker-use-ray", "<", "0.7.0", "0.4.3"},
		{KindFlag, "--max-context-len-to-capture", "<", "0.6.4", "0.4.2"},
		{KindFlag, "--num-scheduler-steps", "0.5.5", "0.10.1", ""},
		{KindFlag, "--speculative-model", "<", "0.8.3", ""},
		{KindFlag, "--enable-reasoning", "0.7.1", "0.10.0", "0.9.0"},
		{KindFlag, "--guided-decoding-backend", "<", "0.12.0", "0.11.0"},
		{KindFlag, "--task", "0.6.4", "0.13.0", "0.10.1"},
		{KindFlag, "--max-seq-len-to-capture", "0.4.2", "0.11.0", ""},
		{KindFlag, "--disable-log-requests", "<", "0.17.0", "0.10.1"},
		{KindFlag, "--enable-log-requests", "0.10.1", "", ""},
		{KindFlag, "--swap-space", "<", "0.18.0", ""},
		{KindFlag, "--disable-frontend-multiprocessing", "0.5.4", "0.19.0", ""},
		{KindFlag, "--max-num-partial-prefills", "0.7.3", "0.27.0", ""},
		{KindFlag, "--calculate-kv-scales", "0.7.0", "0.28.0", "0.19.0"},
		{KindFlag, "--kv-offloading-size", "0.11.1", "", ""},
		{KindFlag, "--max-num-queued-reqs", "0.29.0", "", ""},
		{KindFlag, "--max-num-queued-tokens", "0.29.0", "", ""},
		{KindFlag, "--device-memory-utilization", "0.31.0", "", ""},
		{KindFlag, "--log-config-file", "0.9.1", "", "0.31.0"},
		{KindFlag, "--mamba-cache-mode", "0.15.0", "", "0.33.0"},
		{KindEnv, "VLLM_USE_V1", "0.6.4", "0.11.1", ""},
		{KindEnv, "VLLM_ATTENTION_BACKEND", "0.4.2", "0.15.0", ""},
		{KindEnv, "VLLM_RPC_TIMEOUT", "0.6.2", "0.23.0", ""},
		{KindEnv, "VLLM_SLEEP_WHEN_IDLE", "0.9.1", "0.18.0", ""},
		{KindEnv, "VLLM_API_KEY", "0.4.2", "", ""},
		{KindMetric, "vllm:gpu_cache_usage_perc", "<", "0.12.0", "0.9.2"},
		{KindMetric, "vllm:kv_cache_usage_perc", "0.9.2", "", ""},
		{KindMetric, "vllm:gpu_prefix_cache_hits", "0.7.3", "0.12.0", "0.9.2"},
		{KindMetric, "vllm:gpu_prefix_cache_hit_rate", "0.5.5", "0.9.1", "0.8.0"},
		{KindMetric, "vllm:time_in_queue_requests", "0.6.4", "0.9.1", "0.8.0"},
		{KindMetric, "vllm:time_per_output_token_seconds", "<", "0.15.0", "0.10.2"},
		{KindMetric, "vllm:num_requests_swapped", "<", "0.9.1", "0.8.0"},
		{KindMetric, "vllm:inter_token_latency_seconds", "0.10.2", "", ""},
		{KindMetric, "vllm:request_num_preemptions", "0.30.0", "", ""},
		{KindMetric, "vllm:admission_rejections", "0.32.0", "", ""},
	} {
		e, p := VLLM.At(VLLM.Newest()).Entry(c.kind, "", c.name)
		if p == Unknown {
			t.Errorf("%s is not in the tables", c.name)
			continue
		}
		since := "<"
		if v := e.Since(); !v.IsZero() {
			since = v.String()
		}
		removed, deprecated := text(e.RemovedIn()), text(e.Deprecated())
		if since != c.since || removed != c.removed || deprecated != c.deprecated {
			t.Errorf("%s: since %q, removed %q, deprecated %q, want %q, %q, %q", c.name, since, removed, deprecated, c.since, c.removed, c.deprecated)
		}
	}
}

func text(v Version) string {
	if v.IsZero() {
		return ""
	}
	return v.String()
}

func TestVLLMValues(t *testing.T) {
	entry := func(k Kind, section, name string) Entry {
		e, p := VLLM.At(Version{}).Entry(k, section, name)
		if p == Unknown {
			t.Fatalf("%s is not in the tables", name)
		}
		return e
	}
	for _, c := range []struct {
		kind                   Kind
		section, name, version string
		want                   string
	}{
		{KindFlag, "", "--gpu-memory-utilization", "0.19.1", "0.9"},
		{KindFlag, "", "--gpu-memory-utilization", "0.20.0", "0.92"},
		{KindFlag, "", "--guided-decoding-backend", "0.6.4", "'outlines'"},
		{KindFlag, "", "--guided-decoding-backend", "0.6.5", "'xgrammar'"},
		{KindFlag, "", "--allowed-origins", "0.31.0", "['*']"},
		{KindFlag, "", "--allowed-origins", "0.32.0", "[]"},
		{KindEnv, "", "VLLM_SERVER_DEV_MODE", "0.33.0", "False"},
		{KindSetting, "kv_transfer_config", "kv_load_failure_policy", "0.16.0", "'recompute'"},
		{KindSetting, "kv_transfer_config", "kv_load_failure_policy", "0.17.0", "'fail'"},
		{KindSetting, "kv_events_config", "hwm", "0.33.0", "100000"},
	} {
		if got, _ := entry(c.kind, c.section, c.name).Default(MustVersion(c.version)); got != c.want {
			t.Errorf("default of %s at %s = %s, want %s", c.name, c.version, got, c.want)
		}
	}
	for _, c := range []struct{ name, version, with, without string }{
		{"--kv-cache-dtype", "0.8.5", "fp8_e4m3", "fp8_inc"},
		{"--kv-cache-dtype", "0.33.0", "nvfp4_ds_mla", "fp4"},
		{"--prefix-caching-hash-algo", "0.9.0", "builtin", "xxhash"},
		{"--prefix-caching-hash-algo", "0.33.0", "xxhash", "builtin"},
		{"--tokenizer-mode", "0.30.0", "slow", "fast"},
		{"--tokenizer-mode", "0.31.0", "auto", "slow"},
		{"--attention-backend", "0.33.0", "auto", "XFORMERS"},
	} {
		got := entry(KindFlag, "", c.name).Choices(MustVersion(c.version))
		if !slices.Contains(got, c.with) || slices.Contains(got, c.without) {
			t.Errorf("choices of %s at %s = %v, want %s and not %s", c.name, c.version, got, c.with, c.without)
		}
	}
	if got := entry(KindFlag, "", "--tool-call-parser").Choices(MustVersion("0.33.0")); got != nil {
		t.Errorf("--tool-call-parser takes only %v", got)
	}
	for _, c := range []struct {
		section, name, version string
		want                   Presence
	}{
		{"tool_call_parser", "hermes", "0.6.0", Present},
		{"tool_call_parser", "llama3_json", "0.6.0", NotYet},
		{"tool_call_parser", "llama3_json", "0.33.0", Present},
		{"tool_call_parser", "openai", "0.11.0", Present},
		{"reasoning_parser", "deepseek_r1", "0.7.0", NotYet},
		{"reasoning_parser", "deepseek_r1", "0.7.1", Present},
		{"reasoning_parser", "openai_gptoss", "0.33.0", Present},
		{"kv_connector", "NixlConnector", "0.9.2", Present},
		{"kv_connector", "LMCacheConnectorV1", "0.33.0", Present},
		{"kv_connector", "OffloadingConnector", "0.10.1", NotYet},
		{"quantization", "awq", "0.4.1", Present},
		{"quantization", "bitsandbytes", "0.33.0", Gone},
		{"attention_backend", "XFORMERS", "0.33.0", Gone},
		{"load_format", "tensorizer", "0.33.0", Present},
	} {
		if _, got := VLLM.At(MustVersion(c.version)).Entry(KindEnum, c.section, c.name); got != c.want {
			t.Errorf("%s %s at %s is %s, want %s", c.section, c.name, c.version, got, c.want)
		}
	}
	if e := entry(KindMetric, "", "vllm:gpu_cache_usage_perc"); text(e.Hidden()) != "0.11.0" || e.RenamedTo != "vllm:kv_cache_usage_perc" || e.Attr("v1_since") == "never" {
		t.Errorf("gpu_cache_usage_perc: hidden %s, renamed to %s, on V1 since %s", e.Hidden(), e.RenamedTo, e.Attr("v1_since"))
	}
	if e := entry(KindMetric, "", "vllm:num_requests_swapped"); e.Attr("v1_since") != "never" || !strings.Contains(e.Instead(), "num_preemptions_total") {
		t.Errorf("num_requests_swapped: on V1 since %s, instead %s", e.Attr("v1_since"), e.Instead())
	}
	if e := entry(KindMetric, "", "vllm:request_success"); e.Attr("labels") != "model_name,engine,finished_reason" || e.Type != "counter" {
		t.Errorf("request_success: %s with labels %s", e.Type, e.Attr("labels"))
	}
}

func TestVLLMSpellings(t *testing.T) {
	for _, c := range []struct {
		version, written, name string
		negative               bool
		presence               Presence
	}{
		{"0.33.0", "--device-memory-utilization", "--gpu-memory-utilization", false, Present},
		{"0.30.0", "--device-memory-utilization", "--device-memory-utilization", false, NotYet},
		{"0.6.4", "--no-enable-prefix-caching", "--enable-prefix-caching", true, NotYet},
		{"0.6.5", "--no-enable-prefix-caching", "--enable-prefix-caching", true, Present},
		{"0.9.0", "--no-disable-log-requests", "--disable-log-requests", true, NotYet},
		{"0.33.0", "--no-disable-log-requests", "--disable-log-requests", true, Gone},
		{"0.33.0", "-pp", "--pipeline-parallel-size", false, Present},
		{"0.33.0", "--enable-log-stats", "", false, Unknown},
		{"0.33.0", "--enable-sliding-window", "--disable-sliding-window", true, Present},
	} {
		f, p := VLLM.At(MustVersion(c.version)).Flag(c.written)
		if p != c.presence || f.Name != c.name || f.Negative != c.negative {
			t.Errorf("%s %s = %q negative %v, %s, want %q %v, %s", c.version, c.written, f.Name, f.Negative, p, c.name, c.negative, c.presence)
		}
	}
}

// What a row sends the reader to must exist.
func TestVLLMRenames(t *testing.T) {
	newest := VLLM.At(Version{})
	for _, k := range []Kind{KindFlag, KindEnv, KindMetric} {
		for e := range VLLM.All(k) {
			to := e.RenamedTo
			if to == "" {
				continue
			}
			flag, field, dotted := strings.Cut(to, ".")
			kind := k
			if strings.HasPrefix(to, "--") {
				kind = KindFlag
			}
			if _, p := newest.Entry(kind, "", flag); p == Unknown {
				t.Errorf("%s: %s is no name of vLLM", e.Name, to)
			}
			if section := strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "_"); dotted {
				if _, p := newest.Entry(KindSetting, section, field); p == Unknown {
					t.Errorf("%s: %s has no key %s", e.Name, flag, field)
				}
			}
			if e.Until().IsZero() && e.Deprecated().IsZero() {
				t.Errorf("%s: renamed to %s but neither deprecated nor removed", e.Name, to)
			}
		}
	}
}
