# METADATA
# title: A Service lists the event port of the first rank only
# description: |
#   With data parallelism every rank publishes its events on a port of its own: that of the endpoint plus the rank, so 5557
#   and 5558 for two ranks. A Service that lists 5557 alone leads subscribers to the first rank; the blocks of the others are
#   in no index.
# custom:
#   category: kv-events
#   severity: warning
#   confidence: low
#   inputs: [engine.args, services]
#   when: [engines.*.kv_events]
#   remedy: |
#     List the ports of all ranks, or let the router find pods by itself (a headless Service, pod discovery).
#   since: "0.1"
#   evidence:
#     - artefact: vllm 0.33.0
#       file: vllm/distributed/kv_events.py
#       symbol: offset_endpoint_port
#       checked: "2026-11-29"
#       note: Port plus rank since 0.9.1.
#   messages:
#     main: "Service {service} lists event port {listed} of {engine}, whose {ranks} data-parallel ranks publish on {first} to {last}: events of {missing} reach no one"
#     engine: "the ranks"
package agentlint.rules["kv-events-rank-ports-closed"]

import data.agentlint.lib

findings contains {
	"at": ["services", s, "ports"],
	"args": {
		"service": service.name,
		"engine": lib.engine_label(j),
		"ranks": ranks,
		"first": first,
		"last": (first + ranks) - 1,
		"listed": concat(", ", [sprintf("%d", [p]) | some p in sort([q | some q in open & needed])]),
		"missing": concat(", ", [sprintf("%d", [p]) | some p in sort([q | some q in needed - open])]),
	},
	"related": [{"at": ["engines", j, "args", "data-parallel-size"], "message": "engine"}],
} if {
	some s, service in input.services
	service.headless == false
	service.target.part == "engine"
	some j, engine in input.engines
	engine.name == service.target.name
	engine.kv_events.enable_kv_cache_events == true
	ranks := local_ranks(j)
	ranks > 1
	ranks <= 1024
	first := base_port(j)
	needed := {p | some p in numbers.range(first, (first + ranks) - 1)}
	every port in service.ports {
		is_object(port)
		is_number(port.port)
	}
	open := {p | some port in service.ports; p := port[["port", "targetPort"][_]]; is_number(p)}
	count(open & needed) > 0
	count(needed - open) > 0
}

local_ranks(j) := lib.last_number(input.engines[j].args["data-parallel-size-local"])

local_ranks(j) := lib.data_parallel(j) if lib.absent(["engines", j, "args", "data-parallel-size-local"])

base_port(j) := lib.number(trim_prefix(found[0], ":")) if {
	endpoint := lib.value(["engines", j, "kv_events", "endpoint"], "tcp://*:5557")
	found := regex.find_n(`:[0-9]{1,5}$`, endpoint, 1)
}
