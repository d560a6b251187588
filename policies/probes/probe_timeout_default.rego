# METADATA
# title: A probe of the gateway times out after one second
# description: |
#   Kubernetes waits 1 s for a probe unless `timeoutSeconds` says otherwise. The gateway answers probes on the event loop that serves
#   requests: a large prompt that is counted or logged holds it for more than a second, three late answers take the pod out of its
#   Service, and three of the liveness probe restart it with all its streams, which moves the load to the other pods. LiteLLM's
#   charts wait 5 s and 10 s.
# custom:
#   category: probes
#   severity: warning
#   confidence: medium
#   inputs: [probes, gateway.pod]
#   remedy: |
#     Write `timeoutSeconds: 5` or more at the liveness and readiness probes.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: wait five seconds
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: livenessProbe
#       checked: "2026-11-29"
#       note: timeoutSeconds 5 at all three probes; the componentized chart has 10.
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/health_endpoints/_health_endpoints.py
#       symbol: async def health_liveliness
#       checked: "2026-11-29"
#       note: A coroutine of the proxy itself, answered by its event loop.
#   parameters:
#     - name: seconds
#       default: 1
#       unit: seconds
#       why: Kubernetes' default; LiteLLM's charts use 5 and 10.
#   messages:
#     main: "the {probe} waits {seconds} s for an answer from the event loop that serves requests: a busy gateway counts as dead; set timeoutSeconds to 5"
package agentlint.rules["probe-timeout-default"]

import data.agentlint.lib

findings contains object.union(
	{
		"at": ["probes", i, "timeout_seconds"],
		"args": {"probe": lib.probe_word(probe), "seconds": probe.timeout_seconds},
	},
	repair(i, probe),
) if {
	some i, probe in input.probes
	probe.target.part == "gateway"
	probe.kind in {"liveness", "readiness"}
	probe.type == "http"
	probe.chart == false
	probe.timeout_seconds <= lib.parameter("probe-timeout-default", "seconds")
	on_main_port(i, probe)
}

# A chart names its own port.
on_main_port(i, _) if lib.absent(["probes", i, "port"])

on_main_port(_, probe) if lib.probe_port(probe) == lib.listens_on(["gateway"])

repair(i, probe) := {"fix": {"edits": [{"op": "set", "at": array.concat(lib.probe_spec(probe), ["timeoutSeconds"]), "value": 5}]}} if {
	lib.probe_spec(probe)
} else := {"fix": {"edits": [{"op": "set", "at": ["probes", i, "timeout_seconds"], "value": 5}]}} if {
	lib.present(["probes", i, "timeout_seconds"])
}
