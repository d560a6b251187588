package policy

import (
	"context"
	"fmt"
	"testing"

	"agentlint/internal/model"
)

// benchPolicy is a policy of ordinary size: two conditions, a default, a message with arguments.
const benchPolicy = `findings contains {"at": array.concat(lib.entry_path(i), ["litellm_params", "timeout"]), "args": {"v": seconds}} if {
	some i, entry in input.gateway.config.model_list
	seconds := entry.litellm_params.timeout
	seconds > %d
	lib.value(["gateway", "config", "router_settings", "num_retries"], 2) > 1
	not quiet
}

quiet if input.gateway.config.litellm_settings.drop_params == false

quiet if lib.at_least("litellm", "1.200.0")`

// benchStack has the size of a usual deployment: 12 models, 20 settings, 15 variables.
func benchStack() *model.Stack {
	models := l{}
	for i := range 12 {
		models = append(models, m{"model_name": fmt.Sprintf("m%d", i), "litellm_params": m{
			"model": "hosted_vllm/x", "api_base": "http://vllm:8000/v1", "api_key": "os.environ/KEY", "rpm": 100, "timeout": 600 + i,
		}, "model_info": m{"mode": "chat", "max_input_tokens": 131072}})
	}
	settings, env := m{}, m{}
	for i := range 20 {
		settings[fmt.Sprintf("setting_%d", i)] = i
	}
	for i := range 15 {
		env[fmt.Sprintf("NAME_%d", i)] = "value"
	}
	env["SECRET"] = unknown{}
	return stackOf(m{"gateway": m{"version": "1.102.0", "workers": 4, "replicas": m{"min": 2, "max": 10}, "env": env,
		"config": m{"model_list": models, "litellm_settings": settings, "router_settings": m{"num_retries": 3}, "general_settings": settings}}})
}

func benchPolicies(b *testing.B, n, limit int) []*Policy {
	var list []*Policy
	for i := range n {
		list = append(list, policyOf(b, fmt.Sprintf("rule-%d", i), fmt.Sprintf(benchPolicy, limit)))
	}
	return list
}

// BenchmarkCompile is what a run pays before its first evaluation.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{0, 1, 10, 30, 100} {
		b.Run(fmt.Sprintf("policies=%d", n), func(b *testing.B) {
			list := benchPolicies(b, n, 1000)
			ids := map[string]bool{}
			for _, p := range list {
				ids[p.ID] = true
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := NewHost(list, Options{}).compile(ids); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("builtin", func(b *testing.B) {
		ids := map[string]bool{}
		for _, p := range Builtin() {
			ids[p.ID] = true
		}
		b.ReportMetric(float64(len(ids)), "policies")
		for b.Loop() {
			if _, err := NewHost(Builtin(), Options{}).compile(ids); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRun is what one stack costs: converting it, evaluating the policies, reading their answers.
func BenchmarkRun(b *testing.B) {
	s := benchStack()
	for _, c := range []struct {
		name     string
		n, limit int
	}{{"policies=1/silent", 1, 1000}, {"policies=10/silent", 10, 1000}, {"policies=30/silent", 30, 1000}, {"policies=10/firing", 10, 610}} {
		b.Run(c.name, func(b *testing.B) {
			list := benchPolicies(b, c.n, c.limit)
			h := NewHost(list, Options{})
			if err := h.Prepare(list); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				h.Run(context.Background(), s, list, nil)
			}
		})
	}
}

// BenchmarkInput is the conversion of one stack alone.
func BenchmarkInput(b *testing.B) {
	s := benchStack()
	b.ReportAllocs()
	for b.Loop() {
		inputOf(s, enabledTerm(nil), parametersTerm(nil, nil)).term()
	}
}

// BenchmarkGates asks every built-in policy whether it is open for a stack.
func BenchmarkGates(b *testing.B) {
	s := benchStack()
	list := Builtin()
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range list {
			p.Open(s)
		}
	}
}
