# METADATA
# title: Engines scale on CPU or memory
# description: |
#   An engine takes its GPU memory and most of its host memory at the start, and its loop keeps a core busy with one sequence
#   as with two hundred. CPU and memory utilisation of the pod therefore say nothing about load: replicas stay where they are
#   while requests queue, or go up with the first request and never come down.
# custom:
#   category: autoscaling
#   severity: error
#   severities: [info]
#   confidence: high
#   inputs: [autoscalers, engines, queries]
#   when: [autoscalers]
#   remedy: |
#     Scale on waiting requests: a KEDA Prometheus trigger with `sum(vllm:num_requests_waiting)`, or the same series through a
#     metrics adapter, with `vllm:kv_cache_usage_perc` beside it. Both need the address of a Prometheus, so no fix is offered
#     while CPU or memory is the only metric.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: leave the CPU or memory metric out
#     question: Do the other metrics alone follow the load?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/v1/metrics/loggers.py
#       symbol: "vllm:num_requests_waiting"
#       checked: "2026-11-29"
#     - artefact: vllm 0.29.0
#       file: vllm/v1/engine/core.py
#       symbol: def run_busy_loop
#       checked: "2026-11-29"
#   messages:
#     main: "{engine} scales on {metric}, which does not follow the load of an engine: it takes its memory at the start, and one request keeps its loop as busy as two hundred; scale on {waiting}"
#     beside: "{engine} scales on {metric} beside its queue or KV cache: {metric} of an engine does not follow the load, and the largest answer of all metrics wins, so this one only keeps replicas that the others would give back"
package agentlint.rules["engine-hpa-on-cpu-or-memory"]

import data.agentlint.lib

findings contains object.union({
	"at": ["autoscalers", i, "metrics", j, "kind"],
	"severity": kind.severity,
	"message": kind.message,
	"args": {"engine": autoscaler.target.name, "metric": {"cpu": "CPU", "memory": "memory"}[metric.kind], "waiting": waiting(engine)},
}, lib.with_edits(edits(i, j, kind))) if {
	some i, autoscaler in input.autoscalers
	autoscaler.enabled == true
	autoscaler.target.part == "engine"
	autoscaler.max > 1
	some e in lib.engines_named[autoscaler.target.name]
	engine := input.engines[e]
	on_gpu(e)
	some j, metric in autoscaler.metrics
	metric.kind in {"cpu", "memory"}
	kind := judgement(i)
}

waiting(engine) := "sglang:num_queue_reqs" if {
	engine.runtime == "sglang"
} else := "sglang:num_queue_reqs" if {
	engine.backend == "sglang"
} else := "vllm:num_requests_waiting"

judgement(i) := {"severity": "info", "message": "beside"} if {
	some j, _ in input.autoscalers[i].metrics
	follows(i, j)
} else := {"severity": "info", "message": "beside"} if {
	["autoscalers", i, "metrics"] in lib.unknown_paths
} else := {"severity": "error", "message": "main"}

# follows(i, j): the metric follows the queue or the KV cache of the engine, or may do so.
follows(i, j) if {
	some series in input.queries[input.autoscalers[i].metrics[j].query].metrics
	regex.match(`waiting|queue|running|pending|incoming|in_flight|concurren|cache_usage|token_usage|requests`, series.metric)
}

follows(i, j) if lib.unknown(["autoscalers", i, "metrics", j, "kind"])

# Triggers that count something outside: a message queue, the HTTP add-on.
follows(i, j) if {
	metric := input.autoscalers[i].metrics[j]
	not metric.kind in {"cpu", "memory", "cron", "pods", "object", "external", "prometheus"}
}

# The name or the query is not seen.
follows(i, j) if {
	input.autoscalers[i].metrics[j].kind in {"pods", "object", "external", "prometheus"}
	lib.absent(["autoscalers", i, "metrics", j, "query"])
}

follows(i, j) if input.queries[input.autoscalers[i].metrics[j].query].metrics == []

# on_gpu(e): engine e is vLLM or SGLang and computes on GPUs: it asks for some, or its image is one of the products' own
# for them.
on_gpu(e) if {
	runs_llm(input.engines[e])
	not on_cpu(e)
	asks_for_gpu(e)
}

runs_llm(engine) if engine.runtime in {"vllm", "sglang"}

runs_llm(engine) if engine.backend in {"vllm", "sglang"}

asks_for_gpu(e) if input.engines[e].gpu.count > 0

asks_for_gpu(e) if {
	lib.absent(["engines", e, "gpu"])
	regex.match(`(^|/)(vllm/vllm-openai|lmsysorg/sglang)$`, input.engines[e].image.repository)
}

on_cpu(e) if {
	some part in [input.engines[e].image.repository, input.engines[e].image.tag]
	regex.match(`(^|[-_/.])cpu([-_.0-9]|$)`, part)
}

on_cpu(e) if "cpu" in input.engines[e].args.device

on_cpu(e) if input.engines[e].env.VLLM_TARGET_DEVICE == "cpu"

on_cpu(e) if lib.present(["engines", e, "env", "VLLM_CPU_KVCACHE_SPACE"])

on_cpu(e) if {
	some path in [["image"], ["image", "repository"], ["image", "tag"], ["args", "device"]]
	lib.unknown(array.concat(["engines", e], path))
}

edits(i, j, kind) := [{"op": "remove", "at": ["autoscalers", i, "metrics", j]}] if {
	kind.severity == "info"
	input.autoscalers[i].chart == false
} else := []
