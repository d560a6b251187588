# METADATA
# title: Nothing watches how busy the gateway itself is
# description: |
#   A gateway that runs out of event loop, for instance because token counting or the database holds it, adds seconds to
#   every request while the engines idle, and total latency alone cannot tell the two apart. The first signs are requests
#   in flight (`litellm_in_flight_requests`, a gauge per process, from 1.82), the time LiteLLM itself adds
#   (`litellm_overhead_latency_metric`), the time a request waits before it is handled
#   (`litellm_request_queue_time_seconds`), and from 1.101 the admission gauges. An objective on tasks or whole sessions
#   says more about agents than a p95 of single requests.
# custom:
#   category: metrics
#   severity: info
#   confidence: low
#   inputs: [queries, gateway.config]
#   applies: ["litellm>=1.82"]
#   remedy: |
#     Add a panel and an alert on `litellm_in_flight_requests` per pod and on a high quantile of
#     `litellm_overhead_latency_metric_bucket`.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/middleware/in_flight_requests_middleware.py
#       symbol: litellm_in_flight_requests
#       checked: "2026-11-29"
#     - artefact: litellm 1.102.0
#       file: litellm/integrations/prometheus.py
#       symbol: litellm_overhead_latency_metric
#       checked: "2026-11-29"
#   messages:
#     main: "dashboards and alerts watch LiteLLM but no query reads requests in flight, overhead latency, queue time or admission, which show a saturated worker first"
package agentlint.rules["gateway-saturation-unwatched"]

import data.agentlint.lib

findings contains {"at": lib.query_path(lib.watching("litellm")[0])} if {
	not watched
	not lib.queries_unseen
}

watched if {
	some query in input.queries
	some part in ["litellm_in_flight_requests", "litellm_overhead_", "litellm_request_queue_time_seconds", "litellm_admission_"]
	contains(query.text, part)
}

unchecked contains "queries" if {
	count(lib.watching("litellm")) > 0
	not watched
	lib.queries_unseen
}
