# METADATA
# title: The engine does not tell how much was cached
# description: |
#   vLLM reports `usage.prompt_tokens_details.cached_tokens` only with `--enable-prompt-tokens-details`. Without it the gateway counts every prompt
#   token as computed: its spend figures charge the full price for a history that came from the cache, and no record by request,
#   key or team shows whether conversations find their prefix.
# custom:
#   category: models
#   severity: info
#   confidence: medium
#   inputs: [gateway.config, engine.args]
#   applies: ["vllm>=0.6.4"]
#   remedy: |
#     Add `--enable-prompt-tokens-details` to the engine.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: add --enable-prompt-tokens-details
#     question: Do the clients accept usage with prompt_tokens_details?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/entrypoints/launchers/cli_args.py
#       symbol: enable_prompt_tokens_details
#       checked: "2026-11-30"
#       note: Off by default in all releases from 0.6.4 to 0.33.0.
#   messages:
#     main: "engine {engine} does not report cached tokens, so the gateway counts every prompt token as computed, and nothing shows by request whether the prefix cache works; --enable-prompt-tokens-details reports them"
package agentlint.rules["engine-hides-cached-tokens"]

import data.agentlint.lib

findings contains {
	"at": at,
	"on_key": true,
	"args": {"engine": engine.name},
	"fix": {"edits": [{"op": "set", "at": at, "value": true}]},
} if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	engine.role in {"serve", "decode"}
	lib.reached(j)
	at := ["engines", j, "args", "enable-prompt-tokens-details"]
	lib.absent(at)
	caching(j)
}

# Prefix caching is on, by default or in words, and nothing that is not seen may switch it off.
caching(j) if {
	every flag in ["no-enable-prefix-caching", "disable-prefix-caching"] {
		lib.absent(["engines", j, "args", flag])
	}
}
