# METADATA
# title: The shared memory may hold more than the container
# description: |
#   A volume of `medium: Memory` lies in memory, and what a container writes there counts against its memory limit. A `sizeLimit` above
#   that limit is never reached: before, the kernel kills the container for memory, with the pages of the volume still there for the
#   next one. Kubernetes cuts the volume down to the memory limit of the pod, which leaves nothing for the engine itself.
# custom:
#   category: resources
#   severity: warning
#   confidence: high
#   inputs: [engine.pod]
#   when: [engines.*.pod.volumes]
#   remedy: |
#     Make the memory limit as large as what the engine needs plus the volume, or the volume smaller: a few GiB are enough for NCCL and
#     the message queues of one machine.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: raise the memory limit by the volume
#     question: Does the node have that much memory, or should the volume be smaller?
#   evidence:
#     - artefact: kubernetes 1.34 API
#       file: pkg/volume/emptydir/empty_dir.go
#       symbol: func calculateEmptyDirMemorySize
#       checked: "2026-11-30"
#       note: The smaller of sizeLimit and the pod's memory limit.
#     - artefact: vllm 0.29.0
#       file: vllm/distributed/device_communicators/shm_broadcast.py
#       symbol: shared_memory.SharedMemory
#       checked: "2026-11-30"
#     - artefact: production-stack vllm-stack-0.1.12
#       file: helm/templates/deployment-vllm-multi.yaml
#       symbol: "sizeLimit: {{ default \"20Gi\" $modelSpec.shmSize }}"
#       checked: "2026-11-30"
#   messages:
#     main: "the volume at /dev/shm may hold {size}, and counts against the container's memory limit of {limit}: the container is killed for memory before the volume is full"
#     limit: "memory limit of the container"
package agentlint.rules["shm-exceeds-memory-limit"]

import data.agentlint.lib

findings contains {
	"at": ["engines", j, "pod", "volumes", v, "emptyDir", "sizeLimit"],
	"args": {"size": lib.memory_text(size), "limit": lib.memory_text(limit)},
	"related": [{"at": memory, "message": "limit"}],
	"figures": [{"name": "shared memory", "value": size, "unit": "bytes", "formula": sprintf("sizeLimit %v", [volume.emptyDir.sizeLimit]), "limit": limit}],
	"fix": {"edits": [{"op": "set", "at": memory, "value": sprintf("%dMi", [ceil((size + limit) / 1048576)])}]},
} if {
	some j, engine in input.engines
	engine.pod.platform == "kubernetes"
	memory := ["engines", j, "pod", "spec", "container", "resources", "limits", "memory"]
	limit := lib.bytes(engine.pod.spec.container.resources.limits.memory)
	limit > 0
	some mount in engine.pod.mounts
	trim_suffix(mount.mountPath, "/") == "/dev/shm"
	some v, volume in engine.pod.volumes
	volume.name == mount.name
	volume.emptyDir.medium == "Memory"
	size := lib.bytes(volume.emptyDir.sizeLimit)
	size > limit
}

# The chart of production-stack makes the volume when vllmConfig names tensorParallelSize.
findings contains {
	"at": array.concat(entry, ["shmSize"]),
	"args": {"size": lib.memory_text(size), "limit": lib.memory_text(limit)},
	"related": [{"at": memory, "message": "limit"}],
	"figures": [{"name": "shared memory", "value": size, "unit": "bytes", "formula": sprintf("shmSize %v", [written]), "limit": limit}],
	"fix": {"edits": [{"op": "set", "at": memory, "value": sprintf("%dMi", [ceil((size + limit) / 1048576)])}]},
} if {
	some j, _ in input.engines
	entry := lib.chart_entry(j)
	lib.present(array.concat(entry, ["vllmConfig", "tensorParallelSize"]))
	lib.absent(array.concat(entry, ["resources"]))
	memory := array.concat(entry, ["limitMemory"])
	limit := lib.bytes(lib.value(memory, null))
	limit > 0
	written := lib.value(array.concat(entry, ["shmSize"]), null)
	size := lib.bytes(written)
	size > limit
}
