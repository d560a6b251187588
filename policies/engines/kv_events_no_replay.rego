# METADATA
# title: Events that a router misses are never sent again
# description: |
#   vLLM publishes KV events without waiting: when a subscriber is slower than the queue is long, events are dropped without
#   a message. A picker of llm-d 0.10 or later notices the gap in the sequence numbers and asks for the missing events when
#   `replaySocketPort` is set and the engine has a `replay_endpoint`. Without one the index stays wrong until the engine's
#   cache is cleared or the picker starts again.
# custom:
#   category: kv-events
#   severity: info
#   confidence: medium
#   inputs: [engine.args, routers]
#   when: [routers.*.config]
#   applies: ["vllm>=0.9"]
#   remedy: |
#     Add `"replay_endpoint": "tcp://*:5657"` to `--kv-events-config` and the same port as
#     `kvEventsConfig.podDiscoveryConfig.replaySocketPort` to the picker. The engine must be 0.26 or newer.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: add replay_endpoint
#     question: Is the picker's replay port free on the engine, and is the engine 0.26 or newer?
#   evidence:
#     - artefact: vllm 0.33.0
#       file: vllm/config/kv_events.py
#       symbol: "replay_endpoint: str | None = None"
#       checked: "2026-11-29"
#       note: None by default; buffer_steps 10000, hwm 100000.
#     - artefact: llm-d-router 0.10.0
#       file: pkg/kvevents/pool.go
#       symbol: ReplaySocketPort
#       checked: "2026-11-29"
#   messages:
#     main: "--kv-events-config of {engine} has no replay_endpoint: events that picker {picker} misses are lost, and its index stays wrong until a cache is cleared"
#     picker: "the index that reads the events"
package agentlint.rules["kv-events-no-replay"]

import data.agentlint.lib

findings contains object.union({
	"at": lib.events_place(j),
	"on_key": true,
	"args": {"engine": lib.engine_label(j), "picker": router.name},
	"related": [{"at": ["routers", i, "mode"], "message": "picker"}],
}, fix(i, j)) if {
	some i, router in input.routers
	lib.picker_precise(i)
	lib.at_least(router, "0.10")
	some j in lib.engines_of_router(router)
	input.engines[j].runtime == "vllm"
	input.engines[j].kv_events.enable_kv_cache_events == true
	lib.absent(["engines", j, "kv_events", "replay_endpoint"])
}

# The port is the picker's own; the argument must be seen as a whole.
fix(i, j) := lib.with_edits([{"op": "set", "at": lib.events_place(j), "value": text} |
	port := lib.replay_port(i)
	old := lib.last_text(input.engines[j].args["kv-events-config"])
	endswith(old, "}")
	text := sprintf("%s,\"replay_endpoint\":\"tcp://*:%v\"}", [substring(old, 0, count(old) - 1), port])
	json.is_valid(text)
])
