# METADATA
# title: Several endpoint pickers are active at once, each with its own index
# description: |
#   Without leader election every replica of the picker takes requests. The approximate index is built from the requests
#   that a replica has routed itself, so with n replicas each of them knows about 1/n of the prefixes and sends the rest
#   wherever the other scorers point: the hit rate falls with every replica. The precise index is fed by the engines, so all
#   replicas know the same; only the requests in flight are counted by each replica alone.
#   The chart of llm-d adds `--ha-enable-leader-election` by itself when there is more than one replica (active-passive: the
#   other replicas wait). The flag's own default is off.
# custom:
#   category: router-tier
#   severity: warning
#   severities: [info]
#   confidence: medium
#   inputs: [routers]
#   remedy: |
#     Set `--ha-enable-leader-election` (in the chart leave the flag out), or run one replica. When one picker does not
#     carry the load, give it CPUs, or use the precise index.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: turn leader election on
#     question: Does one active picker carry all of the traffic?
#   evidence:
#     - artefact: llm-d-router 0.9.0
#       file: config/charts/routerlib/templates/_deployment.yaml
#       symbol: --ha-enable-leader-election
#       checked: "2026-11-29"
#       note: Rendered for more than one replica, except with GKE's preferred backends; flags of the values follow and win.
#     - artefact: llm-d-router 0.9.0
#       file: pkg/epp/server/options.go
#       symbol: ha-enable-leader-election
#       checked: "2026-11-29"
#       note: The flag's default is false.
#   messages:
#     main: "leader election is off for {replicas} picker replicas: each scores prefixes by the requests it routed itself, so each knows about 1/{replicas} of them"
#     unset: "--ha-enable-leader-election is not set for {replicas} picker replicas, so all are active: each scores prefixes by the requests it routed itself and knows about 1/{replicas} of them"
#     precise: "{replicas} picker replicas are active at once: the precise index is the same in all, the requests in flight are counted by each alone"
#     replicas: "{replicas} replicas"
package agentlint.rules["epp-active-active-approximate"]

import data.agentlint.lib

findings contains object.union_n([
	{
		"at": place(i),
		"message": wording(i),
		"severity": severity(i),
		"args": {"replicas": router.replicas.max},
	},
	fix(i),
]) if {
	some i, router in input.routers
	lib.picker(router)
	router.mode in {"approx-prefix-cache", "precise-prefix-cache"}
	router.replicas.max > 1
	lib.value(flag(i), false) == false
}

flag(i) := ["routers", i, "settings", "leader_election", "value"]

place(i) := flag(i) if lib.present(flag(i))

place(i) := ["routers", i, "replicas", "max"] if lib.absent(flag(i))

severity(i) := "warning" if {
	input.routers[i].mode == "approx-prefix-cache"
	lib.present(flag(i))
} else := "info"

wording(i) := "precise" if {
	input.routers[i].mode == "precise-prefix-cache"
} else := "main" if {
	lib.present(flag(i))
} else := "unset"

fix(i) := lib.with_edits([{"op": "set", "at": at, "value": "true"} |
	at := lib.written_at(i, "leader_election", ["ha-enable-leader-election", "haEnableLeaderElection"], [])
	at[2] == "args"
]) if {
	input.routers[i].settings.leader_election.source == "args"
} else := lib.with_edits([{"op": "set", "at": flag(i), "value": true}]) if {
	lib.present(flag(i))
} else := lib.with_edits([{"op": "set", "at": ["routers", i, "args", "ha-enable-leader-election"], "value": "true"}])
