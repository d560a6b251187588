# METADATA
# title: More database connections than Postgres accepts
# description: |
#   Every worker process opens a pool of `database_connection_pool_limit` connections (10 when nothing is written), so a
#   gateway asks for limit x workers x replicas, and for the surge of a rolling update on top; a read replica at the same
#   server is a second pool of the same size, and the backend of the componentized chart and a migration job connect too.
#   When the sum passes `max_connections` less the 3 that Postgres keeps for superusers, new connections are refused.
#   That shows as 401 errors under load: the key of a request is looked up in the database, and the lookup fails.
# custom:
#   category: database
#   severity: error
#   confidence: high
#   inputs: [gateway.config, gateway.workers, gateway.replicas, autoscalers, database, facts]
#   remedy: |
#     Set `general_settings.database_connection_pool_limit` to (max_connections - reserved) / (workers x (replicas +
#     surge)), rounded down; or raise `max_connections`; or put a pooler between: the gateway's own in the pod
#     (`LITELLM_PGBOUNCER_ENABLED`, `db.connectionPool` of the chart, 1.102 and newer) holds at most
#     `LITELLM_PGBOUNCER_MAX_DB_CONNECTIONS` (20) connections a pod whatever the number of workers.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: lower database_connection_pool_limit to what fits
#     question: Is the smaller pool enough for one worker process, or should max_connections grow or a pooler stand between?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_cli.py
#       symbol: database_connection_pool_limit = 10
#       checked: "2026-11-29"
#       note: >-
#         Run with 1.102.0: connection_limit=10 is written into DATABASE_URL when nothing is set, over a limit in the
#         URL; database_extra_connection_params.connection_limit wins over both.
#     - artefact: litellm 1.110.2
#       file: litellm/proxy/db/db_url_settings.py
#       symbol: postgres_connection_budget_message
#       checked: "2026-11-29"
#       note: Prints the same product a pod at the start from 1.106 on.
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/db/pgbouncer.py
#       symbol: "max_db_connections: int = Field(default=20"
#       checked: "2026-11-29"
#   messages:
#     main: "{sum} database connections, {limit} accepted: {formula} against {available}; beyond that keys cannot be looked up and requests fail with 401"
#     pooler: "{sum} client connections at the pooler {server}, {limit} accepted: {formula} against {available}; beyond that keys cannot be looked up and requests fail with 401"
package agentlint.rules["database-connections-exceed-max"]

import data.agentlint.lib

findings contains object.union(finding, fix) if {
	postgres
	pool_known
	available := limit.n
	total > available
	finding := {
		"at": anchor,
		"message": limit.message,
		"args": {
			"sum": lib.count_text(total, at_least), "limit": limit.n, "formula": formula, "available": limit.text,
			"server": limit.name,
		},
		"related": related,
		"figures": [figure],
	}
}

figure := {"name": "connections", "value": total, "unit": "connections", "formula": formula, "limit": limit.n}

measures contains figure if {
	postgres
	pool_known
}

config := ["gateway", "config", "general_settings"]

postgres if {
	some url in input.database.urls
	url.name == "DATABASE_URL"
	not foreign(url)
}

postgres if {
	input.facts.postgres_max_connections
	lib.value(["database", "urls"], []) == []
}

foreign(url) if {
	scheme := url.scheme
	not startswith(scheme, "postgres")
}

# pool: connections of one process.
pool := {"n": floor(n), "at_least": false} if {
	n := lib.number(input.gateway.settings.database_pool_limit.value)
	n >= 1
} else := {"n": 1, "at_least": true} if lib.unknown(["gateway", "settings", "database_pool_limit", "value"])

pool_known if pool

# in_pod: the gateway's own pooler stands in each pod, in front of the server.
in_pod if {
	input.database.pooler.kind == "pod"
	lib.at_least("litellm", "1.102.0")
}

outside if {
	input.database.pooler
	input.database.pooler.kind != "pod"
}

# writer: connections of one pod to the database itself.
writer := {"n": n, "at_least": false, "text": sprintf("%v of the pod's pooler", [n])} if {
	in_pod
	n := input.database.pooler.max_db_connections
} else := {"n": 1, "at_least": true, "text": "1 of the pod's pooler"} if {
	in_pod
} else := {
	"n": pool.n * lib.workers.n,
	"at_least": lib.any_true([pool.at_least, lib.workers.at_least]),
	"text": sprintf("%v pool x %v %s", [pool.n, lib.workers.n, worker_word]),
}

worker_word := "worker" if {
	lib.workers.n == 1
} else := "workers"

# reader: connections of one pod through a read replica's URL, when it leads to the same host.
reader := {"n": n, "text": sprintf(" + %v through the read replica's URL", [n])} if {
	some i, url in input.database.urls
	url.name == "DATABASE_URL_READ_REPLICA"
	some main in input.database.urls
	main.name == "DATABASE_URL"
	url.host == main.host
	reads_replica
	n := reader_pool(i) * lib.workers.n
} else := {"n": 0, "text": ""}

reads_replica if {
	lib.at_least("litellm", "1.85.0")
	lib.absent(["gateway", "env", "DATABASE_HOST_READ_REPLICA"])
}

reads_replica if lib.at_least("litellm", "1.86.0")

# A limit in the replica's own URL is kept.
reader_pool(i) := pool.n if lib.absent(["database", "urls", i, "params", "connection_limit"])

reader_pool(i) := lib.number(input.database.urls[i].params.connection_limit)

# Other deployments of the release that connect: backends with a pool a worker, migration jobs with one connection.
backends := [{"n": n * pool.n, "factor": n, "text": sprintf(" + %v pool x %v %s processes", [pool.n, n, sibling.role])} |
	some sibling in input.gateway.siblings
	sibling.role != "migration"
	n := sibling.replicas.max * sibling.workers
]

migrations := [1 |
	some sibling in input.gateway.siblings
	sibling.role == "migration"
]

per_pod := writer.n + reader.n

total := ((per_pod * lib.pod_count.n) + sum([b.n | some b in backends])) + count(migrations)

at_least := lib.any_true([writer.at_least, pool.at_least, lib.pod_count.at_least])

formula := concat("", array.concat(
	[pod_formula],
	array.concat([b.text | some b in backends], [migration_text[count(migrations)]]),
))

pod_formula := sprintf("%s x %s %s", [writer.text, lib.pod_count.text, replica_word]) if {
	reader.n == 0
} else := sprintf("(%s%s) x %s %s", [writer.text, reader.text, lib.pod_count.text, replica_word])

replica_word := "replica" if {
	lib.pod_count.n == 1
} else := "replicas"

migration_text := {0: "", 1: " + 1 migration", 2: " + 2 migrations"}

# limit: what the connections are held against: the server, or the pooler that the URL points at.
limit := {"n": n, "message": "main", "name": server.name, "text": text} if {
	not outside
	not unseen_pooler
	server := input.database.server
	n := server.max_connections - server.reserved
	text := sprintf("max_connections %v - %v reserved", [server.max_connections, server.reserved])
} else := {"n": n, "message": "pooler", "name": pooler.name, "text": text} if {
	outside
	pooler := input.database.pooler
	n := pooler.max_client_conn * pooler.instances
	text := sprintf("max_client_conn %v x %v of it", [pooler.max_client_conn, pooler.instances])
}

unseen_pooler if lib.unknown(["database", "pooler"])

extra := array.concat(config, ["database_extra_connection_params", "connection_limit"])

written := array.concat(config, ["database_connection_pool_limit"])

anchor := extra if {
	lib.present(extra)
} else := written if {
	stands(written)
	decided(extra)
} else := ["gateway", "env", "DATABASE_URL"] if {
	stands(["gateway", "env", "DATABASE_URL"])
	decided(extra)
	decided(written)
} else := array.concat(config, ["database_url"]) if {
	stands(array.concat(config, ["database_url"]))
	decided(extra)
	decided(written)
} else := ["gateway", "replicas", "max"] if {
	decided(extra)
	decided(written)
}

stands(path) if lib.present(path)

stands(path) if path in lib.unknown_paths

stands(path) if {
	path[1] == "env"
	lib.unknown(path)
}

# A limit that may be written out of sight counts as 1, and the sum as a lower bound.
decided(path) if lib.absent(path)

decided(_) if pool.at_least

related contains place(["gateway", "workers"], sprintf("%v workers", [lib.workers.n])) if {
	lib.workers.n > 1
	not in_pod
}

related contains place(["gateway", "replicas", "max"], sprintf("up to %v replicas", [lib.max_replicas.n])) if lib.max_replicas.n > 1

related contains place(["gateway", "rollout", "max_surge"], "more of them during a rollout") if lib.present(["gateway", "rollout", "max_surge"])

related contains place(["database", "pooler", "max_db_connections"], "at most this many of each pod") if in_pod

related contains place(["database", "server", "max_connections"], limit.text) if {
	limit.message == "main"
	lib.absent(["facts", "postgres_max_connections"])
}

related contains place(["database", "pooler", "max_client_conn"], limit.text) if limit.message == "pooler"

place(path, message) := {"at": path, "message": message}

# fitting: the largest pool limit with which the sum stays within the limit.
fitting := max([0, floor((limit.n - count(migrations)) / ((lib.workers.n * lib.pod_count.n) + sum([b.factor | some b in backends])))]) if {
	not in_pod
	reader.n == 0
} else := 0

fix := {"fix": {"edits": [{"op": "set", "at": target, "value": fitting}]}} if {
	fitting > 0
	not at_least
	target := fix_target
} else := {}

fix_target := extra if {
	lib.present(extra)
} else := written

unchecked contains "postgres_max_connections" if {
	postgres
	not outside
	not input_limit
}

input_limit if input.database.server.max_connections

unchecked contains "postgres_max_connections" if {
	lib.unknown(["gateway", "settings", "database_url", "value"])
	not postgres
	not input_limit
}
