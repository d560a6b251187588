# METADATA
# title: Several Dynamo frontends do not tell each other what they route
# description: |
#   In kv mode a frontend counts the blocks and tokens of the requests that it routed itself. With several replicas and without
#   replica sync each knows its own share only, so all of them find the same worker idle and send to it at once. The index of
#   prefixes is not the point: it comes from the workers' events and is the same everywhere.
# custom:
#   category: router-tier
#   severity: warning
#   confidence: medium
#   inputs: [routers]
#   remedy: |
#     Set `--router-replica-sync` (`DYN_ROUTER_REPLICA_SYNC=true`, or from 1.6 `router_replica_sync: true` in the policy file) on all
#     frontends, or run one.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: set router replica sync
#     question: Can the frontends reach each other over the event plane?
#   evidence:
#     - artefact: ai-dynamo 1.3.1
#       file: dynamo/common/configuration/groups/kv_router_args.py
#       symbol: --router-replica-sync
#       checked: "2026-11-29"
#       note: "Off by default; \"routers will publish and subscribe to events to maintain consistent state\"."
#   messages:
#     main: "{replicas} frontends route in kv mode without replica sync, which is off by default: each balances on the load that it sent itself"
#     off: "{replicas} frontends route in kv mode with replica sync off: each balances on the load that it sent itself"
#     replicas: the number of frontends
package agentlint.rules["dynamo-frontends-not-synced"]

import data.agentlint.lib

findings contains object.union({
	"at": place(i),
	"message": wording(i),
	"args": {"replicas": lib.router_count(router)},
	"related": [{"at": ["routers", i, "replicas", "max"], "message": "replicas"}],
}, lib.with_edits(edits(i))) if {
	some i, router in input.routers
	router.kind == "dynamo"
	router.mode == "kv"
	router.replicas.max > 1
	lib.value(sync(i), false) == false
}

sync(i) := ["routers", i, "settings", "replica_sync", "value"]

place(i) := sync(i) if {
	lib.present(sync(i))
} else := ["routers", i, "mode"]

wording(i) := "off" if {
	lib.present(sync(i))
} else := "main"

# Where the setting is written, else the way the mode is set. Variables of the router are read from 1.0 on.
edits(i) := [{"op": "set", "at": sync(i), "value": true}] if {
	input.routers[i].settings.replica_sync.source == "config"
} else := [{"op": "set", "at": ["routers", i, "env", "DYN_ROUTER_REPLICA_SYNC"], "value": "true"}] if {
	input.routers[i].settings.replica_sync.source == "env"
} else := [{"op": "rename", "at": ["routers", i, "args", "no-router-replica-sync"], "name": "router-replica-sync"}] if {
	input.routers[i].settings.replica_sync.source == "args"
	lib.absent(["routers", i, "args", "router-replica-sync"])
} else := [] if {
	lib.present(sync(i))
} else := [{"op": "set", "at": ["routers", i, "env", "DYN_ROUTER_REPLICA_SYNC"], "value": "true"}] if {
	input.routers[i].settings.router_mode.source == "env"
	lib.at_least(input.routers[i], "1.0")
} else := [{"op": "set", "at": ["routers", i, "args", "router-replica-sync"], "value": []}]
