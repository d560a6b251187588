package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/report"
)

// shape is a kind of secret: a beginning, and what fills it up to its usual length.
type shape struct {
	begin, alphabet string
	length          int
	end             string
}

// recognised are secrets that are known by themselves, wherever they stand.
var recognised = []shape{
	{"sk-", letters, 32, ""}, {"sk-proj-", letters, 40, ""}, {"sk-ant-api03-", letters, 40, ""}, {"sk-or-v1-", hexes, 48, ""},
	{"sk_live_", letters, 24, ""}, {"rk_live_", letters, 24, ""}, {"pk-lf-", hexes, 32, ""}, {"AKIA", capitals, 16, ""},
	{"ASIA", capitals, 16, ""}, {"ghp_", letters, 36, ""}, {"gho_", letters, 36, ""}, {"ghs_", letters, 36, ""},
	{"github_pat_", letters, 40, ""}, {"glpat-", letters, 20, ""}, {"hf_", letters, 34, ""}, {"xoxb-", letters, 30, ""},
	{"xoxp-", letters, 30, ""}, {"AIza", letters, 35, ""}, {"nvapi-", letters, 40, ""}, {"gsk_", letters, 40, ""},
	{"r8_", letters, 37, ""}, {"lsv2_", letters, 40, ""}, {"pplx-", letters, 40, ""}, {"xai-", letters, 40, ""},
	{"tvly-", letters, 32, ""}, {"dop_v1_", hexes, 40, ""}, {"SG.", letters, 40, ""},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIi", letters, 40, ""}, {"postgresql://llm:", letters, 20, "@db:5432/llm"},
	{"redis://:", letters, 20, "@redis:6379/0"}, {"https://user:", letters, 20, "@proxy:3128"},
}

// plain are secrets that only the name they are set under gives away.
var plain = []shape{
	{"correct-horse-", letters, 12, ""}, {"Tr0ub4dor", letters, 6, ""}, {"", hexes, 32, ""}, {"", letters, 44, "="},
	{"7", hexes, 19, ""}, {"p@ss", letters, 10, ""}, {"", capitals, 20, ""}, {"azure", hexes, 32, ""}, {"key", letters, 30, ""},
}

const (
	letters  = "q7Zk2vXw9Lp4Rt8Ny3Bd6Hs1Jf5Mc0Ga"
	hexes    = "9f3b7c1e5a0d8246"
	capitals = "Q7ZK2VXW9LP4RT8N"
)

// secret returns the text of a shape for the n-th place, and a part of it that must never be printed.
func (s shape) secret(n int) (text, canary string) {
	var b strings.Builder
	for i := range s.length {
		b.WriteByte(s.alphabet[(i*7+n*5+i*i*n)%len(s.alphabet)])
	}
	body := b.String()
	return s.begin + body + s.end, body[len(body)/3:]
}

// canaryFiles is a deployment with a secret in every kind of place. @ is a secret whose place has a telling name,
// # one whose place has none.
var canaryFiles = map[string]string{
	"config.yaml": `model_list:
  - model_name: coder
    litellm_params:
      model: hosted_vllm/coder
      api_base: http://vllm:8000
      api_key: "@"
      aws_secret_access_key: @
      extra_headers: {Authorization: "Bearer #"}
    model_info:
      description: "#"
  # a comment with #, in it
  - {model_name: b, litellm_params: {model: openai/b, api_key: '@'}}
litellm_settings:
  request_timeout: 6000
  num_retires: 3
  cache: true
  cache_params: {type: redis, host: redis, password: "@"}
  callbacks: ["#"]
general_settings:
  master_key: @
  mastr_key: #
  database_url: "postgresql://llm:pw@@db:5432/llm"
  alerting_webhook: "#"
router_settings:
  redis_password: @
  routing_strategy: "#"
  optional_pre_call_checks: ["#"]
environment_variables:
  OPENAI_API_KEY: "@"
  SOMETHING: "#"
`,
	".env":   "LITELLM_MASTER_KEY=@\nexport HF_TOKEN='@'\nREDIS_PASSWORD=\"@\"\n# OLD=#\nODD=#\n",
	"run.sh": "#!/bin/sh\nexport VLLM_API_KEY=@\nvllm serve org/model --api-key @ --swap-space 4 --unknown-flag #\ndocker run -e HF_TOKEN=@ -e LITELLM_SALT_KEY=@ vllm/vllm-openai:v0.33.0 --model org/model --hf-token @ --enable-chunked-prefill true\nredis-server --requirepass @\n",
	"compose.yaml": `services:
  litellm:
    image: ghcr.io/berriai/litellm:v1.102.0
    command: ["--config", "/app/config.yaml", "--num_workers", "8"]
    volumes: ["./config.yaml:/app/config.yaml"]
    env_file: .env
    environment:
      DATABASE_PASSWORD: "@"
      AZURE_API_KEY: '@'
      PLAIN: "#"
    deploy: {replicas: 3}
  vllm:
    image: vllm/vllm-openai:v0.33.0
    command: --model org/model --api-key @ --swap-space 8 --max-model-len "#"
    environment:
      - HUGGING_FACE_HUB_TOKEN=@
      - VLLM_USE_V1=#
  db:
    image: postgres:16
    command: ["postgres", "-c", "max_connections=50"]
    environment: {POSTGRES_PASSWORD: @}
`,
	"k8s.yaml": `apiVersion: v1
kind: Secret
metadata: {name: litellm}
stringData:
  LITELLM_MASTER_KEY: "@"
  token: @
  anything: "@"
data:
  innocent: "@"
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: vllm, annotations: {note: "#"}}
spec:
  replicas: 2
  selector: {matchLabels: {app: vllm}}
  template:
    metadata: {labels: {app: vllm}}
    spec:
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.33.0
          args: ["--model", "org/model", "--api-key", "@", "--hf-token=@", "--swap-space=4", "--max-num-seqs", "#"]
          env:
            - {name: VLLM_API_KEY, value: "@"}
            - name: HF_TOKEN
              value: @
            - {name: VLLM_ATTENTION_BACKEND, value: "#"}
          livenessProbe:
            httpGet: {path: /health, port: 8000, httpHeaders: [{name: Authorization, value: "Bearer #"}]}
`,
	"values.yaml": `image: {repository: ghcr.io/berriai/litellm-database, tag: v1.102.0}
masterkey: "@"
replicaCount: 4
proxy_config:
  general_settings: {master_key: "@"}
  litellm_settings: {request_timeout: 6000}
  model_list: [{model_name: a, litellm_params: {model: openai/a, api_key: "@"}}]
db: {deployStandalone: true}
postgresql: {auth: {password: "@", postgres-password: "@"}}
envVars: {ANTHROPIC_API_KEY: "@", NOTE: "#"}
`,
	"Dockerfile":   "FROM vllm/vllm-openai:v0.33.0\nENV HF_TOKEN=@\nARG API_KEY=@\nCMD [\"--model\", \"org/model\", \"--api-key\", \"@\", \"--swap-space\", \"4\"]\n",
	"vllm.service": "[Service]\nEnvironment=VLLM_API_KEY=@\nExecStart=/usr/bin/vllm serve org/model --api-key @ --swap-space 4\n",
	"dashboard.json": `{"title": "vllm", "panels": [{"title": "#", "targets": [{"expr": "vllm:gpu_cache_usage_perc{model=\"#\"}"}],
 "datasource": {"basicAuthPassword": "@", "httpHeaderValue1": "Bearer #"}}]}
`,
	"broken.yaml":   "model_list:\n  - litellm_params: {api_key: \"@\"\n general_settings: master_key: @\n",
	"broken.json":   "{\"expr\": \"vllm:x\", \"password\": \"@\", oops #\n",
	"pgbouncer.ini": "[databases]\nllm = host=db password=@\n[pgbouncer]\nmax_client_conn = 10\n",
}

// No output shows a secret, whatever its shape and wherever it stands.
func TestCanaries(t *testing.T) {
	for i, s := range append(slices.Clone(recognised), plain...) {
		t.Run(fmt.Sprintf("%d_%s", i, strings.Trim(s.begin, "-_:/.@")), func(t *testing.T) {
			dir := t.TempDir()
			canaries := map[string]string{}
			n := 0
			known := i < len(recognised)
			for _, name := range sortedKeys(canaryFiles) {
				var b strings.Builder
				for line := range strings.Lines(canaryFiles[name]) {
					for at, c := range line {
						switch {
						case c == '@' && !strings.HasPrefix(line[at:], "@db:"), c == '#' && known && !strings.HasPrefix(line[at:], "# ") && !strings.HasPrefix(line, "#!"):
							n++
							text, canary := s.secret(n)
							canaries[canary] = fmt.Sprintf("%s: %s", name, strings.TrimSpace(line))
							b.WriteString(text)
						default:
							b.WriteRune(c)
						}
					}
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			t.Setenv("GITHUB_ACTIONS", "")
			args := []string{"check", "--profile", "strict", "--explain-skips"}
			for _, f := range report.Formats() {
				args = append(args, "--output", f+"="+filepath.Join("out", f))
			}
			if err := os.Mkdir("out", 0o755); err != nil {
				t.Fatal(err)
			}
			said := map[string]string{"check": invoke(t, args...)}
			for _, f := range report.Formats() {
				b, err := os.ReadFile(filepath.Join("out", f))
				if err != nil {
					t.Fatal(err)
				}
				said[f] = string(b)
			}
			if err := os.RemoveAll("out"); err != nil {
				t.Fatal(err)
			}
			said["model"] = invoke(t, "model")
			said["fix --diff"] = invoke(t, "fix", "--diff", "--unsafe")
			said["fix --plan"] = invoke(t, "fix", "--plan", "json", "--unsafe")
			for _, at := range []string{"config.yaml:6", "config.yaml:21", "compose.yaml:8", "compose.yaml:14", ".env:1", "k8s.yaml:9", "k8s.yaml:23", "values.yaml:2"} {
				said["explain "+at] = invoke(t, "explain", at)
			}
			for what, text := range said {
				for canary, where := range canaries {
					if strings.Contains(text, canary) {
						at := strings.Index(text, canary)
						t.Errorf("%s shows the secret of %s in %q", what, where, text[max(0, at-60):min(len(text), at+len(canary)+10)])
					}
				}
			}
		})
	}
}

// invoke runs one command line in the current directory and returns all that it printed.
func invoke(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := Main(args, Streams{In: strings.NewReader(""), Out: &out, Err: &out}); code == exitFault {
		t.Errorf("%s ends with a fault: %s", strings.Join(args, " "), out.String())
	}
	return out.String()
}

func sortedKeys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
