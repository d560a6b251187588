# METADATA
# title: Nothing watches the Redis that limits depend on
# description: |
#   When Redis fails, each gateway process counts limits and budgets by itself and no client sees an error. From 1.82.6 on a circuit
#   breaker opens after 5 failures in a row and skips Redis for 60 s: with N processes N times a limit passes until it closes again.
#   Only Redis' own series, or the gateway's, show it.
# custom:
#   category: limits
#   severity: info
#   confidence: medium
#   inputs: [redis, queries, gateway.config, gateway.replicas, gateway.workers]
#   when: [queries]
#   applies: ["litellm>=1.82.6"]
#   remedy: |
#     Alert on `litellm_redis_failed_requests_total` or `litellm_redis_latency`, which `prometheus_system` in
#     `litellm_settings.service_callback` makes exist, on `litellm_redis_circuit_breaker_state` (1.108 and newer), or on a Redis exporter
#     (`redis_up`). `litellm_service_latency` is no name that is exported.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/caching/redis_cache.py
#       symbol: class RedisCircuitBreaker
#       checked: "2026-11-29"
#       note: First in 1.82.6, absent in 1.82.4; REDIS_CIRCUIT_BREAKER_ENABLED is read from 1.90.0 on.
#     - artefact: litellm 1.102.0
#       file: litellm/constants.py
#       symbol: REDIS_CIRCUIT_BREAKER_FAILURE_THRESHOLD
#       checked: "2026-11-29"
#       note: 5 failures, 60 s.
#     - artefact: litellm 1.102.0
#       file: litellm/types/services.py
#       symbol: REDIS = "redis"
#       checked: "2026-11-29"
#       note: The name of the service gives litellm_redis_latency and litellm_redis_failed_requests.
#   messages:
#     main: "no query watches Redis, through which {processes} gateway processes count {limit}: when it fails, LiteLLM's circuit breaker opens after 5 failures and each process counts by itself, without an error to clients"
#     off: "no query watches Redis, through which {processes} gateway processes count {limit}: when it fails, each process counts by itself, without an error to clients"
#     limit: "counted in Redis"
package agentlint.rules["redis-outage-unwatched"]

import data.agentlint.lib

findings contains {
	"at": array.concat(lib.query_path(first), ["text"]),
	"message": wording,
	"args": {"limit": limit[count(limit) - 1], "processes": lib.processes.text},
	"related": [{"at": limit, "on_key": true, "message": "limit"}],
} if {
	lib.several_processes
	input.redis.watched == false
	limit := shared_limits[0]
	first := lib.watching("litellm")[0]
	every query in input.queries {
		unrelated(query)
	}
	not lib.queries_unseen
}

unchecked contains "queries" if {
	lib.several_processes
	shared_limits[0]
	lib.watching("litellm")[0]
	lib.queries_unseen
}

# shared_limits: the limits that processes count in Redis for certain, those of keys first.
shared_limits := array.concat(
	[path | lib.redis_shared("limits") == "yes"; some path in lib.key_limits_at],
	[path | lib.redis_shared("routing") == "yes"; lib.model_limits_enforced; some path in lib.entry_limits_at(["rpm", "tpm"])],
)

# unrelated(query): its text is known and names no Redis. The queues of spend in Redis say nothing of its health.
unrelated(query) if {
	not contains(regex.replace(lower(query.text), `litellm_redis_[a-z_]*queue_size`, ""), "redis")
}

wording := "off" if {
	lib.at_least("litellm", "1.90.0")
	lower(lib.value(["gateway", "env", "REDIS_CIRCUIT_BREAKER_ENABLED"], "true")) == "false"
} else := "main"
