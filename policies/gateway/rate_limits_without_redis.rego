# METADATA
# title: Every process counts rate limits by itself
# description: |
#   The limiter of keys, teams and users keeps its counters in the memory of each process unless the proxy has a Redis
#   to share them in. With W workers in R replicas a limit of 100 requests a minute admits 100 x W x R: in a run two
#   replicas let 20 requests pass a limit of 10. Budgets are overrun the same way until the spend of the other processes
#   is read back from the database. `router_settings.redis_*` shares what the router counts (cooldowns, session pins,
#   `enforce_model_rate_limits`, provider budgets), not the limits of keys; cache types other than plain Redis, and
#   `cache_params` without `cache: true`, share nothing.
# custom:
#   category: limits
#   severity: error
#   severities: [warning, info]
#   confidence: high
#   inputs: [gateway.config, gateway.env, gateway.replicas, gateway.workers, redis, gateway.image]
#   remedy: |
#     Give the proxy a Redis: `general_settings.coordination_redis` with `host`, `port` and `password` (1.93 and newer),
#     or the variables `REDIS_HOST`, `REDIS_PORT`, `REDIS_PASSWORD` (1.101 and newer, used only when the server answers
#     within 2 s of the start), or `cache: true` with `cache_params` of type redis and `mode: default_off` (any release).
#     `litellm_params.max_parallel_requests` is a limit of each process that no Redis shares.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: add coordination_redis
#     question: Is this Redis reachable from every gateway process, and shared with nothing that must not see the counters?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/hooks/parallel_request_limiter_v3.py
#       symbol: internal_usage_cache
#       checked: "2026-11-29"
#       note: >-
#         Run with 1.102.0 and 1.110.2, a key limit of 10 and 40 requests: one process admitted 10, two replicas or two
#         workers without Redis 20, with coordination_redis or a plain Redis cache 10, with router redis only 20, with
#         cache_params without cache true 20.
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_server.py
#       symbol: _init_coordination_redis_env_fallback
#       checked: "2026-11-29"
#       note: REDIS_HOST and the like without a cache block, first in 1.101.0, absent in 1.100.5; dropped when a ping takes longer than 2 s.
#   messages:
#     main: "{name} {limit} is counted in each of {processes} gateway processes without a shared Redis, so {total} pass{note}"
#     budget: "{name} {limit} is counted in each of {processes} gateway processes without a shared Redis, so each spends on before it sees what the others spent{note}"
#     plain: "{name} {limit} of a deployment is counted in each of {processes} gateway processes without a shared Redis, so the router steers by a part of the traffic{note}"
package agentlint.rules["rate-limits-without-redis"]

import data.agentlint.lib

findings contains object.union(finding, object.union(undecided, fix)) if {
	lib.several_processes
	lib.redis_shared(use) != "yes"
	first := limits[0]
	finding := {
		"at": first.at,
		"severity": severity,
		"message": first.message,
		"args": {
			"name": first.name, "limit": first.limit, "total": total[lib.processes.at_least],
			"processes": lib.processes.text, "note": note,
		},
		"related": related,
		"figures": figures,
	}
}

# limits are those of the worst class that is written: limits of keys, teams and users, then limits of deployments that
# the router enforces, then those it only steers by.
limits := key_limits if {
	count(key_limits) > 0
} else := enforced if {
	count(enforced) > 0
} else := plain

use := "limits" if {
	count(key_limits) > 0
} else := "routing"

severity := "info" if {
	count(key_limits) == 0
	count(enforced) == 0
} else := "warning" if {
	grown_by_autoscaler
} else := "error"

# One process at least, more only when an autoscaler adds replicas.
grown_by_autoscaler if {
	input.gateway.replicas.owner == "autoscaler"
	lib.workers.n == 1
	input.gateway.replicas.min <= 1
}

config := ["gateway", "config"]

key_limits := [limit(path, path[count(path) - 1]) | some path in lib.key_limits_at]

enforced := array.concat(
	[limit(path, path[count(path) - 1]) | some path in enforced_in_entries],
	[{"at": path, "name": sprintf("provider budget of %s", [provider]), "limit": budget, "message": "budget"} |
		some provider, settings in input.gateway.config.router_settings.provider_budget_config
		budget := settings.budget_limit
		is_number(budget)
		path := array.concat(config, ["router_settings", "provider_budget_config", provider, "budget_limit"])
	],
)

plain := [object.union(limit(path, path[count(path) - 1]), {"message": "plain"}) |
	not lib.model_limits_enforced
	not may_enforce
	some path in array.slice(deployment_limits, 0, shown + 1)
]

may_enforce if lib.unknown(array.concat(config, ["router_settings", "optional_pre_call_checks"]))

may_enforce if null in input.gateway.config.router_settings.optional_pre_call_checks

enforced_in_entries := lib.entry_limits_at(["rpm", "tpm", "max_budget"]) if {
	lib.model_limits_enforced
} else := lib.entry_limits_at(["max_budget"])

deployment_limits := lib.entry_limits_at(["rpm", "tpm"])

limit(path, name) := {"at": path, "name": name, "limit": lib.value(path, null), "message": kind(name)}

kind(name) := "budget" if {
	contains(name, "budget")
} else := "main"

total := {
	true: sprintf("at least %v", [limits[0].limit * lib.processes.n]),
	false: sprintf("up to %v", [limits[0].limit * lib.processes.n]),
}

# At most this many other limits are named.
shown := 5

related := [{"at": other.at, "on_key": true, "message": sprintf("%s is counted the same way", [other.name])} |
	some i, other in limits
	i > 0
	i <= shown
]

figures := [{
	"name": "admitted", "value": limits[0].limit * lib.processes.n, "unit": unit(limits[0].name), "limit": limits[0].limit,
	"formula": sprintf("%v %s x %v workers x %v replicas", [limits[0].limit, limits[0].name, lib.workers.n, lib.max_replicas.n]),
}] if {
	limits[0].message == "main"
} else := []

unit(name) := "requests a minute" if {
	startswith(name, "rpm")
} else := "tokens a minute" if {
	startswith(name, "tpm")
} else := "requests at once"

undecided := {"needs": ["redis"]} if {
	lib.redis_shared(use) == "unknown"
} else := {}

note := "; the REDIS_ variables are read only from 1.101 on" if {
	use == "limits"
	lib.redis_in_env
	lib.below("litellm", "1.101.0")
} else := "; router_settings.redis_* does not share limits of keys" if {
	use == "limits"
	some instance in input.redis.instances
	instance.use == "router"
} else := "; coordination_redis is read only from 1.93 on" if {
	lib.present(["gateway", "config", "general_settings", "coordination_redis"])
	lib.below("litellm", "1.93.0")
} else := "; a cache_params without a type is a cache in the memory of the process" if {
	lib.cache_on
	lib.redis_cache_type == "local"
	lib.absent(array.concat(lib.cache_block, ["type"]))
} else := sprintf("; a cache of type %s shares no counters", [lib.redis_cache_type]) if {
	lib.cache_on
	lib.other_cache
} else := "; cache_params shares nothing without cache: true" if {
	some instance in input.redis.instances
	instance.use == "cache"
	lib.value(["gateway", "config", "litellm_settings", "cache"], false) in {false, null}
} else := ""

fix := {"fix": {"edits": [{"op": "set", "at": ["gateway", "config", "general_settings", "coordination_redis"], "value": target}]}} if {
	lib.at_least("litellm", "1.93.0")
	lib.absent(["gateway", "config", "general_settings", "coordination_redis"])
	target := lib.known_redis
} else := {}

# Limits are written and nothing shows how many processes run.
unchecked contains "gateway_replicas" if {
	not lib.several_processes
	lib.processes.at_least
	count(array.concat(key_limits, enforced)) > 0
	lib.redis_shared(use) != "yes"
}
