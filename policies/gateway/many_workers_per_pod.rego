# METADATA
# title: Several workers share one gateway pod
# description: |
#   Every worker is a process with its own rate-limit counters (without Redis), cooldowns, in-memory caches, session pins,
#   background jobs and database pool, so all of them exist once more for each worker, invisible to Kubernetes. The CPU
#   that an autoscaler sees is the mean over the workers, so one that is saturated hides behind idle ones, and a restart
#   of the pod takes the streams of all of them.
# custom:
#   category: resources
#   severity: info
#   confidence: high
#   inputs: [gateway.pod, gateway.workers]
#   remedy: |
#     Run one worker per pod (`--num_workers 1`, or `numWorkers: 1` in the charts) and as many more replicas. Workers are
#     the way to use several cores where nothing else scales, on a single host.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_cli.py
#       symbol: num_workers
#       checked: "2026-11-29"
#       note: The number of uvicorn processes, 1 by default, variable NUM_WORKERS; WEB_CONCURRENCY is not read.
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_cli.py
#       symbol: database_connection_pool_limit
#       checked: "2026-11-29"
#       note: The pool limit is that of each worker process.
#   messages:
#     main: "{workers} workers run in each pod: limits, cooldowns, caches, schedulers and database pools exist {workers} times, and CPU scaling sees only their mean"
package agentlint.rules["many-workers-per-pod"]

import data.agentlint.lib

findings contains {
	"at": ["gateway", "workers"],
	"args": {"workers": lib.workers.n},
} if {
	input.gateway.pod.platform == "kubernetes"
	lib.workers.n > 1
}

unchecked contains "gateway_workers" if {
	input.gateway.pod.platform == "kubernetes"
	lib.workers.at_least
}
