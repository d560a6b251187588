# METADATA
# title: A cache-aware SGLang gateway relies on limits that its forms do not share
# description: |
#   The cache-aware policy keeps a tree of prompts, pruned every eviction interval to a budget of characters per worker. The
#   defaults depend on how the gateway is started: 120 s in the Rust command (`--eviction-interval`), 60 s in the Python one
#   (`--eviction-interval-secs`), 30 s and 10,000 characters in the library; both commands have a budget of 2^26 characters.
#   smg 1.13 has the same numbers; the vLLM project's router, a copy, has 120 s and 2^25. The same manifest routes
#   differently after a change of the image or entrypoint.
# custom:
#   category: router-tier
#   severity: info
#   confidence: medium
#   inputs: [routers]
#   when: [routers.*.settings.launch]
#   remedy: |
#     Write both: `--eviction-interval-secs 60 --max-tree-size 67108864` (Python) or `--eviction-interval 120
#     --max-tree-size 67108864` (Rust).
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: write the eviction interval and the tree size that hold now
#     question: Are the current defaults the limits you want to keep?
#   evidence:
#     - artefact: sglang-router 0.3.2
#       file: sglang_router/router_args.py
#       symbol: "eviction_interval_secs: int = 60"
#       checked: "2026-11-29"
#       note: "max_tree_size: int = 2**26 beside it; the Rust command's main.rs has 120."
#     - artefact: vllm-router 0.1.17
#       file: vllm_router/router_args.py
#       symbol: "max_tree_size: int = 2**25"
#       checked: "2026-11-29"
#     - artefact: smg 1.13.0
#       file: smg/router_args.py
#       symbol: "eviction_interval_secs: int = 60"
#       checked: "2026-11-29"
#   messages:
#     main: "cache_aware routing leaves {limits} to defaults that depend on how the gateway is started (Rust command 120 s, Python 60 s, library 30 s; both commands 2^26 characters per worker, library 10000)"
#     copy: "cache_aware routing leaves {limits} to defaults of the vLLM project's router (120 s, 2^25 characters per worker), which SGLang's own forms do not share (60 s or 120 s, 2^26)"
package agentlint.rules["sglang-gateway-cache-limits-unset"]

import data.agentlint.lib

findings contains object.union({
	"at": ["routers", i, "mode"],
	"message": wording(i),
	"args": {"limits": names[missing(i)]},
}, lib.with_edits([{"op": "set", "at": ["routers", i, "args", flag], "value": value} |
	form := limits[input.routers[i].settings.launch.value]
	some setting in missing(i)
	flag := form[setting].flag
	value := form[setting].value
])) if {
	some i, router in input.routers
	router.kind == "sglang"
	router.mode == "cache_aware"
	tree_in_use(i)
	count(missing(i)) > 0
}

missing(i) := {setting |
	some setting in ["eviction_interval", "max_tree_size"]
	lib.absent(["routers", i, "settings", setting])
}

names[{"eviction_interval", "max_tree_size"}] := "the eviction interval and the tree size"

names[{"eviction_interval"}] := "the eviction interval"

names[{"max_tree_size"}] := "the tree size"

wording(i) := "copy" if {
	input.routers[i].settings.launch.value == "vllm-router"
} else := "main"

# With policies of their own for prefill and decode the common one is not used.
tree_in_use(i) if {
	some setting in ["prefill_policy", "decode_policy"]
	lib.value(["routers", i, "settings", setting, "value"], "cache_aware") == "cache_aware"
}

# The numbers that hold now. A binary called smg may be either command, so nothing is written for it.
limits := {
	"python": {"eviction_interval": {"flag": "eviction-interval-secs", "value": "60"}, "max_tree_size": {"flag": "max-tree-size", "value": "67108864"}},
	"vllm-router": {"eviction_interval": {"flag": "eviction-interval-secs", "value": "120"}, "max_tree_size": {"flag": "max-tree-size", "value": "33554432"}},
}
