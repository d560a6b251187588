# METADATA
# title: A probe asks for what the API key protects
# description: |
#   With `--api-key` or VLLM_API_KEY an engine answers every path below /v1 with 401 unless the request carries the key, and a
#   probe carries none: a readiness probe never succeeds, a liveness or startup probe kills the pod again and again. /health asks for
#   no key.
# custom:
#   category: probes
#   severity: error
#   confidence: high
#   inputs: [probes, engine.args, engine.env]
#   remedy: Probe `/health`; it is open and answers once the model is loaded.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: probe /health
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/entrypoints/serve/middleware/authenticate.py
#       symbol: GUARDED_PREFIX
#       checked: "2026-11-29"
#       note: /v1, /v2, /inference and /cohere; only /v1 up to 0.21, /cohere from 0.27.
#   messages:
#     main: "the {probe} asks {path} without a key, and the engine wants one there: it gets 401 for ever; ask /health, which is open"
#     key: the key that the engine asks for
package agentlint.rules["probe-needs-api-key"]

import data.agentlint.lib

findings contains {
	"at": ["probes", i, "path"],
	"args": {"probe": lib.probe_word(probe), "path": probe.path},
	"related": [{"at": key, "on_key": true, "message": "key"}],
	"fix": {"edits": [{"op": "set", "at": ["probes", i, "path"], "value": "/health"}]},
} if {
	some i, probe in input.probes
	probe.target.part == "engine"
	base := lib.probe_part(probe)
	engine := lib.part_at(base)
	engine.runtime == "vllm"
	guarded(engine, lib.asks(probe))
	not lib.authorized(i)
	key := lib.api_key(base)
	own_port(base, i, probe)
}

guarded(_, path) if startswith(path, "/v1")

guarded(engine, path) if {
	lib.at_least(engine, "0.22")
	some prefix in ["/v2", "/inference"]
	startswith(path, prefix)
}

# The port of a sidecar in front of the engine may be open.
own_port(base, _, probe) if lib.probe_port(probe) == lib.listens_on(base)

own_port(_, i, _) if lib.absent(["probes", i, "port"])
