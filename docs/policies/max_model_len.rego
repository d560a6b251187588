# METADATA
# title: An engine accepts longer prompts than we planned for
# description: |
#   The KV cache of one sequence grows with its length. The capacity plan counts on 65536 tokens; twice that
#   halves how many sequences fit, and the others wait.
# custom:
#   severity: warning
#   fix:
#     safety: unsafe
#     title: lower --max-model-len
#     question: Does any client send longer prompts?
#   parameters:
#     - {name: tokens, default: 65536, unit: tokens, why: what the capacity plan counts on}
#   messages:
#     main: "engine {name} accepts {limit} tokens; {most} are planned for"
#   remedy: Write `--max-model-len 65536` or less, or ask for a plan of its own.
package agentlint.custom.capacity.max_model_len

import data.agentlint.lib

most := lib.parameter("custom/max-model-len", "tokens")

findings contains {
	"at": at,
	"args": {"name": engine.name, "limit": limit, "most": most},
	"figures": [{"name": "context", "value": limit, "unit": "tokens", "limit": most}],
	"fix": {"edits": [{"op": "set", "at": at, "value": sprintf("%d", [most])}]},
} if {
	some i, engine in input.engines
	limit := lib.number(engine.args["max-model-len"][0])
	limit > most
	at := ["engines", i, "args", "max-model-len", 0]
}
