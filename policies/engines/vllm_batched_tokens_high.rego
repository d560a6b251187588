# METADATA
# title: Large prefill batches hold up running answers
# description: |
#   `--max-num-batched-tokens` is the token budget of one step of the scheduler. Prefill chunks fill what decoding leaves of it, and every running
#   answer waits for the step to end, so a large budget raises the time between two tokens. An agent's calls spend most of their time
#   decoding (a published characterisation of 2026 measured 91 percent and more with the prefix cache working), so the budget goes down for
#   them, and not up.
# custom:
#   category: engine-args
#   severity: info
#   confidence: low
#   inputs: [engine.args]
#   when: ["engines.*.args.max-num-batched-tokens"]
#   remedy: |
#     Measure the time between tokens with 8192, or 4096, against the time to the first token, and keep the large number only where
#     the second one matters more.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: lower it to 8192
#     question: Do the callers wait for running answers rather than for the first token?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/config/scheduler.py
#       symbol: "max_num_batched_tokens"
#       checked: "2026-11-30"
#       note: The maximum number of tokens that can be processed in a single iteration.
#   parameters:
#     - name: tokens
#       default: 16384
#       unit: tokens
#       why: The largest default of vLLM itself.
#   messages:
#     main: "--max-num-batched-tokens {tokens} at a context of {context} tokens: a step may prefill that much while every running answer waits for its next token; measure 8192 for agents, whose time is decoding"
package agentlint.rules["vllm-batched-tokens-high"]

import data.agentlint.lib

findings contains {
	"at": ["engines", j, "args", "max-num-batched-tokens"],
	"args": {"tokens": tokens, "context": context},
	"fix": {"edits": [{"op": "set", "at": ["engines", j, "args", "max-num-batched-tokens"], "value": "8192"}]},
} if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	engine.role == "serve"
	tokens := lib.last_number(engine.args["max-num-batched-tokens"])
	tokens > lib.parameter("vllm-batched-tokens-high", "tokens")
	context := lib.context_limit(engine)
	context >= 65536
}
