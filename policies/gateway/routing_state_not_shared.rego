# METADATA
# title: Each process routes by what it has seen itself
# description: |
#   latency-based-routing, least-busy and the usage-based strategies choose by what the router has counted: in its cache, which is the
#   memory of one process unless the router has a Redis. With several workers or replicas each process knows its own requests
#   only, so several of them take the same engine for the idle one.
# custom:
#   category: routing
#   severity: info
#   confidence: medium
#   inputs: [gateway.config, gateway.env, gateway.replicas, gateway.workers, redis]
#   when: [gateway.config.router_settings.routing_strategy]
#   remedy: |
#     Give the router a Redis (`router_settings.redis_host` with `redis_port`, `general_settings.coordination_redis` from 1.93 on, or
#     REDIS_HOST and REDIS_PORT from 1.101 on), or use simple-shuffle, which needs none.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_strategy/least_busy.py
#       symbol: "def __init__(self, router_cache: DualCache):"
#       checked: "2026-11-30"
#       note: The cache of the router is a DualCache, in memory alone without a Redis; lowest_latency.py and lowest_tpm_rpm_v2.py take the same one.
#   messages:
#     main: "{strategy} chooses by what each of {processes} gateway processes has counted itself, since the router has no Redis: several of them take the same engine for the idle one"
package agentlint.rules["routing-state-not-shared"]

import data.agentlint.lib

at := ["gateway", "config", "router_settings", "routing_strategy"]

findings contains {"at": at, "args": {"strategy": strategy, "processes": lib.processes.text}} if {
	strategy := lib.value(at, "")
	strategy in {"latency-based-routing", "least-busy", "usage-based-routing", "usage-based-routing-v2"}
	lib.several_processes
	lib.certain_choice
	lib.redis_shared("routing") == "no"
}

unchecked contains "redis" if {
	lib.value(at, "") in {"latency-based-routing", "least-busy", "usage-based-routing", "usage-based-routing-v2"}
	lib.several_processes
	lib.redis_shared("routing") == "unknown"
}
