# Budgets that a config sets.
package agentlint.lib

budget_blocks := ["default_key_generate_params", "upperbound_key_generate_params", "default_team_params", "default_internal_user_params"]

# budgets_at: the paths of written budgets: of keys, teams and users, of the proxy, of deployments, of providers.
budgets_at := [path |
	some path in array.concat(settings_budgets, array.concat(entry_budgets, provider_budgets))
	amount := value(path, 0)
	is_number(amount)
	amount > 0
]

settings_budgets := array.concat(
	[["gateway", "config", "litellm_settings", name] |
		settings := input.gateway.config.litellm_settings
		some name in ["max_budget", "max_internal_user_budget", "max_end_user_budget"]
		_ := settings[name]
	],
	[["gateway", "config", "litellm_settings", block, "max_budget"] |
		settings := input.gateway.config.litellm_settings
		some block in budget_blocks
		_ := settings[block].max_budget
	],
)

entry_budgets := [array.concat(entry_path(i), ["litellm_params", "max_budget"]) |
	models_have(["max_budget"])
	some i, entry in input.gateway.config.model_list
	_ := entry.litellm_params.max_budget
]

provider_budgets := [["gateway", "config", "router_settings", "provider_budget_config", provider, "budget_limit"] |
	some provider, _ in input.gateway.config.router_settings.provider_budget_config
]
