# METADATA
# title: A model group has no fallback in the EU
# description: |
#   When the only deployment of a group is down, its callers get errors until somebody edits the configuration.
#   A fallback helps, and one that sends our customers' texts out of the EU does not.
# custom:
#   severity: warning
#   messages:
#     main: "group {group} has no fallback"
#     outside: "group {group} falls back to {fallbacks}, and no deployment there is in the EU"
#   remedy: Name a group in `router_settings.fallbacks` whose deployments are our own or have an EU endpoint.
package agentlint.custom.routing.required_fallbacks

import data.agentlint.lib

# Each group is reported at its first deployment.
findings contains {"at": place(group), "args": {"group": group.name}} if {
	some group in input.groups
	not lib.fragment
	count(fallbacks_of(group.name)) == 0
}

findings contains {"at": place(group), "message": "outside", "args": {"group": group.name, "fallbacks": fallbacks_of(group.name)}} if {
	some group in input.groups
	count(fallbacks_of(group.name)) > 0
	every name in fallbacks_of(group.name) {
		outside(name)
	}
}

place(group) := array.concat(lib.entry_path(group.deployments[0].index), ["model_name"])

sections := ["router_settings", "litellm_settings"]

# fallbacks_of(name): the groups that calls of a group go to. It is undefined while a part of the lists is out of sight.
fallbacks_of(name) := {fallback |
	some section in sections
	some entry in lib.value(["gateway", "config", section, "fallbacks"], [])
	some fallback in entry[name]
} if {
	every section in sections {
		seen(["gateway", "config", section, "fallbacks"])
	}
}

# seen(path): nothing at the path, above or below it is out of sight.
seen(path) if {
	not lib.unknown(path)
	every hidden in input.unknown {
		array.slice(hidden, 0, count(path)) != path
	}
}

# outside(name): all deployments of a group are known to stand outside the EU.
outside(name) if {
	some i, group in input.groups
	group.name == name
	every j, deployment in group.deployments {
		far(["groups", i, "deployments", j], deployment)
	}
}

far(at, deployment) if {
	deployment.target.kind == "external"
	lib.absent(array.concat(at, ["api_base"]))
}

far(_, deployment) if {
	deployment.target.kind == "external"
	base := deployment.api_base
	not regex.match(`(^https?://|\.)(eu|europe|[a-z-]*westeurope)[.-]`, base)
}
