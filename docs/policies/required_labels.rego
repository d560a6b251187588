# METADATA
# title: A workload does not say whose it is
# description: |
#   Alerts and bills go to the team in the label `owner`. Without it they go to the platform team, which can do
#   nothing about them.
# custom:
#   severity: warning
#   messages:
#     main: "the pods of {part} have no label {labels}"
#   remedy: Write the labels `owner` and `cost-center` into the pod template.
package agentlint.custom.ownership.required_labels

import data.agentlint.lib

required := {"owner", "cost-center"}

workloads contains {"at": ["gateway", "pod", "labels"], "part": "the gateway", "pod": input.gateway.pod}

workloads contains {"at": ["engines", i, "pod", "labels"], "part": sprintf("engine %s", [engine.name]), "pod": engine.pod} if some i, engine in input.engines

findings contains {"at": workload.at, "args": {"part": workload.part, "labels": sort(missing)}} if {
	some workload in workloads
	workload.pod.platform == "kubernetes"
	missing := {label | some label in required; lib.absent(array.concat(workload.at, [label]))}
	count(missing) > 0
}
