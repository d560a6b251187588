# METADATA
# title: A database outage restarts every gateway pod
# description: |
#   /health/readiness answers 503 while the database cannot be reached, so that a pod gets no traffic. Asked by a liveness probe, the
#   same answer kills the container: a failover of Postgres of a minute restarts all replicas at once, and their start (migrations,
#   model list, pools) falls on the database that has just come back. A restart repairs nothing.
# custom:
#   category: probes
#   severity: error
#   severities: [warning]
#   confidence: high
#   inputs: [probes, gateway.settings, gateway.env]
#   remedy: Ask `/health/liveliness` for liveness, and keep `/health/readiness` for readiness.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: ask /health/liveliness
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/health_endpoints/_health_endpoints.py
#       symbol: def _resolve_public_readiness_db
#       checked: "2026-11-29"
#       note: >-
#         503 when the database is not connected, unless allow_requests_on_db_unavailable is true; "Not connected" and 200 without a
#         database. /health/liveliness asks nothing; the same in 1.110.2.
#   messages:
#     main: "the liveness probe asks /health/readiness, which is 503 while the database is away: an outage of Postgres restarts every gateway pod; ask /health/liveliness"
#     hidden: "the liveness probe asks /health/readiness, which is 503 while a database is away: if the gateway has one, its outage restarts every pod; ask /health/liveliness"
package agentlint.rules["liveness-depends-on-database"]

import data.agentlint.lib

findings contains object.union(
	{
		"at": ["probes", i, "path"],
		"fix": {"edits": [{"op": "set", "at": ["probes", i, "path"], "value": "/health/liveliness"}]},
	},
	weight,
) if {
	some i, probe in input.probes
	probe.kind == "liveness"
	probe.target.part == "gateway"
	lib.asks(probe) == "/health/readiness"
	not serves_without
}

serves_without if input.gateway.config.general_settings.allow_requests_on_db_unavailable in {true, "true", "True"}

weight := {} if {
	database_seen
} else := {"severity": "warning", "message": "hidden"} if {
	lib.unknown(["gateway", "settings", "database_url", "value"])
} else := {"severity": "warning", "message": "hidden"} if {
	lib.unknown(["gateway", "env", "DATABASE_URL"])
} else := {"severity": "warning", "message": "hidden"} if {
	lib.unstarted
}

# The gateway has a database: its address is known, or a Secret that is named for it holds it.
database_seen if lib.present(["gateway", "settings", "database_url", "value"])

database_seen if input.gateway.env.DATABASE_URL != ""

database_seen if ["gateway", "env", "DATABASE_URL"] in lib.unknown_paths

database_seen if input.database.server.kind

database_seen if {
	some url in input.database.urls
	url.host
}
