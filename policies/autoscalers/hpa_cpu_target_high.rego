# METADATA
# title: The CPU target leaves no headroom for new gateway pods
# description: |
#   A new gateway pod needs minutes before it is ready (the chart allows 300 s). At a CPU target of 85 percent the running
#   pods have 15 percent left for what arrives in that time, so latency rises before capacity does. The classic chart and
#   the production guide use 60 percent; the componentized chart 70.
# custom:
#   category: autoscaling
#   severity: info
#   confidence: medium
#   inputs: [autoscalers]
#   remedy: Set the CPU target to 60 percent, or lower it until the load a burst adds in one start of a pod still fits.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: set the CPU target to 60
#     question: Do the pods have CPU requests that match what they use, so that 60 percent of them is meant?
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: "targetCPUUtilizationPercentage: 60"
#       checked: "2026-11-29"
#       note: 80 up to chart 1.95, 60 since.
#   parameters:
#     - name: percent
#       default: 75
#       unit: "%"
#       why: Above three quarters a burst of a third saturates the pods before a new one is ready.
#   messages:
#     main: "the gateway scales out only at {target} % CPU, which leaves {rest} % for what arrives until a new pod is ready; 60 % is the chart's own target"
package agentlint.rules["hpa-cpu-target-high"]

import data.agentlint.lib

findings contains {
	"at": ["autoscalers", i, "metrics", j, "target"],
	"args": {"target": metric.target, "rest": max([0, 100 - metric.target])},
	"fix": {"edits": [{"op": "set", "at": ["autoscalers", i, "metrics", j, "target"], "value": 60}]},
} if {
	some i, autoscaler in input.autoscalers
	autoscaler.enabled == true
	autoscaler.target.part == "gateway"
	autoscaler.max > 1
	some j, metric in autoscaler.metrics
	metric.kind == "cpu"
	metric.target_kind == "Utilization"
	metric.target > lib.parameter("hpa-cpu-target-high", "percent")
}
