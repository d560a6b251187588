# METADATA
# title: The semantic cache takes other questions for the same
# description: |
#   A semantic cache answers a prompt from the stored answer of a prompt that is similar enough. Below a similarity of
#   about 0.8 prompts that differ in the part that matters (another customer, another file, "with" for "without") pass, and
#   a user gets the answer to somebody else's question, with no sign of it.
# custom:
#   category: caching
#   severity: warning
#   severities: [info, error]
#   confidence: high
#   inputs: [gateway.config]
#   when: [gateway.config.litellm_settings.cache_params]
#   remedy: |
#     Raise `similarity_threshold` to 0.9 or more and measure wrong hits on real prompts, or cache exact prompts only. For
#     agents, whose prompts differ by a tool result, do without.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: raise similarity_threshold
#     question: Were wrong answers measured with real prompts, and at which threshold did they end?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/caching/redis_semantic_cache.py
#       symbol: similarity_threshold
#       checked: "2026-11-29"
#       note: No default and no lower bound; 0 is the loosest, 1 an exact match. It computes with the value, and a reference to the environment gives text. Run with 1.102.0 and 1.110.2, that stops the start (TypeError).
#     - artefact: litellm 1.102.0
#       file: litellm/caching/qdrant_semantic_cache.py
#       symbol: similarity_threshold
#       checked: "2026-11-29"
#   parameters:
#     - name: warning
#       default: 0.8
#       unit: similarity
#       why: Below it paraphrases and different questions overlap in common embedding models.
#     - name: info
#       default: 0.9
#       unit: similarity
#       why: From it on near duplicates remain.
#   messages:
#     main: "similarity_threshold is {threshold}, below {limit}: the cache answers with what was stored for another question"
#     text: "similarity_threshold is {threshold}, which the redis-semantic cache gets as text and computes with, so the gateway does not start (TypeError)"
#     reference: "similarity_threshold is {threshold}, set out of the config's sight: below {limit} the cache answers with what was stored for another question"
package agentlint.rules["semantic-cache-threshold-lax"]

import data.agentlint.lib

id := "semantic-cache-threshold-lax"

threshold := ["gateway", "config", "litellm_settings", "cache_params", "similarity_threshold"]

findings contains {
	"at": threshold,
	"severity": severity,
	"args": {"threshold": given, "limit": limit[severity]},
	"fix": {"edits": [{"op": "set", "at": threshold, "value": lib.parameter(id, "info")}]},
} if {
	semantic
	given := lib.number(lib.value(threshold, null))
	given < max([lib.parameter(id, "info"), lib.parameter(id, "warning")])
	severity := level(given)
}

findings contains {
	"at": threshold,
	"severity": "info",
	"message": "reference",
	"args": {"threshold": lib.value(threshold, ""), "limit": limit.warning},
} if {
	semantic
	lib.environ_reference(lib.value(threshold, null))
	not computed
}

findings contains {
	"at": threshold,
	"severity": "error",
	"message": "text",
	"args": {"threshold": lib.value(threshold, "")},
} if {
	semantic
	lib.environ_reference(lib.value(threshold, null))
	computed
}

# The Redis cache subtracts the threshold from 1 when it is made; the other one compares with it later.
computed if {
	lib.redis_cache_type == "redis-semantic"
	lib.at_least("litellm", "1.102.0")
}

semantic if {
	lib.cache_on
	endswith(lib.redis_cache_type, "-semantic")
}

level(given) := "warning" if {
	given < lib.parameter(id, "warning")
} else := "info"

limit := {"warning": lib.parameter(id, "warning"), "info": lib.parameter(id, "info")}
