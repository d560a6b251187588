# Limits that a config sets, and that the processes of a gateway count.
package agentlint.lib

limit_blocks := [
	["litellm_settings", "default_key_generate_params"],
	["litellm_settings", "upperbound_key_generate_params"],
	["litellm_settings", "default_team_params"],
	["litellm_settings", "default_internal_user_params"],
]

# key_limits_at: the paths of written limits and budgets of keys, teams and users.
key_limits_at := array.concat(
	[path |
		some block in limit_blocks
		some name in ["rpm_limit", "tpm_limit", "max_parallel_requests", "max_budget"]
		path := array.concat(["gateway", "config"], array.concat(block, [name]))
		positive(path)
	],
	[path |
		some name in ["max_budget", "max_internal_user_budget", "max_end_user_budget"]
		path := ["gateway", "config", "litellm_settings", name]
		positive(path)
	],
)

# entry_limits_at(names): the paths of written limits of deployments.
entry_limits_at(names) := [path |
	some i, _ in input.gateway.config.model_list
	some name in names
	path := array.concat(entry_path(i), ["litellm_params", name])
	positive(path)
]

# model_limits_enforced: the router refuses requests above rpm and tpm of a deployment, instead of only steering by them.
model_limits_enforced if "enforce_model_rate_limits" in input.gateway.config.router_settings.optional_pre_call_checks

# positive(path): a known number above 0 stands at the path.
positive(path) if {
	number := value(path, null)
	is_number(number)
	number > 0
}
