# What pins conversations and keys to deployments, and where it is written.
package agentlint.lib

pre_call_checks := ["gateway", "config", "router_settings", "optional_pre_call_checks"]

# check_at(name): the paths at which optional_pre_call_checks lists a value.
check_at(name) := [array.concat(pre_call_checks, [i]) |
	some i, check in input.gateway.config.router_settings.optional_pre_call_checks
	check == name
]

# check_missing(name): the list does not hold a value for certain.
check_missing(name) if {
	every check in value(pre_call_checks, []) {
		check != null
		check != name
	}
}

# affinity_at: the paths that turn session or deployment affinity on: values of the list first, then groups of
# model_group_affinity_config, which is read from 1.82.6 on.
affinity_at := array.concat(
	array.concat(check_at("session_affinity"), check_at("deployment_affinity")),
	[group_affinity(name) |
		at_least("litellm", "1.82.6")
		some name, flags in input.gateway.config.router_settings.model_group_affinity_config
		pinning(flags)
	],
)

group_affinity(name) := ["gateway", "config", "router_settings", "model_group_affinity_config", name]

# pinning(flags): only membership is tested, so a text and the keys of a map count too.
pinning(flags) if {
	some flag in ["session_affinity", "deployment_affinity"]
	listed(flag, flags)
}

listed(flag, flags) if flag in flags

listed(flag, flags) if {
	is_string(flags)
	contains(flags, flag)
}

listed(flag, flags) if {
	is_object(flags)
	flags[flag]
}

listed(flag, flags) if {
	is_object(flags)
	flags[flag] == false
}

# pinned(group): requests of the group are pinned: by its own entry, else by the list.
pinned(group) if {
	flags := input.gateway.config.router_settings.model_group_affinity_config[group.name]
	at_least("litellm", "1.82.6")
	pinning(flags)
}

pinned(group) if {
	pinned_by_list
	no_entry(group)
}

pinned_by_list if {
	some name in ["session_affinity", "deployment_affinity"]
	count(check_at(name)) > 0
}

no_entry(_) if below("litellm", "1.82.6")

no_entry(group) if absent(group_affinity(group.name))

# pins_apart: several processes run, and no Redis is visible in which they share their pins.
pins_apart if {
	several_processes
	redis_shared("routing") != "yes"
}

# models_elsewhere: models may stand in the database, or in files that are not seen.
models_elsewhere if stored("store_model_in_db")

models_elsewhere if ["gateway", "config", "model_list"] in unknown_paths

models_elsewhere if absent(["gateway", "config", "model_list"])

models_elsewhere if null in input.gateway.config.model_list

stored(name) if unknown(["gateway", "settings", name, "value"])

stored(name) if input.gateway.settings[name].value in {true, "true", "True", "TRUE"}

# choice: some group has two deployments, or may have, so that there may be something to choose.
choice if count(several) > 0

choice if {
	some i, _ in input.groups
	unknown(["groups", i, "deployments"])
}

choice if {
	some group in input.groups
	contains(group.name, "*")
}

choice if models_elsewhere

# certain_choice: some group has two deployments for certain, or the database may add any number.
certain_choice if {
	some group in several
	count(entries(group)) > 1
}

certain_choice if input.gateway.settings.store_model_in_db.value in {true, "true", "True", "TRUE"}
