# METADATA
# title: Session pins are not shared between gateway processes
# description: |
#   A pin is an entry in the router's cache: in the memory of one process unless the router has a Redis. With more than
#   one worker or replica each process pins a conversation by itself, so its turns go to as many replicas as the
#   processes happen to choose: in a run with two replicas and no Redis five of eight conversations were split 10/10
#   between two engines, with two workers four of eight. The affinity then costs its lookups and gives about what chance
#   gives.
# custom:
#   category: affinity
#   severity: warning
#   confidence: high
#   inputs: [gateway.config, gateway.env, gateway.replicas, gateway.workers, redis]
#   when:
#     - gateway.config.router_settings.optional_pre_call_checks
#     - gateway.config.router_settings.model_group_affinity_config
#   applies: ["litellm>=1.81.16"]
#   remedy: |
#     Give the router a Redis, by any one of: `router_settings.redis_host` with `redis_port` (or `redis_url`),
#     `general_settings.coordination_redis` (1.93 and newer), `cache: true` with `cache_params` of type redis and
#     `mode: default_off`, or the variables `REDIS_HOST`, `REDIS_PORT` and `REDIS_PASSWORD` (1.101 and newer).
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: give the router the Redis that the files name
#     question: Is this Redis reachable from every gateway process?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/pre_call_checks/deployment_affinity_check.py
#       symbol: get_session_affinity_cache_key
#       checked: "2026-11-29"
#       note: >-
#         Run with 1.102.0 and 1.110.2: two replicas without Redis split 5 of 8 conversations, --num_workers 2 split 4 of
#         8; with router redis, coordination_redis or a plain Redis cache none.
#     - artefact: litellm 1.102.0
#       file: litellm/router.py
#       symbol: redis_host is not None and redis_port is not None
#       checked: "2026-11-29"
#   messages:
#     main: "{value} pins conversations in the memory of each of {processes} gateway processes, so the same conversation is pinned to a different replica in each{note}"
package agentlint.rules["session-affinity-without-redis"]

import data.agentlint.lib

findings contains object.union(finding, fix) if {
	lib.several_processes
	lib.certain_choice
	lib.redis_shared("routing") == "no"
	at := lib.affinity_at[0]
	finding := {"at": at, "args": {"value": named(at), "processes": lib.processes.text, "note": note}}
}

named(at) := lib.value(at, "") if at[3] == "optional_pre_call_checks"

named(at) := "model_group_affinity_config" if at[3] == "model_group_affinity_config"

note := "; the REDIS_ variables are read only from 1.101 on" if {
	lib.redis_in_env
	lib.below("litellm", "1.101.0")
} else := "; coordination_redis is read only from 1.93 on" if {
	lib.present(["gateway", "config", "general_settings", "coordination_redis"])
	lib.below("litellm", "1.93.0")
} else := ""

fix := {"fix": {"edits": edits}} if {
	edits := [edit |
		some key, target in lib.known_redis
		edit := {"op": "set", "at": ["gateway", "config", "router_settings", concat("", ["redis_", key])], "value": target}
	]
	lib.known_redis.port
} else := {}

unchecked contains "gateway_replicas" if {
	lib.processes.at_least
	not lib.several_processes
	lib.certain_choice
	count(lib.affinity_at) > 0
	lib.redis_shared("routing") != "yes"
}

unchecked contains "redis" if {
	lib.several_processes
	lib.certain_choice
	count(lib.affinity_at) > 0
	lib.redis_shared("routing") == "unknown"
}
