# METADATA
# title: The minimum prefix match is no multiple of 128 characters
# description: |
#   The router cuts prompts into chunks of 128 characters. The length of a match grows in steps of 128 and is compared with
#   the minimum by "less than", so a minimum of 200 acts as 256: matches of 128 to 255 characters count as none. Only rounding
#   up keeps the meaning.
# custom:
#   category: router-tier
#   severity: info
#   confidence: high
#   inputs: [routers]
#   when: [routers.*.settings.prefix_min_match_length]
#   remedy: |
#     Write the next multiple of 128, or 0 for no minimum.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: round the minimum up to the next multiple of 128
#   evidence:
#     - artefact: production-stack vllm-stack-0.1.12
#       file: src/vllm_router/prefix/hashtrie.py
#       symbol: "chunk_size: int = 128"
#       checked: "2026-11-29"
#     - artefact: production-stack vllm-stack-0.1.12
#       file: src/vllm_router/routers/routing_logic.py
#       symbol: match_length < self.prefix_min_match_length
#       checked: "2026-11-29"
#   messages:
#     main: "a minimum prefix match of {length} characters acts as {effective}: matches grow in steps of 128 characters"
package agentlint.rules["prefix-min-match-not-multiple"]

import data.agentlint.lib

findings contains object.union({
	"at": ["routers", i, "settings", "prefix_min_match_length", "value"],
	"args": {"length": length, "effective": effective},
}, lib.with_edits([{"op": "set", "at": at, "value": edited(at, effective)} |
	at := lib.written_at(i, "prefix_min_match_length", ["prefix-min-match-length"], [])
])) if {
	some i, router in input.routers
	router.kind == "production-stack"
	router.mode == "prefixaware"
	length := router.settings.prefix_min_match_length.value
	is_number(length)
	length > 0
	length == floor(length)
	length % 128 != 0
	effective := ceil(length / 128) * 128
}

edited(at, n) := n if at[2] == "settings"

edited(at, n) := sprintf("%d", [n]) if at[2] == "args"
