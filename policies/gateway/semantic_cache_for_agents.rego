# METADATA
# title: Agents share a semantic cache
# description: |
#   A semantic cache answers a prompt that is like an earlier one with what was stored for it, across keys, teams and tools. The
#   prompts of an agent are long and differ in little, a file name or the result of a tool, so it gets tool calls that were made
#   for another conversation.
# custom:
#   category: caching
#   severity: warning
#   confidence: medium
#   inputs: [gateway.config]
#   when: [gateway.config.litellm_settings.cache]
#   remedy: |
#     Write `mode: default_off` in cache_params and let chat clients ask for it (`cache: {use-cache: true}`), or
#     `supported_call_types` that agents do not use, or a gateway of their own.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: cache only for requests that ask for it
#     question: Can the clients that are to be answered from the cache ask for it?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/caching/redis_semantic_cache.py
#       symbol: similarity_threshold
#       checked: "2026-11-29"
#       note: The lookup compares embeddings of the messages only; tools and keys are no part of it.
#     - artefact: litellm 1.102.0
#       file: litellm/caching/caching.py
#       symbol: default_off
#       checked: "2026-11-29"
#   messages:
#     main: "the semantic cache ({type}) serves all requests, and agents use this gateway ({sign}): they get tool calls that were made for similar conversations"
package agentlint.rules["semantic-cache-for-agents"]

import data.agentlint.lib

params := ["gateway", "config", "litellm_settings", "cache_params"]

findings contains {
	"at": array.concat(params, ["type"]),
	"args": {"type": lib.redis_cache_type, "sign": signs[0]},
	"fix": {"edits": [{"op": "set", "at": array.concat(params, ["mode"]), "value": "default_off"}]},
} if {
	lib.cache_on
	endswith(lib.redis_cache_type, "-semantic")
	lib.value(array.concat(params, ["mode"]), "default_on") in {"default_on", null}
	caches_chat
}

# caches_chat: the call types that are cached are the default ones, or hold chat.
caches_chat if lib.value(array.concat(params, ["supported_call_types"]), null) == null

caches_chat if {
	some type in lib.value(array.concat(params, ["supported_call_types"]), [])
	type in {"acompletion", "completion", "anthropic_messages", "aresponses", "responses"}
}

signs := array.concat(array.concat(promised, servers), parsers)

promised := ["supports_function_calling" |
	some entry in input.gateway.config.model_list
	entry.model_info.supports_function_calling == true
]

servers := ["MCP servers" |
	some _, _ in input.gateway.config.mcp_servers
]

parsers := [sprintf("a tool parser on %s", [engine.name]) |
	some j, engine in input.engines
	lib.reached(j)
	lib.present(["engines", j, "args", "tool-call-parser"])
]
