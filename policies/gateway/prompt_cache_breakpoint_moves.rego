# METADATA
# title: The cache breakpoint moves with the conversation
# description: |
#   The prompt_caching check remembers which deployment holds a prefix, under a hash of the messages up to the last
#   cache breakpoint. When the only breakpoint is injected at the last message, that is the whole conversation: the next
#   turn has one message more, its hash is new, and the pin is never found. Each turn may then go to a deployment (a
#   key, a region) whose provider cache is cold, and cache writes are paid again. From 1.104 the check walks back up to 20
#   positions and finds the pin.
# custom:
#   category: affinity
#   severity: warning
#   confidence: medium
#   inputs: [gateway.config]
#   when: [gateway.config.router_settings.optional_pre_call_checks]
#   applies: ["litellm<1.104"]
#   remedy: |
#     Inject the breakpoint where the prompt stays the same, at the system message (`location: message`, `role: system`),
#     or use `session_affinity`, or upgrade to 1.104.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: drop the injection point at the last message
#     question: Do clients mark the stable part of the prompt themselves, or shall a point at the system message be added?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/prompt_caching_cache.py
#       symbol: extract_cacheable_prefix
#       checked: "2026-11-29"
#     - artefact: litellm 1.102.0
#       file: litellm/integrations/anthropic_cache_control_hook.py
#       symbol: litellm.enable_anthropic_prompt_caching
#       checked: "2026-11-29"
#       note: Default points are the system message and the last message; first in 1.94.0, absent in 1.93.0.
#   messages:
#     main: "the cache breakpoint of {groups:group|groups} {names} is at the last message, so what prompt_caching hashes changes with every turn and its pin is never found"
#     point: breakpoint at the last message
#     everywhere: enable_anthropic_prompt_caching puts the last breakpoint at the last message
package agentlint.rules["prompt-cache-breakpoint-moves"]

import data.agentlint.lib

findings contains object.union(finding, fix) if {
	at := lib.check_at("prompt_caching")[0]
	names := array.concat([group.name | some group in moving], [group.name | some group in injected])
	count(names) > 0
	finding := {
		"at": at,
		"args": {"groups": count(names), "names": names},
		"related": array.concat(
			[{"at": point, "message": "point"} | some group in moving; some point in group.points],
			[{"at": everywhere, "message": "everywhere"} | count(injected) > 0],
		),
	}
	fix := {"fix": {"edits": [{"op": "remove", "at": path} | some group in moving; some path in group.lists]}}
	count(fix.fix.edits) > 0
}

findings contains finding if {
	at := lib.check_at("prompt_caching")[0]
	count(moving) == 0
	names := [group.name | some group in injected]
	count(names) > 0
	finding := {
		"at": at,
		"args": {"groups": count(names), "names": names},
		"related": [{"at": everywhere, "message": "everywhere"}],
	}
}

# moving: groups of several deployments of which one has injection points, all at the last message.
moving := [{"name": group.name, "points": points, "lists": lists} |
	some group in input.groups
	entries := lib.entries(group)
	count(entries) > 1
	lists := [points_at(entry.index) | some entry in entries; only_last(entry.index)]
	count(lists) > 0
	points := [array.concat(list, [0, "index"]) | some list in lists]
]

points_at(index) := array.concat(lib.entry_path(index), ["litellm_params", "cache_control_injection_points"])

only_last(index) if {
	points := input.gateway.config.model_list[index].litellm_params.cache_control_injection_points
	points[0]
	every point in points {
		point.location == "message"
		lib.number(point.index) == -1
	}
}

everywhere := ["gateway", "config", "litellm_settings", "enable_anthropic_prompt_caching"]

# injected: Claude groups of several deployments that get the default points.
injected := [{"name": group.name} |
	lib.at_least("litellm", "1.94.0")
	lib.value(everywhere, false) == true
	some group in input.groups
	count(lib.entries(group)) > 1
	every deployment in group.deployments {
		deployment.provider in {"anthropic", "bedrock"}
		contains(deployment.model, "claude")
	}
	every entry in lib.entries(group) {
		lib.absent(points_at(entry.index))
	}
]
