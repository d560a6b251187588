# METADATA
# title: The Dynamo router guesses what workers hold
# description: |
#   In kv mode without KV events the router does not learn what workers cache and evict. It assumes that a worker holds the
#   blocks of every request it was sent, for 120 s (`--router-ttl-secs`), whatever the worker does with them; each frontend
#   assumes for itself. Cached prefixes that are older are forgotten and evicted ones are counted on. Upstream offers the
#   mode for engines that cannot publish events and does not recommend it in production.
#   From 1.5 `--router-approximate-cache-policy lru` replaces the lifetime by the capacity that each worker reports; it is
#   still a guess.
# custom:
#   category: router-tier
#   severity: warning
#   confidence: high
#   inputs: [routers]
#   when: [routers.*.settings.kv_events]
#   remedy: |
#     Remove `--no-router-kv-events` (or `DYN_ROUTER_USE_KV_EVENTS=false`, or `use_kv_events: false` in the policy file). From
#     1.1 vLLM workers publish events only with an explicit
#     `--kv-events-config '{"enable_kv_cache_events":true,"publisher":"zmq","endpoint":"tcp://*:20080"}'`. Where the engine
#     cannot publish, `--load-aware` routes by load and assumes nothing about caches.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: turn KV events on
#     question: Do the workers publish KV events (from Dynamo 1.1 with an explicit --kv-events-config)?
#   evidence:
#     - artefact: ai-dynamo 1.6.1
#       file: dynamo/common/configuration/groups/kv_router_args.py
#       symbol: router predicts cache state based on routing decisions
#       checked: "2026-11-29"
#       note: Default of --router-ttl-secs 120.0, used only without events; --router-approximate-cache-policy ttl or lru.
#     - artefact: ai-dynamo 0.9.1
#       file: dynamo/frontend/main.py
#       symbol: --no-kv-events to disable
#       checked: "2026-11-29"
#       note: The only form before 1.0; from 1.0 an obsolete alias.
#   messages:
#     main: "KV events are off in kv mode: the router counts on what it sent to a worker for {ttl} s instead of on what the worker caches, which is not meant for production"
#     lru: "KV events are off in kv mode: the router counts on what it sent to a worker, least recently used first, instead of on what the worker caches, which is not meant for production"
package agentlint.rules["dynamo-approximate-mode"]

import data.agentlint.lib

findings contains object.union({
	"at": ["routers", i, "settings", "kv_events", "value"],
	"message": wording(i),
	"args": {"ttl": ttl(i)},
}, fix(i)) if {
	some i, router in input.routers
	lib.dynamo_kv(i)
	router.settings.kv_events.value == false
}

wording(i) := "lru" if {
	input.routers[i].settings.approximate_cache_policy.value == "lru"
} else := "main"

ttl(i) := lib.value(["routers", i, "settings", "ttl_secs", "value"], 120)

ttl(i) := "some" if lib.unknown(["routers", i, "settings", "ttl_secs", "value"])

# Whether the workers publish is what the question asks.
fix(i) := {"fix": {"edits": edits(i), "brings": ["kv-router-without-engine-events"]}} if {
	count(edits(i)) > 0
} else := {}

edits(i) := [{"op": "set", "at": ["routers", i, "config", "router", "use_kv_events"], "value": true}] if {
	input.routers[i].settings.kv_events.source == "config"
} else := [{"op": "remove", "at": at} | some at in writers(i)]

writers(i) := {["routers", i, part, name] |
	some part, names in {"args": ["no-router-kv-events", "no-kv-events"], "env": ["DYN_ROUTER_USE_KV_EVENTS", "DYN_KV_EVENTS"]}
	some name in names
	input.routers[i][part][name]
}
