# METADATA
# title: No request timeout is set
# description: |
#   Without a timeout the gateway's router gives every chat, completion and embedding call 6000 s: an engine that hangs
#   with the connection open holds its slot, its connection and the caller for 1 h 40 min, and again at each retry. The
#   600 s of the library are the default of a direct call only; a proxy always calls through its router, which passes
#   the 6000 on. From 1.90 `/v1/responses` and `/v1/messages` have 600 s by default; they take it from the deployment,
#   `router_settings.timeout` or `general_settings.pass_through_request_timeout`, and `litellm_settings.request_timeout`
#   alone reaches them only from 1.105.
# custom:
#   category: timeouts
#   severity: warning
#   severities: [info]
#   confidence: high
#   confidences: [medium]
#   inputs: [gateway.config, gateway.env, gateway.args, gateway.image]
#   remedy: |
#     Write `litellm_settings.request_timeout` with the longest time a good answer takes plus a margin; 600 suits most
#     agent traffic. `router_settings.timeout`, a `timeout` on every deployment, `--request_timeout` and the variable
#     `REQUEST_TIMEOUT` of the process (not of `environment_variables`, which is read too late) do the same.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: set request_timeout to 600
#     question: Does any good answer take longer than ten minutes?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router.py
#       symbol: self.timeout = timeout or litellm.request_timeout
#       checked: "2026-11-29"
#       note: >-
#         Run with 1.102.0 and 1.110.2: an upstream that answered after 620 s was waited for with nothing set, on
#         openai/ and hosted_vllm/; the limit passed on was 6000 s.
#     - artefact: litellm 1.102.0
#       file: litellm/constants.py
#       symbol: request_timeout
#       checked: "2026-11-29"
#       note: The variable REQUEST_TIMEOUT is read at import, 6000 without it.
#   messages:
#     main: "no request timeout is set: a chat, completion or embedding call to an upstream that hangs holds its slot for 6000 s (1 h 40 min), at each retry again; /v1/responses and /v1/messages have 600 s"
#     older: "no request timeout is set: a call to an upstream that hangs holds its slot for 6000 s (1 h 40 min), at each retry again"
package agentlint.rules["request-timeout-default"]

import data.agentlint.lib

config := ["gateway", "config"]

timeout := array.concat(config, ["litellm_settings", "request_timeout"])

findings contains {
	"at": timeout,
	"in_example": "info",
	"message": wording,
	"confidence": lib.seen_confidence,
	"fix": {"edits": [{"op": "set", "at": timeout, "value": 600}]},
} if {
	not lib.fragment
	every path in sources {
		lib.unwritten(path)
	}
	some_deployment_without
}

sources := [
	timeout,
	array.concat(config, ["router_settings", "timeout"]),
	["gateway", "env", "REQUEST_TIMEOUT"],
	["gateway", "args", "request-timeout"],
]

# some_deployment_without: a deployment has no timeout of its own. A gateway whose models are in its database only has
# none that the files show.
some_deployment_without if {
	some i, _ in input.gateway.config.model_list
	every key in ["timeout", "request_timeout"] {
		lib.absent(array.concat(lib.entry_path(i), ["litellm_params", key]))
	}
}

wording := "older" if {
	lib.below("litellm", "1.90.0")
} else := "main"

unchecked contains concat(".", path) if {
	not lib.fragment
	some_deployment_without
	some path in sources
	lib.unknown(path)
	not lib.unwritten(path)
	every other in sources {
		not lib.present(other)
	}
}
