package engine

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"
)

// TestRunAcrossFiles checks that a compose file, its env file, its config and its Postgres become one stack, and
// that a finding stands in the file that a person would edit.
func TestRunAcrossFiles(t *testing.T) {
	fsys := fstest.MapFS{
		"docker-compose.yml": {Data: []byte(`services:
  litellm:
    image: ghcr.io/berriai/litellm:v1.102.0
    command: ["--config", "/app/config.yaml", "--num_workers", "4"]
    env_file: gateway.env
    volumes: ["./config.yaml:/app/config.yaml:ro"]
  db:
    image: postgres:16
    command: postgres -c max_connections=300
`)},
		"gateway.env": {Data: []byte("DATABASE_URL=postgresql://u:p@db:5432/litellm\n")},
		"config.yaml": {Data: []byte("model_list: []\nlitellm_settings:\n  request_timeout: 6000\n")},
	}
	r, err := Run(context.Background(), Options{FS: fsys, Only: []string{"request-timeout-very-long"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Stacks) != 1 {
		t.Fatalf("stacks: %v, want one", r.Stacks)
	}
	s := r.Stacks[0].Stack
	for _, c := range []struct {
		path []any
		want string
	}{
		{[]any{"gateway", "version"}, "1.102.0"},
		{[]any{"gateway", "workers"}, "4"},
		{[]any{"gateway", "settings", "request_timeout", "source"}, "config"},
		{[]any{"database", "server", "max_connections"}, "300"},
		{[]any{"database", "urls", 0, "host"}, "db"},
	} {
		if got, _ := s.Get(c.path...).Scalar(); got != c.want {
			t.Errorf("%v = %q, want %q", c.path, got, c.want)
		}
	}
	var got []string
	for _, f := range r.Findings {
		p := f.File.Position(f.Span.Start)
		got = append(got, fmt.Sprintf("%s:%d:%d %s", f.File.Path, p.Line, p.Column, f.Rule))
	}
	if len(got) != 1 || got[0] != "config.yaml:3:20 request-timeout-very-long" {
		t.Errorf("findings: %v", got)
	}
}
