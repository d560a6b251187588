# METADATA
# title: The router reads KV events that the engines do not publish
# description: |
#   An exact index is filled by the engines' KV events, which are off by default. Without `--kv-events-config` on the engines,
#   with another port or with a topic that the router does not subscribe to, the index stays empty, no error says so, and the
#   router spreads requests by its other scores.
#   llm-d subscribes to topics that begin with `kv@` (`topicFilter`) and reads pod and model from `kv@<pod>@<model>`; vLLM's
#   topic is empty by default, so an engine without one is not heard. Dynamo's vLLM workers made the configuration themselves
#   up to 1.0; from 1.1 they publish only with an explicit `--kv-events-config`.
# custom:
#   category: kv-events
#   severity: error
#   confidence: medium
#   inputs: [routers, engines]
#   remedy: |
#     Add `--kv-events-config '{"enable_kv_cache_events":true,"publisher":"zmq","endpoint":"tcp://*:5557",
#     "topic":"kv@$(POD_IP):8000@<model>"}'` to the engines (Dynamo: port 20080, no topic), or use a mode without events.
#   since: "0.1"
#   evidence:
#     - artefact: ai-dynamo 1.1.1
#       file: dynamo/vllm/args.py
#       symbol: def create_kv_events_config
#       checked: "2026-11-29"
#       note: Returns None without a configuration of the user's; 1.0.2 makes one with a FutureWarning.
#     - artefact: llm-d-router 0.10.0
#       file: pkg/kvevents/engineadapter/common.go
#       symbol: parseTopic
#       checked: "2026-11-29"
#     - artefact: vllm 0.33.0
#       file: vllm/config/kv_events.py
#       symbol: "enable_kv_cache_events: bool = False"
#       checked: "2026-11-29"
#       note: False by default; endpoint tcp://*:5557, topic "".
#   messages:
#     main: "{router} reads KV events and {engine} publishes none (no --kv-events-config): its blocks are never in the index"
#     off: "{router} reads KV events and --kv-events-config of {engine} does not enable them: its blocks are never in the index"
#     topic: "{engine} publishes KV events with topic {topic} and {router} subscribes to {filter}: its blocks are never in the index"
#     port: "{engine} publishes KV events on port {port} and {router} connects to {expected}: its blocks are never in the index"
#     router: "the index that reads the events"
package agentlint.rules["kv-router-without-engine-events"]

import data.agentlint.lib

findings contains {
	"at": lib.events_place(j),
	"on_key": true,
	"message": verdict.message,
	"args": object.union({"router": router.name, "engine": lib.engine_label(j)}, verdict.args),
	"related": [{"at": ["routers", i, "mode"], "message": "router"}],
} if {
	some i, router in input.routers
	lib.reads_events(i)
	some j in lib.engines_of_router(router)
	publisher(j)
	verdict := unheard(i, j)
}

# An engine that could publish events to this router: vLLM, also in a Dynamo worker, but no worker that only decodes.
publisher(j) if {
	input.engines[j].runtime == "vllm"
	input.engines[j].role != "pooling"
}

publisher(j) if {
	input.engines[j].runtime == "dynamo"
	input.engines[j].backend == "vllm"
	lib.at_least(input.engines[j], "1.1")
	input.engines[j].role != "decode"
}

unheard(_, j) := {"message": "main", "args": {}} if lib.absent(["engines", j, "kv_events"])

# vLLM's own engines have a rule for a configuration that enables nothing.
unheard(_, j) := {"message": "off", "args": {}} if {
	input.engines[j].runtime == "dynamo"
	lib.present(["engines", j, "kv_events"])
	lib.value(["engines", j, "kv_events", "enable_kv_cache_events"], false) == false
}

unheard(i, j) := {"message": "topic", "args": {"topic": sprintf("%q", [topic]), "filter": sprintf("%q", [filter])}} if {
	enabled(j)
	filter := topic_filter(i)
	topic := lib.value(["engines", j, "kv_events", "topic"], "")
	not startswith(topic, filter)
}

unheard(i, j) := {"message": "port", "args": {"port": port, "expected": expected}} if {
	enabled(j)
	startswith(lib.value(["engines", j, "kv_events", "topic"], topic_filter(i)), topic_filter(i))
	expected := discovery_port(i)
	port := event_port(j)
	port != expected
}

enabled(j) if input.engines[j].kv_events.enable_kv_cache_events == true

plugin_path(i) := ["routers", i, "config", "plugins", min(lib.precise_plugins(input.routers[i])), "parameters", "kvEventsConfig"]

topic_filter(i) := lib.value(array.concat(plugin_path(i), ["topicFilter"]), "kv@") if lib.picker_precise(i)

# The port that the picker connects to on every pod; with a central socket the engines connect themselves.
discovery_port(i) := lib.value(array.concat(plugin_path(i), ["podDiscoveryConfig", "socketPort"]), 5557) if {
	lib.picker_precise(i)
	lib.value(array.concat(plugin_path(i), ["discoverPods"]), true) == true
	lib.absent(array.concat(plugin_path(i), ["zmqEndpoint"]))
}

event_port(j) := lib.number(trim_prefix(found[0], ":")) if {
	endpoint := lib.value(["engines", j, "kv_events", "endpoint"], "tcp://*:5557")
	found := regex.find_n(`:[0-9]{1,5}$`, endpoint, 1)
}
