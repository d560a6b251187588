# METADATA
# title: Conversations are spread over replicas
# description: |
#   An engine keeps the KV cache of a conversation's prefix, so the next turn costs only its new tokens, if it reaches
#   the same replica. Without a pin the router picks a deployment for every request: in a run of 20 turns over two
#   replicas each got 10, and every turn that lands on the other replica computes the whole prefix again. Agents send
#   prompts about 275 times as long as their answers, so a prefill that misses the cache is most of the work that a
#   turn makes, and a sizing that counts on the cache is wrong by that much.
# custom:
#   category: affinity
#   severity: warning
#   severities: [info]
#   confidence: high
#   confidences: [medium]
#   inputs: [gateway.config, gateway.image, engines]
#   when: [gateway.config.model_list]
#   applies: ["litellm>=1.81.16"]
#   remedy: |
#     Add `session_affinity` to `router_settings.optional_pre_call_checks`, and have clients send the header
#     `x-litellm-session-id` or `metadata.session_id` in the body: a request without an id is not pinned, and `user` and
#     `litellm_session_id` are none. The pin lasts `deployment_affinity_ttl_seconds` (3600) after the last turn. With more
#     than one gateway process the pins are shared through Redis only. For some groups only, name them in
#     `router_settings.model_group_affinity_config` (1.82.6 and newer).
#   since: "0.1"
#   fix:
#     safety: safe
#     title: add session_affinity
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/types/router.py
#       symbol: session_affinity
#       checked: "2026-11-29"
#       note: >-
#         One of eight values of optional_pre_call_checks, none of which is on by default. First in 1.81.16, absent in
#         1.81.12.
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/pre_call_checks/deployment_affinity_check.py
#       symbol: _get_session_id_from_metadata_dict
#       checked: "2026-11-29"
#       note: >-
#         Run with 1.102.0 and 1.110.2: 20 turns went 10/10 to two replicas without the check, and with it when only
#         user or litellm_session_id was sent; 20/0 with x-litellm-session-id or metadata.session_id.
#   messages:
#     main: "{groups:group|groups} {names} {groups:has|have} several equal deployments and no session pinning: the turns of one conversation go to different replicas, and each miss computes the whole prefix again. session_affinity pins clients that send x-litellm-session-id or metadata.session_id"
#     routers: "{groups:group|groups} {names} {groups:goes|go} through several routers and no session is pinned to one of them, so each router learns only a part of the prefixes. session_affinity pins clients that send x-litellm-session-id or metadata.session_id"
#     shared: add session_affinity; the pins need a shared Redis
#     redis: "{processes} gateway processes run and no shared Redis is visible: each would pin sessions by itself. Which Redis will they share?"
package agentlint.rules["session-affinity-missing"]

import data.agentlint.lib

settings := ["gateway", "config", "router_settings"]

checks := array.concat(settings, ["optional_pre_call_checks"])

findings contains object.union(finding, fix) if {
	not lib.fragment
	not pinned_everywhere
	known_checks
	names := [pool.name | some pool in pools]
	count(names) > 0
	finding := {
		"at": array.concat(lib.entry_path(pools[0].second), ["model_name"]),
		"args": {"groups": count(names), "names": names, "processes": lib.processes.text},
		"severity": severity,
		"message": message[severity],
		"confidence": lib.seen_confidence,
	}
}

severity := "info" if {
	every pool in pools {
		lib.behind_routers(pool.group)
	}
} else := "warning"

message := {"info": "routers", "warning": "main"}

# pools are the groups whose deployments are replicas of one another, and that nothing pins.
pools := [{"name": group.name, "group": group, "second": entries[1].index} |
	some group in lib.several
	entries := lib.entries(group)
	count(entries) > 1
	lib.replicated(group)
	lib.conversational(group)
	not_configured(group)
]

# A group that model_group_affinity_config names has its own pinning, and none when its entry is empty.
not_configured(_) if lib.below("litellm", "1.82.6")

not_configured(group) if lib.absent(array.concat(settings, ["model_group_affinity_config", group.name]))

pinned_everywhere if {
	some check in lib.value(checks, [])
	check in {"session_affinity", "deployment_affinity"}
}

# A text instead of a list is another rule's matter; a value that the files do not show may be a pin.
known_checks if lib.value(checks, null) == null

known_checks if {
	list := lib.value(checks, [])
	is_array(list)
	every check in list {
		check != null
	}
}

fix := {"fix": {"edits": [edit]}} if {
	not shares_nothing
} else := {"fix": {"edits": [edit], "safety": "unsafe", "title": "shared", "question": "redis", "brings": ["session-affinity-without-redis"]}}

shares_nothing if lib.pins_apart

edit := {"op": "set", "at": checks, "value": ["session_affinity"]} if {
	lib.value(checks, null) == null
} else := {"op": "append", "at": checks, "value": "session_affinity"}

unchecked contains concat(".", checks) if {
	not lib.fragment
	count(pools) > 0
	unseen_checks
}

unseen_checks if lib.unknown(checks)

unseen_checks if null in lib.value(checks, [])
