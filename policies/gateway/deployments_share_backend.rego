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
	not list_hidden
}

# copies: by group the first entry that is the same backend as an earlier one.
copies := [{"group": group.name, "first": pair[1], "second": pair[0], "address": pair[2]} |
	some group in lib.several
	addresses := [address(deployment) | some deployment in group.deployments]
	count(addresses) > count({known | some known in addresses})
	rows := sort(backends(group))
	pairs := [[rows[n][4], rows[n - 1][4], rows[n][0]] |
		some n, _ in rows
		n > 0
		array.slice(rows[n], 0, 4) == array.slice(rows[n - 1], 0, 4)
	]
	pair := min(pairs)
]

# backends(group): what makes a backend of each entry, with its index. Another key is another account; other tags, headers or request
# parameters are another use of the same server.
backends(group) := [[address(deployment), deployment.model, deployment.provider, object.remove(params, tuning), deployment.index] |
	some deployment in group.deployments
	not hidden[deployment.index]
	params := input.gateway.config.model_list[deployment.index].litellm_params
]

address(deployment) := trim_suffix(trim_suffix(deployment.api_base, "/"), "/v1")

# tuning: parameters that do not make another backend of an entry; the address is compared by itself.
tuning := {"api_base", "base_url", "rpm", "tpm", "max_parallel_requests", "weight", "order", "timeout", "stream_timeout", "max_retries", "num_retries", "cooldown_time", "input_cost_per_token", "output_cost_per_token"}

# hidden: the entries of which something is not seen.
hidden[i] if {
	some path in lib.unknown_below(["gateway", "config", "model_list"])
	i := path[3]
}

list_hidden if {
	some path in [["gateway", "config", "model_list"], ["gateway", "config"], ["gateway"]]
	path in lib.unknown_paths
}
