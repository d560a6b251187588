# METADATA
# title: The gateway scales on memory
# description: |
#   The Prisma engine in each gateway process never gives memory back: its use only grows to a high-water mark. A memory
#   target therefore adds replicas at the first burst and never removes them, and each replica opens another
#   `workers x database_connection_pool_limit` connections (10 per worker by default). The classic chart leaves the target unset for
#   that reason; the componentized chart ships 80 percent switched on.
# custom:
#   category: autoscaling
#   severity: warning
#   confidence: high
#   inputs: [autoscalers, gateway.helm]
#   when: [autoscalers]
#   remedy: |
#     Scale on CPU (60 percent) or on in-flight requests and drop the memory target. In the componentized chart write
#     `targetMemoryUtilizationPercentage: null`, since leaving it out keeps the chart's 80.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: remove the memory target
#     question: Memory is the only metric. Is a CPU target of 60 percent right instead, and do the pods have CPU requests?
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: targetMemoryUtilizationPercentage
#       checked: "2026-11-29"
#       note: Left unset with a comment on Prisma's high-water mark; the chart litellm has 80 as its default.
#   messages:
#     main: "the gateway scales on memory ({target}), which Prisma's engine never gives back: replicas go up to {max} and never come down, each with its own database connections. Scale on CPU or in-flight requests"
#     default: "the chart's own memory target ({target}) is in force: Prisma's engine never gives memory back, so replicas go up to {max} and never come down, each with its own database connections. Set it to null"
#     cpu: scale on CPU at 60 percent instead
package agentlint.rules["hpa-on-memory"]

import data.agentlint.lib

findings contains object.union(finding, fix(i, j, autoscaler)) if {
	some i, autoscaler in input.autoscalers
	autoscaler.enabled == true
	autoscaler.target.part == "gateway"
	autoscaler.max > 1
	some j, metric in autoscaler.metrics
	metric.kind == "memory"
	finding := {
		"at": ["autoscalers", i, "metrics", j, "kind"],
		"message": wording(autoscaler),
		"args": {"target": target_text(metric), "max": autoscaler.max},
	}
}

wording(autoscaler) := "default" if {
	componentized(autoscaler)
	lib.absent(array.concat(hpa_values, ["targetMemoryUtilizationPercentage"]))
} else := "main"

componentized(autoscaler) if {
	autoscaler.chart == true
	input.gateway.helm.chart == "litellm"
}

hpa_values := ["gateway", "helm", "values", "gateway", "hpa"]

target_text(metric) := sprintf("%v %%", [metric.target]) if {
	metric.target_kind == "Utilization"
} else := sprintf("%v bytes", [metric.target]) if {
	metric.target
} else := "target not written"

# The chart's values are the place of a chart's target; Helm deletes a default at null only.
fix(_, _, autoscaler) := {"fix": {"edits": [{"op": "set", "at": array.concat(hpa_values, ["targetMemoryUtilizationPercentage"]), "value": null}]}} if {
	componentized(autoscaler)
} else := {"fix": {"edits": [{"op": "remove", "at": ["gateway", "helm", "values", "autoscaling", "targetMemoryUtilizationPercentage"]}]}} if {
	autoscaler.chart == true
}

fix(i, j, autoscaler) := {"fix": {"edits": [{"op": "remove", "at": ["autoscalers", i, "metrics", j]}]}} if {
	autoscaler.chart == false
	some other in autoscaler.metrics
	other.kind != "memory"
}

fix(i, j, autoscaler) := {"fix": {
	"title": "cpu",
	"safety": "unsafe",
	"edits": [
		{"op": "set", "at": ["autoscalers", i, "metrics", j, "kind"], "value": "cpu"},
		{"op": "set", "at": ["autoscalers", i, "metrics", j, "target"], "value": 60},
	],
}} if {
	autoscaler.chart == false
	every other in autoscaler.metrics {
		other.kind == "memory"
	}
	autoscaler.metrics[j].target_kind == "Utilization"
} else := {} if {
	autoscaler.chart == false
	every other in autoscaler.metrics {
		other.kind == "memory"
	}
}
