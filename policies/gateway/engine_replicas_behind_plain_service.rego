# METADATA
# title: Engine replicas hide behind one plain Service
# description: |
#   A ClusterIP Service hands each new connection to any of its pods, and the gateway keeps a pool of connections, so the
#   requests of a conversation spread over the replicas: with N replicas one turn in N finds its prefix in the cache, and
#   the others compute it again. Affinity in the gateway cannot help, because the gateway has one deployment to choose.
# custom:
#   category: affinity
#   severity: warning
#   severities: [info]
#   confidence: medium
#   inputs: [gateway.config, engines, services, routers]
#   when: [engine.replicas.max]
#   remedy: |
#     Give the gateway one deployment a replica (a StatefulSet with a headless Service: `http://vllm-0.vllm:8000/v1`,
#     ...) and `session_affinity`, or put a prefix-aware router or an InferencePool in front of the replicas. From 1.109
#     `litellm_params.kubernetes_pod_discovery: true` lets the gateway find the pods and pin sessions itself, over
#     `http://` to a headless Service. `sessionAffinity: ClientIP` pins all traffic of one gateway pod to one replica.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.110.2
#       file: litellm/router_utils/kubernetes_pod_discovery.py
#       symbol: getaddrinfo
#       checked: "2026-11-29"
#       note: First in 1.109.0, absent in 1.108.14; below it an api_base is one destination.
#   messages:
#     main: "group {group} has one deployment, the Service {service} in front of {replicas} replicas of {engine}: requests are spread at random, so one turn in {n} finds its prefix in the cache and affinity pins nothing"
#     pinned: "group {group} has one deployment, the Service {service} with sessionAffinity ClientIP in front of {replicas} replicas of {engine}: each gateway pod uses one replica, whatever the conversation"
#     replicas: "{replicas} replicas"
#     service: one address for all of them
package agentlint.rules["engine-replicas-behind-plain-service"]

import data.agentlint.lib

findings contains {
	"at": at,
	"severity": severity[service.session_affinity_kind],
	"message": wording[service.session_affinity_kind],
	"args": {
		"group": group.name, "service": service.name, "engine": engine.name, "n": engine.replicas.max,
		"replicas": replicas,
	},
	"related": [
		{"at": ["engines", i, "replicas", "max"], "message": "replicas"},
		{"at": ["services", service.index], "message": "service"},
	],
} if {
	some group in input.groups
	target := group.deployments[0].target
	target.kind == "engine"
	entries := lib.entries(group)
	count(entries) == 1
	only_deployment(group)
	some i in lib.engines_named[target.name]
	engine := input.engines[i]
	engine.role == "serve"
	engine.replicas.max > 1
	service := plain_service(target)
	not finds_pods(entries[0].index)
	at := address(entries[0].index)
	replicas := count_text(engine)
}

only_deployment(group) if {
	every i, _ in group.deployments {
		i == 0
	}
}

# plain_service(target): the Service on the way, with a virtual address of its own.
plain_service(target) := {"index": i, "name": service.name, "session_affinity_kind": pinning(i)} if {
	some i in lib.services_of[target.name]
	service := input.services[i]
	service.name == target.service
	service.headless == false
	service.type in {"ClusterIP", "NodePort", "LoadBalancer"}
}

pinning(i) := lib.value(["services", i, "session_affinity"], "None")

severity := {"None": "warning", "ClientIP": "info"}

wording := {"None": "main", "ClientIP": "pinned"}

# Pod discovery needs a headless Service, which is silent anyway; a value that the files do not show may be on with one.
finds_pods(index) if {
	lib.at_least("litellm", "1.109.0")
	lib.unknown(array.concat(lib.entry_path(index), ["litellm_params", "kubernetes_pod_discovery"]))
}

address(index) := array.concat(lib.entry_path(index), ["litellm_params", key]) if {
	key := [k | some k in ["api_base", "base_url"]; not lib.absent(array.concat(lib.entry_path(index), ["litellm_params", k]))][0]
}

count_text(engine) := sprintf("up to %v", [engine.replicas.max]) if {
	engine.replicas.owner == "autoscaler"
} else := sprintf("%v", [engine.replicas.max])
