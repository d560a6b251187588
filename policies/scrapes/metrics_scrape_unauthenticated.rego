# METADATA
# title: Prometheus scrapes the gateway without a key
# description: |
#   From LiteLLM 1.84 on `/metrics` asks for a key unless `require_auth_for_metrics_endpoint` is false: a scrape without credentials gets 401, the
#   target is down, and alerts and scalers on `litellm_` series see nothing. It happens with the upgrade alone.
# custom:
#   category: metrics
#   severity: error
#   severities: [warning]
#   confidence: medium
#   inputs: [scrapes, gateway.config, gateway.image]
#   applies: ["litellm>=1.84"]
#   remedy: |
#     Give the scrape a key (`authorization` or `bearerTokenSecret` of the endpoint), scrape a metrics port of its own, or set
#     `litellm_settings.require_auth_for_metrics_endpoint: false` when nobody else reaches the port.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.84.0
#       file: litellm/__init__.py
#       symbol: "require_auth_for_metrics_endpoint: Optional[bool] = True"
#       checked: "2026-11-29"
#       note: False in 1.83.14, True in all releases from 1.84.0 on.
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/middleware/prometheus_auth_middleware.py
#       symbol: if litellm.require_auth_for_metrics_endpoint is not False
#       checked: "2026-11-29"
#       note: Run with 1.102.0 and 1.110.2, /metrics is 401 without a key.
#   messages:
#     main: "{kind} {name} scrapes the gateway without credentials, and LiteLLM {version} asks for a key on /metrics: the target is down with 401"
#     assumed: "{kind} {name} scrapes the gateway without credentials, and LiteLLM asks for a key on /metrics from 1.84 on (no version is pinned): the target is down with 401"
package agentlint.rules["metrics-scrape-unauthenticated"]

import data.agentlint.lib

findings contains object.union(
	{
		"at": ["scrapes", i],
		"args": {"kind": kinds[scrape.kind], "name": scrape.name, "version": input.gateway.version},
	},
	weight,
) if {
	some i, scrape in input.scrapes
	scrape.target.part == "gateway"
	scrape.authorized == false
	startswith(scrape.path, "/metrics")
	required
	not apart
	not other_port(scrape)
}

kinds := {"servicemonitor": "ServiceMonitor", "podmonitor": "PodMonitor", "job": "job", "annotation": "annotation"}

required if lib.value(["gateway", "config", "litellm_settings", "require_auth_for_metrics_endpoint"], true) != false

# The gateway serves metrics on a port of their own, or may.
apart if not lib.absent(["gateway", "args", "prometheus-metrics-port"])

apart if input.gateway.helm.values.metricsServer.enabled == true

other_port(scrape) if {
	port := lib.number(scrape.port)
	port != lib.listens_on(["gateway"])
}

other_port(scrape) if {
	is_string(scrape.port)
	some service in input.services
	service.target.part == "gateway"
	some port in service.ports
	port.name == scrape.port
	target := lib.number(port.targetPort)
	target != lib.listens_on(["gateway"])
}

weight := {} if {
	input.gateway.version_source != "newest"
} else := {"severity": "warning", "message": "assumed"}
