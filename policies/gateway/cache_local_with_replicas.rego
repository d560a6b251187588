# METADATA
# title: Each process has a response cache of its own
# description: |
#   `cache_params.type: local` keeps responses in the memory of the process that made them, and so does a `cache_params` that
#   names no type, even when it names a host: only a cache without `cache_params` is in Redis by default. With several workers or replicas a repeated request
#   finds its answer only when it comes to the same process: with 8 processes that is one time in eight, and each of them warms up
#   again after every restart. A shared cache is where most of the gain of caching comes from.
# custom:
#   category: caching
#   severity: warning
#   confidence: high
#   inputs: [gateway.config, gateway.replicas, gateway.workers]
#   when: [gateway.config.litellm_settings.cache]
#   remedy: |
#     Use a Redis for the cache (`type: redis` with host, port and password), or switch the cache off. The host is known to who
#     runs the Redis, so a fix is offered only where cache_params names one, or the environment does (REDIS_HOST or REDIS_URL).
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: keep the responses in Redis
#     question: Has that Redis room for the responses?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/caching/caching.py
#       symbol: LiteLLMCacheType.LOCAL
#       checked: "2026-11-30"
#       note: An InMemoryCache of the process. It is the default of Cache, which a cache_params without a type gets; asked in 1.102.0 and 1.110.2, read in 1.60.0 and 1.80.0.
#   messages:
#     main: "the response cache is in the memory of each process and {processes} serve, so a repeated request finds its answer one time in {n}"
#     untyped: "cache_params names no type, so the response cache is in the memory of each process, and {processes} serve: a repeated request finds its answer one time in {n}"
package agentlint.rules["cache-local-with-replicas"]

import data.agentlint.lib

type := ["gateway", "config", "litellm_settings", "cache_params", "type"]

findings contains object.union({
	"at": type,
	"args": {"processes": sprintf("%s processes", [lib.count_text(lib.processes.n, lib.processes.at_least)]), "n": lib.processes.n},
}, object.union(wording, lib.with_edits(edits))) if {
	lib.cache_on
	lib.redis_cache_type == "local"
	lib.several_processes
	lib.value(["gateway", "config", "litellm_settings", "cache_params", "mode"], "") != "default_off"
}

wording := {"at": lib.cache_block, "on_key": true, "message": "untyped"} if {
	lib.absent(type)
} else := {}

# The cache takes host and password from the environment when its own block names none.
edits := [{"op": "set", "at": type, "value": "redis"}] if {
	lib.redis_in_env
} else := [{"op": "set", "at": type, "value": "redis"}] if {
	lib.absent(type)
	some key in ["host", "url"]
	is_string(lib.value(array.concat(lib.cache_block, [key]), null))
} else := []
