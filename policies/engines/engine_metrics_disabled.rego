# METADATA
# title: The engine publishes no metrics
# description: |
#   `--disable-log-stats` stops the logger of statistics, and the Prometheus logger is one of its parts: every `vllm:` series disappears from
#   /metrics. Dashboards stay empty, alerts never fire, and a scaler on waiting requests or cache usage sees an idle engine.
# custom:
#   category: metrics
#   severity: warning
#   severities: [error]
#   confidence: high
#   inputs: [engine.args, queries, autoscalers]
#   when: [engine.args.disable-log-stats]
#   remedy: Remove the flag. Request logs are a different matter (`--enable-log-requests`, off by default).
#   since: "0.1"
#   fix:
#     safety: safe
#     title: remove --disable-log-stats
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/v1/engine/async_llm.py
#       symbol: StatLoggerManager
#       checked: "2026-11-29"
#       note: Made only when statistics are logged.
#   messages:
#     main: "--disable-log-stats: engine {engine} exports no vllm: series, so dashboards, alerts and scalers see nothing of it"
#     used: "--disable-log-stats: engine {engine} exports no vllm: series, and {reader} reads one: it sees no load for ever"
#     reads: reads a series of the engine
package agentlint.rules["engine-metrics-disabled"]

import data.agentlint.lib

findings contains object.union(
	{
		"at": path,
		"on_key": true,
		"fix": {"edits": [{"op": "remove", "at": path}]},
	},
	effect(engine),
) if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	path := ["engines", j, "args", "disable-log-stats"]
	lib.present(path)
}

effect(engine) := {
	"severity": "error",
	"message": "used",
	"args": {"engine": engine.name, "reader": reader[input.queries[readers[0]].where]},
	"related": [{"at": ["queries", readers[0], "text"], "message": "reads"}],
} if {
	readers := [k |
		some k, query in input.queries
		reader[query.where]
		reads_vllm(query)
		about(query, engine)
	]
	readers[0] >= 0
} else := {"args": {"engine": engine.name}}

reader := {"alert": "an alert", "keda": "a scaler", "hpa": "a scaler", "adapter": "a scaler"}

reads_vllm(query) if {
	some metric in query.metrics
	metric.product == "vllm"
}

# A query of a scaler of another engine is none of this one's.
about(query, engine) if query.target == {"part": "engine", "name": engine.name}

about(query, _) if {
	some k, other in input.queries
	other == query
	lib.absent(["queries", k, "target"])
}
