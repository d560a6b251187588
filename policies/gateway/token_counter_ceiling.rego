# METADATA
# title: Long prompts queue in the token counter
# description: |
#   With the settings named in the finding the gateway counts the tokens of a prompt before it routes the request. From
#   1.102 at most `TOKEN_COUNTER_MAX_CONCURRENT_COUNTS` prompts are counted at once in a process, 4 when nothing is set,
#   and the rest wait, although the process has CPU left. Prompts near the declared context limit take longest. A large
#   tool catalogue costs the same: its schemas are part of what is counted. Requests without any of these settings are
#   not counted; usage-based routing counts on the event loop, outside this limit.
# custom:
#   category: limits
#   severity: info
#   confidence: low
#   inputs: [gateway.config, gateway.env]
#   when: [gateway.config.model_list.*.model_info.max_input_tokens, gateway.config.model_list.*.litellm_params.max_input_tokens]
#   applies: ["litellm>=1.102"]
#   remedy: |
#     Drop what counts where it is not needed (`prompt_caching` pins no vLLM traffic), or set
#     `TOKEN_COUNTER_MAX_CONCURRENT_COUNTS` (1 to 256) in the environment of the process, not under
#     `environment_variables`, which is read too late. Raise it only while CPU is spare.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/constants.py
#       symbol: TOKEN_COUNTER_MAX_CONCURRENT_COUNTS
#       checked: "2026-11-29"
#       note: Default 4, range 1 to 256, read at import; first in 1.102.0, absent in 1.101.0.
#     - artefact: litellm 1.102.0
#       file: litellm/router.py
#       symbol: offload_token_count
#       checked: "2026-11-29"
#   parameters:
#     - name: tokens
#       default: 65536
#       unit: tokens
#       why: Prompts below this are counted in a few milliseconds.
#   messages:
#     main: "{setting} counts the tokens of each prompt before routing, at most 4 at once in a process (TOKEN_COUNTER_MAX_CONCURRENT_COUNTS is not set), and contexts go up to {tokens} tokens"
#     limit: declared here
package agentlint.rules["token-counter-ceiling"]

import data.agentlint.lib

findings contains {
	"at": counters[0].at,
	"args": {"setting": counters[0].name, "tokens": longest.tokens},
	"related": [{"at": longest.at, "message": "limit"}],
} if {
	lib.unwritten(["gateway", "env", "TOKEN_COUNTER_MAX_CONCURRENT_COUNTS"])
	count(counters) > 0
}

counters := array.concat(
	array.concat(
		[{"at": at, "name": "prompt_caching"} | some at in lib.check_at("prompt_caching")],
		[{"at": pre_call, "name": "enable_pre_call_checks"} | lib.value(pre_call, false) == true; longest.tokens > 0],
	),
	array.concat(
		[{"at": array.concat(lib.entry_path(i), ["litellm_params", key]), "name": key} |
			lib.models_have(["itpm", "otpm"])
			some i, entry in input.gateway.config.model_list
			params := entry.litellm_params
			some key in ["itpm", "otpm"]
			is_number(params[key])
		],
		[{"at": array.concat(lib.entry_path(i), ["litellm_params", "model"]), "name": "the complexity router"} |
			lib.models_start("auto_router/complexity_router")
			some i, entry in input.gateway.config.model_list
			startswith(entry.litellm_params.model, "auto_router/complexity_router")
		],
	),
)

pre_call := ["gateway", "config", "router_settings", "enable_pre_call_checks"]

# longest is the largest context limit that the config declares.
longest := limits[count(limits) - 1]

limits := sort([{"tokens": tokens, "at": array.concat(lib.entry_path(i), [block, "max_input_tokens"])} |
	lib.models_have(["max_input_tokens"])
	some i, entry in input.gateway.config.model_list
	some block in ["model_info", "litellm_params"]
	tokens := entry[block].max_input_tokens
	is_number(tokens)
	tokens >= lib.parameter("token-counter-ceiling", "tokens")
])

unchecked contains "gateway.env.TOKEN_COUNTER_MAX_CONCURRENT_COUNTS" if {
	count(counters) > 0
	count(limits) > 0
	not lib.unwritten(["gateway", "env", "TOKEN_COUNTER_MAX_CONCURRENT_COUNTS"])
	not lib.present(["gateway", "env", "TOKEN_COUNTER_MAX_CONCURRENT_COUNTS"])
}
