# METADATA
# title: The gateway has no resource requests or limits
# description: |
#   A pod without requests and limits is in the class BestEffort: when a node runs short of memory it is evicted first, it
#   is scheduled onto nodes that are full, and an autoscaler on CPU or memory utilisation has no request to compute a
#   percentage of, so it never scales. A container with requests and no limits may take all memory of its node. LiteLLM's
#   charts count 1 CPU and 4 GiB for each worker, with requests equal to limits; the classic chart (litellm-helm) sets
#   nothing by default, the componentized one sets 1 to 2 CPUs and 4 GiB.
# custom:
#   category: resources
#   severity: warning
#   severities: [info]
#   confidence: high
#   inputs: [gateway.pod, gateway.resources, autoscalers]
#   remedy: |
#     Set `resources` on the container with 1 CPU and 4Gi for each worker, requests equal to limits. Limits without
#     requests are complete: Kubernetes takes them as requests too. Defaults of a LimitRange in the same files count.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: set 1 CPU and 4Gi per worker
#     question: Do the nodes have this much room for every replica?
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: "resources:"
#       checked: "2026-11-29"
#       note: Empty by default; the comment beside it counts 1 CPU and 4Gi per worker, requests equal to limits.
#     - artefact: litellm 1.102.0 (chart)
#       file: values.yaml
#       symbol: "memory: 4Gi"
#       checked: "2026-11-29"
#       note: Requests of 1 CPU and 4Gi, limits of 2 CPUs and 4Gi by default.
#   messages:
#     main: "the gateway's container has no requests and no limits: its pods are evicted first when a node runs short of memory"
#     blind: "the gateway's container has no requests and no limits: its pods are evicted first when a node runs short of memory, and the autoscaler on {metric} utilisation has nothing to compute a percentage of"
#     unlimited: "the gateway's container has requests but no limits: a process that grows takes the memory of its node"
package agentlint.rules["gateway-resources-missing"]

import data.agentlint.lib

resources := ["gateway", "resources"]

findings contains object.union({"at": resources, "message": "main"}, fix) if {
	unsized
	count(utilisations) == 0
}

findings contains object.union({
	"at": resources, "message": "blind", "args": {"metric": utilisations[0].name},
	"related": [{"at": u.at, "message": "needs a request"} | some u in utilisations],
}, fix) if {
	unsized
	count(utilisations) > 0
}

findings contains {"at": resources, "message": "unlimited", "severity": "info"} if {
	in_pod
	nothing_in("limits")
	some name in ["cpu", "memory"]
	lib.present(array.concat(resources, ["requests", name]))
}

unsized if {
	in_pod
	nothing_in("limits")
	nothing_in("requests")
}

# Resources of the whole pod, from Kubernetes 1.34 on, are divided among its containers.
in_pod if {
	input.gateway.pod.platform == "kubernetes"
	lib.absent(["gateway", "pod", "spec", "pod", "resources"])
}

nothing_in(side) if {
	every name in ["cpu", "memory"] {
		lib.absent(array.concat(resources, [side, name]))
	}
}

utilisations := [{"at": ["autoscalers", i, "metrics", j], "name": {"cpu": "CPU", "memory": "memory"}[metric.kind]} |
	some i, autoscaler in input.autoscalers
	autoscaler.target.part == "gateway"
	autoscaler.enabled == true
	some j, metric in autoscaler.metrics
	metric.kind in {"cpu", "memory"}
	metric.target_kind == "Utilization"
]

amounts := {"cpu": sprintf("%d", [lib.workers.n]), "memory": sprintf("%dGi", [4 * lib.workers.n])}

fix := {"fix": {"edits": [{"op": "set", "at": place, "value": {"requests": amounts, "limits": amounts}}]}} if {
	not lib.workers.at_least
} else := {}

# place is where the file has them under their own name: the values of the chart, else the container.
place := ["gateway", "helm", "values", "resources"] if {
	input.gateway.helm.chart == "litellm-helm"
} else := ["gateway", "pod", "spec", "container", "resources"]

unchecked contains concat(".", resources) if {
	input.gateway.pod.platform == "kubernetes"
	some side in ["requests", "limits"]
	lib.unknown(array.concat(resources, [side]))
	not lib.present(array.concat(resources, ["limits"]))
}
