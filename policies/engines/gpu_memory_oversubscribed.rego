# METADATA
# title: Engines on one GPU claim more than the card has
# description: |
#   `--gpu-memory-utilization` is a share of the whole card for each process, 0.92 where nothing is written (0.9 below 0.20), and not a share of what is left. Two
#   engines at their defaults on one GPU want 184 % of it: the second one stops at start with "Free memory on device ... is less than desired GPU memory utilization".
# custom:
#   category: engine-memory
#   severity: error
#   confidence: high
#   inputs: [engine.args, compose, engine.pod]
#   remedy: |
#     Lower the fractions so that their sum stays below 0.95, and start the engines one after another; or give each its own device.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: share 0.9 of the card equally
#     question: Do the weights of every engine fit into an equal share, with room for their caches?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/v1/worker/utils.py
#       symbol: is less than desired GPU memory utilization
#       checked: "2026-11-29"
#     - artefact: vllm 0.20.2
#       file: vllm/config/cache.py
#       symbol: gpu_memory_utilization
#       checked: "2026-11-29"
#       note: 0.92 by default, 0.9 up to 0.19.1.
#   messages:
#     main: "{engines} share {device} and claim {sum} of it together: the last one to start stops with \"Free memory on device ... is less than desired GPU memory utilization\""
package agentlint.rules["gpu-memory-oversubscribed"]

import data.agentlint.lib

findings contains {
	"at": written(last),
	"args": {"engines": [input.engines[j].name | some j in members], "device": device, "sum": total},
	"related": [{"at": written(j), "message": sprintf("claims %v of the same card", [fraction(j)])} |
		some j in members
		j != last
	],
	"figures": [{"name": "claimed memory", "value": total, "unit": "of the card", "formula": formula, "limit": 1}],
	"fix": {"edits": [{"op": "set", "at": written(j), "value": sprintf("%v", [floor(90 / count(members)) / 100])} | some j in members]},
} if {
	some device in devices
	some scenario in scenarios
	members := [j |
		some j, _ in input.engines
		device in on[j]
		runs(j, scenario)
	]
	count(members) > 1
	every j in members {
		fraction(j)
	}
	total := round(sum([fraction(j) | some j in members]) * 100) / 100
	total > 1
	last := members[count(members) - 1]
	formula := concat(" + ", [sprintf("%v", [fraction(j)]) | some j in members])
}

# on[j]: the devices that engine j is bound to, each with what it is on.
on[j] := ids if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	ids := bound(j, engine)
	count(ids) > 0
}

bound(_, engine) := {sprintf("GPU %v", [id]) |
	some device in engine.pod.spec.container.deploy.resources.reservations.devices
	some id in device.device_ids
	id != null
} if {
	engine.pod.platform == "compose"
	reserved(engine)
} else := {sprintf("GPU %v", [trim_space(id)]) |
	some name in ["CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"]
	some id in split(engine.env[name], ",")
	regex.match(`^ *[0-9]+ *$`, id)
} if {
	engine.pod.platform in {"compose", "docker", "shell", "systemd"}
} else := {sprintf("the GPU of node %v", [engine.pod.spec.pod.nodeSelector["kubernetes.io/hostname"]])} if {
	engine.pod.platform == "kubernetes"
	some name in ["requests", "limits"]
	lib.number(engine.pod.spec.container.resources[name]["nvidia.com/gpu.shared"]) == 1
}

reserved(engine) if {
	some device in engine.pod.spec.container.deploy.resources.reservations.devices
	device.device_ids
}

devices contains device if {
	some _, ids in on
	some device in ids
}

# Profiles of compose are alternatives: an engine of one never runs with an engine of another.
scenarios contains ""

scenarios contains profile if {
	some engine in input.engines
	some profile in engine.pod.spec.container.profiles
}

runs(j, _) if lib.absent(["engines", j, "pod", "spec", "container", "profiles"])

runs(j, scenario) if scenario in input.engines[j].pod.spec.container.profiles

# The share of the card that engine j takes; undefined when the files do not show it.
fraction(j) := lib.last_number(input.engines[j].args["gpu-memory-utilization"]) if plain(j)

fraction(j) := 0.92 if {
	lib.absent(["engines", j, "args", "gpu-memory-utilization"])
	lib.at_least(input.engines[j], "0.20")
	plain(j)
}

fraction(j) := 0.9 if {
	lib.absent(["engines", j, "args", "gpu-memory-utilization"])
	lib.below(input.engines[j], "0.20")
	plain(j)
}

plain(j) if {
	every flag in ["kv-cache-memory-bytes", "device-memory-utilization"] {
		lib.absent(["engines", j, "args", flag])
	}
}

written(j) := ["engines", j, "args", "gpu-memory-utilization", 0] if {
	lib.present(["engines", j, "args", "gpu-memory-utilization", 0])
} else := ["engines", j, "args", "gpu-memory-utilization"]
