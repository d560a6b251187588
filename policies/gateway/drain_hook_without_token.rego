# METADATA
# title: The drain hook is refused
# description: |
#   With `drain_endpoint_token` or DRAIN_ENDPOINT_TOKEN set, /health/drain answers 401 without the header X-Drain-Token and does
#   nothing. A preStop hook without it ends at once, the pod is not taken out of rotation and nothing waits for the requests
#   in flight.
# custom:
#   category: rollout
#   severity: error
#   confidence: high
#   inputs: [gateway.config, gateway.pod]
#   when: [gateway.pod.pre_stop.httpGet]
#   remedy: |
#     Send the header. An httpGet hook can only hold the token itself, readable for everyone who reads the pod; an exec hook
#     takes it from the environment.
#   applies: ["litellm>=1.89"]
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: call the endpoint with the token of the environment
#     question: Does the image have python3, as LiteLLM's own does?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/health_endpoints/_health_endpoints.py
#       symbol: def _authorize_drain_request
#       checked: "2026-11-29"
#       note: "Run: 401 without side effect without X-Drain-Token; the master key does not replace it."
#   messages:
#     main: "the preStop hook calls {path} without X-Drain-Token while a token is set: the call is answered 401 and nothing drains"
package agentlint.rules["drain-hook-without-token"]

import data.agentlint.lib

hook := ["gateway", "pod", "pre_stop"]

request := array.concat(hook, ["httpGet"])

findings contains object.union({
	"at": request,
	"on_key": true,
	"args": {"path": path},
	"related": [{"at": token.at, "message": "the token"}],
}, lib.with_edits(edits)) if {
	lib.value(["gateway", "config", "general_settings", "enable_drain_endpoint"], false) == true
	path := input.gateway.pod.pre_stop.httpGet.path
	startswith(path, "/health/drain")
	token
	headers := lib.value(array.concat(request, ["httpHeaders"]), [])
	every i, _ in headers {
		name := lib.value(array.concat(request, ["httpHeaders", i, "name"]), "")
		lower(name) != "x-drain-token"
	}
}

variable := ["gateway", "env", "DRAIN_ENDPOINT_TOKEN"]

written := ["gateway", "config", "general_settings", "drain_endpoint_token"]

# token: where a token is set for certain, and the variable that holds it, if one does.
token := {"at": written, "variable": ""} if {
	text := lib.value(written, "")
	is_string(text)
	text != ""
	not lib.environ_reference(text)
} else := {"at": written, "variable": name} if {
	text := lib.value(written, "")
	lib.environ_reference(text)
	name := trim_prefix(text, "os.environ/")
	given(["gateway", "env", name])
} else := {"at": variable, "variable": "DRAIN_ENDPOINT_TOKEN"} if given(variable)

given(path) if not lib.value(path, "") in {"", null}

given(path) if path in lib.unknown_paths

port := input.gateway.pod.pre_stop.httpGet.port if {
	is_number(input.gateway.pod.pre_stop.httpGet.port)
} else := 4000

call := sprintf("import os, http.client as c; h = c.HTTPConnection('127.0.0.1', %v); h.putrequest('GET', '/health/drain'); h.putheader('X-Drain-Token', os.environ['%s']); h.endheaders(); h.getresponse()", [port, token.variable])

edits := [
	{"op": "set", "at": array.concat(hook, ["exec", "command"]), "value": ["python3", "-c", call]},
	{"op": "remove", "at": request},
] if {
	token.variable != ""
} else := []
