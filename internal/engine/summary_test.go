package engine

import (
	"context"
	"testing"
	"testing/fstest"

	"agentlint/internal/knowledge"
)

// TestSummaryOfVersions says which release is written and which one is assumed.
func TestSummaryOfVersions(t *testing.T) {
	fsys := fstest.MapFS{"compose.yaml": {Data: []byte(`services:
  pinned: {image: "vllm/vllm-openai:v0.29.0", command: a/b}
  again: {image: "vllm/vllm-openai:v0.29.0", command: a/c}
  floating: {image: "vllm/vllm-openai:latest", command: a/d}
`)}}
	r, err := Run(context.Background(), Options{FS: fsys, Only: []string{"parse-error"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "3 engines vLLM 0.29.0, vLLM " + knowledge.VLLM.Newest().String() + " (assumed)"
	if len(r.Stacks) != 1 || r.Stacks[0].Line != want {
		t.Errorf("stacks %v, want the line %q", r.Stacks, want)
	}
}
