# METADATA
# title: The pin ends before the provider's cache does
# description: |
#   With `ttl: 1h` the provider keeps a marked prefix for an hour, at twice the price of a plain write. The prompt_caching
#   check keeps its pin for 300 s and has no setting for that below 1.108, so after five quiet minutes the next request
#   may go to another deployment, whose cache is cold: the hour was paid for and is not used. From 1.108 such markers are
#   pinned 3600 s on providers that honour them.
# custom:
#   category: affinity
#   severity: info
#   confidence: medium
#   inputs: [gateway.config]
#   when: [gateway.config.router_settings.optional_pre_call_checks]
#   applies: ["litellm<1.108"]
#   remedy: |
#     Upgrade to 1.108, or add `session_affinity`, whose pin lasts `deployment_affinity_ttl_seconds` (3600) from the last
#     turn, or ask for the five-minute cache.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/prompt_caching_cache.py
#       symbol: ttl=300
#       checked: "2026-11-29"
#       note: First one-hour pin in 1.108.0, absent in 1.106.12.
#   messages:
#     main: "the provider's cache is asked for one hour, and the prompt_caching pin lasts 300 s: after five minutes requests leave the deployment whose cache is warm"
#     check: the pin is made here
package agentlint.rules["prompt-cache-pin-shorter-than-ttl"]

import data.agentlint.lib

findings contains {"at": hours[0], "related": [{"at": lib.check_at("prompt_caching")[0], "message": "check"}]} if {
	count(lib.check_at("prompt_caching")) > 0
	lib.check_missing("session_affinity")
}

# hours are the places that ask for a cache of one hour, in the order of the model list.
hours := array.concat(
	[array.concat(lib.entry_path(i), ["litellm_params", "cache_control_injection_points", j, "control", "ttl"]) |
		some i, entry in input.gateway.config.model_list
		some j, point in entry.litellm_params.cache_control_injection_points
		point.control.ttl == "1h"
	],
	[path |
		path := ["gateway", "config", "litellm_settings", "anthropic_prompt_caching_ttl"]
		lib.value(path, null) == "1h"
	],
)
