# METADATA
# title: Affinity is on and there is nothing to choose from
# description: |
#   A pin chooses a deployment of the model group. When every group has one deployment, as behind a prefix-aware router,
#   each request still looks its pin up and renews it, a round trip to Redis when there is one (one lookup and one claim
#   a request, seen with 1.102.0 and 1.110.2), and the answer is always the same. A router behind the deployment keeps
#   its own stickiness and does not see the pin.
# custom:
#   category: affinity
#   severity: info
#   confidence: high
#   inputs: [gateway.config, routers]
#   when:
#     - gateway.config.router_settings.optional_pre_call_checks
#     - gateway.config.router_settings.model_group_affinity_config
#   applies: ["litellm>=1.81.16"]
#   remedy: |
#     Remove `session_affinity` and `deployment_affinity` until a group has a second deployment. Where a router stands
#     behind the only deployment, give the router the session instead: most take a header as their session key.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: remove the affinity
#     question: Will no group get a second deployment, from the database or soon?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/pre_call_checks/deployment_affinity_check.py
#       symbol: class DeploymentAffinityCheck
#       checked: "2026-11-29"
#       note: "Run with 1.102.0 and 1.110.2: one lookup and one claim a request with a single deployment."
#   messages:
#     main: "{value} is on and every model group has one deployment: each request pays a lookup and a claim for a pin that chooses nothing"
#     router: "{value} is on and every model group has one deployment: each request pays a lookup and a claim for a pin that chooses nothing, and the router behind ({routers}) does not see it"
package agentlint.rules["session-affinity-without-choice"]

import data.agentlint.lib

findings contains object.union(finding, fix) if {
	not lib.choice
	every group in input.groups {
		count(lib.entries(group)) == 1
		not finds_pods(group)
	}
	at := lib.affinity_at[0]
	finding := {
		"at": at,
		"message": wording,
		"args": {"value": named(at), "routers": routers},
	}
	fix := fixes(at)
}

named(at) := lib.value(at, "") if at[3] == "optional_pre_call_checks"

named(at) := "model_group_affinity_config" if at[3] == "model_group_affinity_config"

# From 1.109 on the gateway can resolve the pods behind one address itself, and pins sessions to them.
finds_pods(group) if {
	lib.at_least("litellm", "1.109.0")
	some entry in lib.entries(group)
	path := array.concat(lib.entry_path(entry.index), ["litellm_params", "kubernetes_pod_discovery"])
	not lib.absent(path)
	not is_off(path)
}

is_off(path) if lib.value(path, true) == false

routers := sort({input.routers[i].name |
	some group in input.groups
	some i in lib.routers_of(group)
})

wording := "router" if {
	count(routers) > 0
} else := "main"

# The last value takes the list with it.
fixes(at) := {"fix": {"edits": [{"op": "remove", "at": at}]}} if {
	at[3] == "optional_pre_call_checks"
	others
} else := {"fix": {"edits": [{"op": "remove", "at": lib.pre_call_checks}]}} if {
	at[3] == "optional_pre_call_checks"
} else := {}

others if {
	some check in input.gateway.config.router_settings.optional_pre_call_checks
	not check in {"session_affinity", "deployment_affinity"}
}
