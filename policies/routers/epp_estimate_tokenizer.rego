# METADATA
# title: The precise prefix index works on estimated tokens
# description: |
#   From llm-d 0.9 the tokens that the precise index hashes come from a plugin of their own, the token-producer. Without
#   `modelName` or a `vllm` block it is the `estimate` backend, which cuts prompts into pieces of about 4 bytes; a picker that declares no
#   token-producer gets that one too. The engines' events carry the tokens of the model's tokenizer, so no hash ever matches,
#   and the picker falls back to its other scorers without an error or a log line.
# custom:
#   category: router-tier
#   severity: error
#   confidence: high
#   inputs: [routers]
#   when: [routers.*.config.plugins]
#   applies: ["llm-d>=0.9"]
#   remedy: |
#     Declare the token-producer with the model and a render endpoint of vLLM (`vllm launch render`, or an engine; from vLLM
#     0.30 engines need `--enable-scale-out` for it):
#     ```yaml
#     - type: token-producer
#       parameters:
#         modelName: Qwen/Qwen3-32B
#         vllm:
#           url: http://localhost:8000
#     ```
#     or use `approx-prefix-cache-producer`, which needs no tokens of the model.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: add modelName and vllm.url to a token-producer
#     question: Does a render endpoint of vLLM listen at http://localhost:8000 in the picker's pod (or where else)?
#   evidence:
#     - artefact: llm-d-router 0.9.0
#       file: pkg/epp/framework/plugins/requestcontrol/dataproducer/tokenizer/README.md
#       symbol: silently degrades precise cache correlation
#       checked: "2026-11-29"
#   messages:
#     main: "the precise prefix index has no token-producer, so it hashes estimated tokens (about 4 bytes each) that never match the engines': the index finds nothing and no error says so; declare a token-producer with modelName and vllm.url"
#     estimate: "the token-producer has no vllm backend, so the precise prefix index hashes estimated tokens (about 4 bytes each) that never match the engines': the index finds nothing and no error says so; set modelName and vllm.url"
#     precise: "the precise prefix index"
package agentlint.rules["epp-estimate-tokenizer"]

import data.agentlint.lib

findings contains object.union({
	"at": ["routers", i, "config", "plugins", j, "type"],
	"message": "main",
	"args": {},
}, added(i)) if {
	some i in candidates
	count(producers(i)) == 0
	j := min(lib.precise_plugins(input.routers[i]))
}

findings contains object.union({
	"at": ["routers", i, "config", "plugins", j, "type"],
	"message": "estimate",
	"args": {},
	"related": [{"at": ["routers", i, "config", "plugins", min(lib.precise_plugins(input.routers[i])), "type"], "message": "precise"}],
}, completed(i, j)) if {
	some i in candidates
	some j in producers(i)
	every key in ["vllm", "modelName", "udsTokenizerConfig"] {
		lib.absent(["routers", i, "config", "plugins", j, "parameters", key])
	}
}

candidates contains i if {
	some i, router in input.routers
	lib.picker_precise(i)
	count(lib.precise_plugins(router)) > 0
	known_types(i)
	no_tokenizer_inside(i)
}

# All plugins are seen with their types.
known_types(i) if {
	every plugin in input.routers[i].config.plugins {
		is_string(plugin.type)
	}
	not lib.unknown(["routers", i, "config", "plugins"])
}

# The wrapper of older configurations may carry a tokenizer itself.
no_tokenizer_inside(i) if {
	every j in lib.precise_plugins(input.routers[i]) {
		lib.absent(["routers", i, "config", "plugins", j, "parameters", "indexerConfig", "tokenizersPoolConfig"])
	}
}

producers(i) := {j |
	some j, plugin in input.routers[i].config.plugins
	plugin.type in {"token-producer", "tokenizer"}
}

# The model is known when all engines behind the picker run the same one; the address is the product's default.
added(i) := {"fix": {"edits": [{
	"op": "append",
	"at": ["routers", i, "config", "plugins"],
	"value": {"type": "token-producer", "parameters": {"modelName": model, "vllm": {"url": address}}},
}]}} if {
	model := only_model(i)
} else := {}

completed(i, j) := {"fix": {"edits": [
	{"op": "set", "at": ["routers", i, "config", "plugins", j, "parameters", "modelName"], "value": model},
	{"op": "set", "at": ["routers", i, "config", "plugins", j, "parameters", "vllm", "url"], "value": address},
]}} if {
	model := only_model(i)
} else := {}

address := "http://localhost:8000"

only_model(i) := model if {
	models := {input.engines[j].model | some j in lib.engines_of_router(input.routers[i])}
	count(models) == 1
	some model in models
}
