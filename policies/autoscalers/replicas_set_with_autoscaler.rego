# METADATA
# title: The manifest sets replicas that an autoscaler owns
# description: |
#   Every `kubectl apply` and every sync of Argo CD or Flux sets the number in the file again, and the autoscaler changes it
#   back: a scale-up under load is undone in the middle of the peak, pods that serve streams are stopped, and it takes the
#   next evaluation and a cold start to get them back. With the minimum in the file it is the same.
# custom:
#   category: autoscaling
#   severity: warning
#   confidence: high
#   inputs: [autoscalers, gateway.replicas, engines, routers]
#   when: [autoscalers]
#   remedy: |
#     Leave `spec.replicas` out of the manifest. A client-side `kubectl apply` takes the loss of the field for 1 once: run
#     `kubectl apply edit-last-applied` and delete it there before, or apply on the server side.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: remove replicas
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: templates/deployment.yaml
#       symbol: "not .Values.autoscaling.enabled"
#       checked: "2026-11-29"
#       note: The chart leaves the field out when its autoscaler is on.
#   messages:
#     main: "replicas: {written} is set here while the {kind} {autoscaler} owns the number, up to {max}: every apply undoes the last scaling"
#     owner: owns the number
package agentlint.rules["replicas-set-with-autoscaler"]

# One finding for a workload: of several autoscalers, which are alternatives, the first is named.
findings contains {
	"at": part.at,
	"args": {"written": part.written, "kind": kinds[first.kind], "autoscaler": first.name, "max": first.max},
	"related": [{"at": ["autoscalers", i], "message": "owner"} | some i in owners],
	"fix": {"edits": [{"op": "remove", "at": part.at}]},
} if {
	some part in parts
	owners := [i | some i in owners_of[workload(part.kind, part)]]
	first := input.autoscalers[owners[0]]
}

# owners_of[workload]: the autoscalers of a workload.
owners_of[workload(autoscaler.target.part, autoscaler.target)] contains i if {
	some i, autoscaler in input.autoscalers
	autoscaler.enabled == true
	autoscaler.chart == false
	autoscaler.max > 1
}

# A stack has one gateway.
workload("gateway", _) := ["gateway"]

workload(kind, part) := [kind, part.name] if kind != "gateway"

kinds := {"hpa": "HorizontalPodAutoscaler", "keda": "ScaledObject", "podautoscaler": "PodAutoscaler"}

parts contains {"kind": "gateway", "name": input.gateway.name, "at": ["gateway", "replicas", "written"], "written": n} if {
	n := input.gateway.replicas.written
}

parts contains {"kind": "engine", "name": engine.name, "at": ["engines", j, "replicas", "written"], "written": n} if {
	some j, engine in input.engines
	n := engine.replicas.written
}

parts contains {"kind": "router", "name": router.name, "at": ["routers", j, "replicas", "written"], "written": n} if {
	some j, router in input.routers
	n := router.replicas.written
}
