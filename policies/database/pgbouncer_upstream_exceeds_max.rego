# METADATA
# title: The pooler opens more connections than Postgres accepts
# description: |
#   A pooler in front of Postgres opens up to its pool size towards the server: instances x the smaller of `default_pool_size` (20 when nothing
#   is written) and `max_db_connections`. When that passes `max_connections` less what is kept for superusers, clients are still accepted and
#   their queries fail with "sorry, too many clients already": the pooler moves the failure instead of removing it. The gateway's own pooler
#   in the pod is counted by database-connections-exceed-max.
# custom:
#   category: database
#   severity: error
#   confidence: medium
#   inputs: [database, gateway.replicas, autoscalers]
#   when: [database.pooler]
#   remedy: |
#     Set the pool size to (max_connections - reserved) / instances, rounded down, or less when other clients use the server.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: lower the pooler size to what fits
#     question: Does nothing else connect to this server, around the pooler?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_cli.py
#       symbol: database_connection_pool_limit = 10
#       checked: "2026-11-30"
#       note: The clients of the pooler, 10 for each worker process when nothing is written.
#     - artefact: pgbouncer 1.18.0
#       file: doc/config.md
#       symbol: default_pool_size
#       checked: "2026-11-30"
#       note: Read in the manual page pgbouncer(5) that is made of it. For each pair of user and database, 20 by default; max_db_connections 0 is no limit.
#   messages:
#     main: "pooler {pooler} opens up to {upstream} connections ({formula}), the gateway asks it for {clients}, and Postgres accepts {limit} ({available}): the rest is refused with \"too many clients already\""
#     server: "the limit of the server"
#     instances: "so many instances"
package agentlint.rules["pgbouncer-upstream-exceeds-max"]

import data.agentlint.lib

findings contains object.union({
	"at": ["database", "pooler", size.key],
	"args": {"pooler": pooler.name, "upstream": upstream, "formula": formula, "limit": limit, "available": available, "clients": lib.count_text(clients, clients_at_least)},
	"related": array.concat(
		[{"at": ["database", "server", "max_connections"], "message": "server"}],
		[{"at": ["database", "pooler", "instances"], "message": "instances"} | instances > 1],
	),
	"figures": [{"name": "connections", "value": upstream, "unit": "connections", "formula": formula, "limit": limit}],
}, lib.with_edits(edits)) if {
	upstream > limit
	clients > limit
}

pooler := input.database.pooler if input.database.pooler.kind != "pod"

server := input.database.server

limit := server.max_connections - server.reserved

available := sprintf("max_connections %v - %v reserved", [server.max_connections, server.reserved])

# size: what one instance opens at most, with the key that says so.
size := {"key": "pool_size", "n": pools} if {
	pools > 0
	not smaller_database_limit
	lib.value(["database", "pooler", "max_db_connections"], 0) >= 0
} else := {"key": "max_db_connections", "n": database_limit} if {
	smaller_database_limit
}

database_limit := pooler.max_db_connections if pooler.max_db_connections > 0

smaller_database_limit if database_limit < pools

# Zalando's number is the pool itself.
smaller_database_limit if {
	pooler.kind == "zalando"
	database_limit
}

pools := pooler.pool_size

pools := 20 if {
	pooler.kind != "zalando"
	lib.absent(["database", "pooler", "pool_size"])
}

# Zalando divides its number among the instances.
instances := 1 if {
	pooler.kind == "zalando"
} else := pooler.instances

upstream := size.n * instances

formula := sprintf("%v of each x %v instances", [size.n, instances]) if {
	instances > 1
} else := sprintf("%v %v", [{"pool_size": "default_pool_size", "max_db_connections": "max_db_connections"}[size.key], size.n])

# clients: how many connections the gateway asks the pooler for, at least; the pooler opens no more than that.
clients := pool * (lib.workers.n * lib.pod_count.n)

clients_at_least := lib.any_true([lib.workers.at_least, lib.pod_count.at_least, pool_at_least])

pool_at_least if {
	lib.unknown(["gateway", "settings", "database_pool_limit", "value"])
} else := false

pool := lib.number(input.gateway.settings.database_pool_limit.value)

pool := 1 if lib.unknown(["gateway", "settings", "database_pool_limit", "value"])

fitting := floor(limit / instances)

edits := [{"op": "set", "at": ["database", "pooler", size.key], "value": fitting} | fitting > 0]
