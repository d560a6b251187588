# METADATA
# title: New gateway pods arrive after the burst
# description: |
#   With `minReplicas: 1` a burst meets one pod until the next one is ready, and the startup probe allows it
#   `initialDelaySeconds + failureThreshold x periodSeconds`: 300 s in the classic chart (30 x 10 s). Starts of 180 s are measured on a
#   normal boot and 380 s on one that migrates the database.
# custom:
#   category: autoscaling
#   severity: info
#   confidence: medium
#   inputs: [autoscalers, probes]
#   remedy: Keep two or more replicas as the minimum, and let the migration run as a job of its own so that pods start faster.
#   since: "0.1"
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: startupProbe
#       checked: "2026-11-29"
#       note: failureThreshold 30 and periodSeconds 10 by default.
#   parameters:
#     - name: seconds
#       default: 120
#       unit: seconds
#       why: A burst of agent traffic builds up within two minutes.
#   messages:
#     main: "one gateway pod is the minimum and a new one may take {budget} s to become ready ({formula}), so capacity arrives after the burst; keep two or more"
#     probe: the startup probe that allows it
package agentlint.rules["startup-budget-defeats-autoscaling"]

import data.agentlint.lib

findings contains {
	"at": place(i, j),
	"args": {"budget": budget, "formula": formula},
	"related": [{"at": ["probes", j], "on_key": true, "message": "probe"}],
	"figures": [{"name": "startup budget", "value": budget, "unit": "seconds", "formula": formula}],
} if {
	some i, autoscaler in input.autoscalers
	autoscaler.enabled == true
	autoscaler.target.part == "gateway"
	autoscaler.max > 1
	autoscaler.min == 1
	some j, probe in input.probes
	probe.kind == "startup"
	probe.target.part == "gateway"
	budget := probe.initial_delay_seconds + (probe.failure_threshold * probe.period_seconds)
	budget >= lib.parameter("startup-budget-defeats-autoscaling", "seconds")
	formula := formula_of(probe)
}

place(i, _) := ["autoscalers", i, "min"] if input.autoscalers[i].min_written == true

place(i, j) := ["probes", j] if input.autoscalers[i].min_written == false

formula_of(probe) := sprintf("%v failures x %v s", [probe.failure_threshold, probe.period_seconds]) if {
	probe.initial_delay_seconds == 0
} else := sprintf("%v s + %v failures x %v s", [probe.initial_delay_seconds, probe.failure_threshold, probe.period_seconds])
