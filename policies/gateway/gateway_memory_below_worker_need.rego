# METADATA
# title: The gateway has less memory than its workers need
# description: |
#   Every worker is a Python process of its own with the whole library, its caches, its Prisma query engine and, while it
#   counts tokens, the prompts it counts. LiteLLM's charts size a worker at 4 GiB. Below it the kernel kills the largest
#   process of the container when traffic peaks: a killed worker drops every stream it serves, a killed Prisma engine
#   takes the database away from its worker until it is started again.
# custom:
#   category: resources
#   severity: info
#   severities: [warning]
#   confidence: medium
#   inputs: [gateway.resources, gateway.workers, gateway.pod]
#   when: [gateway.resources.limits.memory, gateway.resources.requests.memory]
#   remedy: |
#     Give the container 4Gi for each worker, or run one worker per pod and let replicas carry the load. An info below
#     4 GiB per worker, a warning below 1 GiB on Kubernetes.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: raise the memory to 4Gi per worker
#     question: Do the nodes have this much memory for every replica, or should the workers be fewer?
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: resources
#       checked: "2026-11-29"
#       note: The comment beside the key counts 1 CPU and 4Gi per worker.
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_cli.py
#       symbol: run_hypercorn
#       checked: "2026-11-29"
#       note: Hypercorn is started without a number of workers, so it serves with one process.
#   parameters:
#     - name: gib
#       default: 4
#       unit: GiB per worker
#       why: The size that LiteLLM's charts give a worker.
#     - name: warning_gib
#       default: 1
#       unit: GiB per worker
#       why: An idle worker with its Prisma engine already takes a good part of 1 GiB.
#   messages:
#     main: "{memory} of memory for {workers} is {each} per worker, less than the {need} that LiteLLM's charts count: a worker or its Prisma engine may be killed under load"
#     single: "{memory} of memory for one worker is less than the {need} that LiteLLM's charts count: it or its Prisma engine may be killed under load"
package agentlint.rules["gateway-memory-below-worker-need"]

import data.agentlint.lib

id := "gateway-memory-below-worker-need"

gib := 1073741824

resources := ["gateway", "resources"]

limit := array.concat(resources, ["limits", "memory"])

request := array.concat(resources, ["requests", "memory"])

findings contains object.union({
	"at": at,
	"severity": severity,
	"message": wording,
	"args": {
		"memory": lib.memory_text(memory), "each": lib.memory_text(each), "need": lib.memory_text(need),
		"workers": lib.workers_text,
	},
	"related": related,
	"figures": [figure],
}, fix) if {
	each < need
}

measures contains figure

figure := {
	"name": "memory per worker", "value": round(each / 1048576), "unit": "MiB", "limit": round(need / 1048576),
	"formula": sprintf("%s / %v workers", [lib.memory_text(memory), lib.workers.n]),
}

need := lib.parameter(id, "gib") * gib

each := memory / lib.workers.n

memory := lib.value(at, null)

at := limit if {
	lib.present(limit)
} else := request if {
	lib.absent(limit)
	lib.present(request)
}

severity := "warning" if {
	input.gateway.pod.platform == "kubernetes"
	each < lib.parameter(id, "warning_gib") * gib
} else := "info"

wording := "single" if {
	lib.workers.n == 1
	not lib.workers.at_least
} else := "main"

related := [{"at": ["gateway", "workers"], "message": sprintf("%v workers", [lib.workers.n])}] if {
	lib.workers.n > 1
} else := []

fix := {"fix": {"edits": edits}} if {
	not lib.workers.at_least
} else := {}

edits := [{"op": "set", "at": place, "value": amount} | some place in places]

# A request that equals the limit goes on to.
places := [request, limit] if {
	at == limit
	lib.value(request, null) == memory
} else := [at]

amount := sprintf("%d%s", [ceil((need * lib.workers.n) / gib), unit])

# Compose and docker know no Gi; their G is 1024 times 1024 times 1024 bytes too.
unit := "Gi" if {
	input.gateway.pod.platform == "kubernetes"
} else := "G"

unchecked contains concat(".", limit) if lib.unknown(limit)
