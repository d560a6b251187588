# METADATA
# title: The gateway's requests and limits differ
# description: |
#   An autoscaler divides what a pod uses by its request, and a node guarantees no more than that. With a limit above the
#   request a gateway runs on capacity that is there by luck: at 100 % of the request it may still have room, or the node
#   may be full, and the number that scales it says neither. LiteLLM's chart advises equal values, which also give the pod
#   the class Guaranteed.
# custom:
#   category: resources
#   severity: info
#   confidence: medium
#   inputs: [gateway.resources]
#   when: [gateway.resources.requests]
#   remedy: |
#     Set requests equal to limits. Memory equal and no CPU limit at all is a common choice too, since it avoids throttling.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: set the requests to the limits
#     question: Do the nodes have the full limit free for every replica?
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: resources
#       checked: "2026-11-29"
#       note: The comment beside the key asks for requests equal to limits, so that utilisation means something.
#   messages:
#     main: "requests and limits of the gateway differ ({differences}): the utilisation an autoscaler sees is not the one the node guarantees"
package agentlint.rules["gateway-requests-differ-from-limits"]

import data.agentlint.lib

resources := ["gateway", "resources"]

findings contains object.union({
	"at": array.concat(resources, ["requests", different[0].name]),
	"args": {"differences": concat(", ", [d.text | some d in different])},
	"related": [{"at": array.concat(resources, ["limits", d.name]), "message": sprintf("the limit of %s", [d.name])} | some d in different],
}, lib.with_edits(edits)) if {
	input.gateway.pod.platform == "kubernetes"
	count(different) > 0
}

# The componentized chart ships 1 CPU and 2 as its default, which nobody here has chosen.
written(_) if {
	chart := lib.value(["gateway", "helm", "chart"], "")
	chart != "litellm"
}

written(name) if {
	some side in ["requests", "limits"]
	lib.present(["gateway", "helm", "values", "gateway", "resources", side, name])
}

different := [{"name": name, "text": texts[name]} |
	some name in ["cpu", "memory"]
	written(name)
	request := input.gateway.resources.requests[name]
	limit := input.gateway.resources.limits[name]
	request != limit
]

texts := {
	"cpu": sprintf("%v CPU and %v", [input.gateway.resources.requests.cpu, input.gateway.resources.limits.cpu]),
	"memory": sprintf("%s and %s", [lib.memory_text(input.gateway.resources.requests.memory), lib.memory_text(input.gateway.resources.limits.memory)]),
}

container := ["gateway", "pod", "spec", "container", "resources"]

edits := [{"op": "set", "at": array.concat(container, ["requests", d.name]), "value": limit} |
	some d in different
	limit := input.gateway.pod.spec.container.resources.limits[d.name]
]
