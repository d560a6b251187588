# Model groups, their deployments and the engines behind them.
package agentlint.lib

# entries(group): the model_list entries of a group, as [{"index": 0, "entry": {...}}], in order.
entries(group) := [{"index": deployment.index, "entry": entry} |
	some deployment in group.deployments
	entry := input.gateway.config.model_list[deployment.index]
]

# engines_of(group): indices of the engines that deployments of the group reach without a router between.
engines_of(group) := {i |
	some deployment in group.deployments
	deployment.target.kind == "engine"
	some i, engine in input.engines
	engine.name == deployment.target.name
}

# routers_of(group): indices of the routers that deployments of the group reach.
routers_of(group) := {i |
	some deployment in group.deployments
	deployment.target.kind == "router"
	some i, router in input.routers
	router.name == deployment.target.name
}

# engines_of_router(router): indices of the engines behind a router.
engines_of_router(router) := {i |
	some name in router.targets
	some i, engine in input.engines
	engine.name == name
}

# entry_path(index): the path of a model_list entry.
entry_path(index) := ["gateway", "config", "model_list", index]

# fragment: the config holds nothing but models and no visible process starts it, so nothing in it is missing.
fragment if input.gateway.fragment == true
