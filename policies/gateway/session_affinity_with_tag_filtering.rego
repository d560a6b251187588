# METADATA
# title: A pin can leave a request without a deployment
# description: |
#   The router applies affinity first and tags after it. A conversation that was pinned by a request with one tag, and
#   goes on with another, is narrowed to the pinned deployment, which the tag filter then removes: the request fails
#   although a healthy deployment with the right tag is there. The client sees 401, "Not allowed to access model due to
#   tags configuration"; without affinity the same request is served.
# custom:
#   category: affinity
#   severity: warning
#   confidence: high
#   inputs: [gateway.config]
#   when:
#     - gateway.config.router_settings.enable_tag_filtering
#     - gateway.config.model_list.*.model_info.enable_tag_filtering
#   applies: ["litellm>=1.81.16"]
#   remedy: |
#     Give all deployments of a group the same tags and split groups by tag instead, or leave the group out of the
#     affinity with an empty entry in `router_settings.model_group_affinity_config` (1.82.6 and newer), or switch tag
#     filtering off for it.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/types/router.py
#       symbol: Not allowed to access model due to tags configuration
#       checked: "2026-11-29"
#       note: >-
#         Run with 1.102.0 and 1.110.2: a session pinned to a deployment without the request's tag ends in HTTP 401, with
#         a matching deployment healthy.
#   messages:
#     main: "{groups:group|groups} {names} {groups:has|have} deployments with different tags, and affinity is applied before tags: a conversation pinned to one deployment fails with 401 when a request carries the other's tag"
#     affinity: affinity is on here
#     tags: other tags than the first deployment's
package agentlint.rules["session-affinity-with-tag-filtering"]

import data.agentlint.lib

findings contains {
	"at": filters[0].at,
	"args": {"groups": count(names), "names": names},
	"related": array.concat(
		[{"at": path, "message": "affinity"} | some path in array.slice(lib.affinity_at, 0, 1)],
		[{"at": filter.other, "on_key": true, "message": "tags"} | some filter in filters],
	),
} if {
	names := [filter.name | some filter in filters]
	count(names) > 0
}

# filters are the groups that are pinned and filtered by tags that differ.
filters := [{"name": group.name, "at": filtering_at(group), "other": tags_at(other)} |
	some group in input.groups
	lib.pinned(group)
	entries := lib.entries(group)
	first := tags(entries[0].index)
	other := [entry.index | some entry in entries; tags(entry.index) != first][0]
]

tags_at(index) := array.concat(lib.entry_path(index), ["litellm_params", "tags"])

# Every tag must be known.
tags(index) := {tag | some tag in list} if {
	list := lib.value(tags_at(index), [])
	is_array(list)
	every tag in list {
		is_string(tag)
	}
}

tags(index) := set() if lib.value(tags_at(index), []) == null

everywhere := ["gateway", "config", "router_settings", "enable_tag_filtering"]

# A group's own setting, at any of its deployments, outranks the router's.
filtering_at(group) := paths[0] if {
	paths := [path |
		some entry in lib.entries(group)
		path := array.concat(lib.entry_path(entry.index), ["model_info", "enable_tag_filtering"])
		lib.value(path, null) == true
	]
} else := everywhere if {
	lib.value(everywhere, false) == true
	every entry in lib.entries(group) {
		lib.value(array.concat(lib.entry_path(entry.index), ["model_info", "enable_tag_filtering"]), null) == null
	}
}
