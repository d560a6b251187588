# METADATA
# title: Two deployments of a group are the same backend
# description: |
#   Entries with the same address, model and key are one server to everyone but LiteLLM, which counts `rpm` and `tpm` for each, balances
#   between them, and cools one down while it keeps sending to the other. A pin chooses nothing.
# custom:
#   category: models
#   severity: info
#   confidence: high
#   inputs: [gateway.config]
#   when: [gateway.config.model_list]
#   remedy: |
#     Remove the copy, or write the address of another replica. Several replicas behind one address need one entry.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router.py
#       symbol: def generate_model_id
#       checked: "2026-11-30"
#       note: The id of a deployment is made of the group and all its parameters; cooldowns and counters are kept by id.
#   messages:
#     main: "{groups:group|groups} {names} {groups:has|have} the same backend twice ({address}): limits are counted for each entry, and a cooldown of one leaves the other in use"
#     first: "the same address, model and key"
package agentlint.rules["deployments-share-backend"]

import data.agentlint.lib

findings contains {
	"at": array.concat(lib.entry_path(copies[0].second), ["model_name"]),
	"args": {"groups": count(names), "names": names, "address": copies[0].address},
	"related": array.concat(
		[{"at": array.concat(lib.entry_path(copies[0].first), ["litellm_params", "api_base"]), "message": "first"}],
		[{"at": array.concat(lib.entry_path(copy.second), ["litellm_params", "api_base"]), "message": "first"} | some n, copy in copies; n > 0; n <= 5],
	),
} if {
	names := [copy.group | some copy in copies]
	count(names) > 0
}

# copies: by group the first two entries that are the same backend.
copies := [pairs[0] |
	some group in input.groups
	pairs := [{"group": group.name, "first": a.index, "second": b.index, "address": address(b)} |
		some m, a in group.deployments
		some n, b in group.deployments
		m < n
		address(a) == address(b)
		a.model == b.model
		a.provider == b.provider
		seen(a.index)
		seen(b.index)
		differing(a.index, b.index) - tuning == set()
	]
	count(pairs) > 0
]

address(deployment) := trim_suffix(trim_suffix(deployment.api_base, "/"), "/v1")

# tuning: parameters that do not make another backend of an entry. Another key is another account; other tags, headers or request
# parameters are another use of the same server.
tuning := {"rpm", "tpm", "max_parallel_requests", "weight", "order", "timeout", "stream_timeout", "max_retries", "num_retries", "cooldown_time", "api_base", "input_cost_per_token", "output_cost_per_token"}

differing(a, b) := {key |
	some key in keys(a) | keys(b)
	lib.value(array.concat(lib.entry_path(a), ["litellm_params", key]), null) != lib.value(array.concat(lib.entry_path(b), ["litellm_params", key]), null)
}

keys(i) := {key | some key, _ in input.gateway.config.model_list[i].litellm_params}

# seen(i): all of an entry is known, and so is what it stands in.
seen(i) if {
	entry := lib.entry_path(i)
	every path in lib.unknown_paths {
		length := min([count(path), count(entry)])
		array.slice(path, 0, length) != array.slice(entry, 0, length)
	}
}
