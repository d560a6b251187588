# METADATA
# title: Several routers each keep a part of the prefixes
# description: |
#   production-stack's prefixaware logic keeps its trie in the memory of one router process, and tells no other. With two replicas
#   each sees half of the conversations, learns half of the prefixes, and sends the other half to the wrong engine: the hit rate
#   falls with every replica.
# custom:
#   category: router-tier
#   severity: warning
#   severities: [info]
#   confidence: high
#   inputs: [routers]
#   remedy: |
#     Run one router replica. For availability use `session` logic, which hashes the session key the same way in every replica.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: run one router
#   evidence:
#     - artefact: production-stack vllm-stack-0.1.12
#       file: src/vllm_router/routers/routing_logic.py
#       symbol: class PrefixAwareRouter
#       checked: "2026-11-29"
#       note: The trie is an attribute of the router's one instance; session logic hashes the key on a ring of engine URLs.
#   messages:
#     main: "{replicas} routers run with prefixaware, whose index is in the memory of each: every replica learns from a part of the traffic only and the hit rate drops"
#     session: "{replicas} routers run with session logic: they agree on a session for as long as they see the same engines, and requests without the key go by what each router sent itself"
#     replicas: the number of routers
package agentlint.rules["prefixaware-router-replicated"]

import data.agentlint.lib

findings contains object.union({
	"at": ["routers", i, "mode"],
	"severity": kind.severity,
	"message": kind.message,
	"args": {"replicas": lib.router_count(router)},
	"related": [{"at": ["routers", i, "replicas", "max"], "message": "replicas"}],
}, lib.with_edits(edits(i))) if {
	some i, router in input.routers
	router.kind == "production-stack"
	router.replicas.max > 1
	kind := kinds[router.mode]
}

kinds := {
	"prefixaware": {"severity": "warning", "message": "main"},
	"session": {"severity": "info", "message": "session"},
}

# An autoscaler's bounds are not a number of replicas.
edits(i) := [{"op": "set", "at": ["routers", i, "replicas", "max"], "value": 1}] if {
	input.routers[i].mode == "prefixaware"
	input.routers[i].replicas.owner != "autoscaler"
} else := []
