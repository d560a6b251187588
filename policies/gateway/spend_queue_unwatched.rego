# METADATA
# title: Nothing watches the spend queue
# description: |
#   Spend rows wait in the memory of each worker until Postgres takes them. When Postgres is slow the queue grows to
#   `SPEND_LOG_QUEUE_MAX_BYTES` (64 MB a worker, 1.98 and newer) and then drops its oldest rows with one log line and no
#   error to a client: the spend of those requests is never booked. Below 1.98 the queue has no limit and grows until the
#   pod is killed. No metric shows the queue itself, so the database's latency and the update queues are the early signs.
# custom:
#   category: database
#   severity: info
#   confidence: low
#   inputs: [gateway.config, database, queries]
#   when: [queries]
#   remedy: |
#     Add `prometheus_system` to `litellm_settings.service_callback`, which is what makes these series exist, and alert on
#     `litellm_postgres_latency`, `litellm_postgres_failed_requests_total` or `litellm_in_memory_spend_update_queue_size`.
#     The log line is the only direct sign.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/constants.py
#       symbol: SPEND_LOG_QUEUE_MAX_BYTES
#       checked: "2026-11-29"
#       note: 64,000,000 bytes a worker; first in 1.98.0, absent in 1.97.0.
#     - artefact: litellm 1.102.0
#       file: litellm/types/services.py
#       symbol: in_memory_spend_update_queue
#       checked: "2026-11-29"
#   messages:
#     main: "no query watches the database's latency or the spend queues: with a slow Postgres each worker keeps 64 MB of spend rows and then drops the oldest, with a log line only"
#     older: "no query watches the database's latency or the spend queues: with a slow Postgres the spend rows of each worker pile up without a limit below 1.98, until the pod is killed"
package agentlint.rules["spend-queue-unwatched"]

import data.agentlint.lib

findings contains {"at": ["queries", first, "text"], "message": wording} if {
	lib.present(["database"])
	every query in input.queries {
		unrelated(query)
	}
	not lib.queries_unseen
	# The first rule, not a panel or a trigger that only reads the same series.
	first := [i | some i in litellm_queries; input.queries[i].where == "alert"][0]
}

unchecked contains "queries" if {
	lib.present(["database"])
	lib.queries_unseen
	some i in litellm_queries
	input.queries[i].where == "alert"
}

litellm_queries := [i |
	some i, query in input.queries
	query.product == "litellm"
]

# unrelated(query): its text is known and names none of the series.
unrelated(query) if {
	is_string(query.text)
	every name in ["litellm_postgres_latency", "litellm_postgres_failed_requests", "litellm_batch_write_to_db_", "_spend_update_queue_size"] {
		not contains(query.text, name)
	}
}

wording := "older" if {
	lib.below("litellm", "1.98.0")
} else := "main"
