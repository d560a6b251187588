# METADATA
# title: The picker's block size is raised to 64
# description: |
#   The approximate index keeps one entry for each replica and block, so the picker raises block sizes below 64 tokens to 64,
#   with a warning in its log. A shared prefix counts in steps of 64 tokens then, whatever is written, also when `autoTune` takes
#   the engines' 16. The precise index is not raised.
# custom:
#   category: router-tier
#   severity: info
#   confidence: high
#   inputs: [routers]
#   when: [routers.*.config.plugins]
#   remedy: |
#     Write `blockSizeTokens: 64`, or more, so that the file says what runs.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: write what runs
#   evidence:
#     - artefact: llm-d-router 0.10.0
#       file: pkg/epp/framework/plugins/requestcontrol/dataproducer/approximateprefix/plugin.go
#       symbol: var minBlockSizeTokens = 64
#       checked: "2026-11-30"
#       note: The same in 0.9.0.
#   messages:
#     main: "blockSizeTokens {size} is raised to 64: prefixes count in steps of 64 tokens"
package agentlint.rules["epp-block-size-raised"]

import data.agentlint.lib

findings contains {
	"at": at,
	"args": {"size": size},
	"fix": {"edits": [{"op": "set", "at": at, "value": 64}]},
} if {
	some i, router in input.routers
	lib.picker(router)
	some j, plugin in router.config.plugins
	plugin.type == "approx-prefix-cache-producer"
	size := plugin.parameters.blockSizeTokens
	is_number(size)
	size > 0
	size < 64
	at := ["routers", i, "config", "plugins", j, "parameters", "blockSizeTokens"]
}
