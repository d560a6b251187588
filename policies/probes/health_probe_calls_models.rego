# METADATA
# title: A health check of the gateway calls every model
# description: |
#   `GET /health` is no sign of life: it asks for a key (401 without one, so the pod never becomes ready) and sends one billed
#   request to every deployment of the model list, on each interval of each replica. A readiness probe with the default period of
#   10 s makes 8,640 requests a day to each model. /health/liveliness and /health/readiness ask for no key and call no model.
# custom:
#   category: probes
#   severity: error
#   confidence: high
#   inputs: [probes, gateway.config]
#   remedy: Probe `/health/liveliness` for liveness and health checks, and `/health/readiness` for readiness and startup.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: probe an open path that calls no model
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/health_endpoints/_health_endpoints.py
#       symbol: "health checks will be run on models when /health is called"
#       checked: "2026-11-29"
#       note: >-
#         The route depends on user_api_key_auth; with background_health_checks it returns the last results instead. Run with 1.102.0
#         and 1.110.2: 401 without a key, a call to the upstream with one.
#   messages:
#     main: "the {probe} asks /health every {period} s, which wants a key (401 without one) and sends a billed request to every model; ask {path}"
#     background: "the {probe} asks /health, which wants a key (401 without one); ask {path}, which is open"
package agentlint.rules["health-probe-calls-models"]

import data.agentlint.lib

findings contains {
	"at": ["probes", i, "path"],
	"message": wording,
	"args": {"probe": lib.probe_word(probe), "period": probe.period_seconds, "path": path},
	"fix": {"edits": [{"op": "set", "at": ["probes", i, "path"], "value": path}]},
} if {
	some i, probe in input.probes
	probe.target.part == "gateway"
	lib.asks(probe) == "/health"
	path := right_path(probe.kind)
	not harmless(i)
}

right_path(kind) := {"readiness": "/health/readiness", "startup": "/health/readiness", "liveness": "/health/liveliness", "healthcheck": "/health/liveliness"}[kind]

# With checks in the background /health returns their last results, so a probe with a key does no harm.
harmless(i) if {
	not on_demand
	lib.authorized(i)
}

on_demand if not lib.value(background, false) in {true, "true", "True"}

background := ["gateway", "config", "general_settings", "background_health_checks"]

wording := "background" if {
	lib.value(background, false) in {true, "true", "True"}
} else := "main"
