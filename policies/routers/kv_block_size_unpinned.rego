# METADATA
# title: The router fixes a block size that the engines leave open
# description: |
#   An engine without `--block-size` takes the size that its attention backend prefers: 16 as a rule, 64 or 256 with some
#   models and GPUs, and another one perhaps after an upgrade. A router that fixes its own size then stops matching blocks
#   without an error. Dynamo's router takes the worker's size when it writes none; llm-d from 0.9 and AIBrix cut the tokens
#   of events into their own blocks.
# custom:
#   category: kv-events
#   severity: info
#   confidence: medium
#   inputs: [routers, engines]
#   when: [routers.*.settings.block_size, routers.*.settings.router_block_size, routers.*.config.plugins]
#   remedy: |
#     Write `--block-size` on the engines with the router's size, or leave the router's out (Dynamo).
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: write the router's block size on the engine
#     question: Does the attention backend of this model support the router's block size?
#   evidence:
#     - artefact: vllm 0.33.0
#       file: vllm/v1/attention/backend.py
#       symbol: get_supported_kernel_block_sizes
#       checked: "2026-11-29"
#       note: The default of --block-size is None from 0.6.5 on; 16 unless the backend prefers another size.
#     - artefact: ai-dynamo 1.4.2
#       file: dynamo/vllm/args.py
#       symbol: vLLM engine block_size will be determined at runtime based on the model and attention backend
#       checked: "2026-11-29"
#   messages:
#     main: "{engine} leaves --block-size to its attention backend while the router fixes {router} tokens: a backend that prefers another size makes every block hash miss"
#     router: "the router's block size"
package agentlint.rules["kv-block-size-unpinned"]

import data.agentlint.lib

findings contains {
	"at": ["engines", j, "args", "block-size"],
	"args": {"engine": lib.engine_label(j), "router": own.size},
	"related": [{"at": own.at, "message": "router"}],
	"fix": {"edits": [{"op": "set", "at": ["engines", j, "args", "block-size"], "value": sprintf("%d", [own.size])}]},
} if {
	some i, router in input.routers
	own := lib.index_block_size(i)
	is_number(own.size)
	not lib.picker_rehashes(i)
	some j in lib.engines_of_router(router)
	input.engines[j].runtime in {"vllm", "dynamo"}
	lib.absent(["engines", j, "args", "block-size"])
}
