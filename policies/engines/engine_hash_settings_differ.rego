# METADATA
# title: Engines that share cached blocks hash them differently
# description: |
#   A block is found again by the hash of its tokens. Two engines of one model agree on it only when block size, hash
#   algorithm, prefix match unit and the form of the hash (64-bit integers or bytes) are the same; where they differ nothing
#   that one of them stored or announced is ever found by the other. It matters when something compares the engines' own
#   hashes: a shared store of blocks, LMCache, or a picker of llm-d up to 0.8. Routers that compute hashes from the tokens of
#   events themselves (llm-d from 0.9, AIBrix, Dynamo) do not care.
#   From vLLM 0.33 an engine that speculates with EAGLE or MTP and has no KV connector includes lookahead tokens in its
#   hashes, so speculation on one side is a difference too, unless `disable_lookahead_block_hashes` is set.
# custom:
#   category: kv-events
#   severity: warning
#   confidence: medium
#   inputs: [engines]
#   when: [engines.*.lmcache, engines.*.kv_transfer, routers.*.config]
#   remedy: |
#     Give all engines of the model the same `--block-size`, `--prefix-caching-hash-algo`, `--prefix-match-unit` and
#     `VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES`.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: align the setting with the other engine
#     question: Which of the two engines has the right value?
#   evidence:
#     - artefact: vllm 0.33.0
#       file: vllm/v1/core/kv_cache_utils.py
#       symbol: VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES
#       checked: "2026-11-29"
#     - artefact: vllm 0.33.0
#       file: vllm/config/vllm.py
#       symbol: disable_lookahead_block_hashes
#       checked: "2026-11-29"
#     - artefact: llm-d-router 0.9.0
#       file: pkg/epp/framework/plugins/requestcontrol/dataproducer/preciseprefixcache/README.md
#       symbol: need not match the engine
#       checked: "2026-11-29"
#     - artefact: lmcache 0.5.6
#       file: lmcache/v1/token_database.py
#       symbol: pre_caching_hash_algorithm
#       checked: "2026-11-29"
#   messages:
#     main: "{engine} has {setting} {value}, {other} has {theirs}: both serve {model} and share blocks through {consumer}, and blocks that are hashed differently are never found"
#     speculation: "{engine} speculates and {other} does not: from vLLM 0.33 the hashes then include lookahead tokens, and {consumer}, which compares them, never finds a block of the other engine"
#     other: "the other engine"
package agentlint.rules["engine-hash-settings-differ"]

import data.agentlint.lib

findings contains object.union({
	"at": at,
	"args": {
		"engine": lib.engine_label(k),
		"other": lib.engine_label(j),
		"setting": setting.name,
		"value": theirs[k],
		"theirs": theirs[j],
		"model": lib.shared_name(j, k),
		"consumer": consumer,
	},
	"related": [{"at": place(setting, j), "message": "other"}],
}, lib.with_edits(edits(setting, k, theirs[j]))) if {
	some pair, consumer in compared
	j := pair[0]
	k := pair[1]
	some setting in settings
	theirs := {e: value_of(setting, e) | some e in [j, k]}
	theirs[j] != theirs[k]
	at := place(setting, k)
}

findings contains {
	"at": ["engines", k, "args", "speculative-config"],
	"message": "speculation",
	"args": {"engine": lib.engine_label(speculating), "other": lib.engine_label(plain), "consumer": consumer},
	"related": [{"at": ["engines", j, "args", "speculative-config"], "message": "other"}],
} if {
	some pair, consumer in compared
	j := pair[0]
	k := pair[1]
	some order in [[j, k], [k, j]]
	speculating := order[0]
	plain := order[1]
	looks_ahead(speculating)
	lib.absent(["engines", plain, "speculative"])
	lib.absent(["engines", plain, "kv_transfer"])
	lib.at_least(input.engines[plain], "0.33")
}

looks_ahead(j) if {
	lib.at_least(input.engines[j], "0.33")
	input.engines[j].runtime == "vllm"
	method := input.engines[j].speculative.method
	some word in ["eagle", "mtp"]
	contains(method, word)
	lib.value(["engines", j, "speculative", "disable_lookahead_block_hashes"], false) == false
	lib.absent(["engines", j, "kv_transfer"])
}

# compared: pairs of engines of one model whose hashes something compares, and what does.
compared[[j, k]] := consumer if {
	some j in candidates
	some k in candidates
	j < k
	input.engines[j].runtime == input.engines[k].runtime
	lib.shares_model(j, k)
	consumer := lib.compares_hashes(j, k)
}

# Engines that share a cache or are behind a picker.
candidates contains j if {
	some j, engine in input.engines
	engine.lmcache.remote_url
}

candidates contains j if {
	some j, engine in input.engines
	engine.kv_transfer.kv_connector == "MooncakeStoreConnector"
}

candidates contains j if {
	some i, router in input.routers
	lib.picker_precise(i)
	lib.below(router, "0.9")
	some j in lib.engines_of_router(router)
}

settings := [
	{"name": "--block-size", "arg": "block-size", "default": null},
	{"name": "--prefix-caching-hash-algo", "arg": "prefix-caching-hash-algo", "default": "algorithm"},
	{"name": "--prefix-match-unit", "arg": "prefix-match-unit", "default": "none"},
	{"name": "VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES", "env": "VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES", "default": "1"},
]

# value_of(setting, engine): the effective value; undefined when it is not known. The block size that nobody writes is the
# attention backend's choice.
value_of(setting, j) := lib.last_text(input.engines[j].args[setting.arg])

value_of(setting, j) := setting.default if {
	is_string(setting.default)
	setting.default != "algorithm"
	setting.arg
	lib.absent(["engines", j, "args", setting.arg])
}

value_of(setting, j) := lib.default_hash(j) if {
	setting.default == "algorithm"
	lib.absent(["engines", j, "args", setting.arg])
}

value_of(setting, j) := lib.value(["engines", j, "env", setting.env], setting.default)

place(setting, j) := ["engines", j, "args", setting.arg, 0] if lib.present(["engines", j, "args", setting.arg])

place(setting, j) := ["engines", j, "args", setting.arg] if lib.absent(["engines", j, "args", setting.arg])

place(setting, j) := ["engines", j, "env", setting.env]

edits(setting, k, value) := [{"op": "set", "at": ["engines", k, "args", setting.arg], "value": value}] if {
	lib.present(["engines", k, "args", setting.arg])
	value != "none"
} else := [{"op": "set", "at": ["engines", k, "env", setting.env], "value": value}] if {
	setting.env
} else := []
