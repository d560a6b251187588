package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// generate writes n LiteLLM configs of 40 to 300 lines: models of several providers, settings, comments, fallbacks.
// The same number gives the same files.
func generate(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range n {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("config-%04d.yaml", i)), []byte(config(r)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func config(r *rand.Rand) string {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	w("# gateway of team %d", r.IntN(90))
	w("model_list:")
	models := 4 + r.IntN(26)
	for i := range models {
		group := i
		if r.IntN(4) == 0 && i > 0 {
			group = i - 1
		}
		w("  - model_name: model-%d", group)
		w("    litellm_params:")
		switch r.IntN(3) {
		case 0:
			w("      model: hosted_vllm/org/model-%d   # on our own engines", group)
			w("      api_base: http://vllm-%d.ai.svc.cluster.local:8000/v1", i)
			w("      api_key: none")
		case 1:
			w("      model: openai/gpt-%d", group)
			w("      api_key: os.environ/OPENAI_API_KEY")
		default:
			w("      model: anthropic/claude-%d", group)
			w("      api_key: os.environ/ANTHROPIC_API_KEY")
			w("      rpm: %d", 10+r.IntN(1000))
		}
		if r.IntN(2) == 0 {
			w("    model_info:")
			w("      max_input_tokens: %d", 8192<<r.IntN(5))
			w("      mode: chat")
		}
	}
	w("")
	w("litellm_settings:")
	w("  request_timeout: %d", 60+r.IntN(900))
	w("  drop_params: true")
	w("  callbacks: [\"prometheus\"]")
	if r.IntN(2) == 0 {
		w("  cache: true")
		w("  cache_params: {type: redis, host: redis, port: 6379, namespace: team, ttl: 600}")
	}
	w("router_settings:")
	w("  routing_strategy: simple-shuffle")
	w("  num_retries: %d", r.IntN(4))
	w("  optional_pre_call_checks: [session_affinity]")
	w("general_settings:")
	w("  master_key: os.environ/LITELLM_MASTER_KEY")
	w("  database_url: os.environ/DATABASE_URL")
	w("  database_connection_pool_limit: %d", 5+r.IntN(20))
	w("  # one minute, see the production guide")
	w("  proxy_batch_write_at: 60")
	return b.String()
}
