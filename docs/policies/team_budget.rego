# METADATA
# title: Teams have no budget, or more than we agreed on
# description: |
#   A team without a budget can spend a month's money over a weekend with one loop. `default_team_params` gives
#   every new team one.
# custom:
#   severity: warning
#   fix:
#     safety: unsafe
#     title: set the default budget of teams
#     question: Is this the amount that was agreed on for a month?
#   parameters:
#     - {name: most, default: 500, unit: USD, why: what finance granted to each team a month}
#   messages:
#     main: "new teams have no budget; {most} USD a month are agreed on"
#     more: "new teams may spend {budget} USD; {most} USD a month are agreed on"
#   remedy: Write `litellm_settings.default_team_params.max_budget` and a `budget_duration`.
package agentlint.custom.budgets.team_budget

import data.agentlint.lib

budget := ["gateway", "config", "litellm_settings", "default_team_params", "max_budget"]

most := lib.parameter("custom/team-budget", "most")

findings contains {
	"at": budget,
	"args": {"most": most},
	"fix": {"edits": [{"op": "set", "at": ["gateway", "config", "litellm_settings", "default_team_params"], "value": {"max_budget": most, "budget_duration": "30d"}}]},
} if {
	input.gateway.config.general_settings.master_key # without keys there are no teams
	not lib.fragment
	lib.absent(["gateway", "config", "litellm_settings", "default_team_params"])
}

findings contains {
	"at": budget,
	"message": "more",
	"args": {"budget": amount, "most": most},
	"fix": {"edits": [{"op": "set", "at": budget, "value": most}]},
} if {
	amount := lib.number(lib.value(budget, 0))
	amount > most
}
