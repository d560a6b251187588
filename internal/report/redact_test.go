package report

import (
	"testing"

	"agentlint/internal/source"
)

func TestFileLineHidesSecrets(t *testing.T) {
	for _, c := range []struct{ file, line, want string }{
		{"deploy/.env", "REDIS_PASSWO*D=changeme-redis-S3CR3T", "REDIS_PASSWO*D=[redacted]"},
		{"gateway.env", "SOME*THING=plain", "SOME*THING=[redacted]"},
		{".env.prod", "SOME_THING=plain", "SOME_THING=plain"},
		{"config.yaml", "a: SOME*THING=plain", "a: SOME*THING=plain"},
		{"config.yaml", `extra_headers: {Authorization: "Bearer correct-horse"}`, `extra_headers: {Authorization: "Bearer [redacted]"}`},
		{"compose.yaml", `environment: {DEBUG: "true", DB_PASS: Tr0ub4dor-3}`, `environment: {DEBUG: "true", DB_PASS: [redacted]}`},
	} {
		if got := FileLine(source.NewFile(c.file, []byte(c.line+"\n")), 1); got != c.want {
			t.Errorf("%s: %q is shown as %q, want %q", c.file, c.line, got, c.want)
		}
	}
}

func TestRedactTreeKnowsHeaders(t *testing.T) {
	got := RedactTree(map[string]any{"Authorization": "Bearer correct-horse", "X-Other": "Token os.environ/TOKEN", "DB_PASS": "Tr0ub4dor-3"}).(map[string]any)
	if got["Authorization"] != mask || got["X-Other"] != "Token os.environ/TOKEN" || got["DB_PASS"] != mask {
		t.Errorf("redacted: %v", got)
	}
}
