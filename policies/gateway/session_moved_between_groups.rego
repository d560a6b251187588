# METADATA
# title: A live conversation can move to another model
# description: |
#   A fallback, an auto-router or a complexity router between self-hosted groups sends the next turn of a conversation to
#   other engines. Their prefix cache knows nothing of it: the hit rate of that turn falls to about 8 percent, so the whole
#   history is computed again there, and once more when the conversation moves back. `cache_aware` is no routing strategy
#   in any release; from 1.105 the complexity router weighs provider caches, not the prefixes of engines.
# custom:
#   category: routing
#   severity: info
#   confidence: medium
#   inputs: [gateway.config]
#   when: [gateway.config.model_list]
#   remedy: |
#     Route by task at the start of a conversation and keep it there: let the client choose the group. Keep fallbacks for
#     outages, fall back to a hosted API or to replicas of the same model, and use `context_window_fallbacks` for long
#     prompts.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_strategy/complexity_router/config.py
#       symbol: Mapping of complexity tiers to a model or model pool
#       checked: "2026-11-29"
#     - artefact: litellm 1.102.0
#       file: litellm/router.py
#       symbol: fallbacks
#       checked: "2026-11-29"
#       note: No strategy knows engine prefixes; the eight valid ones are listed by the error for an unknown one.
#   messages:
#     fallback: "a fallback moves a pinned conversation from {from} to {to}, other engines of one's own: the next turn finds about 8 percent of its prefix in the cache"
#     router: "{name} chooses between {to} for every request: a conversation that changes its model finds about 8 percent of its prefix in the cache"
package agentlint.rules["session-moved-between-groups"]

import data.agentlint.lib

findings contains {"at": array.concat(path, [i]), "message": "fallback", "args": {"from": from, "to": targets}} if {
	some path in [
		["gateway", "config", "router_settings", "fallbacks"],
		["gateway", "config", "litellm_settings", "fallbacks"],
	]
	some i, entry in lib.value(path, [])
	some from, list in entry
	from in pinned_groups
	targets := [target | some target in list; target != from; target in own_groups]
	count(targets) > 0
}

pinned_groups := {group.name |
	some group in lib.self_hosted
	lib.pinned(group)
}

own_groups := {group.name | some group in lib.self_hosted}

findings contains {"at": array.concat(lib.entry_path(i), ["litellm_params", "model"]), "message": "router", "args": {"name": entry.model_name, "to": targets}} if {
	lib.models_start("auto_router/")
	some i, entry in input.gateway.config.model_list
	startswith(entry.litellm_params.model, "auto_router/")
	targets := sort({target | some target in routed(entry.litellm_params); target in own_groups})
	count(targets) > 1
}

routed(params) := {target |
	some target in array.concat(
		array.concat(tiers(params), routes(params)),
		[params[key] | some key in ["auto_router_default_model", "complexity_router_default_model"]],
	)
}

# tiers(params): a tier is a group or a list of groups.
tiers(params) := [name |
	some tier in params.complexity_router_config.tiers
	some name in names(tier)
]

names(tier) := [tier] if is_string(tier)

names(tier) := [name | some name in tier] if is_array(tier)

# routes(params): the routes of an auto-router's JSON, named by group.
routes(params) := [route.name |
	json.is_valid(params.auto_router_config)
	config := json.unmarshal(params.auto_router_config)
	some route in config.routes
]
