# METADATA
# title: The engine accepts pickled objects
# description: |
#   With VLLM_ALLOW_INSECURE_SERIALIZATION=1 the processes of an engine exchange objects that msgpack cannot carry with pickle. Unpickling
#   runs whatever code the sender put in, so whoever reaches one of those sockets, or the collective RPC, runs code in the engine.
# custom:
#   category: engine-security
#   severity: error
#   confidence: high
#   inputs: [engine.env]
#   when: [engine.env.VLLM_ALLOW_INSECURE_SERIALIZATION]
#   remedy: Remove the variable; it is meant for experiments with custom worker methods.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: remove VLLM_ALLOW_INSECURE_SERIALIZATION
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/v1/serial_utils.py
#       symbol: VLLM_ALLOW_INSECURE_SERIALIZATION
#       checked: "2026-11-29"
#       note: Falls back to pickle and cloudpickle.
#   messages:
#     main: "VLLM_ALLOW_INSECURE_SERIALIZATION={value} lets engine {engine} unpickle what it receives, which runs any code a sender puts in; remove it"
package agentlint.rules["vllm-insecure-serialization"]

import data.agentlint.lib

findings contains {
	"at": path,
	"args": {"value": engine.env.VLLM_ALLOW_INSECURE_SERIALIZATION, "engine": engine.name},
	"fix": {"edits": [{"op": "remove", "at": path}]},
} if {
	some j, engine in input.engines
	lib.number(engine.env.VLLM_ALLOW_INSECURE_SERIALIZATION) != 0
	path := ["engines", j, "env", "VLLM_ALLOW_INSECURE_SERIALIZATION"]
}
