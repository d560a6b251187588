# METADATA
# title: A request timeout is longer than an hour
# description: |
#   LiteLLM waits as long as the timeout says before it gives a call up. Until then the call holds its connection to
#   the engine, its place in the worker's event loop and, with a concurrency limit, its slot, so one engine that hangs
#   without closing the connection takes capacity away for that long: 6000 s is 1 h 40 min, at each retry again.
#   A value of 100000 or more was most likely meant in milliseconds; the setting is in seconds.
# custom:
#   category: timeouts
#   severity: warning
#   confidence: high
#   inputs: [gateway.config]
#   when:
#     - gateway.config.litellm_settings.request_timeout
#     - gateway.config.router_settings.timeout
#     - gateway.config.router_settings.stream_timeout
#     - gateway.config.general_settings.pass_through_request_timeout
#     - gateway.config.model_list.*.litellm_params.timeout
#     - gateway.config.model_list.*.litellm_params.stream_timeout
#     - gateway.config.model_list.*.litellm_params.request_timeout
#   remedy: |
#     Write the longest time a good answer takes, plus a margin; 600 s suits most agent traffic. Long batch or audio
#     jobs get a timeout of their own on their deployment (`litellm_params.timeout` with `model_info.mode`).
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: lower the timeout to 600
#     question: How many seconds may the longest good answer take?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router.py
#       symbol: self.timeout = timeout or litellm.request_timeout
#       checked: "2026-11-29"
#       note: >-
#         Run with 1.102.0 and 1.110.2: a written 6000 stays 6000 s on chat, completion and embedding calls, because
#         the router passes it on as an explicit value.
#   parameters:
#     - name: seconds
#       default: 3600
#       unit: seconds
#       why: An hour is longer than any single answer of a chat or agent request takes.
#   messages:
#     main: "{setting} is {seconds} s ({text}): a call that hangs holds its slot and connection that long"
#     milliseconds: "{setting} is {seconds} s ({text}), probably meant in milliseconds: a call that hangs is never given up"
package agentlint.rules["request-timeout-very-long"]

import data.agentlint.lib

findings contains {
	"at": path,
	"message": wording(seconds),
	"args": {"setting": path[count(path) - 1], "seconds": seconds, "text": lib.duration_text(seconds)},
	"fix": {"edits": [{"op": "set", "at": path, "value": 600}]},
} if {
	some path, seconds in written
}

long(seconds) if {
	is_number(seconds)
	seconds > lib.parameter("request-timeout-very-long", "seconds")
}

wording(seconds) := "milliseconds" if {
	seconds >= 100000
} else := "main"

settings := [
	["litellm_settings", "request_timeout"],
	["router_settings", "timeout"],
	["router_settings", "stream_timeout"],
	["general_settings", "pass_through_request_timeout"],
]

written[path] := seconds if {
	some keys in settings
	path := array.concat(["gateway", "config"], keys)
	seconds := lib.value(path, null)
	long(seconds)
	not replaced(keys)
}

# --request_timeout goes into each request, in front of the global value.
replaced(["litellm_settings", "request_timeout"]) if {
	not lib.unstarted
	not lib.absent(["gateway", "args", "request-timeout"])
}

written[path] := seconds if {
	lib.models_have(["timeout", "stream_timeout", "request_timeout"])
	some i, entry in input.gateway.config.model_list
	params := entry.litellm_params
	some key in ["timeout", "stream_timeout", "request_timeout"]
	seconds := params[key]
	long(seconds)
	mode := lib.value(array.concat(lib.entry_path(i), ["model_info", "mode"]), "")
	not long_by_nature(mode)
	path := array.concat(lib.entry_path(i), ["litellm_params", key])
}

# Batch and audio jobs may run for hours.
long_by_nature(mode) if {
	some part in ["batch", "audio"]
	contains(mode, part)
}
