# Model groups, their deployments and the engines behind them.
package agentlint.lib

# entries(group): the model_list entries of a group, as [{"index": 0, "entry": {...}}], in order.
entries(group) := [{"index": deployment.index, "entry": entry} |
	some deployment in group.deployments
	entry := input.gateway.config.model_list[deployment.index]
]

# numbered(names): the entries of groups that have a number at one of some keys of litellm_params, each with its group.
numbered(names) := [{"group": group, "item": item} |
	some group in input.groups
	some item in entries(group)
	has_number(item.entry.litellm_params, names)
]

has_number(params, names) if {
	some name in names
	is_number(params[name])
}

# several: the groups with two deployments or more.
several := [group | some group in input.groups; count(group.deployments) > 1]

# self_hosted: the groups of servers of one's own.
self_hosted := [group | some group in input.groups; group.self_hosted == true]

# leads_to(kinds): some deployment has a target of one of these kinds.
leads_to(kinds) if {
	some group in input.groups
	some deployment in group.deployments
	deployment.target.kind in kinds
}

# models_have(names): one of these keys stands in litellm_params or model_info of some model_list entry. Policies that look
# at them in every entry ask this first.
models_have(names) if {
	some key in model_keys
	key in names
}

# models_mention(part): a key with this in it stands there.
models_mention(part) if {
	some key in model_keys
	contains(key, part)
}

model_keys contains key if {
	some entry in input.gateway.config.model_list
	some block in ["litellm_params", "model_info"]
	some key, _ in entry[block]
}

# models_start(prefix): the model of some model_list entry starts with this.
models_start(prefix) if {
	some entry in input.gateway.config.model_list
	startswith(entry.litellm_params.model, prefix)
}

# models_named: model_list shows all its entries, and each its name.
models_named if {
	every entry in input.gateway.config.model_list {
		is_string(entry.model_name)
	}
	not unknown(["gateway", "config", "model_list"])
}

# engines_of(group): indices of the engines that deployments of the group reach without a router between.
engines_of(group) := {i |
	some deployment in group.deployments
	deployment.target.kind == "engine"
	some i in engines_named[deployment.target.name]
}

# routers_of(group): indices of the routers that deployments of the group reach.
routers_of(group) := {i |
	some deployment in group.deployments
	deployment.target.kind == "router"
	some i in routers_named[deployment.target.name]
}

# routers_named[name]: the places of the routers of a name.
routers_named[router.name] contains i if some i, router in input.routers

# engines_of_router(router): indices of the engines behind a router.
engines_of_router(router) := {i |
	some name in router.targets
	some i in engines_named[name]
}

# entry_path(index): the path of a model_list entry.
entry_path(index) := ["gateway", "config", "model_list", index]

# fragment: the config holds nothing but models and no visible process starts it, so nothing in it is missing.
fragment if input.gateway.fragment == true

# behind_routers(group): every deployment of the group leads to a router.
behind_routers(group) if {
	every deployment in group.deployments {
		deployment.target.kind == "router"
	}
}

# replicated(group): the deployments are replicas of one another: servers of one's own at different addresses, with the
# same model, provider, order and weight.
replicated(group) if {
	group.self_hosted == true
	not contains(group.name, "*")
	entries_of := entries(group)
	count({address | some item in entries_of; address := address_of(item)}) > 1
	first := group.deployments[0]
	every deployment in group.deployments {
		deployment.model == first.model
		deployment.provider == first.provider
	}
	every key in ["order", "weight"] {
		uniform(entries_of, ["litellm_params", key])
	}
}

# address_of(item): api_base or base_url of a model_list entry as written, a reference as its text.
address_of(item) := address if {
	some key in ["api_base", "base_url"]
	address := item.entry.litellm_params[key]
	is_string(address)
}

# uniform(items, keys): the value at some keys is the same, or absent, in all model_list entries.
uniform(items, keys) if {
	first := value(array.concat(entry_path(items[0].index), keys), null)
	every item in items {
		value(array.concat(entry_path(item.index), keys), null) == first
	}
}

# conversational(group): nothing says that the group serves anything else than chat and completions: no mode such as
# embedding, no engine with a pooling runner.
conversational(group) if {
	every item in entries(group) {
		value(array.concat(entry_path(item.index), ["model_info", "mode"]), "chat") in {"chat", "completion", "responses", null}
	}
	every i in engines_of(group) {
		input.engines[i].role != "pooling"
	}
}
