# METADATA
# title: One long prefill holds up the short requests
# description: |
#   The scheduler gives each step a budget of tokens, and a prompt of 100000 tokens may take all of it for many steps. Requests with
#   short prompts wait behind it, and the running ones get their tokens later. `--long-prefill-token-threshold` caps what one
#   prompt takes of a step. It is off by default. In a published measurement of agents 512 raised the throughput by 93 percent; other
#   workloads gain less or nothing, so this is a hint.
#   Up to 0.30 the cap also slows a long prompt that is alone in the batch, from 0.31 on it does not.
# custom:
#   category: engine-args
#   severity: info
#   confidence: medium
#   inputs: [engine.args, engine.image]
#   applies: ["vllm>=0.8.3"]
#   remedy: |
#     Add `--long-prefill-token-threshold 512` and compare the time to the first token of short and of long prompts. From 0.31 on
#     `--long-prefill-token-threshold-adaptive` lets the cap grow while few requests share a step.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: add --long-prefill-token-threshold 512
#     question: Do short requests share the engine with long prompts, and will both be measured?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/v1/core/sched/scheduler.py
#       symbol: long_prefill_token_threshold
#       checked: "2026-11-29"
#       note: Caps the new tokens of a request in a step; first read by this scheduler in 0.8.3.
#     - artefact: vllm 0.31.0
#       file: vllm/v1/core/sched/scheduler.py
#       symbol: exists to stop a long prefill from
#       checked: "2026-11-29"
#       note: From here on a request that is alone is not capped; the adaptive form is new.
#   messages:
#     main: "the context is {context} tokens and --long-prefill-token-threshold is off, so one long prefill holds up short requests; 512 raised the throughput of agents by 93 percent in a published measurement, and from 0.31 on leaves a prompt that is alone as it is"
#     older: "the context is {context} tokens and --long-prefill-token-threshold is off, so one long prefill holds up short requests; 512 raised the throughput of agents by 93 percent in a published measurement, and up to 0.30 also slows a long prompt that is alone"
package agentlint.rules["vllm-long-prefill-threshold-unset"]

import data.agentlint.lib

findings contains {
	"at": at,
	"on_key": true,
	"message": wording(engine),
	"args": {"context": context},
	"fix": {"edits": [{"op": "set", "at": at, "value": "512"}]},
} if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	engine.role == "serve"
	context := lib.context_limit(engine)
	context >= 65536
	at := ["engines", j, "args", "long-prefill-token-threshold"]
	lib.absent(at)
	lib.absent(["engines", j, "args", "long-prefill-token-threshold-adaptive"])
	not derived(j, engine)
}

wording(engine) := "main" if lib.at_least(engine, "0.31")

wording(engine) := "older" if lib.below(engine, "0.31")

# Below 0.27 several partial prefills derive the threshold: 4 percent of the context.
derived(j, engine) if {
	lib.below(engine, "0.27")
	path := ["engines", j, "args", "max-num-partial-prefills"]
	not lib.absent(path)
	not input.engines[j].args["max-num-partial-prefills"] == ["1"]
}
