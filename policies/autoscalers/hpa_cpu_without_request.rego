# METADATA
# title: An autoscaler on CPU has no request to compute a percentage of
# description: |
#   CPU utilisation is what the pod uses divided by what it requests. Without a CPU request the autoscaler reports
#   `FailedGetResourceMetric: missing request for cpu` and leaves the number of replicas where it is, whatever the load.
#   Beside other metrics it only stops them from scaling in. KEDA's webhook refuses such a ScaledObject altogether.
# custom:
#   category: autoscaling
#   severity: warning
#   confidence: high
#   inputs: [autoscalers, gateway.resources, gateway.workers]
#   when: [autoscalers]
#   remedy: |
#     Set `resources.requests.cpu` on the container, 1 for each worker; a CPU limit alone counts as a request too. Every
#     container of the pod needs one, sidecars included.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: request 1 CPU per worker
#     question: Do the nodes have this much room for every replica?
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: "resources:"
#       checked: "2026-11-29"
#       note: The classic chart sets no requests by default; the componentized one requests 1 CPU.
#     - artefact: kubernetes 1.34
#       file: pkg/controller/podautoscaler/replica_calculator.go
#       symbol: "missing request for %s in container %s of Pod %s"
#       checked: "2026-11-29"
#       note: One container without a request is enough; a limit alone is taken as the request.
#     - artefact: kubernetes 1.34
#       file: pkg/controller/podautoscaler/horizontal.go
#       symbol: invalidMetricsCount >= len(metricSpecs)
#       checked: "2026-11-29"
#       note: With some metrics invalid it scales out by the others and never in.
#   messages:
#     main: "{target} CPU utilisation is the target and the gateway requests no CPU: the autoscaler has nothing to compute a percentage of and never scales"
#     beside: "{target} CPU utilisation is one of the targets and the gateway requests no CPU: the autoscaler has nothing to compute a percentage of, so CPU never adds a replica and the other metrics never remove one"
package agentlint.rules["hpa-cpu-without-request"]

import data.agentlint.lib

findings contains object.union({
	"at": ["autoscalers", i, "metrics", j, "target"],
	"message": wording(i),
	"args": {"target": target_text(i, j)},
	"related": [{"at": request, "message": "no CPU request"}],
}, fix) if {
	some i, autoscaler in input.autoscalers
	autoscaler.enabled == true
	autoscaler.target.part == "gateway"
	autoscaler.max > 1
	some j, metric in autoscaler.metrics
	metric.kind == "cpu"
	metric.target_kind == "Utilization"
	of_gateway(i, j)
	unrequested
}

request := ["gateway", "resources", "requests", "cpu"]

wording(i) := "beside" if {
	input.autoscalers[i].metrics[_].kind != "cpu"
} else := "beside" if {
	some j, _ in input.autoscalers[i].metrics
	lib.unknown(["autoscalers", i, "metrics", j, "kind"])
} else := "main"

target_text(i, j) := sprintf("%v %%", [input.autoscalers[i].metrics[j].target])

target_text(i, j) := "some" if not lib.present(["autoscalers", i, "metrics", j, "target"])

unrequested if {
	input.gateway.pod.platform == "kubernetes"
	lib.absent(request)
	lib.absent(["gateway", "resources", "limits", "cpu"])
	lib.absent(["gateway", "pod", "spec", "pod", "resources"])
}

# of_gateway(i, j): the use of the whole pod counts, or that of the gateway's container.
of_gateway(i, j) if lib.absent(["autoscalers", i, "metrics", j, "container"])

of_gateway(i, j) if input.autoscalers[i].metrics[j].container == input.gateway.pod.spec.container.name

fix := {"fix": {"edits": [{"op": "set", "at": array.concat(place, ["requests", "cpu"]), "value": sprintf("%d", [lib.workers.n])}]}} if {
	not lib.workers.at_least
} else := {}

# place is where the file has them under their own name: the values of the chart, else the container.
place := ["gateway", "helm", "values", "resources"] if {
	input.gateway.helm.chart == "litellm-helm"
} else := ["gateway", "pod", "spec", "container", "resources"]
