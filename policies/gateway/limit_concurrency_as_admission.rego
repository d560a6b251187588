# METADATA
# title: A limit of connections stands in for admission control
# description: |
#   --limit_concurrency is uvicorn's: it counts connections, also those that wait idle for their next request, and answers
#   everything above it "503 Service Unavailable" without retry-after, the probes of Kubernetes included. Under load the pod
#   fails its liveness probe and restarts. gunicorn, hypercorn and granian ignore the flag. Admission control
#   (`max_in_flight_requests_per_worker`, from 1.101.0 on) counts requests, queues, answers with retry-after and lets probes through.
# custom:
#   category: limits
#   severity: warning
#   confidence: medium
#   severities: [info]
#   inputs: [gateway.args]
#   when: [gateway.args.limit-concurrency, gateway.env.LIMIT_CONCURRENCY]
#   remedy: |
#     Set `general_settings.max_in_flight_requests_per_worker`, `max_queued_requests_per_worker` and
#     `admission_queue_timeout_seconds`, and drop the flag or set it far above what clients keep open.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: use admission control with the same number
#     question: How many requests may one worker have in flight, and how many may wait?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_cli.py
#       symbol: uvicorn_args["limit_concurrency"] = limit_concurrency
#       checked: "2026-11-29"
#       note: "First in 1.94.0, absent in 1.93.2; only uvicorn gets it. Run: with --limit_concurrency 4 and 12 requests 9 got a plain 503 without retry-after."
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/middleware/admission_control_middleware.py
#       symbol: retry-after
#       checked: "2026-11-29"
#       note: First in 1.101.0. Exempt are the health paths, /health/drain and /metrics.
#   messages:
#     main: "{what} limits connections to {n}, idle ones included, and answers probes 503 too: the pod restarts under load"
#     server: "{what} is read by uvicorn only, and the gateway runs {server}: nothing is limited"
#     plain: "{what} limits connections to {n}, idle ones included, and answers 503 without retry-after"
package agentlint.rules["limit-concurrency-as-admission"]

import data.agentlint.lib

findings contains object.union({"at": at, "severity": severity, "message": wording, "args": {"what": what, "n": number, "server": server}}, fix) if {
	at := place
	number := lib.number(lib.value(at, null))
}

flag := ["gateway", "args", "limit-concurrency"]

variable := ["gateway", "env", "LIMIT_CONCURRENCY"]

place := array.concat(flag, [last]) if {
	last := lib.length(input.gateway.args["limit-concurrency"]) - 1
} else := variable if {
	lib.at_least("litellm", "1.94.0")
	lib.absent(flag)
	lib.present(variable)
}

what := "--limit_concurrency" if {
	place[1] == "args"
} else := "LIMIT_CONCURRENCY"

server := name if {
	some name in ["gunicorn", "hypercorn", "granian"]
	lib.present(["gateway", "args", sprintf("run-%s", [name])])
} else := "uvicorn"

on_kubernetes if input.gateway.pod.platform == "kubernetes"

severity := "info" if {
	lib.below("litellm", "1.101.0")
} else := "warning" if {
	server != "uvicorn"
} else := "warning" if {
	on_kubernetes
} else := "info"

wording := "server" if {
	server != "uvicorn"
} else := "main" if {
	on_kubernetes
} else := "plain"

# The same number is a start: requests in flight are fewer than connections.
fix := {"fix": {"edits": array.concat(
	[{"op": "remove", "at": removed}],
	[{"op": "set", "at": ["gateway", "config", "general_settings", name], "value": value} |
		some name, value in {"max_in_flight_requests_per_worker": number, "max_queued_requests_per_worker": number, "admission_queue_timeout_seconds": 1}
	],
)}} if {
	lib.at_least("litellm", "1.101.0")
	input.gateway.config
	lib.absent(["gateway", "config", "general_settings", "max_in_flight_requests_per_worker"])
	number := lib.number(lib.value(place, null))
} else := {"fix": {"edits": [{"op": "remove", "at": removed}]}} if {
	lib.present(["gateway", "config", "general_settings", "max_in_flight_requests_per_worker"])
} else := {}

removed := flag if {
	place[1] == "args"
} else := place
