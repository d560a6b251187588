# METADATA
# title: An engine scales to zero on a metric that only a running engine exports
# description: |
#   With no pod left nobody exports `vllm:` series. The query returns nothing, the trigger stays inactive, and KEDA keeps the
#   workload at zero while requests fail: the engine that went to sleep at night does not wake up in the morning.
# custom:
#   category: autoscaling
#   severity: warning
#   confidence: high
#   inputs: [autoscalers, queries]
#   when: [autoscalers]
#   remedy: |
#     Keep one replica (`minReplicaCount: 1`), or wake the engine by a series that exists without it: the router's
#     `vllm:num_incoming_requests`, the gateway's `litellm_` series of the model, a cron trigger, or KEDA's HTTP add-on.
#   since: "0.1"
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/v1/metrics/loggers.py
#       symbol: "vllm:num_requests_waiting"
#       checked: "2026-11-29"
#       note: Exported by the engine's own /metrics.
#   messages:
#     main: "{name} may go to zero replicas and wakes up by {metric}, which only a running engine exports: it never wakes up"
#     engine: the metric of the engine
#     default: "{name} may go to zero replicas (KEDA's default, minReplicaCount is not written) and wakes up by {metric}, which only a running engine exports: it never wakes up"
package agentlint.rules["scale-to-zero-on-engine-metric"]

import data.agentlint.lib

findings contains {
	"at": zero.at,
	"message": zero.message,
	"args": {"name": autoscaler.name, "metric": names[0]},
	"related": [{"at": ["queries", metric.query, "text"], "message": "engine"} | some metric in autoscaler.metrics],
} if {
	some i, autoscaler in input.autoscalers
	autoscaler.enabled == true
	for_engine(i)
	zero := sleeps(i)
	not ["autoscalers", i, "metrics"] in lib.unknown_paths
	every j, metric in autoscaler.metrics {
		never_wakes(i, j, metric)
	}
	names := [series.metric | some metric in autoscaler.metrics; some series in input.queries[metric.query].metrics]
	names[0]
}

# The metric itself names the engine where the workload is not in the files.
for_engine(i) if input.autoscalers[i].target.part == "engine"

for_engine(i) if lib.absent(["autoscalers", i, "target"])

sleeps(i) := {"at": ["autoscalers", i, "idle_replicas"], "message": "main"} if {
	input.autoscalers[i].idle_replicas == 0
} else := {"at": ["autoscalers", i, "min"], "message": "main"} if {
	input.autoscalers[i].min == 0
	input.autoscalers[i].min_written == true
} else := {"at": ["autoscalers", i, "spec", "minReplicaCount"], "message": "default"} if {
	input.autoscalers[i].min == 0
	input.autoscalers[i].min_written == false
	input.autoscalers[i].kind == "keda"
}

# never_wakes(i, j, metric): all series of the metric are exported by engines, or it is one of the pods that are gone.
never_wakes(i, j, metric) if {
	asks_pods(i, j)
	query := input.queries[metric.query]
	not contains(query.text, "absent(")
	every series in query.metrics {
		series.product == "vllm"
	}
}

# asks_pods(i, j): the metric is that of the pods. A PodAutoscaler of AIBrix may ask an address instead, such as that of
# its GPU optimizer.
asks_pods(i, _) if input.autoscalers[i].kind != "podautoscaler"

asks_pods(i, j) if input.autoscalers[i].spec.metricsSources[j].metricSourceType == "pod"

asks_pods(i, j) if lib.absent(["autoscalers", i, "spec", "metricsSources", j, "endpoint"])

never_wakes(i, j, _) if input.autoscalers[i].metrics[j].kind in {"cpu", "memory"}
