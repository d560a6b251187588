package secret

import (
	"strings"
	"testing"
)

func TestValue(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"master_key", "sk-9f8e7d6c5b4a", true},
		{"master_key", "sk-1234", false},
		{"master_key", "os.environ/LITELLM_MASTER_KEY", false},
		{"LITELLM_MASTER_KEY", "${LITELLM_MASTER_KEY:-sk-abc}", false},
		{"POSTGRES_PASSWORD", "hunter2", true},
		{"postgresPassword", "hunter2", true},
		{"api-key", "abcdef", true},
		{"--api-key", "abcdef", true},
		{"apiKey", "<your key>", false},
		{"api_key", "your-key-here", false},
		{"api_key", "xxxxxxxx", false},
		{"api_key", "EMPTY", false},
		{"max_tokens", "4096", false},
		{"max_token", "4096", false},
		{"input_cost_per_token", "0.000001", false},
		{"eos_token", "</s>", false},
		{"secretName", "litellm", false},
		{"tokenizer", "meta", false},
		{"HF_TOKEN", "hf_abc", true},
		{"model", "hf_aBcDeFgHiJkLmNoPqRsTuVwX", true},
		{"url", "postgres://llm:s3cr3t@db:5432/llm", true},
		{"url", "postgres://llm:$(PASSWORD)@db:5432/llm", false},
		{"url", "postgres://llm@db:5432/llm", false},
		{"api_base", "http://vllm:8000/v1", false},
		{"headers", "Authorization: Bearer 0123456789abcdef0123", true},
		{"aws", "AKIAIOSFODNN7ABCDEFG", true},
		{"note", "sk-proj-aaaabbbbccccdddd1111", true},
		{"note", "task-based-routing-strategy-x", false},
		{"mastr_key", "plain-text", true},
		{"master_keyy", "plain-text", true},
		{"api_keey", "plain-text", true},
		{"pasword", "plain-text", true},
		{"passwrd", "plain-text", true},
		{"passwords", "plain-text", false},
		{"imagePullSecrets", "registry", false},
		{"access_groups", "plain-text", false},
		{"app_key_name", "plain-text", false},
		{"output_tokens", "4096", false},
		{"requirepass", "plain-text", true},
		{"SLACK_WEBHOOK_URL", "https://example-hooks.internal/abc", false},
		{"SLACK_WEBHOOK_URL", "https://hooks.internal/abc", true},
		{"alerts", "https://hooks.slack.com/services/T0AAA/B0BBB/abcdef", true},
		{"alerts", "https://hooks.slack.com/services/${SLACK}", false},
		{"Authorization", "Bearer correct-horse-battery", true},
		{"Authorization", "whatever", true},
		{"Authorization", "Bearer os.environ/TOKEN", false},
		{"Proxy-Authorization", "Basic ${PROXY}", false},
		{"Proxy-Authorization", "Basic dTpw", true},
		{"X-Api-Key", "weak", true},
		{"Cookie", "sid=abc; b=c", true},
		{"affinityCookie", "route", false},
		{"affinity", "cookie", false},
		{"note", "Bearer correct-horse-battery", true},
		{"note", "Token 9f8e7d6c5b4a", true},
		{"note", "Basic dTpw", true},
		{"note", "ApiKey abcdefghijk1", true},
		{"note", "Bearer $(TOKEN)", false},
		{"note", "Basic setup", false},
		{"note", "token limits", false},
		{"note", "a bearer token is needed", false},
		{"DB_PASS", "Tr0ub4dor-3", true},
		{"dbPass", "Tr0ub4dor-3", true},
		{"PGPASSWORD", "Tr0ub4dor-3", true},
		{"REDISPASSWD", "Tr0ub4dor-3", true},
		{"SMTP_PWD", "Tr0ub4dor-3", true},
		{"KEY_PASSPHRASE", "Tr0ub4dor-3", true},
		{"DB_CREDENTIALS", "user:Tr0ub4dor-3", true},
		{"DB_PASS", "true", false},
		{"DB_PASS", "1", false},
		{"PASS_THROUGH_ENDPOINT", "Tr0ub4dor-3", false},
		{"MIN_PASS_RATE", "Tr0ub4dor-3", false},
		{"BYPASS", "Tr0ub4dor-3", false},
		{"GOOGLE_APPLICATION_CREDENTIALS", "/etc/gcp/sa.json", false},
		{"GOOGLE_APPLICATION_CREDENTIALS", "sa.json", false},
		{"DB_PASS", "/t0ub4dor+3/x==", true},
		{"REDIS_PASSWO*D", "Tr0ub4dor-3", true},
		{"VLLM_API\xffKEY", "Tr0ub4dor-3", true},
		{"VLLM_API\u2013KEY", "Tr0ub4dor-3", true},
	} {
		if got := Value(c.name, c.value); got != c.want {
			t.Errorf("Value(%q, %q) = %v", c.name, c.value, got)
		}
	}
}

func TestRedact(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"  master_key: sk-abcdef # main\n", "  master_key: [redacted] # main\n"},
		{`{"api_key":"abcd\"ef","x":1}`, `{"api_key":"[redacted]","x":1}`},
		{"{api_key: abc1, model: m}", "{api_key: [redacted], model: m}"},
		{"export DB_PASSWORD='p w'\nA=1\n", "export DB_PASSWORD='[redacted]'\nA=1\n"},
		{"DATABASE_URL=postgresql://u:p/a@ss@h/db", "DATABASE_URL=postgresql://u:[redacted]@h/db"},
		{"vllm serve m --api-key abc1 --port 1", "vllm serve m --api-key [redacted] --port 1"},
		{"args: [\"--api-key\", \"abc1\"]", "args: [\"--api-key\", \"[redacted]\"]"},
		{"- --api-key\n- abc1\n", "- --api-key\n- [redacted]\n"},
		{"- --api-key=abc1\n", "- --api-key=[redacted]\n"},
		{"redis-server --requirepass abc1 --port 1", "redis-server --requirepass [redacted] --port 1"},
		{"url: https://hooks.slack.com/services/T0/B0/abc # alerts", "url: https://hooks.slack.com/[redacted] # alerts"},
		{"kind: Secret\nstringData:\n  # what it is\n  PLAIN: one two # three\n  WORKERS: \"4\"\n  QUOTED: 'a: b'\ntype: Opaque\n",
			"kind: Secret\nstringData:\n  # what it is\n  PLAIN: [redacted] # three\n  WORKERS: \"4\"\n  QUOTED: '[redacted]'\ntype: Opaque\n"},
		{"stringData:\n  config.yaml: |\n    model: m\n    api_key: abc1\n  LAST: z9\n", "stringData:\n  config.yaml: |\n    model: m\n    api_key: [redacted]\n  LAST: [redacted]\n"},
		{"stringData: {A: one, B: two}\nkind: Secret\n", "stringData: {A: [redacted], B: [redacted]}\nkind: Secret\n"},
		{"{\n  \"stringData\": {\n    \"A\": \"one\"\n  },\n  \"kind\": \"Secret\"\n}\n", "{\n  \"stringData\": {\n    \"A\": \"[redacted]\"\n  },\n  \"kind\": \"Secret\"\n}\n"},
		{"stringData", "stringData"},
		{"stringData:", "stringData:"},
		{"stringData: {", "stringData: {"},
		{"stringData:\n  A:\n  B: |", "stringData:\n  A:\n  B: |"},
		{"- name: API_TOKEN\n  value: \"abc1\"\n", "- name: API_TOKEN\n  value: \"[redacted]\"\n"},
		{"- name: API_TOKEN\n  valueFrom:\n    secretKeyRef:\n      name: x\n- name: PORT\n  value: \"abc1\"\n", "- name: API_TOKEN\n  valueFrom:\n    secretKeyRef:\n      name: x\n- name: PORT\n  value: \"abc1\"\n"},
		{"password: correct horse battery\nx: y\n", "password: [redacted]\nx: y\n"},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n", "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\n"},
		{"num_retries: 3\nmodel_name: gpt-4o\n", "num_retries: 3\nmodel_name: gpt-4o\n"},
		{"api_key: os.environ/OPENAI_API_KEY", "api_key: os.environ/OPENAI_API_KEY"},
		{"{Authorization: \"Bearer weak\", Cookie: \"a=b; c=d\"}", "{Authorization: \"Bearer [redacted]\", Cookie: \"[redacted]\"}"},
		{"Cookie: a=b; c=d # e", "Cookie: [redacted] # e"},
		{"authorization:\n  type: Bearer\n  credentials_file: /x\n", "authorization:\n  type: Bearer\n  credentials_file: /x\n"},
		{"authorization: {type: Bearer}", "authorization: {type: Bearer}"},
		{"HEADERS=Authorization=Basic dTpw", "HEADERS=Authorization=Basic [redacted]"},
		{"curl -H 'Authorization: Bearer weak' http://x", "curl -H 'Authorization: Bearer [redacted]' http://x"},
		{"x: \"Token 9f8e7d6c5b4a\"", "x: \"Token [redacted]\""},
		{"x: Bearer abcdefghijk1 # y", "x: Bearer [redacted] # y"},
		{"x: Bearer ${TOKEN}", "x: Bearer ${TOKEN}"},
		{"description: Basic setup of a gateway", "description: Basic setup of a gateway"},
		{"- \"REDIS_PASSWO*D=Tr0ub4dor-3\"", "- \"REDIS_PASSWO*D=[redacted]\""},
		{"http://h/a?b=c", "http://h/a?b=c"},
		{"value of password is 4 characters long", "value of password is 4 characters long"},
		{"token=", "token="},
		{"auth token: \"", "auth token: \""},
		{"a://b:", "a://b:"},
	} {
		if got := Redact(c.in); got != c.want {
			t.Errorf("Redact(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestFindEnv(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"REDIS_PASSWO*D=changeme-redis-S3CR3T\nA=b\n", "changeme-redis-S3CR3T"},
		{"VLLM_API\xffKEY=: vk-PLAIN-S3CR3T\r\n", ": vk-PLAIN-S3CR3T"},
		{"export my name = one two", "one two"},
		{"=x", "x"},
		{"A*B=${C}\n# a b=c\nexport D=e\nF.G-H=i\nJ=\n", ""},
		{"A*PASSWORD=abcdef", "abcdef"},
	} {
		var got []string
		for _, s := range FindEnv(c.in) {
			got = append(got, c.in[s.Start:s.End])
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("FindEnv(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"a: b", "api_key: 'x", "--token", "x://a:b@c", "-----BEGIN PRIVATE KEY-----", "password={[", "Bearer 0123456789abcdef"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pos := 0
		for _, x := range Find(s) {
			if x.Start < pos || x.End <= x.Start || x.End > len(s) {
				t.Fatalf("%q: span %v", s, x)
			}
			pos = x.End
		}
	})
}

func TestFindIsLinear(t *testing.T) {
	Find(strings.Repeat("password: [{", 100000))
	Find(strings.Repeat("name: password ", 100000))
	Find(strings.Repeat("a://", 100000))
}

// TestSecretObjects masks what stands under data of a Secret, and of nothing else.
func TestSecretObjects(t *testing.T) {
	const text = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata:\n  colour: aHVudGVyMmh1bnRlcjI=\n---\nkind: ConfigMap\ndata:\n  colour: green\n---\n{\"kind\": \"Secret\", \"data\": {\"shape\": \"cm91bmQ=\"}}\n"
	want := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata:\n  colour: " + Mask + "\n---\nkind: ConfigMap\ndata:\n  colour: green\n---\n{\"kind\": \"Secret\", \"data\": {\"shape\": \"" + Mask + "\"}}\n"
	if got := Redact(text); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := Redact("kind: SecretProviderClass\ndata:\n  a: green\n"); strings.Contains(got, Mask) {
		t.Errorf("got\n%s", got)
	}
}

func TestIsWord(t *testing.T) {
	for c := range 256 {
		b := byte(c)
		want := b == '_' || b == '-' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
		if isWord(b) != want {
			t.Errorf("%q: got %t", b, !want)
		}
	}
}

func TestShortestToken(t *testing.T) {
	for _, s := range shapes {
		if n := len(s.prefix) + s.least; n < shortest {
			t.Errorf("a token that begins with %s has %d characters, and %d are looked at", s.prefix, n, shortest)
		}
	}
}
