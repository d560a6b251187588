# METADATA
# title: Debug output is on
# description: |
#   At the level DEBUG the gateway writes the body of every request and answer to its log, with headers and the parameters of the
#   call, and spends time on it. Prompts, and keys in forms that the log's filter does not know, end up wherever logs go.
# custom:
#   category: security
#   severity: warning
#   confidence: high
#   severities: [info]
#   inputs: [gateway.args, gateway.env, gateway.config]
#   when:
#     - gateway.args.detailed-debug
#     - gateway.args.debug
#     - gateway.env.LITELLM_LOG
#     - gateway.env.DETAILED_DEBUG
#     - gateway.config.litellm_settings.set_verbose
#   remedy: |
#     Remove the flag, the variable or the setting. `LITELLM_LOG=INFO` keeps one line a request; a single request is looked at
#     with `litellm_request_debug` in a deployment of one's own.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: remove the debug setting
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_server.py
#       symbol: users can control proxy debugging using env variable = 'LITELLM_LOG'
#       checked: "2026-11-29"
#       note: "--debug, --detailed_debug (also as DETAILED_DEBUG) and LITELLM_LOG=DEBUG, in any case, set the loggers to DEBUG."
#     - artefact: litellm 1.102.0
#       file: litellm/utils.py
#       symbol: if litellm.set_verbose is True
#       checked: "2026-11-29"
#   messages:
#     main: "{what}: the gateway writes the prompts and answers of every request to its log, and keys with them"
package agentlint.rules["debug-in-production"]

import data.agentlint.lib

findings contains {
	"at": place.at,
	"in_example": "info",
	"args": {"what": place.what},
	"fix": {"edits": [{"op": "remove", "at": place.at}]},
} if {
	some place in places
}

places contains {"at": ["gateway", "args", flag], "what": sprintf("--%s", [replace(flag, "-", "_")])} if {
	some flag in ["debug", "detailed-debug"]
	lib.present(["gateway", "args", flag])
}

places contains {"at": at, "what": "LITELLM_LOG is DEBUG"} if {
	at := ["gateway", "env", "LITELLM_LOG"]
	upper(lib.value(at, "")) == "DEBUG"
}

places contains {"at": at, "what": "DETAILED_DEBUG is on"} if {
	at := ["gateway", "env", "DETAILED_DEBUG"]
	lower(trim_space(lib.value(at, ""))) in {"1", "true", "t", "yes", "y", "on"}
}

places contains {"at": at, "what": "set_verbose is true"} if {
	at := ["gateway", "config", "litellm_settings", "set_verbose"]
	lib.value(at, false) == true
}
