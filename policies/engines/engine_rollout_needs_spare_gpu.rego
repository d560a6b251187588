# METADATA
# title: A rolling update of engines needs a spare GPU
# description: |
#   A rolling update with `maxSurge` of 1 or more and `maxUnavailable: 0` starts a new pod before it stops an old one. On a
#   cluster whose GPUs are all in use the new pod stays Pending, the old one keeps its card, and the rollout hangs until its
#   deadline. With few replicas the defaults do the same: 25 % of up to three is one more pod and none less.
# custom:
#   category: rollout
#   severity: info
#   severities: [warning]
#   confidence: medium
#   inputs: [engine.pod]
#   when: [engines.*.gpu]
#   remedy: |
#     Set `maxSurge: 0` and `maxUnavailable: 1`, or the strategy Recreate for a single engine: its service pauses while the model
#     loads, and the rollout ends.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: stop an old engine before a new one starts
#     question: May one engine less serve while the new one loads its model?
#   evidence:
#     - artefact: kubernetes 1.34 API
#       file: apps/v1 RollingUpdateDeployment
#       symbol: maxSurge
#       checked: "2026-11-29"
#       note: Both default to 25 %; the surge is rounded up and what may be missing is rounded down.
#   messages:
#     main: "a rolling update starts {surge} more of {engine} and stops none before it is ready: it hangs without {gpus} (maxSurge {surge}, maxUnavailable 0)"
#     defaults: "a rolling update starts {surge} more of {engine} and stops none before it is ready: it hangs without {gpus} (the defaults of 25 % at {replicas} {replicas:replica|replicas})"
package agentlint.rules["engine-rollout-needs-spare-gpu"]

import data.agentlint.lib

findings contains object.union({
	"at": place(j),
	"on_key": true,
	"message": wording(j),
	"severity": severity(j),
	"args": {"surge": up, "engine": engine.name, "gpus": gpus(engine), "replicas": replicas},
}, lib.with_edits(edits(j))) if {
	some j, engine in input.engines
	engine.pod.platform == "kubernetes"
	engine.pod.kind in {"Deployment", "chart"}
	engine.rollout.kind == "RollingUpdate"
	engine.gpu
	replicas := max([1, lib.value(["engines", j, "replicas", "min"], 1)])
	up := share(lib.value(["engines", j, "rollout", "max_surge"], "25%"), replicas, "up")
	down := share(lib.value(["engines", j, "rollout", "max_unavailable"], "25%"), replicas, "down")
	up > 0
	down == 0
	not grows(j)
}

# share("25%", 3, "up"): the pods that a number or a percentage of the replicas is, rounded as Kubernetes does.
share(n, _, _) := n if is_number(n)

share(text, replicas, "up") := ceil((lib.number(trim_suffix(text, "%")) * replicas) / 100) if percentage(text)

share(text, replicas, "down") := floor((lib.number(trim_suffix(text, "%")) * replicas) / 100) if percentage(text)

share(text, _, _) := lib.number(text) if {
	is_string(text)
	not percentage(text)
}

percentage(text) if {
	is_string(text)
	endswith(text, "%")
}

place(j) := ["engines", j, "gpu", "count"] if {
	input.engines[j].pod.kind == "chart"
	lib.absent(["engines", j, "rollout", "max_surge"])
} else := ["engines", j, "rollout", "max_surge"]

chosen(j) if {
	every key in ["max_surge", "max_unavailable"] {
		lib.present(["engines", j, "rollout", key])
	}
}

severity(j) := "warning" if {
	chosen(j)
} else := "info"

wording(j) := "main" if {
	chosen(j)
} else := "defaults"

gpus(engine) := sprintf("%v free GPUs", [engine.gpu.count]) if {
	engine.gpu.count > 1
} else := "a free GPU"

# grows(j): labels say that an autoscaler of nodes adds a machine for the pod.
grows(j) if {
	some key in node_keys(j)
	some prefix in ["karpenter.", "cluster-autoscaler.kubernetes.io/", "cloud.google.com/compute-class", "cloud.google.com/gke-provisioning", "eks.amazonaws.com/compute-type", "kubernetes.azure.com/scalesetpriority"]
	startswith(key, prefix)
}

# Something about the pod is not seen that may be such a label.
grows(j) if j in unseen

unseen contains path[1] if {
	some path in lib.unknown_paths
	path[0] == "engines"
	path[2] == "pod"
}

node_keys(j) := (keys(input.engines[j].pod.labels) | selected(j)) | tolerated(j)

keys(map) := {key | some key, _ in map}

selected(j) := {key | some key, _ in input.engines[j].pod.spec.pod.nodeSelector} | {expression.key |
	some term in input.engines[j].pod.spec.pod.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms
	some expression in term.matchExpressions
}

tolerated(j) := {toleration.key | some toleration in input.engines[j].pod.spec.pod.tolerations}

edits(j) := [
	{"op": "set", "at": ["engines", j, "rollout", "max_surge"], "value": 0},
	{"op": "set", "at": ["engines", j, "rollout", "max_unavailable"], "value": 1},
] if {
	chosen(j)
} else := []
