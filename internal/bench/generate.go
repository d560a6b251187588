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

// generateWorkflows writes n GitHub workflows, each about as large as the config of the same number.
func generateWorkflows(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range n {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		size := len(config(r))
		var b strings.Builder
		fmt.Fprintf(&b, "name: team %d\non:\n  push:\n    branches: [main]\npermissions:\n  contents: read\njobs:\n", i)
		for j := 0; b.Len() < size; j++ {
			fmt.Fprintf(&b, "  job-%d: # of the team\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        version: [\"1.%d\", \"1.%d\"]\n    steps:\n", j, r.IntN(20), r.IntN(20))
			for k := range 1 + r.IntN(4) {
				fmt.Fprintf(&b, "      - uses: actions/checkout@v4\n      - name: step %d\n        run: make ${{ matrix.version }} STEP=%d\n        env:\n          LIMIT: ${{ github.run_number }}\n", k, k)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("workflow-%04d.yaml", i)), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// questions are the bodies of policies, for agentlint and for conftest: a number against a limit, a choice, a search
// through the models, and something that is missing. %d stands for a number of the policy's own.
var questions = [...]struct{ agentlint, conftest string }{
	{
		"findings contains {\"at\": [\"gateway\", \"config\", \"litellm_settings\", \"request_timeout\"], \"args\": {\"value\": v}} if {\n\tv := input.gateway.config.litellm_settings.request_timeout\n\tv > 800 + %d\n}\n",
		"warn contains msg if {\n\tv := input.litellm_settings.request_timeout\n\tv > 800 + %d\n\tmsg := sprintf(\"it is %%v\", [v])\n}\n",
	},
	{
		"findings contains {\"at\": [\"gateway\", \"config\", \"router_settings\", \"routing_strategy\"], \"args\": {\"value\": v}} if {\n\tv := input.gateway.config.router_settings.routing_strategy\n\tnot v in {\"simple-shuffle\", \"strategy-%d\"}\n}\n",
		"warn contains msg if {\n\tv := input.router_settings.routing_strategy\n\tnot v in {\"simple-shuffle\", \"strategy-%d\"}\n\tmsg := sprintf(\"it is %%v\", [v])\n}\n",
	},
	{
		"findings contains {\"at\": [\"gateway\", \"config\", \"model_list\", i, \"litellm_params\", \"model\"], \"args\": {\"value\": v}} if {\n\tsome i, entry in input.gateway.config.model_list\n\tv := entry.litellm_params.model\n\tstartswith(v, \"provider-%d/\")\n}\n",
		"warn contains msg if {\n\tsome entry in input.model_list\n\tv := entry.litellm_params.model\n\tstartswith(v, \"provider-%d/\")\n\tmsg := sprintf(\"it is %%v\", [v])\n}\n",
	},
	{
		"findings contains {\"at\": [\"gateway\", \"config\", \"general_settings\"], \"args\": {\"value\": %d}} if not input.gateway.config.general_settings.master_key\n",
		"warn contains \"there is no key, says %d\" if not input.general_settings.master_key\n",
	},
}

// generatePolicies writes n policies that ask the same for agentlint and for conftest.
func generatePolicies(ours, theirs string, n int) error {
	for _, dir := range []string{ours, theirs} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for i := range n {
		q := questions[i%len(questions)]
		head := "# METADATA\n# title: A question\n# description: It is asked.\n# custom:\n#   severity: warning\n#   remedy: None.\n#   messages:\n#     main: \"it is {value}\"\n"
		text := fmt.Sprintf("%spackage agentlint.custom.bench.rule_%02d\n\n"+q.agentlint, head, i, i)
		if err := os.WriteFile(filepath.Join(ours, fmt.Sprintf("rule_%02d.rego", i)), []byte(text), 0o644); err != nil {
			return err
		}
		text = fmt.Sprintf("package main\n\nimport rego.v1\n\n"+q.conftest, i)
		if err := os.WriteFile(filepath.Join(theirs, fmt.Sprintf("rule_%02d.rego", i)), []byte(text), 0o644); err != nil {
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
