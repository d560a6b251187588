# METADATA
# title: The gateway scales on completed tokens
# description: |
#   LiteLLM counts a request's tokens when its answer is complete. A stream of five minutes is booked in its last second,
#   so a token rate rises when the load is already leaving, and during a burst of long streams it reads zero.
# custom:
#   category: autoscaling
#   severity: warning
#   severities: [info]
#   confidence: high
#   inputs: [autoscalers, queries, gateway.helm]
#   remedy: Scale on in-flight requests (`sum(litellm_in_flight_requests)`, 1.82 and newer), with CPU as a second metric.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: scale on in-flight requests
#     question: How many requests in flight does one replica serve well? The threshold must be written for the new metric.
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/integrations/prometheus.py
#       symbol: litellm_total_tokens_metric
#       checked: "2026-11-29"
#       note: Incremented in the success callback, which runs when the stream has ended.
#   messages:
#     main: "the gateway scales on {metric}, which counts a request's tokens when its stream ends: replicas come after the load has passed; scale on in-flight requests"
#     second: "{metric} counts a request's tokens when its stream ends, so this metric follows the load; the other metric has to react first"
package agentlint.rules["autoscale-on-completed-tokens"]

import data.agentlint.lib

token_metrics := {
	"litellm_total_tokens_metric", "litellm_output_tokens_metric", "litellm_input_tokens_metric",
	"litellm_total_tokens", "litellm_output_tokens", "litellm_input_tokens", "litellm_tokens_per_second",
}

findings contains object.union(
	{"at": place(i, j), "message": message, "severity": severity, "args": {"metric": name}},
	fix(i, j, name),
) if {
	some i, autoscaler in input.autoscalers
	autoscaler.enabled == true
	for_gateway(i)
	some j, metric in autoscaler.metrics
	name := token_series(metric)
	[severity, message] := judgement(autoscaler)
}

# The metric itself names the gateway where the workload is not in the files.
for_gateway(i) if input.autoscalers[i].target.part == "gateway"

for_gateway(i) if lib.absent(["autoscalers", i, "target"])

token_series(metric) := name if {
	some series in input.queries[metric.query].metrics
	name := series.name
	trim_suffix(name, "_total") in token_metrics
}

# Only a metric that follows requests or load reacts before the tokens are booked.
judgement(autoscaler) := ["info", "second"] if {
	some other in autoscaler.metrics
	not token_series(other)
	reacts(other)
} else := ["warning", "main"]

reacts(other) if other.kind in {"cpu", "memory", "pods", "object", "external", "prometheus"}

place(i, j) := ["queries", input.autoscalers[i].metrics[j].query, "text"]

# A query of one's own can be rewritten; a chart's key cannot.
fix(i, j, _) := {"fix": {"edits": [{"op": "set", "at": place(i, j), "value": "sum(litellm_in_flight_requests)"}]}} if {
	input.autoscalers[i].chart == false
	input.autoscalers[i].kind == "keda"
	lib.at_least("litellm", "1.82.0")
} else := {}
