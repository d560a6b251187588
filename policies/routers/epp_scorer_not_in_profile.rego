# METADATA
# title: A plugin of the picker is declared and used by no profile
# description: |
#   Scorers, filters and pickers choose endpoints only in the scheduling profiles that name them. One that stands under `plugins`
#   alone is made, configured, and never asked: with the prefix scorer left out the picker balances load and ignores caches,
#   without a message. Only where no profile is written at all are all of them used, and a profile without a picker takes
#   the one that is declared.
# custom:
#   category: router-tier
#   severity: warning
#   confidence: high
#   inputs: [routers]
#   when: [routers.*.config.plugins]
#   remedy: |
#     Add `- pluginRef: <name>` under `schedulingProfiles[].plugins`, with a `weight` for a scorer, or remove the plugin.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: reference the plugin in the profile
#     question: Should the profile use the plugin, with which weight?
#   evidence:
#     - artefact: llm-d-router 0.10.0
#       file: pkg/epp/config/loader/configloader.go
#       symbol: func buildSchedulerConfig
#       checked: "2026-11-29"
#       note: Only plugins that a profile references are added to it; handlers, producers, sources and deciders are found by type.
#     - artefact: llm-d-router 0.10.0
#       file: pkg/epp/config/loader/defaults.go
#       symbol: func ensureSchedulingLayer
#       checked: "2026-11-29"
#       note: A default profile of all filters, scorers and pickers when none is written; any declared picker for a profile without one.
#   messages:
#     main: "the {kind} {name} is declared and no scheduling profile references it: it has no part in choosing an endpoint"
package agentlint.rules["epp-scorer-not-in-profile"]

import data.agentlint.lib

findings contains object.union({
	"at": ["routers", i, "config", "plugins", j, "type"],
	"args": {"kind": what, "name": name},
}, lib.with_edits(edits(i, name, what))) if {
	some i, router in input.routers
	lib.picker(router)
	some _ in router.config.schedulingProfiles
	known(i)
	some j, plugin in router.config.plugins
	what := kind(plugin.type)
	name := lib.value(["routers", i, "config", "plugins", j, "name"], plugin.type)
	not name in listed(i)
	not name in references(i)
	not stands_in(i, what)
}

# kind(type): what a plugin is that works in profiles only: by the last word of its type, and some types of llm-d 0.10 that
# do not say it. Filters of evictions belong to flow control.
kind(type) := "scorer" if {
	type == "context-length-aware"
} else := "filter" if {
	type in {"by-label", "by-label-selector"}
} else := last if {
	not endswith(type, "-eviction-filter")
	some last, suffix in {"scorer": "-scorer", "filter": "-filter", "picker": "-picker"}
	endswith(type, suffix)
}

# listed(i): the names of plugins that a profile of router i lists.
listed(i) := {entry.pluginRef |
	some profile in input.routers[i].config.schedulingProfiles
	some entry in profile.plugins
}

# references(i): the names of plugins that the configuration of router i references, in profiles and in parameters.
references(i) := {name |
	walk(input.routers[i].config, [path, name])
	path[count(path) - 1] == "pluginRef"
}

# stands_in(i, kind): a profile that names no picker takes the first one that is declared.
stands_in(i, "picker") if {
	some profile in input.routers[i].config.schedulingProfiles
	every entry in profile.plugins {
		not entry.pluginRef in pickers(i)
	}
}

pickers(i) := {name |
	some j, plugin in input.routers[i].config.plugins
	kind(plugin.type) == "picker"
	name := lib.value(["routers", i, "config", "plugins", j, "name"], plugin.type)
}

# known(i): no reference of router i, and no name or type of a plugin, is out of sight.
known(i) if {
	every path in lib.unknown_paths {
		not hides(i, path)
	}
}

hides(i, path) if {
	array.slice(path, 0, 3) == ["routers", i, "config"]
	not parameter(i, path)
}

hides(i, ["routers", i])

# A parameter is not what is asked for, unless it is a reference. A decision tree is made of references.
parameter(i, path) if {
	path[3] == "plugins"
	path[5] == "parameters"
	path[lib.length(path) - 1] != "pluginRef"
	input.routers[i].config.plugins[path[4]].type != "decision-tree-filter"
}

# A profile has one picker.
edits(i, name, kind) := [{"op": "append", "at": ["routers", i, "config", "schedulingProfiles", 0, "plugins"], "value": {"pluginRef": name}}] if {
	kind != "picker"
	lib.length(input.routers[i].config.schedulingProfiles) == 1
} else := []
