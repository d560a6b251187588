# METADATA
# title: The Dynamo KV router never lowers the credit of a warm worker
# description: |
#   In kv mode the router gives a worker credit for every block of the prompt that it already holds. With
#   overlap-credit decay 0, the default, that credit stays whole however much prefill waits on the worker, so warm workers
#   keep winning and one that was just started warms slowly: autoscaling adds a GPU that sees little of the traffic it
#   was added for. A decay d divides the credit by 1 + d times the excess prefill, counted in requests.
#   In upstream's own simulations (pull request 10574) a decay of 0.5 raised the share of the weakest new worker in its
#   first 100 requests from 20 % to 25 %, at a mean inter-token latency 2.2 % higher; 1 to 2 made latency materially
#   worse, so more than 0.5 is not advised.
# custom:
#   category: router-tier
#   severity: info
#   severities: [warning]
#   confidence: high
#   inputs: [routers, autoscalers]
#   applies: ["dynamo>=1.3"]
#   remedy: |
#     Set `--router-kv-overlap-score-credit-decay 0.5` or `DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY=0.5`. From Dynamo 1.6
#     write it into the file of `--router-policy-config`; the flag is deprecated there and goes in 1.7:
#     ```yaml
#     worker_selection:
#       aggregated: tuned
#       instances:
#         - name: tuned
#           type: dynamo-default-cost-fn
#           parameters:
#             overlap_score_credit_decay: 0.5
#     ```
#     Measure the hit rate and the latency before and after.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: set the overlap-credit decay to 0.5
#     question: May warm workers lose some cache hits so that new workers fill sooner?
#   evidence:
#     - artefact: ai-dynamo 1.3.1
#       file: dynamo/common/configuration/groups/kv_router_args.py
#       symbol: --router-kv-overlap-score-credit-decay
#       checked: "2026-11-29"
#       note: Default 0.0, help text "0 disables decay; 1 halves credit"; the flag is in no wheel up to 1.2.1.
#     - artefact: ai-dynamo 1.6.1
#       file: dynamo/common/configuration/groups/kv_router_args.py
#       symbol: in the default policy parameters in --router-policy-config
#       checked: "2026-11-29"
#       note: Deprecated in 1.6 with removal in v1.7; load-aware sets the credit to 0.
#   messages:
#     main: "the overlap-credit decay is {decay} in kv mode: warm workers keep all their credit however loaded, and a new worker warms slowly; set {advice}"
#     scaled: "the overlap-credit decay is {decay} in kv mode: warm workers keep all their credit however loaded, so workers that {scaler} adds warm slowly; set {advice}"
#     unseen: "the file of --router-policy-config is not among the files: whether the overlap-credit decay is 0 in kv mode cannot be said"
#     scaler: the number of workers changes here
package agentlint.rules["overlap-credit-decay-zero"]

import data.agentlint.lib

findings contains object.union(finding(i), {
	"at": place(i),
	"args": {"decay": shown(i), "scaler": scaler_name(i), "advice": advice(i)},
}) if {
	some i in candidates
	decay_zero(i)
}

# A policy file that is not seen may hold the decay.
findings contains object.union(finding(i), {
	"at": ["routers", i, "settings", "policy_config", "value"],
	"message": "unseen",
	"needs": ["routers.config"],
}) if {
	some i in candidates
	input.routers[i].settings.policy_config
	lib.at_least(input.routers[i], "1.6")
	lib.unknown(["routers", i, "settings", "overlap_score_credit_decay"])
}

candidates contains i if {
	some i, router in input.routers
	router.kind == "dynamo"
	router.mode == "kv"
	lib.value(["routers", i, "settings", "load_aware", "value"], false) == false
	credit_counts(i)
}

credit_counts(i) if lib.value(["routers", i, "settings", "overlap_score_credit", "value"], 1) > 0

# The credit may stand in the same unseen file as the decay.
credit_counts(i) if {
	input.routers[i].settings.policy_config
	lib.unknown(["routers", i, "settings", "overlap_score_credit"])
}

decay_path(i) := ["routers", i, "settings", "overlap_score_credit_decay", "value"]

decay_zero(i) if lib.value(decay_path(i), 0) == 0

place(i) := decay_path(i) if lib.present(decay_path(i))

place(i) := ["routers", i, "mode"] if lib.absent(decay_path(i))

shown(i) := "0" if lib.present(decay_path(i))

shown(i) := "left at its default 0" if lib.absent(decay_path(i))

advice(i) := "--router-kv-overlap-score-credit-decay to 0.5" if lib.below(input.routers[i], "1.6")

advice(i) := "overlap_score_credit_decay: 0.5 in the policy parameters of --router-policy-config (the flag is deprecated from 1.6)" if {
	lib.at_least(input.routers[i], "1.6")
}

finding(i) := object.union_n([{"severity": severity(i), "message": wording(i)}, related(i), fix(i)])

severity(i) := "warning" if {
	count(scalers[i]) > 0
} else := "info"

wording(i) := "scaled" if {
	count(scalers[i]) > 0
} else := "main"

related(i) := {"related": [{"at": at, "message": "scaler"} | some at, _ in scalers[i]]}

# scalers[i]: what changes the number of workers behind router i, by place.
scalers[i][["autoscalers", j]] := name if {
	some i in candidates
	some j, autoscaler in input.autoscalers
	autoscaler.enabled == true
	autoscaler.target.part == "engine"
	autoscaler.target.name in input.routers[i].targets
	grows(autoscaler)
	name := scaler_word(autoscaler)
}

scalers[i][["engines", j, "replicas"]] := "a rollout or autoscaler" if {
	some i in candidates
	some j in lib.engines_of_router(input.routers[i])
	replicas := input.engines[j].replicas
	replicas.max > replicas.min
	not scaled_by_part(input.engines[j].name)
}

scaled_by_part(name) if {
	some autoscaler in input.autoscalers
	autoscaler.target.name == name
}

grows(autoscaler) if autoscaler.max > 1

grows(autoscaler) if autoscaler.kind == "planner"

scaler_word(autoscaler) := "the planner" if {
	autoscaler.kind == "planner"
} else := "the autoscaler"

scaler_name(i) := name if {
	names := [name | some _, name in scalers[i]]
	name := names[0]
} else := ""

# A written 0 becomes 0.5 where it stands; else the setting is added in the way that the mode is set. From 1.6 only a
# policy file that selects the default policy is changed.
fix(i) := lib.with_edits([{"op": "set", "at": at, "value": written_value(at)} |
	at := lib.written_at(i, "overlap_score_credit_decay", ["router-kv-overlap-score-credit-decay"], ["DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY"])
]) if {
	lib.present(decay_path(i))
} else := {"fix": {"edits": [{"op": "set", "at": ["routers", i, "env", "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY"], "value": "0.5"}]}} if {
	lib.below(input.routers[i], "1.6")
	input.routers[i].settings.router_mode.source == "env"
} else := {"fix": {"edits": [{"op": "set", "at": ["routers", i, "args", "router-kv-overlap-score-credit-decay"], "value": "0.5"}]}} if {
	lib.below(input.routers[i], "1.6")
} else := {"fix": {"edits": [{"op": "set", "at": array.concat(at, ["parameters", "overlap_score_credit_decay"]), "value": 0.5} | some at in default_instances(i)]}} if {
	count(default_instances(i)) > 0
} else := {}

# An argument or variable is a text.
written_value(at) := 0.5 if {
	at[2] == "settings"
} else := "0.5"

default_instances(i) := {["routers", i, "config", "worker_selection", "instances", j] |
	selection := input.routers[i].config.worker_selection
	some role in ["aggregated", "prefill", "decode"]
	some j, instance in selection.instances
	instance.name == selection[role]
	instance.type == "dynamo-default-cost-fn"
}
