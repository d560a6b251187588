# METADATA
# title: An engine's service reserves no GPU
# description: |
#   A compose service gets no GPU unless it asks for one. The engine starts, finds no CUDA device and exits, with
#   `Failed to infer device type` or `No CUDA GPUs are available`, again and again under a restart policy.
# custom:
#   category: compose
#   severity: warning
#   confidence: medium
#   inputs: [compose, engines]
#   remedy: |
#     Reserve devices under `deploy.resources.reservations.devices` with the capability `gpu`, or write `gpus: all`, or
#     `runtime: nvidia`.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: reserve GPUs
#     question: Has the machine NVIDIA GPUs and their container toolkit, and how many may the engine take?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/config/device.py
#       symbol: Failed to infer device type
#       checked: "2026-11-29"
#     - artefact: compose specification 2026-10
#       file: deploy.md
#       symbol: capabilities
#       checked: "2026-11-29"
#   messages:
#     main: "{engine} reserves no GPU: the engine finds no CUDA device and exits"
package agentlint.rules["compose-gpu-missing"]

import data.agentlint.lib

findings contains {
	"at": ["engines", j, "gpu"],
	"args": {"engine": engine.name},
	"fix": {"edits": [{
		"op": "append", "at": array.concat(service, ["deploy", "resources", "reservations", "devices"]),
		"value": {"driver": "nvidia", "count": need(j), "capabilities": ["gpu"]},
	}]},
} if {
	some j, engine in input.engines
	engine.pod.platform == "compose"
	engine.runtime in {"vllm", "sglang"}
	lib.absent(["engines", j, "gpu"])
	service := ["compose", "services", engine.name]
	lib.present(service)
	every key in ["runtime", "gpus", "devices", "device_cgroup_rules", "privileged", "extends", "deploy"] {
		quiet(service, key)
	}
	not cpu_only(j)
	lib.absent(["engines", j, "env", "NVIDIA_VISIBLE_DEVICES"])
}

# quiet(service, key): the key gives no device: it is not there, or for deploy, reserves none.
quiet(service, key) if lib.absent(array.concat(service, [key]))

quiet(service, "deploy") if {
	every path in [["deploy", "resources"], ["deploy", "resources", "reservations"], ["deploy", "resources", "reservations", "devices"]] {
		not array.concat(service, path) in lib.unknown_paths
	}
	no_devices(array.concat(service, ["deploy", "resources", "reservations", "devices"]))
	lib.absent(array.concat(service, ["deploy", "resources", "reservations", "generic_resources"]))
}

quiet(service, "privileged") if lib.value(array.concat(service, ["privileged"]), false) == false

# Reservations of other devices are no GPUs.
no_devices(path) if lib.absent(path)

no_devices(path) if {
	devices := lib.value(path, [])
	is_array(devices)
	every device in devices {
		device != null
		is_array(device.capabilities)
		not "gpu" in device.capabilities
		not null in device.capabilities
	}
}

cpu_only(j) if {
	some part in [input.engines[j].image.repository, input.engines[j].image.tag]
	regex.match(`(^|[-_/.])(cpu|tpu|neuron|hpu|gaudi|xpu|arm64)([-_.0-9]|$)`, part)
}

cpu_only(j) if lib.flagged(j, ["device"])

cpu_only(j) if not lib.absent(["engines", j, "env", "VLLM_TARGET_DEVICE"])

cpu_only(j) if not lib.absent(["engines", j, "env", "VLLM_CPU_KVCACHE_SPACE"])

cpu_only(j) if lib.unknown(["engines", j, "image"])

cpu_only(j) if lib.unknown(["engines", j, "image", "repository"])

cpu_only(j) if lib.unknown(["engines", j, "image", "tag"])

# A rank of data parallelism takes as many again; those of other machines are said with --data-parallel-size-local.
need(j) := n if {
	n := (lib.engine_argument(j, "tensor-parallel-size", 1) * lib.engine_argument(j, "pipeline-parallel-size", 1)) * ranks(j)
} else := 1

ranks(j) := lib.data_parallel(j) if lib.absent(["engines", j, "args", "data-parallel-size-local"])

ranks(j) := lib.last_number(input.engines[j].args["data-parallel-size-local"])
