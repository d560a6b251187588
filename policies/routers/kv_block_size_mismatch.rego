# METADATA
# title: The router's block size is not the engines'
# description: |
#   A router with an exact index hashes prompts in blocks of a fixed number of tokens. Dynamo's router, and the precise scorer
#   of llm-d up to 0.8, compare these hashes with those of the engines' blocks: with another size no hash ever matches, and
#   the router sees every engine as cold without an error.
#   From llm-d 0.9 the picker cuts the tokens of events into its own blocks, so sizes need not match; only events shorter
#   than one router block are skipped.
#   An engine that writes no `--block-size` has 16 with standard attention; other backends may choose 64 or 256.
# custom:
#   category: kv-events
#   severity: error
#   severities: [warning, info]
#   confidence: medium
#   inputs: [routers, engines]
#   when: [routers.*.settings.block_size, routers.*.settings.router_block_size, routers.*.config.plugins]
#   remedy: |
#     Use one size: the router's `--kv-cache-block-size` (Dynamo; leave it out to take the worker's own) or `blockSize`
#     (llm-d) and the engines' `--block-size`.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: use the engines' block size in the router
#     question: Is the engines' block size the one to keep?
#   evidence:
#     - artefact: ai-dynamo 1.6.1
#       file: dynamo/frontend/frontend_args.py
#       symbol: --kv-cache-block-size
#       checked: "2026-11-29"
#       note: Without the flag the size comes from the worker's model card. dynamo.router calls it --router-block-size.
#     - artefact: llm-d-router 0.9.0
#       file: pkg/epp/framework/plugins/requestcontrol/dataproducer/preciseprefixcache/README.md
#       symbol: need not match the engine
#       checked: "2026-11-29"
#   messages:
#     main: "the router hashes blocks of {router} tokens, {engine} has --block-size {size}: no block hash ever matches"
#     assumed: "the router hashes blocks of {router} tokens, {engine} writes no --block-size, which is 16 with standard attention: no block hash ever matches then"
#     skipped: "the router's blocks have {router} tokens, those of {engine} {size}: events shorter than one router block are skipped, so prefixes are found late"
#     engine: "the engine's"
package agentlint.rules["kv-block-size-mismatch"]

import data.agentlint.lib

findings contains object.union({
	"at": own.at,
	"message": verdict.message,
	"severity": verdict.severity,
	"args": {"router": own.size, "engine": lib.engine_label(j), "size": verdict.size},
	"related": [{"at": ["engines", j, "args", "block-size"], "message": "engine"}],
}, fix(i, own)) if {
	some i, router in input.routers
	own := lib.index_block_size(i)
	is_number(own.size)
	wrong := sort([j | some j in lib.engines_of_router(router); judged(i, own, j)])
	j := wrong[0]
	verdict := judged(i, own, j)
}

# judged(i, own, j): what the sizes of router i and engine j lead to; undefined when they agree or one is not known.
judged(i, own, j) := {"message": "main", "severity": "error", "size": size} if {
	compares(i)
	size := lib.block_size(j)
	size != own.size
}

judged(i, own, j) := {"message": "assumed", "severity": "warning", "size": 16} if {
	compares(i)
	lib.absent(["engines", j, "args", "block-size"])
	input.engines[j].attention == "standard"
	own.size != 16
}

judged(i, own, j) := {"message": "skipped", "severity": "info", "size": size} if {
	lib.picker_rehashes(i)
	size := lib.block_size(j)
	own.size > size
}

compares(i) if lib.dynamo_kv(i)

compares(i) if {
	lib.picker_precise(i)
	lib.below(input.routers[i], "0.9")
}

# Only where all engines behind the router write the same size.
fix(i, own) := lib.with_edits([edit | some edit in {{"op": "set", "at": at, "value": edited(at, size)} |
	some j in lib.engines_of_router(input.routers[i])
	size := lib.block_size(j)
	every k in lib.engines_of_router(input.routers[i]) {
		lib.block_size(k) == size
	}
	at := router_place(i, own)
}])

router_place(_, own) := own.at if own.at[2] == "config"

router_place(i, own) := lib.written_at(i, "block_size", ["kv-cache-block-size"], ["DYN_KV_CACHE_BLOCK_SIZE"]) if own.at[3] == "block_size"

router_place(i, own) := lib.written_at(i, "router_block_size", ["router-block-size", "block-size"], ["DYN_ROUTER_BLOCK_SIZE"]) if own.at[3] == "router_block_size"

edited(at, n) := n if at[2] == "config"

edited(at, n) := sprintf("%d", [n]) if at[2] != "config"
