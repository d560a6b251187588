# METADATA
# title: More workers than CPUs
# description: |
#   Every worker is a process that keeps a core busy while it parses, counts and streams. With more workers than the CPU
#   limit has cores the kernel stops all of them for the rest of each 100 ms period: the event loops stand still, streams
#   stutter, and liveness probes time out, so pods are killed under load. A single worker below one CPU is throttled the
#   same way in every burst.
# custom:
#   category: resources
#   severity: warning
#   severities: [info]
#   confidence: medium
#   inputs: [gateway.resources, gateway.workers]
#   when: [gateway.resources.limits.cpu]
#   remedy: |
#     Give the container one CPU for each worker, or run as many workers as it has CPUs. LiteLLM's charts count 1 CPU per
#     worker and advise one worker per pod.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: raise the CPU limit to one per worker
#     question: Do the nodes have this many CPUs for every replica, or should the workers be fewer?
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: resources
#       checked: "2026-11-29"
#       note: The comment beside the key counts 1 CPU and 4Gi per worker.
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_cli.py
#       symbol: num_workers
#       checked: "2026-11-29"
#   messages:
#     main: "{workers} share a CPU limit of {cpus}: they throttle each other under load and probes time out"
#     single: "a CPU limit of {cpus} is less than one core: the worker is throttled in every burst and probes time out"
package agentlint.rules["gateway-cpu-below-workers"]

import data.agentlint.lib

limit := ["gateway", "resources", "limits", "cpu"]

cpus := lib.value(limit, null)

findings contains object.union({
	"at": limit,
	"severity": "warning",
	"args": {"workers": lib.workers_text, "cpus": cpus},
	"related": [{"at": ["gateway", "workers"], "message": sprintf("%v workers", [lib.workers.n])}],
	"figures": [{"name": "CPU per worker", "value": round((cpus / lib.workers.n) * 1000) / 1000, "unit": "CPU", "limit": 1, "formula": sprintf("%v CPU / %v workers", [cpus, lib.workers.n])}],
}, fix) if {
	lib.workers.n > 1
	lib.workers.n > cpus
}

findings contains object.union({"at": limit, "severity": "info", "message": "single", "args": {"cpus": cpus}}, fix) if {
	lib.workers.n == 1
	cpus < 1
}

fix := {"fix": {"edits": [{"op": "set", "at": limit, "value": sprintf("%d", [lib.workers.n])}]}} if {
	not lib.workers.at_least
} else := {}

unchecked contains concat(".", limit) if lib.unknown(limit)
