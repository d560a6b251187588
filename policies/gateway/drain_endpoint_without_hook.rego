# METADATA
# title: The drain endpoint is never called
# description: |
#   `enable_drain_endpoint: true` only opens GET /health/drain. Nothing calls it by itself: without a preStop hook that does, a pod that
#   is told to stop keeps taking requests until Kubernetes has removed it from the Service, and the endpoint is one more that others can
#   call.
# custom:
#   category: rollout
#   severity: info
#   confidence: medium
#   inputs: [gateway.config, gateway.pod]
#   when: [gateway.config.general_settings.enable_drain_endpoint]
#   applies: ["litellm>=1.89"]
#   remedy: |
#     Add a preStop hook to the gateway's container that calls http://127.0.0.1:4000/health/drain with the header `X-Drain-Token`, such as an
#     exec hook that takes the token from DRAIN_ENDPOINT_TOKEN, or remove `enable_drain_endpoint`.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/health_endpoints/_health_endpoints.py
#       symbol: def _authorize_drain_request
#       checked: "2026-11-30"
#       note: The route is the only caller of the drain; nothing calls it at SIGTERM. First in 1.89.0, absent in 1.88.6.
#   messages:
#     main: "enable_drain_endpoint is true and the workload has no preStop hook, so nothing calls /health/drain when a pod is replaced"
#     other: "enable_drain_endpoint is true and the preStop hook does not call /health/drain, so a pod that is replaced is not drained"
#     hook: "the hook"
package agentlint.rules["drain-endpoint-without-hook"]

import data.agentlint.lib

endpoint := ["gateway", "config", "general_settings", "enable_drain_endpoint"]

hook := ["gateway", "pod", "pre_stop"]

findings contains object.union({"at": endpoint}, found) if {
	lib.value(endpoint, false) == true
	input.gateway.pod.platform == "kubernetes"
	not lib.mentions(lib.value(["gateway", "pod", "spec"], {}), "/health/drain")
	pod_seen
	found := judged
}

# pod_seen: no part of the pod is out of sight that could hold the hook of another container.
pod_seen if {
	every path in lib.unknown_paths {
		array.slice(path, 0, 3) != ["gateway", "pod", "spec"]
	}
	not ["gateway", "pod"] in lib.unknown_paths
	not ["gateway"] in lib.unknown_paths
}

judged := {"message": "main"} if {
	lib.absent(hook)
} else := {"message": "other", "related": [{"at": hook, "on_key": true, "message": "hook"}]} if {
	idle
}

# idle: the hook asks for something else, or only waits. What a script of its own does is not seen.
idle if {
	path := input.gateway.pod.pre_stop.httpGet.path
	is_string(path)
	not startswith(path, "/health/drain")
}

idle if input.gateway.pod.pre_stop.sleep.seconds

idle if {
	words := input.gateway.pod.pre_stop.exec.command
	every word in words {
		is_string(word)
	}
	regex.match(`^((/usr)?/bin/)?((ba|a|da)?sh -e?c )?((/usr)?/bin/)?sleep [0-9]+[sm]?$`, concat(" ", words))
}
