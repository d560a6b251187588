# METADATA
# title: Nothing watches the prefix cache of the engines
# description: |
#   An engine whose prefix cache collapses answers correctly and slowly: every turn of an agent is prefilled again. Its
#   queue and its cache usage look as before. The hit rate, `rate(vllm:prefix_cache_hits_total) /
#   rate(vllm:prefix_cache_queries_total)`, shows it at once, and `vllm:num_preemptions_total` shows the thrashing that a
#   high hit rate can hide: blocks that are evicted and prefilled again count as queries of tokens that were computed
#   before, so read the two together.
# custom:
#   category: metrics
#   severity: info
#   confidence: low
#   inputs: [queries, engines]
#   remedy: |
#     Add a panel or an alert on the hit rate per pod, and one on `rate(vllm:num_preemptions_total[5m])`.
#   since: "0.1"
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/v1/metrics/loggers.py
#       symbol: "vllm:prefix_cache_hits"
#       checked: "2026-11-29"
#     - artefact: vllm 0.29.0
#       file: vllm/v1/metrics/loggers.py
#       symbol: "vllm:num_preemptions"
#       checked: "2026-11-29"
#   messages:
#     main: "dashboards and alerts watch vLLM but no query reads prefix-cache hits or preemptions, so a cache that collapses is seen only as slow answers"
package agentlint.rules["engine-cache-health-unwatched"]

import data.agentlint.lib

findings contains {"at": lib.query_path(lib.watching("vllm")[0])} if {
	not watched
	not lib.queries_unseen
}

# Any spelling, also one that is no series any more, shows that somebody meant to watch it; other rules report those.
watched if {
	some query in input.queries
	some part in ["prefix_cache", "preemption"]
	contains(query.text, part)
}

unchecked contains "queries" if {
	count(lib.watching("vllm")) > 0
	not watched
	lib.queries_unseen
}
