# METADATA
# title: A Dynamo router setting has an old name or is gone
# description: |
#   The single overlap weight became two settings in 1.2: the credit for cached blocks, and the scale of the prefill load, which is
#   what the old name sets now; the credit stays at its default 1.0. The names without `router` are aliases from 1.0 on. From 1.6 the
#   settings of the policy move into the file of `--router-policy-config`, and their flags and variables are to go in 1.7. A flag that
#   is gone stops the frontend with `Unknown arguments specified`, a variable that is gone is ignored.
# custom:
#   category: router-tier
#   severity: info
#   severities: [error, warning]
#   confidence: high
#   inputs: [routers]
#   when: [routers.*.args, routers.*.env]
#   remedy: |
#     Rename: `--router-prefill-load-scale` for the weight, `--router-kv-overlap-score-credit` if the credit is meant;
#     `--router-kv-events`, `--router-track-active-blocks`, `--router-track-output-blocks` and `--router-assume-kv-reuse` for the names
#     without `router`. From 1.6 write the policy's numbers into the file of `--router-policy-config`. Remove what is gone.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: rename to the new setting
#     question: Is the new setting what the number was meant for?
#   evidence:
#     - artefact: ai-dynamo 1.2.1
#       file: dynamo/common/configuration/groups/kv_router_args.py
#       symbol: --router-prefill-load-scale or DYN_ROUTER_PREFILL_LOAD_SCALE for equivalent behavior
#       checked: "2026-11-29"
#       note: --router-max-tree-size and --router-prune-target-ratio are in 1.1.1 and not in 1.2.1.
#     - artefact: ai-dynamo 1.4.2
#       file: dynamo/common/configuration/groups/kv_router_args.py
#       symbol: --router-kv-overlap-score-weight
#       checked: "2026-11-29"
#       note: --router-reset-states, --router-snapshot-threshold and --router-durable-kv-events are in 1.3.1 and not in 1.4.0.
#     - artefact: ai-dynamo 1.6.1
#       file: dynamo/common/configuration/groups/kv_router_args.py
#       symbol: in the default policy parameters in --router-policy-config
#       checked: "2026-11-29"
#       note: Removal announced for v1.7; the obsolete names without router- are still accepted.
#     - artefact: ai-dynamo 1.0.0
#       file: dynamo/frontend/frontend_args.py
#       symbol: DYN_ROUTER_USE_KV_EVENTS
#       checked: "2026-11-29"
#       note: DYN_KV_EVENTS, DYN_KV_OVERLAP_SCORE_WEIGHT and DYN_ROUTER_TTL are in 0.9.1 and not in 1.0.0.
#     - artefact: ai-dynamo 1.6.1
#       file: dynamo/frontend/main.py
#       symbol: "Unknown arguments specified"
#       checked: "2026-11-29"
#       note: The standalone router parses strictly, "unrecognized arguments".
#   messages:
#     renamed: "{name} is the old name of {new}, which Dynamo has had since 1.0"
#     weight: "{name} sets the scale of the prefill load from Dynamo 1.2 on, and not the credit for cached blocks: write {new}, or {credit} if the credit is meant"
#     leaving: "{name} is deprecated and gone from Dynamo 1.4 on: workers' events need no JetStream"
#     policy: "{name} is deprecated from Dynamo 1.6 on and is to go in 1.7: write {new} in the file of --router-policy-config"
#     gone: "{name} is gone from Dynamo {since} on and {router} runs {release}: it stops with \"{error}\""
#     maybe_gone: "{name} is gone from Dynamo {since} on, which then stops with \"{error}\"; no release is pinned here"
#     ignored: "{name} is not read from Dynamo {since} on and {router} runs {release}: it does nothing"
package agentlint.rules["dynamo-flag-deprecated"]

import data.agentlint.lib

# Old names of flags, with the release that brought the new one. Flags of two values have a --no- form of each name.
renames := {
	"kv-overlap-score-weight": {"new": "router-prefill-load-scale", "from": "1.2", "message": "weight"},
	"router-kv-overlap-score-weight": {"new": "router-prefill-load-scale", "from": "1.2", "message": "weight"},
	"kv-events": {"new": "router-kv-events", "from": "1.0", "message": "renamed"},
	"no-kv-events": {"new": "no-router-kv-events", "from": "1.0", "message": "renamed"},
	"track-active-blocks": {"new": "router-track-active-blocks", "from": "1.0", "message": "renamed"},
	"no-track-active-blocks": {"new": "no-router-track-active-blocks", "from": "1.0", "message": "renamed"},
	"track-output-blocks": {"new": "router-track-output-blocks", "from": "1.0", "message": "renamed"},
	"no-track-output-blocks": {"new": "no-router-track-output-blocks", "from": "1.0", "message": "renamed"},
	"assume-kv-reuse": {"new": "router-assume-kv-reuse", "from": "1.0", "message": "renamed"},
	"no-assume-kv-reuse": {"new": "no-router-assume-kv-reuse", "from": "1.0", "message": "renamed"},
}

# Old names of variables.
renamed_variables := {
	"DYN_OVERLAP_SCORE_WEIGHT": {"new": "DYN_ROUTER_PREFILL_LOAD_SCALE", "from": "1.2", "message": "weight"},
	"DYN_ROUTER_KV_OVERLAP_SCORE_WEIGHT": {"new": "DYN_ROUTER_PREFILL_LOAD_SCALE", "from": "1.2", "message": "weight"},
}

# What a policy file takes from 1.6 on, by flag.
policies := {
	"kv-overlap-score-weight": "prefill_load_scale",
	"router-kv-overlap-score-weight": "prefill_load_scale",
	"router-kv-overlap-score-credit": "overlap_score_credit",
	"router-kv-overlap-score-credit-decay": "overlap_score_credit_decay",
	"router-prefill-load-scale": "prefill_load_scale",
	"router-decode-active-request-weight": "decode_active_request_weight",
	"router-temperature": "router_temperature",
	"router-queue-threshold": "policy_classes[].prefill_busy_threshold_frac",
	"router-queue-policy": "policy_classes[].queue_policy",
	"router-prefill-policy": "worker_selection.prefill",
	"router-decode-policy": "worker_selection.decode",
	"shared-cache-multiplier": "shared_cache_multiplier",
	"load-aware": "the load-only policy and router tracking settings",
	"no-load-aware": "the load-only policy and router tracking settings",
}

policy_variables := {
	"DYN_OVERLAP_SCORE_WEIGHT": "prefill_load_scale",
	"DYN_ROUTER_KV_OVERLAP_SCORE_WEIGHT": "prefill_load_scale",
	"DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT": "overlap_score_credit",
	"DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY": "overlap_score_credit_decay",
	"DYN_ROUTER_PREFILL_LOAD_SCALE": "prefill_load_scale",
	"DYN_ROUTER_DECODE_ACTIVE_REQUEST_WEIGHT": "decode_active_request_weight",
	"DYN_ROUTER_TEMPERATURE": "router_temperature",
	"DYN_ROUTER_QUEUE_THRESHOLD": "policy_classes[].prefill_busy_threshold_frac",
	"DYN_ROUTER_QUEUE_POLICY": "policy_classes[].queue_policy",
	"DYN_ROUTER_PREFILL_POLICY": "worker_selection.prefill",
	"DYN_ROUTER_DECODE_POLICY": "worker_selection.decode",
	"DYN_SHARED_CACHE_MULTIPLIER": "shared_cache_multiplier",
	"DYN_ROUTER_LOAD_AWARE": "the load-only policy and router tracking settings",
}

# The first release without it.
removed := {
	"router-max-tree-size": "1.2",
	"router-prune-target-ratio": "1.2",
	"router-reset-states": "1.4",
	"no-router-reset-states": "1.4",
	"router-snapshot-threshold": "1.4",
	"router-durable-kv-events": "1.4",
	"no-router-durable-kv-events": "1.4",
	"durable-kv-events": "1.4",
	"no-durable-kv-events": "1.4",
}

removed_variables := {
	"DYN_KV_EVENTS": "1.0",
	"DYN_KV_OVERLAP_SCORE_WEIGHT": "1.0",
	"DYN_ROUTER_TTL": "1.0",
	"DYN_ROUTER_MAX_TREE_SIZE": "1.2",
	"DYN_ROUTER_PRUNE_TARGET_RATIO": "1.2",
	"DYN_ROUTER_RESET_STATES": "1.4",
	"DYN_ROUTER_SNAPSHOT_THRESHOLD": "1.4",
	"DYN_ROUTER_DURABLE_KV_EVENTS": "1.4",
}

# The switches of durable events, which were deprecated from 1.0 until they went.
durable := {"router-durable-kv-events", "no-router-durable-kv-events", "durable-kv-events", "no-durable-kv-events"}

findings contains object.union({
	"at": ["routers", i, "args", flag],
	"on_key": true,
	"message": new.message,
	"args": {"name": dashed(flag), "new": dashed(new.new), "credit": "--router-kv-overlap-score-credit"},
}, lib.with_edits(rename(i, "args", flag, new.new))) if {
	some i in frontends
	some flag, new in renames
	lib.present(["routers", i, "args", flag])
	lib.at_least(input.routers[i], new.from)
	not by_policy(i, policies, flag)
}

findings contains object.union({
	"at": ["routers", i, "env", name],
	"on_key": true,
	"message": new.message,
	"args": {"name": name, "new": new.new, "credit": "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT"},
}, lib.with_edits(rename(i, "env", name, new.new))) if {
	some i in frontends
	some name, new in renamed_variables
	lib.present(["routers", i, "env", name])
	lib.at_least(input.routers[i], new.from)
	not by_policy(i, policy_variables, name)
}

findings contains {"at": ["routers", i, "args", flag], "on_key": true, "message": "leaving", "args": {"name": dashed(flag)}} if {
	some i in frontends
	some flag in durable
	lib.present(["routers", i, "args", flag])
	lib.at_least(input.routers[i], "1.0")
	lib.below(input.routers[i], removed[flag])
}

findings contains {"at": ["routers", i, "args", flag], "on_key": true, "message": "policy", "args": {"name": dashed(flag), "new": policies[flag]}} if {
	some i in frontends
	some flag, _ in policies
	lib.present(["routers", i, "args", flag])
	by_policy(i, policies, flag)
}

findings contains {"at": ["routers", i, "env", name], "on_key": true, "message": "policy", "args": {"name": name, "new": policy_variables[name]}} if {
	some i in frontends
	some name, _ in policy_variables
	lib.present(["routers", i, "env", name])
	by_policy(i, policy_variables, name)
}

findings contains object.union(gone(input.routers[i]), {
	"at": ["routers", i, "args", flag],
	"on_key": true,
	"args": {"name": dashed(flag), "since": since, "router": input.routers[i].name, "release": input.routers[i].version, "error": lib.dynamo_unknown_flag(input.routers[i])},
}) if {
	some i in frontends
	some flag, since in removed
	lib.present(["routers", i, "args", flag])
	lib.at_least(input.routers[i], since)
}

findings contains {
	"at": ["routers", i, "env", name],
	"on_key": true,
	"severity": "warning",
	"message": "ignored",
	"args": {"name": name, "since": since, "router": input.routers[i].name, "release": input.routers[i].version},
} if {
	some i in frontends
	some name, since in removed_variables
	lib.present(["routers", i, "env", name])
	lib.release_named(input.routers[i])
	lib.at_least(input.routers[i], since)
}

frontends contains i if {
	some i, router in input.routers
	router.kind == "dynamo"
}

by_policy(i, table, name) if {
	table[name]
	lib.at_least(input.routers[i], "1.6")
}

# A release that nothing pins is a guess.
gone(router) := {"severity": "error", "message": "gone"} if {
	lib.release_named(router)
} else := {"severity": "warning", "message": "maybe_gone"}

rename(i, part, old, new) := [{"op": "rename", "at": ["routers", i, part, old], "name": new}] if {
	lib.absent(["routers", i, part, new])
} else := []

dashed(flag) := sprintf("--%s", [flag])
