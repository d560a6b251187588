# METADATA
# title: The buffer of KV events is smaller than the default
# description: |
#   A router that follows an engine through KV events loses them silently: above the high-water mark of the socket (`hwm`, 100,000) they are
#   dropped for a subscriber that is slow, and a replay goes back `buffer_steps` (10,000) batches at most. Smaller numbers save little
#   memory and lose events earlier, and an index that missed one stays wrong until the engine's cache is cleared.
# custom:
#   category: kv-events
#   severity: info
#   confidence: low
#   inputs: [engine.args]
#   when: [engines.*.kv_events]
#   remedy: |
#     Leave `hwm` and `buffer_steps` out of `--kv-events-config`, unless the memory was measured to be short.
#   since: "0.1"
#   evidence:
#     - artefact: vllm 0.33.0
#       file: vllm/config/kv_events.py
#       symbol: "hwm: int = 100_000"
#       checked: "2026-11-30"
#     - artefact: vllm 0.33.0
#       file: vllm/config/kv_events.py
#       symbol: "buffer_steps: int = 10_000"
#       checked: "2026-11-30"
#       note: Read for the replay endpoint alone.
#   messages:
#     hwm: "hwm is {value} instead of 100000: events are dropped for a subscriber that is {value} behind, without a message"
#     main: "buffer_steps is {value} instead of 10000: a router that missed more than {value} batches cannot have them replayed"
package agentlint.rules["kv-events-buffer-reduced"]

import data.agentlint.lib

findings contains {"at": array.concat(events(j), ["hwm"]), "message": "hwm", "args": {"value": value}} if {
	some j, engine in input.engines
	publishes(j)
	value := engine.kv_events.hwm
	below(value, 100000)
}

findings contains {"at": array.concat(events(j), ["buffer_steps"]), "args": {"value": value}} if {
	some j, engine in input.engines
	publishes(j)
	is_string(engine.kv_events.replay_endpoint)
	value := engine.kv_events.buffer_steps
	below(value, 10000)
}

events(j) := ["engines", j, "kv_events"]

publishes(j) if {
	input.engines[j].runtime == "vllm"
	lib.kv_events_on(j)
	lib.value(array.concat(events(j), ["publisher"]), "zmq") in {"zmq", null}
}

# ZMQ takes 0 for no limit.
below(value, usual) if {
	is_number(value)
	value > 0
	value < usual
}
