# METADATA
# title: A token limit below what one request reserves
# description: |
#   From 1.85 to 1.87 the limiter reserves an estimate of a request's tokens before it is sent: a quarter of its characters, and for the
#   answer `max_tokens`, or without it as much again and at least 1,024. A request without `max_tokens` therefore reserves 1,025 tokens
#   or more, and a limit below that refuses every one of them with 429, the first included, with the whole limit shown as remaining.
#   From 1.88.0 on the estimate is capped to the smallest limit.
# custom:
#   category: limits
#   severity: warning
#   confidence: medium
#   inputs: [gateway.config, gateway.image]
#   when: [gateway.config.litellm_settings]
#   applies: ["litellm>=1.85 <1.88"]
#   remedy: |
#     Upgrade to 1.88 or newer, or raise the limit well above 1,024 plus the tokens of a usual prompt, or have clients send `max_tokens`.
#     LITELLM_TPM_TOKEN_RESERVATION_ENABLED is read from 1.90 on, so it does not help in these releases.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.85.0
#       file: litellm/proxy/hooks/parallel_request_limiter_v3.py
#       symbol: DEFAULT_MAX_TOKENS_ESTIMATE // 4
#       checked: "2026-11-30"
#       note: 4096 // 4, also in 1.85.7, 1.86.7 and 1.87.5; no reservation in 1.84.0.
#     - artefact: litellm 1.88.0
#       file: litellm/proxy/hooks/parallel_request_limiter_v3.py
#       symbol: min_configured_tpm_limit
#       checked: "2026-11-30"
#   messages:
#     main: "{name} is {limit}: LiteLLM {version} reserves the prompt and at least 1024 tokens for a request without max_tokens, so every such request is answered 429, the first one too, with {limit} tokens shown as remaining"
package agentlint.rules["tpm-limit-below-reservation"]

import data.agentlint.lib

# A prompt is at least one token, and the answer counts 1,024.
least := 1025

findings contains {
	"at": path,
	"args": {"name": "tpm_limit", "limit": limit, "version": input.gateway.version},
	"figures": [{"name": "reserved", "value": least, "unit": "tokens", "formula": "1 of the prompt + 1024", "limit": limit}],
} if {
	some path in lib.key_limits_at
	path[count(path) - 1] == "tpm_limit"
	limit := lib.value(path, null)
	limit < least
}
