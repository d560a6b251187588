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
	"args": {"group": worst.group, "attempts": worst.attempts, "tries": 1 + retries, "retries": retries, "count": worst.fallbacks, "names": named(worst.names)},
	"related": [{"at": worst.at, "message": "fallbacks"} | written],
	"figures": [{
		"name": "attempts", "value": worst.attempts, "unit": "attempts", "limit": threshold,
		"formula": sprintf("(1 + %v retries) x (1 + %v %s)", [retries, worst.fallbacks, {true: "fallback", false: "fallbacks"}[worst.fallbacks == 1]]),
	}],
} if {
	plain
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
	some section in sections
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

sections := ["router_settings", "litellm_settings"]

# chains: what is tried after each group that has fallbacks of its own, and after the first one that has those of all groups.
chains := [{"group": name, "names": names, "fallbacks": count(names), "at": place(name), "attempts": (1 + retries) * (1 + count(names))} |
	some name in array.concat(
		[group.name | some group in input.groups; places[group.name]],
		array.slice([group.name | some group in input.groups; not places[group.name]], 0, 1),
	)
	names := reached(name)
	count(names) > 0
]

# reached(name): the groups that are tried after a group. The list of the group is tried as a whole, fallbacks of fallbacks only up to
# max_fallbacks.
reached(name) := direct if {
	direct := targets(name)
	count(direct) >= max_fallbacks
} else := direct | {target | some target in array.slice(sort(deeper), 0, max_fallbacks - count(direct))} if {
	direct := targets(name)
	deeper := ({target | some hop in direct; some target in targets_of[hop]} | shared(direct)) - (direct | {name})
}

# shared(hops): the fallbacks of all groups, when one of some groups has none of its own.
shared(hops) := everyone if {
	some hop in hops
	not places[hop]
} else := set()

targets(name) := targets_of[name] if {
	max_fallbacks > 0
	places[name]
}

targets(name) := everyone - {name} if {
	max_fallbacks > 0
	not places[name]
}

targets_of[name] := {target | some item in listed(name); target := target_name(item); target != name} if some name, _ in places

listed(name) := lib.value(place(name), {})[name]

everyone := {target | some item in listed("*"); target := target_name(item)} if {
	places["*"]
} else := {target | some item in lib.value(defaults_at, []); target := target_name(item)}

place(name) := path_of(min(places[name]))

place(name) := path_of(min(places["*"])) if {
	not places[name]
	places["*"]
}

place(name) := defaults_at if {
	not places[name]
	not places["*"]
}

# places[name]: where a list of fallbacks of a group stands: the section and the place in its fallbacks.
places[name] contains [s, i] if {
	some s, section in sections
	some i, entry in lib.value(["gateway", "config", section, "fallbacks"], [])
	some name, _ in entry
}

path_of(at) := ["gateway", "config", sections[at[0]], "fallbacks", at[1]]

defaults_at := [path |
	some section in sections
	path := ["gateway", "config", section, "default_fallbacks"]
	is_array(lib.value(path, null))
][0]

known := {group.name | some group in input.groups}

# Twenty are enough to be too many.
max_fallbacks := min([20, numbers[0]])

numbers := [n |
	some n in [
		lib.value(["gateway", "config", "router_settings", "max_fallbacks"], null),
		lib.value(["gateway", "config", "litellm_settings", "max_fallbacks"], null),
		5,
	]
	is_number(n)
]

# target_name(item): the group that an item of a list names, if there is one.
target_name(item) := item if {
	is_string(item)
	item in known
}

target_name(item) := item.model if {
	is_object(item)
	item.model in known
}

# At most this many are named.
shown := 8

named(names) := array.concat(array.slice(sort(names), 0, shown), [sprintf("%v more", [count(names) - shown]) | count(names) > shown])
