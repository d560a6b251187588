# METADATA
# title: A Dynamo setting is newer than the frontend
# description: |
#   A frontend that does not know a flag stops with `Unknown arguments specified` (the standalone router with `unrecognized
#   arguments`); a variable that it does not know does nothing, so the credit or the decay that was tuned on another cluster is not in
#   force here.
# custom:
#   category: router-tier
#   severity: error
#   severities: [warning]
#   confidence: medium
#   inputs: [routers]
#   when: [routers.*.args, routers.*.env]
#   remedy: |
#     Update the frontend to the release that the message names, or remove the setting.
#   since: "0.1"
#   evidence:
#     - artefact: ai-dynamo 1.1.1
#       file: dynamo/common/configuration/groups/kv_router_args.py
#       symbol: --router-kv-overlap-score-weight
#       checked: "2026-11-29"
#       note: No credit, prefill-load-scale or load-aware; all three are in 1.2.1.
#     - artefact: ai-dynamo 1.3.1
#       file: dynamo/common/configuration/groups/kv_router_args.py
#       symbol: --router-kv-overlap-score-credit-decay
#       checked: "2026-11-29"
#       note: The decay, the host and disk weights, policy-config and predicted-ttl are not in 1.2.1; decode-active-request-weight is in 1.4.2 and not in 1.3.1.
#     - artefact: ai-dynamo 1.1.1
#       file: dynamo/frontend/main.py
#       symbol: "Unknown arguments specified"
#       checked: "2026-11-29"
#   messages:
#     main: "{name} exists from Dynamo {since} on and {router} runs {release}: it stops with \"{error}\""
#     ignored: "{name} is read from Dynamo {since} on and {router} runs {release}: it does nothing"
package agentlint.rules["dynamo-flag-needs-newer"]

import data.agentlint.lib

flags := {
	"router-kv-overlap-score-credit": "1.2",
	"router-prefill-load-scale": "1.2",
	"load-aware": "1.2",
	"no-load-aware": "1.2",
	"router-kv-overlap-score-credit-decay": "1.3",
	"router-host-cache-hit-weight": "1.3",
	"router-disk-cache-hit-weight": "1.3",
	"router-policy-config": "1.3",
	"router-predicted-ttl-secs": "1.3",
	"router-decode-active-request-weight": "1.4",
}

variables := {
	"DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT": "1.2",
	"DYN_ROUTER_PREFILL_LOAD_SCALE": "1.2",
	"DYN_ROUTER_LOAD_AWARE": "1.2",
	"DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY": "1.3",
	"DYN_ROUTER_HOST_CACHE_HIT_WEIGHT": "1.3",
	"DYN_ROUTER_DISK_CACHE_HIT_WEIGHT": "1.3",
	"DYN_ROUTER_POLICY_CONFIG": "1.3",
	"DYN_ROUTER_PREDICTED_TTL_SECS": "1.3",
	"DYN_ROUTER_DECODE_ACTIVE_REQUEST_WEIGHT": "1.4",
}

findings contains {
	"at": ["routers", i, "args", flag],
	"on_key": true,
	"args": {"name": sprintf("--%s", [flag]), "since": since, "router": router.name, "release": router.version, "error": lib.dynamo_unknown_flag(router)},
} if {
	some i, router in input.routers
	old(router)
	some flag, since in flags
	lib.present(["routers", i, "args", flag])
	lib.below(router, since)
}

findings contains {
	"at": ["routers", i, "env", name],
	"on_key": true,
	"severity": "warning",
	"message": "ignored",
	"args": {"name": name, "since": since, "router": router.name, "release": router.version},
} if {
	some i, router in input.routers
	old(router)
	some name, since in variables
	lib.present(["routers", i, "env", name])
	lib.below(router, since)
}

old(router) if {
	router.kind == "dynamo"
	router.version_source == "image"
}
