# Limits that a config sets, and that the processes of a gateway count.
package agentlint.lib

limit_blocks := ["default_key_generate_params", "upperbound_key_generate_params", "default_team_params", "default_internal_user_params"]

# key_limits_at: the paths of written limits and budgets of keys, teams and users.
key_limits_at := array.concat(
	[["gateway", "config", "litellm_settings", block, name] |
		some block in limit_blocks
		limits := input.gateway.config.litellm_settings[block]
		some name in ["rpm_limit", "tpm_limit", "max_parallel_requests", "max_budget"]
		is_limit(limits[name])
	],
	[["gateway", "config", "litellm_settings", name] |
		settings := input.gateway.config.litellm_settings
		some name in ["max_budget", "max_internal_user_budget", "max_end_user_budget"]
		is_limit(settings[name])
	],
)

# entry_limits_at(names): the paths of written limits of deployments.
entry_limits_at(names) := [array.concat(entry_path(i), ["litellm_params", name]) |
	models_have(names)
	some i, entry in input.gateway.config.model_list
	params := entry.litellm_params
	some name in names
	is_limit(params[name])
]

# model_limits_enforced: the router refuses requests above rpm and tpm of a deployment, instead of only steering by them.
model_limits_enforced if "enforce_model_rate_limits" in input.gateway.config.router_settings.optional_pre_call_checks

# is_limit(limit): a limit is a number above 0.
is_limit(x) if {
	is_number(x)
	x > 0
}
