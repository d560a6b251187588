# METADATA
# title: The autoscaler may go to the chart's 100 replicas
# description: |
#   The classic chart's `autoscaling.maxReplicas` and `keda.maxReplicas` are 100. At 10 connections for each worker a hundred pods
#   ask Postgres for 1000, ten times its default, and requests fail with 401 as keys can no longer be looked up; a retry
#   storm or an engine that hangs is enough to get there.
# custom:
#   category: autoscaling
#   severity: warning
#   confidence: high
#   inputs: [gateway.helm, gateway.workers, gateway.rollout, autoscalers, database]
#   when: [gateway.helm.values.autoscaling.enabled, gateway.helm.values.keda.enabled]
#   remedy: |
#     Write `maxReplicas`: at most (max_connections - reserved) / (workers x database_connection_pool_limit), less one for the surge
#     of a rollout; or switch the pool in the pod on (`db.connectionPool.enabled`).
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: set maxReplicas to what the database accepts
#     question: Is this number of replicas enough for the peak, or should max_connections grow?
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: "maxReplicas: 100"
#       checked: "2026-11-29"
#   messages:
#     main: "{block} is enabled and maxReplicas is not written, so the chart's default of {max} holds: {formula} ask {server} for {sum} connections"
#     plain: "{block} is enabled and maxReplicas is not written, so the chart's default of {max} holds: a retry storm or an engine that hangs takes the gateway to {max} pods"
package agentlint.rules["hpa-max-replicas-default"]

import data.agentlint.lib

findings contains object.union(
	{"at": place(case.block), "message": "main"},
	object.union(lib.with_edits(edits(case)), {
		"args": {"block": case.block, "max": case.max, "formula": case.formula, "server": case.server, "sum": lib.count_text(case.sum, case.at_least)},
		"figures": [{"name": "connections", "value": case.sum, "unit": "connections", "formula": case.formula}],
	}),
) if {
	some case in cases
	decided(case)
}

findings contains {
	"at": place(unbounded.block),
	"message": "plain",
	"args": {"block": unbounded.block, "max": unbounded.max},
} if {
	some unbounded in open_ended
	lib.absent(["database"])
}

place(block) := ["gateway", "helm", "values", block, "maxReplicas"]

# open_ended: the chart's autoscalers whose maximum nobody wrote.
open_ended contains {"block": block, "max": autoscaler.max, "min": autoscaler.min} if {
	input.gateway.helm.chart == "litellm-helm"
	some autoscaler in input.autoscalers
	autoscaler.chart == true
	autoscaler.enabled == true
	autoscaler.target.part == "gateway"
	block := {"hpa": "autoscaling", "keda": "keda"}[autoscaler.kind]
	lib.absent(place(block))
}

# cases: what the pods at the maximum ask for, and whom.
cases contains object.union(unbounded, {
	"sum": unbounded.max * per_pod.n,
	"formula": sprintf("%v pods x %s", [unbounded.max, per_pod.text]),
	"at_least": per_pod.at_least, "server": server, "per_pod": per_pod.n,
}) if {
	some unbounded in open_ended
	lib.present(["database"])
}

in_pod if input.database.pooler.kind == "pod"

per_pod := {"n": n, "at_least": false, "text": sprintf("%v of the pod's pooler", [n])} if {
	in_pod
	n := input.database.pooler.max_db_connections
} else := {"n": lib.workers.n * pool, "at_least": lib.workers.at_least, "text": sprintf("%s x pool %v", [lib.workers_text, pool])} if {
	not in_pod
}

pool := floor(lib.number(input.gateway.settings.database_pool_limit.value))

server := "Postgres" if {
	in_pod
} else := "the pooler" if {
	lib.present(["database", "pooler"])
} else := "Postgres" if {
	lib.absent(["database", "pooler"])
}

# limit: the connections that the server or the pooler in front of it accepts.
limit := input.database.pooler.max_client_conn * input.database.pooler.instances if {
	server == "the pooler"
} else := input.database.server.max_connections - input.database.server.reserved if {
	server == "Postgres"
}

limit_unseen if {
	some path in [["server", "max_connections"], ["server", "reserved"], ["pooler", "max_client_conn"], ["pooler", "instances"]]
	lib.unknown(array.concat(["database"], path))
}

# decided(case): not known to fit, and nothing out of sight says that it does.
decided(case) if case.sum > limit

decided(_) if {
	not limit
	not limit_unseen
}

unchecked contains "postgres_max_connections" if {
	some _ in cases
	not limit
	limit_unseen
}

# The largest number of pods that fits with those that a rollout adds, when the peak is not below the minimum.
edits(case) := [{"op": "set", "at": place(case.block), "value": n}] if {
	case.at_least == false
	n := max([n | some n in numbers.range(1, case.max); (n + surge(n)) * case.per_pod <= limit])
	n > 1
	n >= case.min
} else := []

surge(n) := ceil((n * lib.number(trim_suffix(text, "%"))) / 100) if {
	text := lib.value(["gateway", "rollout", "max_surge"], "25%")
	is_string(text)
	endswith(text, "%")
}

surge(_) := n if {
	n := lib.value(["gateway", "rollout", "max_surge"], "25%")
	is_number(n)
}
