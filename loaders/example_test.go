package loaders_test

import (
	"testing"

	"agentlint/loaders"
)

func TestIsExample(t *testing.T) {
	for name, want := range map[string]bool{
		"examples/config.yaml":                       true,
		"litellm/proxy/example_config_yaml/a.yaml":   true,
		"tutorials/assets/values-02.yaml":            true,
		"development/vllm/kustomization.yaml":        true,
		"benchmarks/gateway/7b.yaml":                 true,
		"config/_health_check_test_config.yaml":      true,
		".env.local":                                 true,
		"local-llm/config.yaml":                      false,
		"deploy/benchmarking/config.yaml":            false,
		"kubernetes/apps/ai/litellm/helmrelease.yml": false,
		"contest/latest.yaml":                        false,
	} {
		if got := loaders.IsExample(name); got != want {
			t.Errorf("IsExample(%q) = %v, want %v", name, got, want)
		}
	}
}
