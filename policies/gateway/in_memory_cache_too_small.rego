# METADATA
# title: More deployments than the memory cache of a process holds
# description: |
#   Without Redis the router keeps what it counts in a memory cache of 200 entries in each process, which cannot be enlarged:
#   successes and failures of the last minute of each deployment, `tpm` and `rpm` where limits are written, session and key pins.
#   That is one to four entries for a deployment in use, so a config of more than a hundred deployments can fill it; then the
#   entries that expire first are thrown out early: pins move and the counts behind cooldowns start again. Up to 1.101 the cooldowns
#   themselves stand in the same cache. The limits of keys have another cache of 200 entries.
# custom:
#   category: limits
#   severity: info
#   confidence: medium
#   inputs: [gateway.config, gateway.env, redis]
#   when: [gateway.config.model_list]
#   remedy: |
#     Give the proxy a Redis, from which evicted pins and counters are read again: `general_settings.coordination_redis` with `host`,
#     `port` and `password` (1.93 and newer), or `cache: true` with `cache_params` of type redis and `mode: default_off`.
#     `user_api_key_cache_max_size` enlarges the cache of keys alone.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: add coordination_redis
#     question: Is this Redis reachable from every gateway process, and shared with nothing that must not see the counters?
#   parameters:
#     - name: deployments
#       default: 100
#       unit: deployments
#       why: half of the 200 entries, since a deployment in use takes between one and four of them.
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/caching/in_memory_cache.py
#       symbol: "DEFAULT_MAX_SIZE_IN_MEMORY: Final = 200"
#       checked: "2026-11-29"
#       note: The entry that expires first goes when the cache is full.
#     - artefact: litellm 1.102.0
#       file: litellm/router.py
#       symbol: in_memory_cache=InMemoryCache()
#       checked: "2026-11-29"
#       note: Built without a size; no setting reaches it.
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/cooldown_cache.py
#       symbol: unrelated router keys cannot evict a
#       checked: "2026-11-29"
#       note: Cooldowns have a cache of their own from 1.102.0 on; in 1.101.0 they stand in the router's.
#   messages:
#     main: "the config declares {count} deployments and there is no shared Redis: each process keeps the router's counters and session pins in a cache of 200 entries, one to four for each deployment in use, so entries are thrown out before they expire"
#     older: "the config declares {count} deployments and there is no shared Redis: each process keeps the router's cooldowns, counters and session pins in a cache of 200 entries, one to four for each deployment in use, so entries are thrown out before they expire"
package agentlint.rules["in-memory-cache-too-small"]

import data.agentlint.lib

findings contains object.union({
	"at": models,
	"message": wording,
	"args": {"count": count_text},
	"figures": [{"name": "deployments", "value": deployments, "unit": "deployments", "formula": "entries of model_list", "limit": threshold}],
}, fix) if {
	many
	lib.redis_shared("routing") == "no"
}

unchecked contains "redis" if {
	many
	lib.redis_shared("routing") == "unknown"
}

models := ["gateway", "config", "model_list"]

threshold := lib.parameter("in-memory-cache-too-small", "deployments")

deployments := count([i |
	some i, entry in input.gateway.config.model_list
	entry != null
])

many if {
	lib.length(input.gateway.config.model_list) > threshold
	deployments > threshold
	not lib.fragment
}

# More may stand in the database.
count_text := sprintf("at least %v", [deployments]) if {
	lib.stored("store_model_in_db")
} else := sprintf("%v", [deployments])

wording := "older" if {
	lib.below("litellm", "1.102.0")
} else := "main"

fix := {"fix": {"edits": [{"op": "set", "at": place, "value": target}]}} if {
	lib.at_least("litellm", "1.93.0")
	place := ["gateway", "config", "general_settings", "coordination_redis"]
	lib.absent(place)
	target := lib.known_redis
} else := {}
