# METADATA
# title: KV events are on while prefix caching is off
# description: |
#   KV events report which blocks of the prefix cache an engine stores and drops. Without prefix caching there are no such blocks: the engine
#   starts with a warning in its log, publishes nothing useful, and a router that waits for its events routes as if the cache were empty.
# custom:
#   category: kv-events
#   severity: warning
#   confidence: high
#   inputs: [engine.args]
#   when: [engine.kv_events]
#   applies: ["vllm>=0.9"]
#   remedy: Remove `--no-enable-prefix-caching` (or `--disable-prefix-caching`), or switch the events off.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: switch prefix caching on again
#     question: Was prefix caching switched off for a reason that still holds?
#   evidence:
#     - artefact: vllm 0.33.0
#       file: vllm/config/vllm.py
#       symbol: "KV cache events are on, but prefix caching is not enabled"
#       checked: "2026-11-29"
#       note: A warning; the engine starts.
#   messages:
#     main: "--{flag} while KV events are on: engine {engine} has no prefix blocks to report, so whatever reads its events sees an empty cache"
#     events: KV events are on here
package agentlint.rules["kv-events-without-prefix-caching"]

import data.agentlint.lib

findings contains {
	"at": ["engines", j, "args", flag],
	"on_key": true,
	"args": {"flag": flag, "engine": engine.name},
	"related": [{"at": ["engines", j, "kv_events", "enable_kv_cache_events"], "on_key": true, "message": "events"}],
	"fix": {"edits": [{"op": "remove", "at": ["engines", j, "args", flag]}]},
} if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	lib.kv_events_on(j)
	flag := lib.prefix_caching_off(j)
}
