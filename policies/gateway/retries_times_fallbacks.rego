# METADATA
# title: Retries and fallbacks multiply
# description: |
#   The router retries a request `num_retries` times in its group, then goes to the next group of the fallbacks and retries there as
#   often, and so on: (1 + num_retries) x (1 + groups reached) attempts for one request of a client. When the engines fail because they
#   are full, the gateway multiplies the load that fills them, and the client waits for all of it. `max_fallbacks` (5) bounds how deep
#   fallbacks of fallbacks go, not how long one list is.
# custom:
#   category: retries
#   severity: info
#   confidence: medium
#   inputs: [gateway.config]
#   when:
#     - gateway.config.router_settings.fallbacks
#     - gateway.config.litellm_settings.fallbacks
#     - gateway.config.router_settings.default_fallbacks
#     - gateway.config.litellm_settings.default_fallbacks
#   remedy: |
#     Lower `num_retries` to 1 or 0 where fallbacks follow, or keep the one or two fallbacks that have room when this group has none.
#   since: "0.1"
#   parameters:
#     - name: attempts
#       default: 12
#       unit: attempts
#       why: three attempts (the default num_retries of 2) in a group and in three fallbacks.
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/fallback_event_handlers.py
#       symbol: if fallback_depth >= max_fallbacks
#       checked: "2026-11-30"
#       note: Every group of a list is called through async_function_with_fallbacks, which retries by itself.
#     - artefact: litellm 1.102.0
#       file: litellm/constants.py
#       symbol: ROUTER_MAX_FALLBACKS
#       checked: "2026-11-30"
#   messages:
#     main: "a request for {group} can become {attempts} attempts: {tries} with num_retries {retries}, in the group and in {count:the fallback|the fallbacks} {names}"
#     fallbacks: "these are the fallbacks"
package agentlint.rules["retries-times-fallbacks"]

import data.agentlint.lib

findings contains {
	"at": anchor(worst.at),
	"args": {"group": worst.group, "attempts": worst.attempts, "tries": 1 + retries, "retries": retries, "count": count(worst.names), "names": worst.names},
	"related": [{"at": worst.at, "message": "fallbacks"} | written],
	"figures": [{
		"name": "attempts", "value": worst.attempts, "unit": "attempts", "limit": threshold,
		"formula": sprintf("(1 + %v retries) x (1 + %v %s)", [retries, count(worst.names), {true: "fallback", false: "fallbacks"}[count(worst.names) == 1]]),
	}],
} if {
	most := max([chain.attempts | some chain in chains])
	most > threshold
	worst := [chain | some chain in chains; chain.attempts == most][0]
}

threshold := lib.parameter("retries-times-fallbacks", "attempts")

retries := lib.number(input.gateway.settings.num_retries.value)

written if input.gateway.settings.num_retries.source == "config"

# The number of retries if it is written, else the fallbacks.
anchor(_) := retries_at if written

anchor(at) := at if {
	input.gateway.settings.num_retries.source
	not written
}

retries_at := [path |
	some section in ["router_settings", "litellm_settings"]
	path := ["gateway", "config", section, "num_retries"]
	lib.present(path)
][0]

# A policy sets the retries by the kind of error, and a deployment may have its own number.
plain if {
	every key in ["retry_policy", "model_group_retry_policy"] {
		lib.value(["gateway", "config", "router_settings", key], null) == null
	}
	every i, _ in input.gateway.config.model_list {
		lib.value(array.concat(lib.entry_path(i), ["litellm_params", "num_retries"]), null) == null
	}
}

chains := [{"group": group.name, "names": names, "at": own[group.name].at, "attempts": (1 + retries) * (1 + count(names))} |
	plain
	some group in input.groups
	names := reached(group.name)
	count(names) > 0
]

# reached(name): the groups that are tried after a group. The list of the group is tried as a whole, fallbacks of fallbacks only up to
# max_fallbacks.
reached(name) := direct if {
	direct := targets(name)
	count(direct) >= max_fallbacks
} else := array.concat(direct, array.slice(deeper, 0, max_fallbacks - count(direct))) if {
	direct := targets(name)
	deeper := further(name, direct)
}

targets(name) := [target |
	max_fallbacks > 0
	some i, target in own[name].list
	target != name
	target in known
	not target in array.slice(own[name].list, 0, i)
]

# further(name, direct): the groups that fallbacks of the fallbacks add, to the second level.
further(name, direct) := [target |
	some target in {t | some hop in direct; some t in targets(hop)}
	target != name
	not target in direct
]

known := {group.name | some group in input.groups}

max_fallbacks := [n |
	some n in [
		lib.value(["gateway", "config", "router_settings", "max_fallbacks"], null),
		lib.value(["gateway", "config", "litellm_settings", "max_fallbacks"], null),
		5,
	]
	is_number(n)
][0]

# own: by group its list of fallbacks, its own or those for all groups, with the place.
own[group.name] := lists[0] if {
	some group in input.groups
	lists := array.concat(listed_for(group.name), array.concat(listed_for("*"), defaults))
}

sections := ["router_settings", "litellm_settings"]

listed_for(name) := [{"at": ["gateway", "config", section, "fallbacks", i], "list": [text | some item in entry[name]; text := target_name(item)]} |
	some section in sections
	some i, entry in lib.value(["gateway", "config", section, "fallbacks"], [])
	entry[name]
]

defaults := [{"at": ["gateway", "config", section, "default_fallbacks"], "list": [text | some item in list; text := target_name(item)]} |
	some section in sections
	list := lib.value(["gateway", "config", section, "default_fallbacks"], [])
	is_array(list)
	lib.length(list) > 0
]

target_name(item) := item if is_string(item)

target_name(item) := item.model if is_object(item)
