# METADATA
# title: cache is on to share limits, and caches answers too
# description: |
#   `cache: true` with Redis makes the proxy's processes share rate limits, budgets and cooldowns, and is often written
#   for that alone. It also turns the response cache on for every call type: the same prompt gets the stored answer,
#   whatever its temperature, and across keys and teams. Agents that repeat a prompt on purpose (a retry after a bad
#   tool call, a poll, a sample of several answers) get the same answer again. In a run with 1.102.0 three equal
#   requests of one key and one of another reached the model once.
# custom:
#   category: caching
#   severity: warning
#   severities: [info]
#   confidence: medium
#   inputs: [gateway.config]
#   when: [gateway.config.litellm_settings.cache]
#   remedy: |
#     Write `mode: default_off` under `cache_params`: limits stay shared, and a request is answered from the cache only
#     when it asks for it (`cache: {"use-cache": true}`). When answers are meant to be cached, say so with a `ttl`, a
#     `namespace` or `supported_call_types`.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: "add mode: default_off"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/caching/caching.py
#       symbol: self.mode == CacheMode.default_on
#       checked: "2026-11-29"
#       note: >-
#         Run with 1.102.0 and 1.110.2: cache true with Redis answered across keys and teams; mode default_off and empty
#         supported_call_types asked the model every time.
#   messages:
#     main: "cache: true shares limits through Redis, and also answers equal prompts from the cache, across keys and teams"
#     wanted: "cache: true answers equal prompts from the cache, across keys and teams ({sign} is set)"
package agentlint.rules["response-cache-on-by-accident"]

import data.agentlint.lib

settings := ["gateway", "config", "litellm_settings"]

params := array.concat(settings, ["cache_params"])

param(name, fallback) := lib.value(array.concat(params, [name]), fallback)

findings contains {
	"at": array.concat(settings, ["cache"]),
	"in_example": "info",
	"fix": {"edits": array.concat(typed, [{"op": "set", "at": array.concat(params, ["mode"]), "value": "default_off"}])},
} if {
	caches_answers
	count(signs) == 0
}

findings contains {
	"at": array.concat(settings, ["cache"]),
	"severity": "info",
	"message": "wanted",
	"args": {"sign": sort(signs)},
} if {
	caches_answers
	count(signs) > 0
}

caches_answers if {
	input.gateway.config.litellm_settings.cache == true
	lib.plain_redis_cache
	param("mode", "default_on") in {"default_on", null}
	not only_embeddings(param("supported_call_types", null))
	every sign in hints {
		known(sign)
	}
}

# With a mode and no type the cache would be in the memory of the process.
typed := [{"op": "set", "at": array.concat(params, ["type"]), "value": "redis"}] if {
	lib.absent(array.concat(params, ["type"]))
} else := []

# An empty list of call types caches nothing. A type that the files do not show (null) may be one of embeddings.
only_embeddings(types) if {
	is_array(types)
	every type in types {
		type in {"embedding", "aembedding", null}
	}
}

hints := ["ttl", "default_redis_ttl", "supported_call_types", "namespace", "similarity_threshold"]

# signs are the settings that show that caching is wanted.
signs contains sign if {
	some sign in hints
	param(sign, null) != null
}

signs contains "default_redis_ttl" if lib.value(array.concat(settings, ["default_redis_ttl"]), null) != null

known(sign) if _ := param(sign, null)

unchecked contains concat(".", path) if {
	input.gateway.config.litellm_settings.cache == true
	some name in array.concat(["type", "mode"], hints)
	path := array.concat(params, [name])
	lib.unknown(path)
}
