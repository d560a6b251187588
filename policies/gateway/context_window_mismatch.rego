# METADATA
# title: The gateway allows longer prompts than the engine
# description: |
#   `model_info.max_input_tokens` is what the gateway's checks and clients go by. Above the engine's --max-model-len the gateway
#   sends on requests that the engine refuses with 400, "This model's maximum context length is ...", after they were routed:
#   `enable_pre_call_checks` leaves the deployment in, and clients that ask /model/info fill a window that is not there.
# custom:
#   category: models
#   severity: warning
#   confidence: high
#   inputs: [gateway.config, engines]
#   when: [engine.context.value]
#   remedy: |
#     Write the engine's limit, or a little less to leave room for the answer: the limit counts prompt and answer together.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: set it to the engine's limit
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router.py
#       symbol: max_input_tokens
#       checked: "2026-11-29"
#       note: The pre-call checks compare the counted prompt with this number.
#     - artefact: vllm 0.29.0
#       file: vllm/engine/arg_utils.py
#       symbol: "--max-model-len"
#       checked: "2026-11-29"
#       note: "32k is 32,000, 32K is 32,768."
#   messages:
#     main: "max_input_tokens of group {group} is {tokens}, and the engine {engine} takes {limit} tokens at most: longer prompts pass the gateway and are refused by the engine"
package agentlint.rules["context-window-mismatch"]

import data.agentlint.lib

findings contains {
	"at": at,
	"args": {"group": group.name, "tokens": tokens, "engine": lib.engine_label(smallest.engine), "limit": smallest.limit},
	"related": [{"at": ["engines", smallest.engine, "context", "value"], "message": "the engine's limit"}],
	"figures": [{"name": "max_input_tokens", "value": tokens, "unit": "tokens", "formula": sprintf("%v", [tokens]), "limit": smallest.limit}],
	"fix": {"edits": [{"op": "set", "at": at, "value": smallest.limit}]},
} if {
	some group in input.groups
	some deployment in group.deployments
	tokens := lib.number(input.gateway.config.model_list[deployment.index].model_info.max_input_tokens)
	at := array.concat(lib.entry_path(deployment.index), ["model_info", "max_input_tokens"])
	limits := [limit | some j in reached_engines(deployment); limit := written_limit(j)]
	smallest := [limit |
		some limit in limits
		every other in limits {
			other.limit >= limit.limit
		}
	][0]
	tokens > smallest.limit
}

# reached_engines(deployment): indices of the engines that a deployment reaches, also through a router.
reached_engines(deployment) := {j |
	deployment.target.kind == "engine"
	some j, engine in input.engines
	engine.name == deployment.target.name
} | {j |
	deployment.target.kind == "router"
	some router in input.routers
	router.name == deployment.target.name
	some j in lib.engines_of_router(router)
}

# Only a number that somebody wrote: without one the engine takes the model's own or chooses.
written_limit(j) := {"engine": j, "limit": limit} if {
	lib.value(["engines", j, "context", "source"], "") in {"args", "fact"}
	limit := input.engines[j].context.value
	is_number(limit)
}
