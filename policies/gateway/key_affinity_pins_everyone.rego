# METADATA
# title: A pin by key sends all agents of a service to one replica
# description: |
#   `deployment_affinity` pins by the API key (or user) of a request, `session_affinity` by its session id. A key that a service uses for
#   many agents is one pin: all of them go to one replica of the group while the others idle, until the pin expires or the replica is
#   cooled down. With one key for each person it is right.
# custom:
#   category: affinity
#   severity: info
#   confidence: medium
#   inputs: [gateway.config]
#   when:
#     - gateway.config.router_settings.optional_pre_call_checks
#     - gateway.config.router_settings.model_group_affinity_config
#   applies: ["litellm>=1.81.16"]
#   remedy: |
#     Use `session_affinity` where clients send a session id, alone or beside `deployment_affinity`, which then serves the requests without one;
#     or give every person a key.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: replace deployment_affinity with session_affinity
#     question: Do the clients send a session id, such as litellm_session_id or the header x-litellm-session-id?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/pre_call_checks/deployment_affinity_check.py
#       symbol: def get_affinity_cache_key(cls, model_group
#       checked: "2026-11-30"
#       note: The key is the model group and the hash of the API key or user.
#   messages:
#     main: "deployment_affinity pins by API key, so all agents of a service that share one go to one of the {count} replicas of {groups:group|groups} {names} while the others idle"
package agentlint.rules["key-affinity-pins-everyone"]

import data.agentlint.lib

# The list of all groups.
findings contains {
	"at": at,
	"args": {"groups": count(list), "names": [group.name | some group in list], "count": replicas(list)},
	"fix": {"edits": [{"op": "set", "at": at, "value": "session_affinity"}]},
} if {
	at := lib.check_at("deployment_affinity")[0]
	lib.check_missing("session_affinity")
	list := [group |
		some group in lib.several
		several(group)
		lib.no_entry(group)
	]
	count(list) > 0
}

# The list of one group, which is read from 1.82.6 on.
findings contains {
	"at": at,
	"args": {"groups": 1, "names": [group.name], "count": replicas([group])},
	"fix": {"edits": [{"op": "set", "at": at, "value": "session_affinity"}]},
} if {
	lib.at_least("litellm", "1.82.6")
	some group in lib.several
	several(group)
	path := lib.group_affinity(group.name)
	flags := lib.value(path, [])
	is_array(flags)
	every flag in flags {
		flag != null
		flag != "session_affinity"
	}
	some i, "deployment_affinity" in flags
	at := array.concat(path, [i])
}

# several(group): replicas of one's own, between which a pin chooses.
several(group) if {
	group.self_hosted == true
	lib.length(lib.entries(group)) == lib.length(group.deployments)
	lib.conversational(group)
}

replicas(list) := max([lib.length(group.deployments) | some group in list])
