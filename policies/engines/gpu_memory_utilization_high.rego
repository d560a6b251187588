# METADATA
# title: The engine leaves no memory outside its budget
# description: |
#   `--gpu-memory-utilization` is the share of the whole card that weights, cache and measured activations may take. What it does not count
#   lives outside: the CUDA context, NCCL buffers, fragments, workspaces of kernels that the profile run did not meet. Above 0.95 of an 80 GB card less
#   than 4 GB are left for all of that, and the engine dies with "CUDA out of memory" while it captures graphs, or under the first heavy load.
# custom:
#   category: engine-memory
#   severity: warning
#   confidence: medium
#   inputs: [engine.args]
#   when: [engine.args.gpu-memory-utilization, engine.args.device-memory-utilization]
#   remedy: Write 0.92, which is the default from 0.20 on, or 0.95 at most after a load test.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: lower it to 0.92
#     question: Does the cache still hold the sequences that the engine must serve with the smaller share?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/config/cache.py
#       symbol: "gpu_memory_utilization: float = Field(default=0.92, gt=0, le=1)"
#       checked: "2026-11-29"
#   parameters:
#     - name: fraction
#       default: 0.95
#       unit: of the memory
#       why: Less than 5 % of a card is smaller than what CUDA, NCCL and fragmentation usually take.
#   messages:
#     main: "--{flag} {value} leaves {left} % of the GPU for CUDA graphs, NCCL and everything that the budget does not count: the engine may die under load; write 0.92"
package agentlint.rules["gpu-memory-utilization-high"]

import data.agentlint.lib

id := "gpu-memory-utilization-high"

findings contains {
	"at": at,
	"args": {"flag": flag, "value": fraction, "left": round((1 - fraction) * 1000) / 10},
	"fix": {"edits": [{"op": "set", "at": at, "value": "0.92"}]},
} if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	some flag in ["gpu-memory-utilization", "device-memory-utilization"]
	fraction := lib.last_number(engine.args[flag])
	fraction > lib.parameter(id, "fraction")
	fraction <= 1
	at := ["engines", j, "args", flag, 0]
	plain_memory(j)
	not small_footprint(j)
}

# Cards whose memory the processor shares, or that have so much that a percent of it is enough.
plain_memory(j) if lib.absent(["engines", j, "gpu"])

plain_memory(j) if {
	lib.present(["engines", j, "gpu"])
	lib.absent(["engines", j, "gpu", "name"])
}

plain_memory(j) if not regex.match(`(?i)(^|[^a-z])(gb|gh)[0-9]|spark|thor|jetson|orin`, input.engines[j].gpu.name)

# Without CUDA graphs and without other GPUs to talk to there is little outside the budget.
small_footprint(j) if {
	not lib.absent(["engines", j, "args", "enforce-eager"])
	not several_gpus(j)
}

several_gpus(j) if lib.last_number(input.engines[j].args["tensor-parallel-size"]) > 1
