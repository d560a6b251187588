# METADATA
# title: Nothing limits the requests in flight
# description: |
#   Without a limit every request that arrives is admitted and shares the event loop, the connections and the engines
#   with all others. Under a burst latency grows for every one of them, clients time out and retry, and an autoscaler
#   that needs minutes for a new replica sees the load when it is over. With a limit the gateway answers 503 with
#   `retry-after: 1` as soon as its queue is full: in a run with 4 in flight and 4 queued, 12 requests at once gave 8
#   answers and 4 refusals, in a run without it 12 slow answers.
# custom:
#   category: limits
#   severity: info
#   confidence: high
#   confidences: [medium]
#   inputs: [gateway.config, gateway.args, gateway.env, gateway.image]
#   applies: ["litellm>=1.101"]
#   remedy: |
#     Set the three settings of `general_settings` from what one worker carries: `max_in_flight_requests_per_worker` (the
#     requests that one worker's share of the engines serves at once), `max_queued_requests_per_worker` (as many again,
#     or 0) and `admission_queue_timeout_seconds` (1 or 2). Health, metrics and drain paths are exempt. Clients must wait
#     as long as `retry-after` says.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: give each worker its share of the engines' slots
#     question: Are the engines' --max-num-seqs, shared by all workers at the most replicas, what may be in flight, and do clients wait as long as retry-after says?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/middleware/admission_control_middleware.py
#       symbol: max_in_flight_requests_per_worker
#       checked: "2026-11-29"
#       note: First in 1.101.0, absent in 1.100.5; off until the first setting is written. Run with 1.102.0 and 1.110.2.
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_cli.py
#       symbol: LIMIT_CONCURRENCY
#       checked: "2026-11-29"
#   messages:
#     main: "no limit on requests in flight: a burst is admitted whole, and latency grows for every request before any autoscaler reacts; max_in_flight_requests_per_worker answers 503 with retry-after instead"
package agentlint.rules["admission-control-missing"]

import data.agentlint.lib

settings := ["gateway", "config", "general_settings"]

limit := array.concat(settings, ["max_in_flight_requests_per_worker"])

sources := [
	limit,
	array.concat(settings, ["max_queued_requests_per_worker"]),
	array.concat(settings, ["admission_queue_timeout_seconds"]),
	["gateway", "args", "limit-concurrency"],
	["gateway", "env", "LIMIT_CONCURRENCY"],
]

findings contains object.union({"at": limit, "confidence": lib.seen_confidence}, fix) if {
	not lib.fragment
	every path in sources {
		lib.unwritten(path)
	}
}

unchecked contains concat(".", path) if {
	not lib.fragment
	some path in sources
	lib.unknown(path)
	not lib.unwritten(path)
	every other in sources {
		not lib.present(other)
	}
}

# A number only where the files show what the engines take at once, and who shares it.
fix := {"fix": {"edits": [{"op": "set", "at": sources[k], "value": value} | some k, value in [share, share, 1]]}} if {
	not lib.processes.at_least
	share := floor(slots / lib.processes.n)
	share >= 1
} else := {}

slots := sum([n | some j, engine in input.engines; n := engine_slots(j, engine)]) if {
	every j, engine in input.engines {
		engine_slots(j, engine)
	}
	every group in input.groups {
		every deployment in group.deployments {
			deployment.target.kind == "engine"
		}
	}
}

engine_slots(j, engine) := (lib.last_number(engine.args["max-num-seqs"]) * lib.data_parallel(j)) * replicas.n if {
	engine.runtime == "vllm"
	replicas := lib.factor(["engines", j, "replicas", "max"])
	not replicas.at_least
}
