# METADATA
# title: The socket of KV events is open to everyone who reaches it
# description: |
#   vLLM publishes KV events on a ZMQ socket without authentication or encryption; `tcp://*:5557`, the default, binds all interfaces.
#   Each event that stores a block carries the token ids of that block, so whoever connects can read every prompt. An address without
#   `*` or `::` is connected to instead of bound, so there is no address to restrict the socket to: the network must.
# custom:
#   category: kv-events
#   severity: info
#   severities: [warning]
#   confidence: medium
#   inputs: [engine.args, engine.pod, services]
#   when: [engines.*.kv_events]
#   remedy: |
#     Keep the port out of Services of type LoadBalancer and NodePort, of published ports and of the host's network, and add a NetworkPolicy
#     that lets the router alone reach it.
#   since: "0.1"
#   evidence:
#     - artefact: vllm 0.33.0
#       file: vllm/config/kv_events.py
#       symbol: 'endpoint: str = "tcp://*:5557"'
#       checked: "2026-11-30"
#     - artefact: vllm 0.33.0
#       file: vllm/distributed/kv_events.py
#       symbol: "token_ids: list[int]"
#       checked: "2026-11-30"
#     - artefact: vllm 0.33.0
#       file: vllm/distributed/kv_events.py
#       symbol: def _is_bind_endpoint
#       checked: "2026-11-30"
#       note: Binds when the endpoint has * or ::, connects otherwise; 0.0.0.0 is connected to.
#   messages:
#     main: "the KV event socket of {engine} binds all interfaces on port {port} without authentication and carries the token ids of every prompt; no NetworkPolicy selects the pod"
#     plain: "the KV event socket of {engine} binds all interfaces on port {port} without authentication and carries the token ids of every prompt"
#     published: "the KV event socket of {engine} has no authentication and carries the token ids of every prompt, and port {port} is open to others: {way}"
#     way: "opens the port"
package agentlint.rules["kv-events-endpoint-exposed"]

import data.agentlint.lib

findings contains object.union(finding, found) if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	lib.kv_events_on(j)
	lib.value(["engines", j, "kv_events", "publisher"], "zmq") in {"zmq", null}
	endpoint := lib.value(["engines", j, "kv_events", "endpoint"], "tcp://*:5557")
	regex.match(`^tcp://(\*|\[::\]):[1-9][0-9]{0,4}$`, endpoint)
	parts := split(endpoint, ":")
	port := lib.number(parts[count(parts) - 1])
	lib.absent(["engines", j, "pod", "network_policies"])
	ways := opened(j, port)
	finding := object.union(place(j), {"args": {"engine": lib.engine_label(j), "port": port, "way": way_text(ways)}})
	found := judged(engine, ways)
}

place(j) := {"at": ["engines", j, "kv_events", "endpoint"]} if {
	lib.present(["engines", j, "kv_events", "endpoint"])
} else := {"at": lib.events_place(j), "on_key": true}

judged(_, ways) := {"severity": "warning", "message": "published", "related": [{"at": ways[0].at, "message": "way"}]} if {
	count(ways) > 0
}

judged(engine, ways) := {"message": {true: "main", false: "plain"}[engine.pod.platform == "kubernetes"]} if {
	count(ways) == 0
}

way_text(ways) := ways[0].text

way_text(ways) := "" if count(ways) == 0

# opened(j, port): what opens the event port of engine j to others than its neighbours, in order.
opened(j, port) := array.concat(array.concat(by_services(j, port), by_ports(j, port)), by_host(j))

by_services(j, port) := [{"at": ["services", s, "type"], "text": sprintf("Service %s is of type %s", [service.name, service.type])} |
	some s in outer_services[input.engines[j].name]
	service := input.services[s]
	some entry in service.ports
	leads(j, entry, port)
]

# outer_services[engine]: the places of the Services that open an engine to others than the cluster.
outer_services[service.target.name] contains s if {
	some s, service in input.services
	service.type in {"LoadBalancer", "NodePort"}
	service.target.part == "engine"
}

leads(_, entry, port) if entry[["port", "targetPort"][_]] == port

leads(j, entry, port) if {
	some own in input.engines[j].pod.ports
	own.name == entry.targetPort
	own.containerPort == port
}

# Compose and docker publish a port on all addresses of the machine unless one is named; Kubernetes does with hostPort.
by_ports(j, port) := [{"at": ["engines", j, "pod", "ports", p], "text": text} |
	some p, entry in input.engines[j].pod.ports
	text := published(["engines", j, "pod", "ports", p], entry, port)
]

published(path, entry, port) := sprintf("it is published as %v on the host", [entry.published]) if {
	lib.number(entry.target) == port
	not lib.value(array.concat(path, ["host_ip"]), "") in {"127.0.0.1", "::1", "localhost"}
}

published(_, entry, port) := sprintf("it is hostPort %v of the node", [entry.hostPort]) if {
	entry.containerPort == port
	is_number(entry.hostPort)
}

by_host(j) := [{"at": path, "text": "the container has the host's network"} |
	some path in [
		["engines", j, "pod", "spec", "pod", "hostNetwork"],
		["engines", j, "pod", "spec", "container", "network_mode"],
	]
	lib.value(path, false) in {true, "host"}
]
