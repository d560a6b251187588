# METADATA
# title: Cooldown settings that cool nothing down
# description: |
#   A group of one deployment is not cooled down for 5xx and 429 unless all of at least 1,000 requests in a minute failed: there
#   would be nothing to go to. `allowed_fails: 3` is the default and counts as not written; any other number does cool the only
#   deployment down (run with 1.102.0). So these settings have no effect until a group has two deployments.
# custom:
#   category: retries
#   severity: info
#   confidence: high
#   inputs: [gateway.config]
#   when: [gateway.config.router_settings.allowed_fails, gateway.config.litellm_settings.allowed_fails]
#   remedy: |
#     Nothing has to change: the settings wait for a second deployment. Where a router stands behind the only address, its own
#     health checks decide.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/cooldown_handlers.py
#       symbol: def _is_allowed_fails_set_on_router
#       checked: "2026-11-29"
#       note: "Run with mock errors 500 and one deployment: none and 3 never cool down; 0, 2 and 5 do, after 1, 3 and 6 failures. A number in litellm_settings is the default itself, so it never counts as set."
#   messages:
#     main: "every model group has one deployment, which is not cooled down: {name}{time} has no effect"
package agentlint.rules["single-deployment-cooldown"]

import data.agentlint.lib

findings contains {"at": at, "args": {"name": sprintf("allowed_fails: %v", [number]), "time": time}} if {
	not lib.models_elsewhere
	not lib.fragment
	every group in input.groups {
		lib.length(group.deployments) == 1
		not contains(group.name, "*")
	}
	lib.length(input.groups) > 0
	no_policy
	at := places[0]
	number := lib.value(at, null)
	is_number(number)
	unset
}

places := [path |
	some section in ["router_settings", "litellm_settings"]
	path := ["gateway", "config", section, "allowed_fails"]
	lib.value(path, null) != null
]

# unset: the number of the router is that of the module, so it counts as not written.
unset if lib.value(router, null) in {null, lib.value(module, 3)}

router := ["gateway", "config", "router_settings", "allowed_fails"]

module := ["gateway", "config", "litellm_settings", "allowed_fails"]

# no_policy: nothing says which errors of which deployment count.
no_policy if {
	lib.value(["gateway", "config", "router_settings", "allowed_fails_policy"], null) == null
	lib.value(["gateway", "config", "router_settings", "routing_groups"], null) == null
	every group in input.groups {
		every deployment in group.deployments {
			every key in ["allowed_fails", "allowed_fails_policy"] {
				lib.absent(array.concat(lib.entry_path(deployment.index), ["model_info", key]))
			}
		}
	}
}

time := sprintf(" with cooldown_time: %v", [seconds]) if {
	seconds := lib.value(["gateway", "config", "router_settings", "cooldown_time"], null)
	seconds != null
} else := ""
