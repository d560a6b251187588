# METADATA
# title: Tensor parallelism with 64 MiB of shared memory
# description: |
#   The worker processes of an engine hand each other messages and NCCL's buffers through /dev/shm. A container gets 64 MiB
#   there when nothing is said, and vLLM's own message queue is larger than that already, so workers die with a bus error or
#   NCCL hangs, at the start or with the first large batch.
# custom:
#   category: resources
#   severity: error
#   confidence: medium
#   inputs: [engine.args, engine.pod, compose]
#   when: [engines.*.args.tensor-parallel-size]
#   remedy: |
#     On Kubernetes mount an `emptyDir: {medium: Memory}` at /dev/shm; in compose set `shm_size: 8g` or `ipc: host`; with docker
#     run `--shm-size 8g` or `--ipc=host`. vllm-stack mounts it when `tensorParallelSize` is set, not when the size comes through
#     extraArgs.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: give the container shared memory
#     question: Is there memory for it? Shared memory counts against the container's limit.
#   parameters:
#     - name: gib
#       default: 1
#       unit: GiB
#       why: Less is used up by NCCL's buffers of a few ranks.
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/distributed/device_communicators/shm_broadcast.py
#       symbol: max_chunk_bytes
#       checked: "2026-11-29"
#       note: The queue between the processes is one block of shared memory of max_chunks x max_chunk_bytes.
#   messages:
#     main: "--tensor-parallel-size {size} with the container's default of 64 MiB at /dev/shm: workers die with a bus error or NCCL hangs"
#     small: "--tensor-parallel-size {size} with {shm} at /dev/shm: workers die with a bus error or NCCL hangs"
package agentlint.rules["tensor-parallel-without-shm"]

import data.agentlint.lib

id := "tensor-parallel-without-shm"

flag := "tensor-parallel-size"

findings contains object.union({
	"at": ["engines", j, "args", flag],
	"message": shortage.message,
	"args": {"size": size, "shm": shortage.text},
}, lib.with_edits(edits(j))) if {
	some j, engine in input.engines
	engine.runtime in {"vllm", "sglang"}
	size := lib.engine_argument(j, flag, 1)
	size > 1
	shortage := short(j)
}

# short(j): the shared memory of engine j's container, when it is too little.
short(j) := {"message": "main", "text": "64 MiB"} if {
	input.engines[j].pod.platform == "kubernetes"
	input.engines[j].pod.kind in {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Rollout", "LeaderWorkerSet", "Pod", "Job"}
	several_cards(j)
	not lib.mounted(j, "/dev/shm")
	lib.value(["engines", j, "pod", "spec", "pod", "hostIPC"], false) == false
}

# several_cards(j): more than one rank may run in the container. With one card the others, if any, are in other pods, and
# no shared memory lies between them.
several_cards(j) if lib.absent(["engines", j, "gpu", "count"])

several_cards(j) if input.engines[j].gpu.count != 1

# vllm-stack mounts it only for its own key.
short(j) := {"message": "main", "text": "64 MiB"} if {
	input.engines[j].pod.kind == "chart"
	input.engines[j].helm.chart == "vllm-stack"
	lib.absent(array.concat(lib.chart_entry(j), ["vllmConfig", "tensorParallelSize"]))
	not lib.mounted(j, "/dev/shm")
}

short(j) := {"message": "main", "text": "64 MiB"} if {
	input.engines[j].pod.platform == "compose"
	composed(j, "ipc")
	lib.absent(["engines", j, "pod", "spec", "container", "shm_size"])
	not lib.mounted(j, "/dev/shm")
	not shm_volume(j)
}

short(j) := {"message": "small", "text": lib.memory_text(amount)} if {
	input.engines[j].pod.platform == "compose"
	composed(j, "ipc")
	amount := size_of(input.engines[j].pod.spec.container.shm_size)
	amount < lib.parameter(id, "gib") * 1073741824
}

short(j) := {"message": "main", "text": "64 MiB"} if {
	input.engines[j].pod.platform == "docker"
	lib.present(["engines", j, "pod", "spec", "container"])
	every name in ["ipc", "shm-size", "tmpfs", "mount"] {
		lib.absent(["engines", j, "pod", "spec", "container", name])
	}
}

short(j) := {"message": "small", "text": lib.memory_text(amount)} if {
	input.engines[j].pod.platform == "docker"
	lib.present(["engines", j, "pod", "spec", "container"])
	lib.absent(["engines", j, "pod", "spec", "container", "ipc"])
	amount := size_of(lib.last_text(input.engines[j].pod.spec.container["shm-size"]))
	amount < lib.parameter(id, "gib") * 1073741824
}

# composed(j, key): a key of the service is absent, or says nothing about the host's.
composed(j, key) if lib.value(["engines", j, "pod", "spec", "container", key], "private") in {"private", "shareable", "", null}

# Docker's sizes: a number of bytes, or one with b, k, m or g.
size_of(x) := x if is_number(x)

size_of(x) := lib.number(regex.replace(text, `[a-z]+$`, "")) * units[regex.replace(text, `^[0-9.]+`, "")] if {
	is_string(x)
	text := lower(x)
	regex.match(`^[0-9]+(\.[0-9]+)?(b|k|kb|m|mb|g|gb)?$`, text)
}

units := {"": 1, "b": 1, "k": 1024, "kb": 1024, "m": 1048576, "mb": 1048576, "g": 1073741824, "gb": 1073741824}

# shm_volume(j): a volume or tmpfs of the service that is, or may be, at /dev/shm.
shm_volume(j) if {
	some key in ["volumes", "tmpfs"]
	listed := input.engines[j].pod.spec.container[key]
	lib.mentions(listed, "/dev/shm")
}

shm_volume(j) if {
	some key in ["volumes", "tmpfs"]
	lib.unknown(["engines", j, "pod", "spec", "container", key])
}

edits(j) := [
	{"op": "append", "at": ["engines", j, "pod", "spec", "container", "volumeMounts"], "value": {"name": "dshm", "mountPath": "/dev/shm"}},
	{"op": "append", "at": ["engines", j, "pod", "spec", "pod", "volumes"], "value": {"name": "dshm", "emptyDir": {"medium": "Memory"}}},
] if {
	lib.volumes_writable(j)
} else := [{"op": "set", "at": ["engines", j, "pod", "spec", "container", "shm_size"], "value": "8g"}] if {
	input.engines[j].pod.platform == "compose"
} else := []
