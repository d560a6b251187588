# METADATA
# title: A Redis outside of the deployment without a namespace
# description: |
#   LiteLLM writes cached answers, counters of limits, pins and cooldowns under keys that depend on keys, models and messages, not on
#   the gateway. A second gateway or environment on the same Redis and database number reads and counts them as its own: a staging test
#   uses up limits of production, and an answer of one is served by the other. `cache_params.namespace` goes before every key.
# custom:
#   category: redis
#   severity: info
#   confidence: medium
#   inputs: [gateway.config, redis]
#   when: [gateway.config.litellm_settings.cache_params]
#   remedy: |
#     Set `cache_params.namespace` to a name of this gateway and environment, or give it a Redis or a database number (`db`) of its own.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: add cache_params.namespace
#     question: Is the name that of no other gateway on this Redis, and may cached answers and counters start empty?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/caching/redis_cache.py
#       symbol: def check_and_fix_namespace
#       checked: "2026-11-30"
#   messages:
#     main: "the Redis {host} stands outside of these files and cache_params has no namespace: another gateway or environment there shares cached answers, limits and cooldowns with this one"
package agentlint.rules["redis-namespace-missing"]

import data.agentlint.lib

params := ["gateway", "config", "litellm_settings", "cache_params"]

findings contains {
	"at": params,
	"on_key": true,
	"args": {"host": instance.host},
	"fix": {"edits": [{"op": "set", "at": array.concat(params, ["namespace"]), "value": input.gateway.name}]},
} if {
	lib.cache_on
	lib.plain_redis_cache
	lib.value(array.concat(params, ["namespace"]), null) in {null, ""}
	lib.value(array.concat(params, ["db"]), null) in {null, 0, "0"}
	some i, instance in input.redis.instances
	instance.use == "cache"
	is_string(instance.host)
	outside(i, instance.host)
	url_without_database
}

# outside(i, host): a host whose Redis nothing in the files starts.
outside(i, host) if {
	contains(host, ".")
	not host in {"127.0.0.1", "host.docker.internal"}
	lib.absent(["compose", "services", host])
	lib.absent(["redis", "instances", i, "ports"])
}

# The number of a database may stand in the URL.
url_without_database if {
	url := lib.resolved(lib.value(array.concat(params, ["url"]), ""))
	not regex.match(`/[1-9][0-9]*(\?|$)`, trim_prefix(trim_prefix(url, "redis://"), "rediss://"))
}
