# METADATA
# title: The picker matches very long prefixes
# description: |
#   For every request the picker hashes the prompt block by block, up to `maxPrefixTokensToMatch` (131072 tokens by default), and looks
#   each block up for every replica. A cap far above that, or none (0 for both caps), lets one long prompt cost a multiple of the
#   processor time, on the path of all requests.
# custom:
#   category: router-tier
#   severity: info
#   confidence: medium
#   inputs: [routers]
#   when: [routers.*.config.plugins]
#   remedy: |
#     Keep the default of 131072 tokens, or watch the picker's CPU and latency with the longest prompts before raising it. Prefixes
#     that differ only behind the cap go to the same replica.
#   since: "0.1"
#   evidence:
#     - artefact: llm-d-router 0.10.0
#       file: pkg/epp/framework/plugins/requestcontrol/dataproducer/approximateprefix/README.md
#       symbol: It raises EPP CPU on long prompts
#       checked: "2026-11-30"
#     - artefact: llm-d-router 0.10.0
#       file: pkg/epp/framework/plugins/requestcontrol/dataproducer/approximateprefix/types.go
#       symbol: defaultMaxPrefixTokens = 131072
#       checked: "2026-11-30"
#   parameters:
#     - name: tokens
#       default: 131072
#       unit: tokens
#       why: The default of the picker.
#   messages:
#     main: "the picker hashes and looks up to {cap} tokens of every prompt for each replica, {default} by default: its CPU grows with the longest prompts"
#     unlimited: "both caps are 0, so the picker hashes and looks up whole prompts for each replica, up to {default} tokens by default: its CPU grows with the longest prompts"
package agentlint.rules["epp-match-cap-raised"]

import data.agentlint.lib

findings contains {
	"at": array.concat(plugin_path(i, j), ["maxPrefixTokensToMatch"]),
	"args": {"cap": cap, "default": limit},
} if {
	some i, router in input.routers
	lib.picker(router)
	some j, plugin in router.config.plugins
	plugin.type == "approx-prefix-cache-producer"
	cap := plugin.parameters.maxPrefixTokensToMatch
	is_number(cap)
	cap > limit
}

findings contains {
	"at": array.concat(plugin_path(i, j), ["maxPrefixTokensToMatch"]),
	"message": "unlimited",
	"args": {"default": limit},
} if {
	some i, router in input.routers
	lib.picker(router)
	some j, plugin in router.config.plugins
	plugin.type == "approx-prefix-cache-producer"
	plugin.parameters.maxPrefixTokensToMatch == 0
	plugin.parameters.maxPrefixBlocksToMatch == 0
}

plugin_path(i, j) := ["routers", i, "config", "plugins", j, "parameters"]

limit := lib.parameter("epp-match-cap-raised", "tokens")
