# METADATA
# title: The engine is reachable from outside without an API key
# description: |
#   An engine without `--api-key` or VLLM_API_KEY answers every request. Behind a ClusterIP only the cluster can send one; behind a
#   LoadBalancer, a NodePort, an Ingress, on the network of the host, or on a compose port of all interfaces, anyone who finds the port uses
#   the GPUs and reads what the model answers. Such ports are found by scanners within hours.
# custom:
#   category: engine-security
#   severity: error
#   severities: [warning]
#   confidence: medium
#   inputs: [engine.args, engine.env, services, compose, ingress]
#   remedy: |
#     Give the engine a key by the variable VLLM_API_KEY out of a secret, and the same key to the gateway as the deployment's api_key; or
#     leave the port inside: a ClusterIP, `127.0.0.1:8000:8000` in compose.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: take VLLM_API_KEY from the environment of compose
#     question: Is the same key set as api_key of the gateway's deployments, and VLLM_API_KEY where compose runs?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/entrypoints/serve/middleware/authenticate.py
#       symbol: class AuthenticationMiddleware
#       checked: "2026-11-29"
#       note: Only added when a key is given; the server has no other authentication.
#   messages:
#     service: "the {type} Service {service} makes engine {engine} reachable from outside the cluster, and it asks for no API key: anyone can use the GPUs"
#     ingress: "the {kind} {ingress} makes engine {engine} reachable from outside the cluster, and it asks for no API key: anyone can use the GPUs"
#     host: "engine {engine} listens on the network of the host and asks for no API key: anyone who reaches the host can use the GPUs"
#     port: "port {port} of engine {engine} is published on all interfaces and it asks for no API key: anyone who reaches the host can use the GPUs; set VLLM_API_KEY, or publish 127.0.0.1:{port}"
package agentlint.rules["engine-open-without-api-key"]

import data.agentlint.lib

findings contains object.union_n([exposure, undecided(j), repair(j, exposure)]) if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	not keyed(j)
	some exposure in exposures(j, engine)
}

# keyed: a key is set, also one out of sight, or something of one's own may ask for one.
keyed(j) if lib.api_key(["engines", j])

keyed(j) if {
	some flag in ["middleware", "ssl-cert-reqs"]
	lib.present(["engines", j, "args", flag])
}

exposures(j, engine) := ((from_services(j, engine) | from_ingress(j, engine)) | from_host(j, engine)) | from_ports(j, engine)

from_services(j, engine) := {{
	"at": ["services", k, "type"],
	"message": "service",
	"args": {"type": service.type, "service": service.name, "engine": engine.name},
} |
	some k in lib.services_of[engine.name]
	service := input.services[k]
	service.type in {"LoadBalancer", "NodePort"}
	lib.service_reaches(k, ["engines", j])
}

from_ingress(j, engine) := {{
	"at": ["ingress", k, "name"],
	"message": "ingress",
	"args": {"kind": way.kind, "ingress": way.name, "engine": engine.name},
} |
	some k in ways_to[engine.name]
	way := input.ingress[k]
	not guarded(k)
	j >= 0
}

# ways_to[name]: the places of what leads to an engine from outside.
ways_to[way.target.name] contains k if {
	some k, way in input.ingress
	way.target.part == "engine"
}

# guarded: the proxy asks for something itself, or may.
guarded(k) if {
	some name, _ in input.ingress[k].annotations
	guards(name)
}

guarded(k) if k in unseen

unseen contains path[1] if {
	some path in lib.unknown_paths
	path[0] == "ingress"
	path[2] == "annotations"
}

guards(name) if {
	some word in ["auth", "middlewares", "whitelist", "allowlist", "allow-list", "oidc", "plugins"]
	contains(name, word)
}

from_host(j, engine) := {{"at": at, "message": "host", "args": {"engine": engine.name}} |
	some at in [["engines", j, "pod", "spec", "pod", "hostNetwork"], ["engines", j, "pod", "spec", "container", "network_mode"]]
	lib.value(at, false) in {true, "host"}
	not lib.local_only(j)
}

from_ports(j, engine) := {{
	"at": lib.port_at(j, m),
	"severity": "warning",
	"message": "port",
	"args": {"port": port.published, "engine": engine.name},
} |
	engine.pod.platform in {"compose", "docker"}
	some m, port in engine.pod.ports
	port.published != ""
	lib.everywhere(["engines", j, "pod", "ports", m])
	lib.number(port.target) == lib.listens_on(["engines", j])
}

# A Secret that is not seen may hold the key.
undecided(j) := {"needs": [sprintf("engines[%d].env.VLLM_API_KEY", [j])]} if {
	lib.unknown(["engines", j, "env", "VLLM_API_KEY"])
} else := {"needs": [sprintf("engines[%d].args.api-key", [j])]} if {
	lib.unknown(["engines", j, "args", "api-key"])
} else := {}

repair(j, exposure) := {"fix": {"edits": [{
	"op": "set",
	"at": ["engines", j, "env", "VLLM_API_KEY"],
	"value": "${VLLM_API_KEY:?set the key that the gateway sends}",
}]}} if {
	exposure.message in {"port", "host"}
	input.engines[j].pod.platform == "compose"
	lib.absent(["engines", j, "env", "VLLM_API_KEY"])
} else := {}
