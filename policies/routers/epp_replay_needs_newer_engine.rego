# METADATA
# title: The engine answers replay requests in a form that the picker drops
# description: |
#   A picker of llm-d 0.10 or later asks the engines for the events it missed, on connecting and on gaps, when
#   `replaySocketPort` is set and the engine has a `replay_endpoint`. It reads replies with a topic frame, which vLLM sends
#   from 0.26.0 on; replies of older engines have one frame less and are dropped as malformed. After a restart of the picker
#   the index of such an engine is empty and fills only with new traffic, so for that long its cached prefixes are ignored.
# custom:
#   category: router-tier
#   severity: warning
#   confidence: high
#   inputs: [routers, engines]
#   when: [routers.*.config.plugins]
#   applies: ["llm-d>=0.10"]
#   remedy: |
#     Run vLLM 0.26.0 or newer behind this picker.
#   since: "0.1"
#   evidence:
#     - artefact: vllm 0.26.0
#       file: vllm/distributed/kv_events.py
#       symbol: (client_id, b"", self._topic_bytes, seq.to_bytes(8, "big"), buf)
#       checked: "2026-11-29"
#       note: The reply has the topic frame; that of 0.25.1 has sequence number and payload only.
#     - artefact: llm-d-router 0.10.0
#       file: pkg/kvevents/pool.go
#       symbol: ReplaySocketPort
#       checked: "2026-11-29"
#   messages:
#     main: "vLLM {version} answers replay requests without the topic frame, which came in 0.26.0: picker {picker} drops the answers, and after its restart the index of this engine stays empty until traffic returns"
package agentlint.rules["epp-replay-needs-newer-engine"]

import data.agentlint.lib

findings contains {
	"at": ["engines", j, "image"],
	"args": {"version": engine.version, "picker": picker_version(router)},
	"related": [{"at": ["routers", i, "mode"], "message": sprintf("the picker asks for replays on port %v", [port])}],
} if {
	some i, router in input.routers
	lib.picker_precise(i)
	port := lib.replay_port(i)
	some j in lib.engines_of_router(router)
	engine := input.engines[j]
	engine.runtime == "vllm"
	engine.version_source != "newest"
	lib.below(engine, "0.26.0")
	engine.kv_events.replay_endpoint
	engine.image
}

picker_version(router) := router.version if router.version != ""

picker_version(router) := "0.10" if router.version == ""
