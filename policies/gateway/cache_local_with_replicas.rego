# METADATA
# title: Each process has a response cache of its own
# description: |
#   `cache_params.type: local` keeps responses in the memory of the process that made them. With several workers or replicas a repeated request
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
#     runs the Redis, so a fix is offered only where the environment names it already (REDIS_HOST or REDIS_URL).
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: keep the responses in the Redis of the environment
#     question: Has the Redis of the environment room for the responses?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/caching/caching.py
#       symbol: LiteLLMCacheType.LOCAL
#       checked: "2026-11-30"
#       note: An InMemoryCache of the process.
#   messages:
#     main: "the response cache is in the memory of each process and {processes} serve, so a repeated request finds its answer one time in {n}"
package agentlint.rules["cache-local-with-replicas"]

import data.agentlint.lib

type := ["gateway", "config", "litellm_settings", "cache_params", "type"]

findings contains object.union({
	"at": type,
	"args": {"processes": sprintf("%s processes", [lib.count_text(lib.processes.n, lib.processes.at_least)]), "n": lib.processes.n},
}, lib.with_edits(edits)) if {
	lib.cache_on
	input.gateway.config.litellm_settings.cache_params.type == "local"
	lib.several_processes
	lib.value(["gateway", "config", "litellm_settings", "cache_params", "mode"], "") != "default_off"
}

# The cache takes host and password from the environment when its own block names none.
edits := [{"op": "set", "at": type, "value": "redis"}] if {
	lib.redis_in_env
} else := []
