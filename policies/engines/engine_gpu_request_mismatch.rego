# METADATA
# title: The GPUs that a container requests are not its limit
# description: |
#   GPUs and other extended resources cannot be shared out twice, so Kubernetes wants their limit, and the request equal to it. A
#   request alone is refused with "Limit must be set for non overcommitable resources", another number with "must be equal to
#   nvidia.com/gpu limit of 1", and no pod starts. A limit alone is fine: the request defaults to it.
# custom:
#   category: resources
#   severity: error
#   confidence: high
#   inputs: [engine.pod]
#   when: [engines.*.pod.spec.container.resources.requests]
#   remedy: |
#     Write the number under `limits`, and the same one under `requests` or none there.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: copy the request to limits
#     question: Is the request the number of GPUs that is meant?
#   evidence:
#     - artefact: kubernetes 1.34 API
#       file: pkg/apis/core/validation/validation.go
#       symbol: Limit must be set for non overcommitable resources
#       checked: "2026-11-30"
#       note: For names with a domain other than kubernetes.io, in pods and in the templates of workloads.
#   messages:
#     main: "{name} is {request} under requests and not under limits: Kubernetes refuses it with \"Limit must be set for non overcommitable resources\""
#     differs: "{name} is {request} under requests and {limit} under limits: Kubernetes refuses it with \"must be equal to {name} limit of {limit}\""
#     limit: "the limit"
package agentlint.rules["engine-gpu-request-mismatch"]

import data.agentlint.lib

findings contains object.union({
	"at": array.concat(resources, ["requests", name]),
	"args": {"name": name, "request": request, "limit": object.get(found, "limit", 0)},
	"fix": object.union(found.fix, {"edits": [{"op": "set", "at": array.concat(resources, ["limits", name]), "value": request}]}),
}, found.finding) if {
	some j, engine in input.engines
	engine.pod.platform == "kubernetes"
	engine.pod.kind in {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod", "LeaderWorkerSet", "Rollout"}

	# A chart may merge defaults into the container.
	lib.absent(["engines", j, "pod", "values"])
	lib.absent(["engines", j, "helm"])
	resources := ["engines", j, "pod", "spec", "container", "resources"]
	some name, request in engine.pod.spec.container.resources.requests
	extended(name)
	lib.number(request) >= 0
	found := judged(array.concat(resources, ["limits", name]), lib.number(request))
}

# extended(name): the resource is none of Kubernetes' own.
extended(name) if {
	contains(name, "/")
	not contains(name, "kubernetes.io/")
}

judged(at, _) := {"finding": {"message": "main"}, "fix": {"safety": "safe"}} if lib.absent(at)

judged(at, request) := {"finding": {"message": "differs", "related": [{"at": at, "message": "limit"}]}, "fix": {"safety": "unsafe"}, "limit": limit} if {
	limit := lib.number(lib.value(at, ""))
	limit != request
}
