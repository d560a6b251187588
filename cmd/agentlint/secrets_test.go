package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"agentlint/internal/cli"
	"agentlint/internal/report"
)

// TestNoCommandShowsASecret puts secrets where deployments have them and runs every command over the files.
func TestNoCommandShowsASecret(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"GITHUB_ACTIONS", "GITLAB_CI", "AGENTLINT_TRACE"} {
		t.Setenv(name, "")
	}
	secrets := []string{
		"sk-live-0a1b2c3d4e5f6a7b", "hunter2-hunter2", "correcthorsebatterystaple", "hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA", "T0B1C2/B3C4D5/hooked", "quitesecretword",
	}
	files := map[string]string{
		"config.yaml": `model_list:
- model_name: chat
  litellm_params:
    model: openai/gpt-4o
    api_key: ` + secrets[0] + `
    extra_headers:
      Authorization: Bearer ` + secrets[4] + `
general_settings:
  master_key: ` + secrets[2] + ` # agentlint: ignore[unused-ignore]
  database_url: postgresql://llm:` + secrets[1] + `@db:5432/litellm
  mastr_key: ` + secrets[7] + `
  pasword: ` + secrets[7] + `
  # the old password: ` + secrets[7] + `
litellm_settings:
  request_timeout: 6000
  cache: true
  cache_params: {type: redis, host: redis, port: 6379, password: ` + secrets[1] + `}
`,
		"docker-compose.yml": `services:
  litellm:
    image: ghcr.io/berriai/litellm:v1.102.0
    command: ["--config", "/app/config.yaml"]
    volumes: ["./config.yaml:/app/config.yaml"]
    env_file: gateway.env
    environment:
      UI_PASSWORD: ` + secrets[1] + `
      SLACK_WEBHOOK_URL: https://hooks.slack.com/services/` + secrets[6] + `
  redis:
    image: redis:7
    command: redis-server --requirepass ` + secrets[7] + `
  list:
    image: vllm/vllm-openai:v0.29.0
    command: ["--model", "m", "--api-key", "` + secrets[7] + `", "--hf-token", "` + secrets[3] + `", "--unheard-of", "` + secrets[0] + `", "--swap-space", "4"]
  shell:
    image: vllm/vllm-openai:v0.29.0
    entrypoint: sh -c
    command:
      - |
        vllm serve m --swap-space 4 --api_key="` + secrets[7] + `" --hf-token ` + secrets[3] + `
  vllm:
    image: vllm/vllm-openai:v0.29.0
    command: --model m --api-key ` + secrets[5] + `
    environment: [HF_TOKEN=` + secrets[3] + `]
`,
		"gateway.env": "LITELLM_MASTER_KEY=" + secrets[2] + "\nOPENAI_API_KEY=" + secrets[0] + "\nREDIS_PASSWORD='" + secrets[1] + "'\n",
		"secret.yaml": `apiVersion: v1
kind: Secret
metadata: {name: gateway}
stringData:
  PLAIN_NAME: ` + secrets[7] + `
  QUOTED_NAME: "` + secrets[7] + `"
  NUM_WORKERS: "4"
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: litellm}
spec:
  template:
    spec:
      containers:
        - name: litellm
          image: ghcr.io/berriai/litellm:v1.102.0
          args: [--config, /app/config.yaml, --num_workers, "4"]
          envFrom: [{secretRef: {name: gateway}}]
`,
		"broken.yaml": "model_list:\n- api_key: " + secrets[0] + "\n  api_key: [" + secrets[5] + "\n",
		"bad.yaml":    "facts: {redis: " + secrets[0] + "}\n",
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(".git", 0o755); err != nil {
		t.Fatal(err)
	}
	commands := []string{"", "check --level undecided --explain-skips", "check --config bad.yaml", "check --assume gpu=" + secrets[0], "model", "model --positions", "model --format mermaid",
		"fix --diff --unsafe", "fix --plan json", "fix --diff", "explain " + secrets[0], "init", "fix --unsafe"}
	for _, f := range report.Formats() {
		commands = append(commands, "check --level undecided --format "+f)
	}
	for name, text := range files {
		for i := range strings.Count(text, "\n") {
			commands = append(commands, fmt.Sprintf("explain %s:%d", name, i+1))
		}
	}
	for _, c := range commands {
		var stdout, stderr bytes.Buffer
		code := cli.Main(strings.Fields(c), cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
		if code > 2 {
			t.Errorf("agentlint %s: exit code %d\n%s", c, code, &stderr)
		}
		for _, s := range secrets {
			for _, out := range []string{stdout.String(), stderr.String()} {
				if i := strings.Index(out, s); i >= 0 && !strings.Contains(c, s) {
					t.Errorf("agentlint %s shows %s: ...%s", c, s, out[max(0, i-60):i+len(s)])
				}
			}
		}
	}
}
