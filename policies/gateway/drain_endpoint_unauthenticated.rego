# METADATA
# title: Anyone can take the gateway out of rotation
# description: |
#   `enable_drain_endpoint: true` opens GET /health/drain on the port that clients use, and without a token it asks for no
#   key. One anonymous call turns the readiness and liveness probes of its worker to 503 for good: the pod leaves the
#   Service, and a liveness probe restarts it. Whoever repeats the call keeps the gateway down. A token that is an unset
#   `os.environ/` reference counts as none (run with 1.102.0 and 1.110.2).
# custom:
#   category: rollout
#   severity: error
#   confidence: high
#   inputs: [gateway.config, gateway.env]
#   when: [gateway.config.general_settings.enable_drain_endpoint]
#   applies: ["litellm>=1.89"]
#   remedy: |
#     Make a secret, give it to the process as `DRAIN_ENDPOINT_TOKEN` (or reference it in
#     `general_settings.drain_endpoint_token`), and send it from the preStop hook as the header `X-Drain-Token`. The master
#     key does not replace it.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: switch the drain endpoint off until it has a token
#     question: May pods end without draining until DRAIN_ENDPOINT_TOKEN is set?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/health_endpoints/_health_endpoints.py
#       symbol: def _drain_endpoint_token
#       checked: "2026-11-29"
#       note: >-
#         Only the boolean true opens it; an empty token falls back to DRAIN_ENDPOINT_TOKEN, then to none. First in
#         1.89.0, absent in 1.88.6. Run: without a token a call without a key was answered 200 and readiness and liveness
#         stayed 503.
#   messages:
#     main: "enable_drain_endpoint is true and no token is set: one anonymous GET /health/drain turns the probes of a worker to 503 for good"
#     unset: "enable_drain_endpoint is true and its token {token} is set nowhere: one anonymous GET /health/drain turns the probes of a worker to 503 for good"
package agentlint.rules["drain-endpoint-unauthenticated"]

import data.agentlint.lib

settings := ["gateway", "config", "general_settings"]

endpoint := array.concat(settings, ["enable_drain_endpoint"])

token := array.concat(settings, ["drain_endpoint_token"])

variable := ["gateway", "env", "DRAIN_ENDPOINT_TOKEN"]

findings contains object.union(finding, undecided) if {
	lib.value(endpoint, false) == true
	not configured
	not in_variable
	finding := {
		"at": endpoint,
		"message": wording,
		"args": {"token": lib.value(token, "")},
		"fix": {"edits": [{"op": "set", "at": endpoint, "value": false}]},
	}
}

# configured: a token is written, or a reference that resolves, or that the files do not show.
configured if {
	written := lib.value(token, null)
	is_string(written)
	written != ""
	not lib.environ_reference(written)
}

configured if {
	name := reference
	not lib.value(["gateway", "env", name], "") in {"", null}
}

configured if ["gateway", "env", reference] in lib.unknown_paths

# A number and the like is no token, a value out of sight may be one.
configured if lib.unknown(token)

reference := trim_prefix(written, "os.environ/") if {
	written := lib.value(token, null)
	lib.environ_reference(written)
}

in_variable if not lib.value(variable, "") in {"", null}

in_variable if variable in lib.unknown_paths

# An unseen Secret, or a process that nothing in the files starts, may hold the token.
undecided := {"needs": [concat(".", hidden[0])]} if {
	count(hidden) > 0
} else := {}

hidden := [path |
	some path in array.concat([["gateway", "env", name] | name := reference], [variable])
	out_of_sight(path)
]

out_of_sight(path) if lib.unknown(path)

# An env file beside a config that nothing starts need not hold its secrets.
out_of_sight(["gateway", "env", name]) if {
	lib.unstarted
	name == reference
}

wording := "unset" if {
	reference
} else := "main"
