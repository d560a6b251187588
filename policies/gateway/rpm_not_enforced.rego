# METADATA
# title: rpm and tpm of a deployment are no limits
# description: |
#   `rpm` and `tpm` in litellm_params read like limits per minute, and no request is ever answered 429 for them. The router uses them as weights
#   between the deployments of a group, and for a semaphore of each process: `rpm` calls, or `tpm` / 1000 x 6, at the same time. A group
#   of one deployment with `rpm: 600` takes thousands of requests a minute.
# custom:
#   category: limits
#   severity: info
#   confidence: high
#   inputs: [gateway.config]
#   when: [gateway.config.model_list.*.litellm_params.rpm, gateway.config.model_list.*.litellm_params.tpm]
#   remedy: |
#     Add `enforce_model_rate_limits` to `router_settings.optional_pre_call_checks` (1.81.7 and newer), which answers 429 above the numbers, or
#     limit keys and teams. `max_parallel_requests` says by its name what the semaphore does.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/utils.py
#       symbol: def calculate_max_parallel_requests
#       checked: "2026-11-30"
#       note: rpm, else tpm / 1000 x 6, becomes the size of a semaphore in the process.
#     - artefact: litellm 1.102.0
#       file: litellm/router_strategy/simple_shuffle.py
#       symbol: weighted pick
#       checked: "2026-11-30"
#   messages:
#     main: "{name} {number} of {group} is a weight and the size of a semaphore in each process, not a limit per minute: no request is answered 429 for it; enforce_model_rate_limits in optional_pre_call_checks enforces it"
package agentlint.rules["rpm-not-enforced"]

import data.agentlint.lib

findings contains {
	"at": array.concat(lib.entry_path(found.item.index), ["litellm_params", name]),
	"args": {"name": name, "number": params[name], "group": found.group.name},
} if {
	not_counted
	some found in lib.numbered(["rpm", "tpm"])
	unweighted(found.group)
	params := found.item.entry.litellm_params
	name := numbered(params)
}

not_counted if {
	lib.models_have(["rpm", "tpm"])
	lib.check_missing("enforce_model_rate_limits")
	not startswith(strategy, "usage-based")
}

# numbered(params): the first of the two that has a number.
numbered(params) := "rpm" if {
	is_number(params.rpm)
} else := "tpm" if {
	is_number(params.tpm)
}

strategy := lib.value(["gateway", "config", "router_settings", "routing_strategy"], "simple-shuffle")

# The only deployment of a group, or one beside others that have no number: nothing is weighed by them.
unweighted(group) if {
	lib.length(group.deployments) == 1
	lib.models_named
}

unweighted(group) if {
	lib.length(group.deployments) > 1
	some item in lib.entries(group)
	every key in ["rpm", "tpm"] {
		lib.absent(array.concat(lib.entry_path(item.index), ["litellm_params", key]))
	}
}
