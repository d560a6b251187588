# METADATA
# title: prefixaware routing never leaves a busy replica
# description: |
#   prefixaware sends a prompt to the replica that saw its longest prefix and looks at nothing else: no load, no queue. A
#   popular prefix (one system prompt of many users) turns one replica into the bottleneck while the others wait. The trie of
#   prefixes is never pruned, also not when engines evict, so the router's memory grows until its limit ends it, and a
#   restart begins with an empty trie.
# custom:
#   category: router-tier
#   severity: info
#   confidence: medium
#   inputs: [routers, engines]
#   remedy: |
#     Watch the queue of the busiest replica and the router's memory. `session` routing spreads by user; a picker or router
#     with a load term (llm-d, Dynamo, SGLang's gateway) leaves a busy replica.
#   since: "0.1"
#   evidence:
#     - artefact: production-stack vllm-stack-0.1.12
#       file: src/vllm_router/prefix/hashtrie.py
#       symbol: class HashTrie
#       checked: "2026-11-29"
#       note: Nodes are only added.
#     - artefact: production-stack vllm-stack-0.1.12
#       file: src/vllm_router/routers/routing_logic.py
#       symbol: class PrefixAwareRouter
#       checked: "2026-11-29"
#       note: Engine and request statistics are passed in and not used.
#   messages:
#     main: "prefixaware routing has no load term and a trie that only grows: of {replicas} replicas one becomes the bottleneck for a popular prefix, and the router's memory grows until a restart"
#     engine: "the replicas"
#     memory: "the router's memory ends here"
package agentlint.rules["prefixaware-hot-spot"]

import data.agentlint.lib

findings contains {
	"at": ["routers", i, "mode"],
	"args": {"replicas": shown(i)},
	"related": array.concat(
		[{"at": ["engines", j, "replicas", "max"], "message": "engine"} | some j in sorted_engines(router)],
		[{"at": ["routers", i, "resources", "limits", "memory"], "message": "memory"} | router.resources.limits.memory],
	),
} if {
	some i, router in input.routers
	router.kind == "production-stack"
	router.mode == "prefixaware"
	replicas(i).n > 1
}

sorted_engines(router) := sort([j | some j in lib.engines_of_router(router); lib.present(["engines", j, "replicas", "max"])])

# Each listed backend is a replica; else those of the engines, an unseen number counting as one.
replicas(i) := {"n": lib.length(backends), "text": sprintf("%d", [lib.length(backends)])} if {
	backends := input.routers[i].settings.static_backends.value
	lib.length(backends) > count(lib.engines_of_router(input.routers[i]))
} else := {"n": n, "text": lib.count_text(n, unseen)} if {
	engines := lib.engines_of_router(input.routers[i])
	n := sum([max([1, at_most(j)]) | some j in engines])
	unseen := lib.any_true([lib.unknown(["engines", j, "replicas", "max"]) | some j in engines])
}

at_most(j) := input.engines[j].replicas.max

at_most(j) := 1 if lib.unknown(["engines", j, "replicas", "max"])

shown(i) := replicas(i).text
