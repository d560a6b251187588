# METADATA
# title: Tool calls are promised and the engine has no parser for them
# description: |
#   With `supports_function_calling: true` clients send tools. An engine without --enable-auto-tool-choice and
#   --tool-call-parser answers such a request 400: "auto" tool choice requires --enable-auto-tool-choice and
#   --tool-call-parser to be set.
# custom:
#   category: models
#   severity: warning
#   confidence: medium
#   inputs: [gateway.config, engines]
#   when: [gateway.config.model_list.*.model_info.supports_function_calling]
#   remedy: |
#     Start the engine with `--enable-auto-tool-choice --tool-call-parser NAME`, the parser of the model's family (hermes and
#     qwen3_coder for Qwen, llama3_json for Llama 3, mistral, openai for gpt-oss), or take the promise back.
#   since: "0.1"
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/renderers/online_renderer.py
#       symbol: tool choice requires
#       checked: "2026-11-29"
#       note: Tokenizers of Mistral's own and the harmony format of gpt-oss parse tool calls themselves.
#   messages:
#     main: "group {group} promises function calling and the engine {engine} runs without {flags}: requests with tools are answered 400"
package agentlint.rules["tools-claimed-without-parser"]

import data.agentlint.lib

findings contains {
	"at": at,
	"args": {"group": group.name, "engine": lib.engine_label(j), "flags": missing(j)},
	"related": [{"at": ["engines", j, "name"], "message": "the engine"}],
} if {
	some group in input.groups
	some deployment in group.deployments
	at := array.concat(lib.entry_path(deployment.index), ["model_info", "supports_function_calling"])
	lib.value(at, false) == true
	deployment.target.kind == "engine"
	some j, engine in input.engines
	engine.name == deployment.target.name
	engine.runtime == "vllm"
	engine.role != "pooling"
	not parses_itself(j)
	count(flags_missing(j)) > 0
}

flags_missing(j) := [sprintf("--%s", [flag]) |
	some flag in ["enable-auto-tool-choice", "tool-call-parser"]
	lib.absent(["engines", j, "args", flag])
	lib.absent(["engines", j, "args", "config"])
]

missing(j) := concat(" and ", flags_missing(j))

# Harmony, and Mistral's own tokenizer, which the engine also chooses by itself.
parses_itself(j) if contains(lower(lib.value(["engines", j, "model"], "")), "gpt-oss")

parses_itself(j) if contains(lower(lib.value(["engines", j, "model"], "")), "mistral")

parses_itself(j) if lib.unknown(["engines", j, "model"])

parses_itself(j) if "mistral" in lib.value(["engines", j, "args", "tokenizer-mode"], [])

parses_itself(j) if lib.unknown(["engines", j, "args", "tokenizer-mode"])
