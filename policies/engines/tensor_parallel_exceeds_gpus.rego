# METADATA
# title: More parallel ranks than GPUs
# description: |
#   Every rank of tensor, pipeline and data parallelism needs a GPU of its own. An engine that is told to use more than its
#   container has stops at the start: `World size (4) is larger than the number of available GPUs (2) in this node`.
# custom:
#   category: resources
#   severity: error
#   confidence: high
#   inputs: [engine.args, engine.pod, compose]
#   when: [engines.*.gpu, engines.*.env.CUDA_VISIBLE_DEVICES]
#   remedy: |
#     Give the container tensor x pipeline x data parallel size GPUs, or lower the sizes. An engine over several machines says
#     so with `--distributed-executor-backend ray` or `--nnodes`.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: raise the GPU count
#     question: Does the node have that many GPUs, or should the parallel size be lowered?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/config/parallel.py
#       symbol: is larger than the number of "
#       checked: "2026-11-29"
#       note: The check counts tensor x pipeline; each data-parallel rank takes that many GPUs again.
#   messages:
#     main: "{formula} takes {need} GPUs and {engine} has {have}: the engine stops with \"World size ({world}) is larger than the number of available GPUs ({have})\""
#     data: "{formula} takes {need} GPUs and {engine} has {have}: ranks of data parallelism find no GPU and the engine stops"
package agentlint.rules["tensor-parallel-exceeds-gpus"]

import data.agentlint.lib

sizes := ["tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size"]

words := {"tensor-parallel-size": "tensor parallel", "pipeline-parallel-size": "pipeline parallel", "data-parallel-size": "data parallel"}

findings contains object.union({
	"at": ["engines", j, "args", written[0]],
	"message": wording(j, have(j).n),
	"args": {"formula": formula, "need": need, "have": have(j).n, "engine": engine.name, "world": world(j)},
	"related": [{"at": have(j).at, "message": sprintf("GPUs of the container: %v", [have(j).n])}],
	"figures": [{"name": "GPUs", "value": need, "unit": "GPUs", "formula": formula, "limit": have(j).n}],
}, lib.with_edits(edits(j, need))) if {
	some j, engine in input.engines
	vllm(engine)
	lone(engine)
	need := world(j) * lib.engine_argument(j, "data-parallel-size", 1)
	need > 1
	need > have(j).n
	not several_machines(j)
	written := [flag | some flag in sizes; lib.present(["engines", j, "args", flag])]
	formula := concat(" x ", [sprintf("%s %v", [words[flag], lib.engine_argument(j, flag, 1)]) | some flag in written])
}

# lone(engine): the object that makes the pod does not put it together with others.
lone(engine) if engine.pod.platform != "kubernetes"

lone(engine) if engine.pod.kind != "LeaderWorkerSet"

vllm(engine) if engine.runtime == "vllm"

vllm(engine) if engine.backend == "vllm"

world(j) := lib.engine_argument(j, "tensor-parallel-size", 1) * lib.engine_argument(j, "pipeline-parallel-size", 1)

wording(j, n) := "main" if {
	world(j) > n
} else := "data"

# have(j): the GPUs that engine j sees: those of the container, or fewer when CUDA_VISIBLE_DEVICES lists fewer.
have(j) := {"n": n, "at": ["engines", j, "env", "CUDA_VISIBLE_DEVICES"]} if {
	n := visible(j)
	not fewer(j, n)
} else := {"n": input.engines[j].gpu.count, "at": ["engines", j, "gpu", "count"]} if {
	input.engines[j].gpu.count > 0
	whole(j)
}

fewer(j, n) if {
	input.engines[j].gpu.count < n
	whole(j)
}

visible(j) := count(split(devices, ",")) if {
	devices := input.engines[j].env.CUDA_VISIBLE_DEVICES
	regex.match(`^[0-9]+(,[0-9]+)*$`, devices)
}

# whole(j): what the container gets are whole cards.
whole(j) if input.engines[j].pod.platform in {"compose", "docker"}

whole(j) if {
	some side in ["requests", "limits"]
	some name in cards
	lib.present(["engines", j, "pod", "spec", "container", "resources", side, name])
}

whole(j) if lib.absent(array.concat(lib.chart_entry(j), ["requestGPUType"]))

whole(j) if lib.value(array.concat(lib.chart_entry(j), ["requestGPUType"]), null) in cards

cards := ["nvidia.com/gpu", "amd.com/gpu"]

several_machines(j) if lib.flagged(j, [
	"nnodes", "node-rank", "master-addr", "headless", "data-parallel-size-local", "data-parallel-rank", "data-parallel-start-rank",
	"data-parallel-address", "data-parallel-rpc-port", "data-parallel-hybrid-lb", "data-parallel-external-lb", "config",
])

several_machines(j) if {
	not lib.absent(["engines", j, "args", "distributed-executor-backend"])
	not mp(j, "distributed-executor-backend")
}

several_machines(j) if {
	not lib.absent(["engines", j, "args", "data-parallel-backend"])
	not mp(j, "data-parallel-backend")
}

several_machines(j) if lib.ray_started(j)

mp(j, flag) if lib.last_text(input.engines[j].args[flag]) == "mp"

# The count is written where the resource stands; for Kubernetes in requests and limits, which have to be equal.
edits(j, need) := [{"op": "set", "at": place, "value": need} | some place in places(j)] if {
	have(j).at == ["engines", j, "gpu", "count"]
}

edits(j, _) := [] if have(j).at != ["engines", j, "gpu", "count"]

places(j) := [array.concat(resources, [side, name]) |
	some side in ["requests", "limits"]
	some name in cards
	lib.present(array.concat(resources, [side, name]))
] if {
	resources := ["engines", j, "pod", "spec", "container", "resources"]
	input.engines[j].pod.platform == "kubernetes"
	lib.value(["engines", j, "helm"], "none") == "none"
}

places(j) := [["engines", j, "gpu", "count"]] if {
	input.engines[j].pod.platform == "compose"
	some device in input.engines[j].pod.spec.container.deploy.resources.reservations.devices
	device.count == input.engines[j].gpu.count
}

places(j) := [["engines", j, "gpu", "count"]] if lib.present(["engines", j, "helm"])
