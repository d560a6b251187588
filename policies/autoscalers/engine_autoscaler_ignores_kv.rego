# METADATA
# title: The engine scales on its queue only
# description: |
#   With a context of 65536 tokens or more one agent session holds tens of GiB of KV cache. Memory pressure then comes before
#   the queue: sequences are preempted and recomputed while `num_requests_waiting` is still near zero, and the scaler sees no load.
# custom:
#   category: autoscaling
#   severity: info
#   confidence: medium
#   inputs: [autoscalers, queries, engines]
#   remedy: Add a second trigger on KV usage, such as `max(vllm:kv_cache_usage_perc)` with a threshold of 0.8.
#   since: "0.1"
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/v1/metrics/loggers.py
#       symbol: "vllm:kv_cache_usage_perc"
#       checked: "2026-11-29"
#   messages:
#     main: "the engine scales on waiting requests only, at a context limit of {context} tokens: the KV cache is full and preempting before the queue grows; add a trigger on vllm:kv_cache_usage_perc"
package agentlint.rules["engine-autoscaler-ignores-kv"]

import data.agentlint.lib

findings contains {
	"at": ["queries", metric.query, "text"],
	"args": {"context": context},
} if {
	some i, autoscaler in input.autoscalers
	autoscaler.enabled == true
	autoscaler.target.part == "engine"
	autoscaler.max > 1
	some metric in autoscaler.metrics
	every other in autoscaler.metrics {
		waiting(other)
	}
	some engine in input.engines
	engine.name == autoscaler.target.name
	context := lib.context_limit(engine)
	context >= 65536
}

waiting(metric) if {
	some series in input.queries[metric.query].metrics
	series.metric == "vllm:num_requests_waiting"
}
