# METADATA
# title: Ray's prefix-affinity router never leaves a busy replica
# description: |
#   PrefixCacheAffinityRouter keeps a prefix on its replica as long as the queues of the replicas differ by at most
#   `imbalanced_threshold`. Since Ray 2.54 its default is infinity (10 up to 2.53), so the difference never counts: the
#   replica that saw a popular prefix first gets all of its requests, however long its queue is and however many replicas the
#   autoscaler adds.
# custom:
#   category: router-tier
#   severity: warning
#   confidence: high
#   inputs: [routers]
#   applies: ["ray>=2.54"]
#   remedy: |
#     Write `request_router_kwargs: {imbalanced_threshold: 10}` and tune it by the queue of the busiest replica.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: set imbalanced_threshold to 10
#     question: By how many requests may the queue of one replica be longer than that of another?
#   evidence:
#     - artefact: ray 2.54.0
#       file: ray/llm/_internal/serve/routing_policies/prefix_aware/prefix_aware_router.py
#       symbol: 'imbalanced_threshold: Optional[float] = float("inf")'
#       checked: "2026-11-29"
#       note: "2.53.0 has imbalanced_threshold: Optional[int] = 10"
#   messages:
#     main: "imbalanced_threshold is not set for {mode}; its default is infinity since Ray 2.54 (10 before), so a popular prefix stays on one of up to {replicas} replicas however long that queue grows"
package agentlint.rules["ray-affinity-never-breaks"]

import data.agentlint.lib

findings contains {
	"at": threshold(i),
	"args": {"mode": router.mode, "replicas": replicas},
	"fix": {"edits": [{"op": "set", "at": threshold(i), "value": 10}]},
} if {
	some i, router in input.routers
	router.kind == "ray"
	router.mode == "PrefixCacheAffinityRouter"
	lib.absent(["routers", i, "settings", "imbalanced_threshold"])
	lib.absent(threshold(i))
	some j in lib.engines_of_router(router)
	replicas := input.engines[j].replicas.max
	replicas > 1
}

threshold(i) := ["routers", i, "config", "deployment_config", "request_router_config", "request_router_kwargs", "imbalanced_threshold"]
