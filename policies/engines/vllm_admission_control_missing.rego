# METADATA
# title: The engine queues without a limit
# description: |
#   vLLM accepts every request and lets it wait. Under overload the queue grows, the time to the first token grows with it, and
#   requests are computed whose clients have given up. From 0.29 on `--max-num-queued-reqs` and `--max-num-queued-tokens` refuse what is
#   too much with 503, so that a client or router can try elsewhere. The answer has no Retry-After header, and a gateway counts it as
#   a failure of the engine.
# custom:
#   category: engine-args
#   severity: info
#   confidence: medium
#   inputs: [engine.args, engine.image, gateway.config, groups]
#   applies: ["vllm>=0.29"]
#   remedy: |
#     Set `--max-num-queued-reqs` to the slots (`--max-num-seqs` times data-parallel size) plus the requests that may wait: the number counts running
#     requests too. Or limit the waiting prompt tokens with `--max-num-queued-tokens`, the wanted time to the first token times the prefill
#     throughput. A limit in the gateway (`max_in_flight_requests_per_worker`) serves as well.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: add --max-num-queued-reqs with twice the slots
#     question: May as many requests wait as run, do the clients handle a 503, and may a gateway cool a full engine down for it?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/config/scheduler.py
#       symbol: This bounds vLLM's otherwise unbounded request queue
#       checked: "2026-11-29"
#       note: Both limits are None by default, are first in 0.29.0, and answer 503.
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/middleware/admission_control_middleware.py
#       symbol: max_in_flight_requests_per_worker
#       checked: "2026-11-29"
#       note: The gateway's own limit, from 1.101.0 on.
#   messages:
#     main: "neither --max-num-queued-reqs nor --max-num-queued-tokens is set, and the gateway does not limit requests in flight: under overload every request waits longer instead of being refused"
#     alone: "neither --max-num-queued-reqs nor --max-num-queued-tokens is set: under overload every request waits longer instead of being refused"
package agentlint.rules["vllm-admission-control-missing"]

import data.agentlint.lib

findings contains object.union_n([{"at": at, "on_key": true, "message": wording(j)}, fix(j, engine, at)]) if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	engine.role in {"serve", "decode"}
	lib.release_named(engine)
	at := ["engines", j, "args", "max-num-queued-reqs"]
	lib.absent(at)
	lib.absent(["engines", j, "args", "max-num-queued-tokens"])
	not covered(j)
}

covered(j) if {
	lib.gateway_admission
	not lib.apart(j)
}

wording(j) := "main" if {
	lib.reached(j)
} else := "alone"

# Twice the slots; without --max-num-seqs twice the largest default, 1024.
fix(j, engine, at) := {"fix": {"edits": [edit], "brings": ["queue-rejections-cool-down-engine"]}} if {
	each := slots(j, engine)
	ranks := lib.data_parallel(j)
	edit := {"op": "set", "at": at, "value": sprintf("%d", [2 * each * ranks])}
} else := {}

slots(j, _) := 1024 if lib.absent(["engines", j, "args", "max-num-seqs"])

slots(_, engine) := lib.last_number(engine.args["max-num-seqs"])
