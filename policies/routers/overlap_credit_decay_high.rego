# METADATA
# title: The overlap-credit decay is too high
# description: |
#   The decay takes credit for cached blocks away from a worker as the prefill that waits on it grows: at 1 half of the credit is
#   gone at one request of excess. Up to 0.5 that balances; above, the router gives up cache hits that would have been cheaper than
#   the wait. In upstream's own simulations (pull request 10574) values of 1 to 2 made the time to the first token and between tokens
#   materially worse, and 0.5 cost 2.2 % of the latter.
# custom:
#   category: router-tier
#   severity: warning
#   confidence: medium
#   inputs: [routers]
#   when: [routers.*.settings.overlap_score_credit_decay]
#   applies: ["dynamo>=1.3"]
#   remedy: |
#     Use 0.5 or less, and measure the hit rate and the latency before and after.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: lower the decay to 0.5
#     question: Was the higher value measured to be better here?
#   parameters:
#     - name: decay
#       default: 0.5
#       unit: ""
#       why: The largest value at which upstream's simulations showed little harm.
#   evidence:
#     - artefact: ai-dynamo 1.3.1
#       file: dynamo/common/configuration/groups/kv_router_args.py
#       symbol: "0 disables decay; 1 halves credit at one request-equivalent"
#       checked: "2026-11-29"
#   messages:
#     main: "an overlap-credit decay of {decay} gives cache hits up for balance: {wording}; use {limit} or less"
package agentlint.rules["overlap-credit-decay-high"]

import data.agentlint.lib

id := "overlap-credit-decay-high"

findings contains object.union({
	"at": place,
	"args": {"decay": decay, "limit": lib.parameter(id, "decay"), "wording": worded(decay)},
}, lib.with_edits([{"op": "set", "at": at, "value": text(at, lib.parameter(id, "decay"))} | at := written(i)])) if {
	some i in candidates
	place := ["routers", i, "settings", "overlap_score_credit_decay", "value"]
	decay := lib.number(lib.value(place, 0))
	decay > lib.parameter(id, "decay")
}

# With no credit there is nothing that decays.
candidates contains i if {
	some i, _ in input.routers
	lib.dynamo_kv(i)
	lib.value(["routers", i, "settings", "overlap_score_credit", "value"], 1) != 0
}

worded(decay) := "upstream measured materially worse latencies at 1 to 2" if {
	decay >= 1
} else := "cached blocks weigh less the more prefill waits, and upstream measured materially worse latencies from 1 on"

written(i) := lib.written_at(i, "overlap_score_credit_decay", ["router-kv-overlap-score-credit-decay"], ["DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY"])

# An argument or variable is a text.
text(at, number) := number if {
	at[2] == "settings"
} else := sprintf("%v", [number])
