# METADATA
# title: A model of one's own has no price
# description: |
#   LiteLLM knows the prices of hosted APIs. A model behind an address of one's own costs 0 until the config says otherwise: its
#   spend is 0 for every key, team and user, and a budget never bites for it.
# custom:
#   category: cost
#   severity: warning
#   confidence: high
#   severities: [info]
#   inputs: [gateway.config, database]
#   when: [gateway.config.model_list]
#   remedy: |
#     Write `input_cost_per_token` and `output_cost_per_token` in model_info, in dollars per single token (0.0000002 for 0.20
#     dollars per million): the price of the machine divided by what it serves. `base_model` in model_info takes the price of a
#     hosted model instead.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/types/router.py
#       symbol: "input_cost_per_token: float | None"
#       checked: "2026-11-29"
#       note: Prices are read from litellm_params and from model_info.
#     - artefact: litellm 1.102.0
#       file: litellm/cost_calculator.py
#       symbol: base_model
#       checked: "2026-11-29"
#   messages:
#     main: "{groups} {n:has|have} no cost per token, so {n:its|their} spend is 0 and {budget} never bites for {n:it|them}"
#     records: "{groups} {n:has|have} no cost per token, so {n:its|their} spend is recorded as 0"
package agentlint.rules["self-hosted-model-unpriced"]

import data.agentlint.lib

findings contains {
	"at": array.concat(lib.entry_path(first), ["model_name"]),
	"severity": severity,
	"message": wording,
	"args": {"groups": names, "n": lib.length(names), "budget": budget},
} if {
	spends
	not list_unseen
	first := unpriced[0].index
	names := [group.name | some group in unpriced]
}

# spends: spend is recorded, or budgets are kept.
spends if input.database

spends if count(lib.budgets_at) > 0

# unpriced: the groups with an entry that has no price, each with the place of the first.
unpriced := [{"name": group.name, "index": entries_without(group)[0]} |
	some group in lib.self_hosted
	not contains(group.name, "*")
]

entries_without(group) := [item.index |
	some item in lib.entries(group)
	lib.value(array.concat(lib.entry_path(item.index), ["model_info", "mode"]), "chat") in {"chat", "completion", "embedding", "responses", "rerank", null}
	not priced(item.index)
]

# priced(i): some price is written for the entry, or may be, or that of another model counts for it.
priced(i) if {
	some_priced
	has_price(i)
}

some_priced if lib.models_mention("cost_per_")

some_priced if lib.models_have(other_prices)

some_priced if count(unseen) > 0

has_price(i) if {
	some block in ["litellm_params", "model_info"]
	some key, _ in input.gateway.config.model_list[i][block]
	contains(key, "cost_per_")
}

has_price(i) if {
	some block in blocks
	params := input.gateway.config.model_list[i][block]
	some key in other_prices
	_ := params[key]
}

has_price(i) if i in unseen

list_unseen if {
	some length in [1, 2, 3]
	array.slice(["gateway", "config", "model_list"], 0, length) in lib.unknown_paths
}

blocks := {"litellm_params", "model_info"}

other_prices := {"base_model", "custom_pricing", "tiered_pricing"}

# unseen: the entries of which something is not seen that may be a price.
unseen contains path[3] if {
	some path in lib.unknown_below(["gateway", "config", "model_list"])
	may_be_price(path)
}

may_be_price(path) if lib.length(path) == 4

may_be_price(path) if {
	lib.length(path) == 5
	path[4] in blocks
}

may_be_price(path) if {
	lib.length(path) == 6
	path[4] in blocks
	path[5] in other_prices
}

may_be_price(path) if {
	path[4] in blocks
	contains(path[5], "cost_per_")
}

severity := "warning" if {
	count(lib.budgets_at) > 0
} else := "info"

wording := "main" if {
	count(lib.budgets_at) > 0
} else := "records"

budget := name if {
	path := lib.budgets_at[0]
	name := path[lib.length(path) - 1]
} else := ""
