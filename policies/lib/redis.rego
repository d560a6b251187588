# What the processes of a gateway share through Redis.
package agentlint.lib

# redis_shared(what) says whether processes share "limits" (limits and budgets of keys, teams and users) or
# "routing" (session pins, cooldowns, deployment limits, provider budgets): "yes", "no" or "unknown".
redis_shared(what) := "yes" if {
	redis_sharing[what]
} else := "unknown" if {
	redis_unseen(what)
} else := "no"

redis_sharing["limits"] if proxy_redis

redis_sharing["routing"] if proxy_redis

redis_sharing["routing"] if {
	some instance in input.redis.instances
	instance.use == "router"
}

proxy_redis if input.facts.redis == true

# general_settings.coordination_redis is read from 1.93.0 on.
proxy_redis if {
	some instance in input.redis.instances
	instance.use == "coordination"
	at_least("litellm", "1.93.0")
}

# The Redis of the response cache is shared only when the cache is on and of a plain Redis type.
proxy_redis if {
	some instance in input.redis.instances
	instance.use == "cache"
	cache_on
	plain_redis_cache
}

# REDIS_HOST and the like are used without a cache block from 1.101.0 on, beside a cache of another type from 1.93.0.
proxy_redis if {
	redis_in_env
	at_least("litellm", "1.101.0")
}

proxy_redis if {
	redis_in_env
	at_least("litellm", "1.93.0")
	cache_on
	other_cache
}

# cache_on: the response cache is on, by true or by a reference to a variable that says so.
cache_on if resolved(input.gateway.config.litellm_settings.cache) in {true, "true", "True", "TRUE"}

plain_redis_cache if redis_cache_type in {"redis", "redis-cluster"}

other_cache if not redis_cache_type in {"redis", "redis-cluster", null}

redis_cache_type := value(array.concat(cache_block, ["type"]), default_cache_type)

# The proxy takes Redis for a cache without cache_params only. With any key in it, the type is that of Cache itself: the memory
# of the process (litellm 1.60.0 to 1.110.2, litellm/caching/caching.py).
default_cache_type := "local" if {
	block := value(cache_block, {})
	is_object(block)
	count(block) > 0
} else := "local" if {
	some path in unknown_paths
	count(path) > count(cache_block)
	array.slice(path, 0, count(cache_block)) == cache_block
} else := "redis"

redis_env_names := {"REDIS_HOST", "REDIS_URL", "REDIS_CLUSTER_NODES", "REDIS_SENTINEL_NODES"}

# redis_in_env: a name of a Redis stands in the environment, with or without a value that the files show.
redis_in_env if {
	some name in redis_env_names
	object.get(input, ["gateway", "env", name], "") != ""
}

redis_in_env if {
	some name in redis_env_names
	["gateway", "env", name] in unknown_paths
}

# redis_unseen(what): something that the files do not show could make the processes share.
redis_unseen(what) if {
	not input.facts.redis == false
	some path in redis_sources[what]
	unknown(path)
}

redis_unseen(_) if {
	not input.facts.redis == false
	cache := value(["gateway", "config", "litellm_settings", "cache"], false)
	environ_reference(cache)
	unknown(["gateway", "env", trim_prefix(cache, "os.environ/")])
	not other_cache
}

redis_sources := {"limits": proxy_redis_sources, "routing": proxy_redis_sources | router_redis_sources}

router_redis_sources := {["gateway", "config", "router_settings", name] | some name in ["redis_host", "redis_url"]}

proxy_redis_sources contains ["redis", "instances"]

proxy_redis_sources contains ["redis", "instances", i, "use"] if some i, _ in input.redis.instances

proxy_redis_sources contains ["gateway", "config", "litellm_settings", "cache"]

proxy_redis_sources contains ["gateway", "config", "litellm_settings", "cache_params", "type"] if cache_on

proxy_redis_sources contains ["gateway", "config", "general_settings", "coordination_redis"] if at_least("litellm", "1.93.0")

proxy_redis_sources contains ["gateway", "env", name] if {
	some name in redis_env_names
	env_redis_is_read
}

env_redis_is_read if at_least("litellm", "1.101.0")

env_redis_is_read if {
	at_least("litellm", "1.93.0")
	cache_on
	not plain_redis_cache
}

# known_redis: host, port and password of a Redis that the files name: that of the router, of cache_params, or of the
# environment.
known_redis := router_target if {
	copyable_redis(router_block, "redis_")
	router_target.port
} else := redis_target(cache_block, "") if {
	copyable_redis(cache_block, "")
} else := {key: sprintf("os.environ/%s", [name]) |
	some key, name in {"host": "REDIS_HOST", "port": "REDIS_PORT", "password": "REDIS_PASSWORD"}
	in_process(name)
} if {
	in_process("REDIS_HOST")
}

router_block := ["gateway", "config", "router_settings"]

cache_block := ["gateway", "config", "litellm_settings", "cache_params"]

router_target := redis_target(router_block, "redis_")

# Host and port are known, and a password is a reference: one that is written out is not copied.
copyable_redis(block, prefix) if {
	is_string(value(array.concat(block, [concat("", [prefix, "host"])]), null))
	password := value(array.concat(block, [concat("", [prefix, "password"])]), "os.environ/")
	startswith(password, "os.environ/")
}

redis_target(block, prefix) := {key: found |
	some key in ["host", "port", "password"]
	found := value(array.concat(block, [concat("", [prefix, key])]), null)
	found != null
}

in_process(name) if present(["gateway", "env", name])

in_process(name) if ["gateway", "env", name] in unknown_paths
