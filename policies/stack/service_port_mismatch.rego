# METADATA
# title: A port leads to where nothing listens
# description: |
#   A Service, or the port mapping of a container, sends connections to a port on which the server behind it does not listen:
#   LiteLLM listens on 4000 and vLLM on 8000 unless `--port` says otherwise. Every call is refused, although the pods are ready
#   and the names resolve.
# custom:
#   category: rollout
#   severity: error
#   confidence: high
#   inputs: [stack, services, gateway.args, engine.args]
#   when: [services, gateway.pod.ports, engines.*.pod.ports]
#   remedy: |
#     Let `targetPort`, or the right side of the mapping, be the port of the server.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: point the port at the server
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_cli.py
#       symbol: "--port"
#       checked: "2026-11-29"
#       note: Default 4000, or PORT from the environment.
#     - artefact: vllm 0.29.0
#       file: vllm/entrypoints/launchers/cli_args.py
#       symbol: "port: int = 8000"
#       checked: "2026-11-29"
#   messages:
#     main: "the Service {service} sends to port {port} and {server} listens on {listens}: every call is refused"
#     mapping: "the mapping leads to port {port} of the container and {server} listens on {listens}: every call is refused"
#     listens: "the port it listens on"
package agentlint.rules["service-port-mismatch"]

import data.agentlint.lib

findings contains object.union({
	"at": place,
	"message": "main",
	"args": {"service": service.name, "port": ports[k], "server": server.name, "listens": server.port},
	"related": server.related,
}, lib.with_edits([{"op": "set", "at": ["services", i, "ports", k, "targetPort"], "value": server.port} | not named(i, k)])) if {
	some i, service in input.services
	service.type in {"ClusterIP", "NodePort", "LoadBalancer"}
	some server in servers_of(service)
	ports := {k: n | some k, _ in service.ports; n := target(i, k, server)}
	every _, n in ports {
		n != server.port
	}
	count(ports) == lib.length(service.ports)
	seen(i)
	alone(server)
	k := min({k | some k, port in service.ports; serves_http(port)})
	place := place_of(i, k)
}

findings contains object.union({
	"at": array.concat(server.at, ["pod", "ports", k, "target"]),
	"message": "mapping",
	"args": {"port": ports[k], "server": server.name, "listens": server.port},
	"related": server.related,
}, lib.with_edits(mapping_edits(server, k))) if {
	some server in mapped
	bridged(server)
	ports := {k: n | some k, port in server.pod.ports; n := lib.number(port.target)}
	count(ports) == lib.length(server.pod.ports)
	count(ports) > 0
	every _, n in ports {
		n != server.port
	}
	k := min({k | some k, _ in ports})
}

# servers_of(service): the servers that a Service leads to. The name of a gateway may be left out.
servers_of(service) := {gateway_server} if service.target.part == "gateway"

servers_of(service) := {engine_server(j) | some j in lib.engines_named[service.target.name]} if service.target.part == "engine"

# mapped: the servers whose ports are published on a machine.
mapped contains gateway_server if input.gateway.pod.platform in {"compose", "docker"}

mapped contains engine_server(j) if {
	some j, engine in input.engines
	engine.pod.platform in {"compose", "docker"}
}

# gateway_server, engine_server(j): what listens, where, and on which port for certain.
gateway_server := {"part": "gateway", "name": input.gateway.name, "port": gateway_port, "at": ["gateway"], "pod": input.gateway.pod, "related": related} if {
	related := [{"at": ["gateway", "settings", "port", "value"], "message": "listens"} | input.gateway.settings.port.source != "default"]
}

engine_server(j) := {"part": "engine", "name": engine.name, "port": port, "at": ["engines", j], "pod": engine.pod, "related": related} if {
	engine := input.engines[j]
	port := lib.engine_argument(j, "port", default_ports[engine.runtime])
	not lib.flagged(j, ["uds", "headless", "data-parallel-multi-port-external-lb"])
	related := [{"at": ["engines", j, "args", "port"], "message": "listens"} | engine.args.port]
}

default_ports := {"vllm": 8000, "sglang": 30000}

# The image starts with --port 4000 when nothing replaces its arguments, so PORT alone changes nothing there.
gateway_port := port if {
	lib.absent(["gateway", "env", "PORT"])
	port := input.gateway.settings.port.value
	is_number(port)
}

gateway_port := port if {
	lib.present(["gateway", "args", "port"])
	port := input.gateway.settings.port.value
	is_number(port)
}

# alone(server): no other container of the pod may listen.
alone(server) if {
	count([c | some c in server.pod.spec.pod.containers]) <= 1
	count([c | some c in server.pod.spec.pod.initContainers]) == 0
	not array.concat(server.at, ["pod"]) in lib.unknown_paths
	not array.concat(server.at, ["pod", "spec"]) in lib.unknown_paths
	not array.concat(server.at, ["pod", "spec", "pod"]) in lib.unknown_paths
	not array.concat(server.at, ["pod", "spec", "pod", "containers"]) in lib.unknown_paths
	not array.concat(server.at, ["pod", "spec", "pod", "initContainers"]) in lib.unknown_paths
}

seen(i) if {
	not ["services", i] in lib.unknown_paths
	not ["services", i, "ports"] in lib.unknown_paths
	not ["services", i, "selector"] in lib.unknown_paths
}

# target(i, k, server): the number of the container's port that port k of Service i leads to.
target(i, k, _) := n if {
	n := lib.number(lib.value(["services", i, "ports", k, "targetPort"], input.services[i].ports[k].port))
}

target(i, k, server) := lib.number(port.containerPort) if {
	some port in server.pod.ports
	port.name == input.services[i].ports[k].targetPort
}

named(i, k) if not is_number(lib.value(["services", i, "ports", k, "targetPort"], 0))

place_of(i, k) := ["services", i, "ports", k, "targetPort"] if {
	lib.present(["services", i, "ports", k, "targetPort"])
} else := ["services", i, "ports", k, "port"]

# serves_http(port): the port is meant for requests, not for metrics, events or transfers between engines.
serves_http(port) if {
	regex.match(`^(|http|https|api|web|server|openai|serving|inference|app|main|litellm|vllm|proxy|gateway|http-[a-z0-9-]+)$`, label(port))
	protocol(port) == "TCP"
	not transfers(port.port)
}

label(port) := port.name if {
	true
} else := ""

protocol(port) := port.protocol if {
	true
} else := "TCP"

transfers(number) if {
	number >= 5555
	number < 5700
}

bridged(server) if {
	server.pod.platform == "compose"
	lib.absent(array.concat(server.at, ["pod", "spec", "container", "network_mode"]))
}

bridged(server) if {
	server.pod.platform == "docker"
	every name in ["network", "net"] {
		lib.absent(array.concat(server.at, ["pod", "spec", "container", name]))
	}
}

mapping_edits(server, k) := [{"op": "set", "at": ["compose", "services", server.name, "ports", k], "value": text}] if {
	server.pod.platform == "compose"
	old := input.compose.services[server.name].ports[k]
	is_string(old)
	text := regex.replace(old, `[0-9]+(/[a-z]+)?$`, sprintf("%v$1", [server.port]))
} else := []
