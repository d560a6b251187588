# METADATA
# title: AIBrix leaves the sync of KV events off
# description: |
#   With `AIBRIX_PREFIX_CACHE_KV_EVENT_SYNC_ENABLED` the gateway plugins follow the engines' KV events, whose blocks are hashed over the
#   model's tokens. They need a tokenizer at the engines for that. Without `AIBRIX_PREFIX_CACHE_USE_REMOTE_TOKENIZER` they write one
#   warning, "KV sync requires remote tokenizer, feature disabled", and route by their own guesses; without an endpoint the sync fails.
# custom:
#   category: router-tier
#   severity: error
#   confidence: medium
#   inputs: [routers]
#   when: [routers.*.settings.kv_events]
#   remedy: |
#     Set `AIBRIX_PREFIX_CACHE_USE_REMOTE_TOKENIZER=true` and `AIBRIX_PREFIX_CACHE_REMOTE_TOKENIZER_ENDPOINT` to the address of an engine's
#     Service, or take `AIBRIX_PREFIX_CACHE_KV_EVENT_SYNC_ENABLED` out.
#   since: "0.1"
#   evidence:
#     - artefact: aibrix 0.7.0
#       file: pkg/cache/cache_init.go
#       symbol: KV sync requires remote tokenizer, feature disabled
#       checked: "2026-11-30"
#     - artefact: aibrix 0.7.0
#       file: pkg/cache/kv_event_manager_zmq.go
#       symbol: KV event sync requires remote tokenizer
#       checked: "2026-11-30"
#   messages:
#     main: "KV event sync is on and AIBRIX_PREFIX_CACHE_USE_REMOTE_TOKENIZER is not true: \"KV sync requires remote tokenizer, feature disabled\", and no event is read"
#     endpoint: "KV event sync is on and AIBRIX_PREFIX_CACHE_REMOTE_TOKENIZER_ENDPOINT is not set: there is no tokenizer to hash the events' tokens with, and no event is read"
package agentlint.rules["aibrix-kv-sync-without-tokenizer"]

import data.agentlint.lib

findings contains {"at": lib.written_at(i, "kv_events", [], [sync]), "message": "main"} if {
	some i in syncing
	off(i)
}

findings contains {"at": lib.written_at(i, "kv_events", [], [sync]), "message": "endpoint"} if {
	some i in syncing
	input.routers[i].settings.remote_tokenizer.value == true
	lib.absent(["routers", i, "env", "AIBRIX_PREFIX_CACHE_REMOTE_TOKENIZER_ENDPOINT"])
}

sync := "AIBRIX_PREFIX_CACHE_KV_EVENT_SYNC_ENABLED"

syncing contains i if {
	some i, router in input.routers
	router.kind == "aibrix"
	router.settings.kv_events.value == true
}

off(i) if lib.absent(["routers", i, "env", "AIBRIX_PREFIX_CACHE_USE_REMOTE_TOKENIZER"])

off(i) if input.routers[i].settings.remote_tokenizer.value == false
