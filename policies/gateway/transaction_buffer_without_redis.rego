# METADATA
# title: The transaction buffer has no Redis
# description: |
#   `use_redis_transaction_buffer` collects spend updates in Redis, from which one pod writes them to Postgres. Without a Redis of
#   the proxy's own the start is refused from 1.82.3 on (`use_redis_transaction_buffer is enabled in general_settings but no
#   Redis is configured`); older releases start, and their spend never reaches Postgres, so budgets never bite.
#   `router_settings.redis_host` is the router's Redis and does not count.
# custom:
#   category: redis
#   severity: error
#   confidence: high
#   inputs: [gateway.config, gateway.env, redis]
#   when: [gateway.config.general_settings.use_redis_transaction_buffer]
#   remedy: |
#     Give the proxy a Redis: `general_settings.coordination_redis` (1.93 and newer), `litellm_settings.cache: true` with
#     `cache_params.type: redis`, or REDIS_HOST or REDIS_URL in the environment (1.90 and newer). Or remove the setting: each process
#     then writes its own updates.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: remove use_redis_transaction_buffer
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_server.py
#       symbol: def _validate_redis_transaction_buffer_config
#       checked: "2026-11-29"
#     - artefact: litellm 1.82.3
#       file: litellm/proxy/proxy_server.py
#       symbol: use_redis_transaction_buffer
#       checked: "2026-11-29"
#       note: First release with the check; absent in 1.82.0.
#     - artefact: litellm 1.90.0
#       file: litellm/proxy/proxy_server.py
#       symbol: def _get_transaction_buffer_redis_cache
#       checked: "2026-11-29"
#       note: First release in which REDIS_ variables alone are enough; absent in 1.89.7.
#   messages:
#     main: "use_redis_transaction_buffer is true and the proxy has no Redis ({hint}): the start is refused (\"is enabled in general_settings but no Redis is configured\")"
#     older: "use_redis_transaction_buffer is true and the proxy has no Redis ({hint}): LiteLLM {version} starts and spend never reaches Postgres"
package agentlint.rules["transaction-buffer-without-redis"]

import data.agentlint.lib

setting := ["gateway", "config", "general_settings", "use_redis_transaction_buffer"]

findings contains object.union({
	"at": setting,
	"message": wording,
	"args": {"version": input.gateway.version, "hint": hint},
}, verdict) if {
	lib.resolved(input.gateway.config.general_settings.use_redis_transaction_buffer) in {true, "true", "True", "TRUE"}
	not has_redis
}

wording := "older" if {
	lib.below("litellm", "1.82.3")
} else := "main"

# hint: what is there and does not count.
hint := "REDIS_ variables alone count from 1.90.0 on" if {
	lib.redis_in_env
} else := "that of router_settings is the router's own" if {
	some instance in input.redis.instances
	instance.use == "router"
} else := "no coordination_redis, no cache in Redis, no REDIS_ variable"

has_redis if lib.proxy_redis

# The environment alone is enough for the buffer, also where the rest of the proxy does not read it.
has_redis if {
	lib.redis_in_env
	lib.at_least("litellm", "1.90.0")
}

verdict := {"needs": ["redis"]} if {
	unseen
} else := {"fix": {"edits": [{"op": "remove", "at": setting}]}}

unseen if lib.redis_unseen("limits")

unseen if {
	not input.facts.redis == false
	lib.at_least("litellm", "1.90.0")
	some name in lib.redis_env_names
	lib.unknown(["gateway", "env", name])
}
