# METADATA
# title: cooldownPeriod does not delay this scale-down
# description: |
#   KEDA uses `cooldownPeriod` only for the step from one replica to zero (or to `idleReplicaCount`). With `minReplicaCount` of 1 or
#   more that step never happens: scale-down follows the HPA's own stabilization window, 300 s by default, whatever the
#   cooldown says. `pollingInterval` drives the same activation only; above zero the HPA asks every 15 s.
# custom:
#   category: autoscaling
#   severity: warning
#   confidence: high
#   inputs: [autoscalers]
#   remedy: |
#     Write the delay where it acts: `advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds`, and drop
#     `cooldownPeriod`.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: write the delay as scaleDown.stabilizationWindowSeconds
#     question: Is the written cooldown the delay that is wanted before replicas go?
#   evidence:
#     - artefact: vllm-stack 0.1.12
#       file: values.yaml
#       symbol: cooldownPeriod
#       checked: "2026-11-29"
#       note: The sample values combine a cooldown of 360 s with minReplicaCount 1, where KEDA 2 does not read it.
#   messages:
#     main: "cooldownPeriod {seconds} acts only on scaling to zero, and {least} {least:replica|replicas} always {least:stays|stay}: scale-down follows the HPA's stabilization window (300 s unless written)"
#     polling: "cooldownPeriod {seconds} and pollingInterval act only on scaling from and to zero, and {least} {least:replica|replicas} always {least:stays|stay}: scale-down follows the HPA's stabilization window (300 s unless written)"
package agentlint.rules["keda-cooldown-without-effect"]

import data.agentlint.lib

findings contains object.union(
	{
		"at": ["autoscalers", i, "cooldown_period_seconds"],
		"message": wording(i),
		"args": {"seconds": autoscaler.cooldown_period_seconds, "least": autoscaler.min},
	},
	fix(i, autoscaler),
) if {
	some i, autoscaler in input.autoscalers
	autoscaler.kind == "keda"
	autoscaler.enabled == true
	autoscaler.min >= 1
	written(i)
	lib.absent(["autoscalers", i, "idle_replicas"])
	lib.absent(["autoscalers", i, "behavior", "scaleDown"])
}

# The charts carry a cooldown of their own, which nobody wrote.
written(i) if input.autoscalers[i].cooldown_written == true

wording(i) := "polling" if {
	input.autoscalers[i].polling_written == true
} else := "main"

fix(i, autoscaler) := {"fix": {"edits": [{
	"op": "set",
	"at": ["autoscalers", i, "spec", "advanced", "horizontalPodAutoscalerConfig", "behavior", "scaleDown", "stabilizationWindowSeconds"],
	"value": autoscaler.cooldown_period_seconds,
}]}} if {
	autoscaler.chart == false
} else := {}
