# METADATA
# title: A probe asks a port on which nothing listens
# description: |
#   The connection is refused each time: a readiness probe keeps the pod out of its Service for ever, a liveness or startup probe
#   restarts it for ever, and a compose service that waits for `service_healthy` never starts. vLLM listens on 8000 and LiteLLM on 4000 unless `--port` says otherwise;
#   `containerPort` and the ports of a Service change nothing about that.
# custom:
#   category: probes
#   severity: error
#   confidence: high
#   inputs: [probes, gateway.args, engine.args]
#   remedy: Probe the port that the server listens on.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: probe the port of the server
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_cli.py
#       symbol: "\"--port\", default=4000"
#       checked: "2026-11-29"
#       note: Also from the variable PORT.
#     - artefact: vllm 0.29.0
#       file: vllm/entrypoints/launchers/cli_args.py
#       symbol: "port: int = 8000"
#       checked: "2026-11-29"
#   messages:
#     main: "the {probe} asks port {port} and the {part} listens on {listens}: it never succeeds"
#     flag: the port that the server listens on
package agentlint.rules["probe-port-mismatch"]

import data.agentlint.lib

findings contains {
	"at": ["probes", i, "port"],
	"args": {"probe": lib.probe_word(probe), "part": lib.probe_name(probe), "port": port, "listens": listens},
	"related": [{"at": flag, "message": "flag"} |
		flag := array.concat(base, ["args", "port", 0])
		lib.present(flag)
	],
	"fix": {"edits": [{"op": "set", "at": ["probes", i, "port"], "value": listens}]},
} if {
	some i, probe in input.probes
	probe.type in {"http", "tcp", "exec"}
	base := lib.probe_part(probe)
	port := lib.probe_port(probe)
	listens := lib.listens_on(base)
	port != listens
	not elsewhere(base, port)
}

# elsewhere: something else may listen on the port: another container of the pod, or the server itself on a second port.
elsewhere(base, port) if {
	some list in ["containers", "initContainers"]
	some container in lib.part_at(base).pod.spec.pod[list]
	container != lib.part_at(base).pod.spec.container
	some other in container.ports
	other.containerPort == port
}

elsewhere(base, _) if {
	some list in ["containers", "initContainers"]
	count(lib.unknown_below(array.concat(base, ["pod", "spec", "pod", list]))) > 0
}

elsewhere(base, _) if {
	some part in ["container", "pod"]
	lib.unknown(array.concat(base, ["pod", "spec", part]))
}

elsewhere(["gateway"], _) if lib.present(["gateway", "args", "prometheus-metrics-port"])

elsewhere(["gateway"], _) if not lib.value(["gateway", "env", "SEPARATE_HEALTH_APP"], "0") in {"0", "", "false", "False"}

elsewhere(["gateway"], _) if lib.unknown(["gateway", "env", "SEPARATE_HEALTH_APP"])

elsewhere(["gateway"], _) if lib.part_at(["gateway"]).helm.chart
