# METADATA
# title: Every restart of an engine downloads the model again
# description: |
#   The engine stores the weights that it downloads under HF_HOME (`/root/.cache/huggingface`), in the layer of the
#   container when no volume is mounted there. That layer goes with the pod: each restart, rollout and new replica fetches
#   tens of gigabytes again, is not ready for minutes to hours, fills the node's disk and may meet the hub's rate limit.
# custom:
#   category: resources
#   severity: warning
#   severities: [info]
#   confidence: medium
#   inputs: [engine.pod, engine.args]
#   when: [engines.*.pod.mounts]
#   remedy: |
#     Mount a volume that outlives the pod at the cache: a PersistentVolumeClaim (ReadWriteMany or ReadOnlyMany for several
#     replicas), a hostPath or CSI volume on the node, or an image volume with the weights. `--download-dir` on a mount does it
#     too. The fix keeps the weights on the node, which needs nothing that is not there yet; a claim is named by who runs the
#     cluster:
#
#     ```yaml
#     volumeMounts: [{name: models, mountPath: /root/.cache/huggingface}]
#     volumes: [{name: models, persistentVolumeClaim: {claimName: models}}]
#     ```
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: keep the downloaded weights on the node
#     question: May the pods keep the weights in /var/lib/model-cache of their node? A claim is the other way, where hostPath volumes are not allowed.
#   parameters:
#     - name: gib
#       default: 18.6
#       unit: GiB of weights
#       why: 20 GB; a smaller model is downloaded in a minute or two.
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/config/load.py
#       symbol: download_dir
#       checked: "2026-11-29"
#       note: Without it the weights go to the default cache folder of the hub's client.
#   messages:
#     main: "no volume is mounted at {cache}: every restart of {engine} downloads {weights} again before it is ready"
package agentlint.rules["model-cache-volume-missing"]

import data.agentlint.lib

id := "model-cache-volume-missing"

findings contains object.union({
	"at": ["engines", j, "pod", "mounts"],
	"in_example": "info",
	"args": {"engine": engine.name, "cache": cache(j), "weights": weights_text(j)},
}, lib.with_edits(edits(j))) if {
	some j, engine in input.engines
	engine.runtime in {"vllm", "sglang"}
	engine.pod.platform == "kubernetes"
	engine.pod.kind in {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Rollout", "LeaderWorkerSet"}
	from_hub(engine.model)
	large(j)
	not lib.mounted(j, cache(j))
	not elsewhere(j)
}

# from_hub(model): a repository of the hub, not a folder and not an object store.
from_hub(model) if {
	not startswith(model, "/")
	not startswith(model, ".")
	not contains(model, "://")
	contains(model, "/")
}

# large(j): weights of engine j are large, or their size is not known.
large(j) if input.engines[j].weights_gib >= lib.parameter(id, "gib")

large(j) if lib.absent(["engines", j, "weights_gib"])

# elsewhere(j): the weights come from somewhere else, or may do so: a folder of one's own, a loader that streams them,
# another hub, or the image itself.
elsewhere(j) if lib.flagged(j, ["download-dir"])

elsewhere(j) if lib.flagged(j, ["load-format", "config"])

elsewhere(j) if {
	some name in ["VLLM_USE_MODELSCOPE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_ENDPOINT"]
	not lib.absent(["engines", j, "env", name])
}

elsewhere(j) if {
	some name in cache_names
	lib.unknown(["engines", j, "env", name])
}

# A volume that is an image, or that may be one.
elsewhere(j) if ["engines", j, "pod", "volumes"] in lib.unknown_paths

elsewhere(j) if {
	some i, _ in input.engines[j].pod.volumes
	not lib.absent(["engines", j, "pod", "volumes", i, "image"])
}

cache_names := ["HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"]

# cache(j): the folder in which the hub's client of engine j keeps repositories.
cache(j) := input.engines[j].env.HF_HUB_CACHE if {
	true
} else := input.engines[j].env.HUGGINGFACE_HUB_CACHE if {
	true
} else := sprintf("%s/hub", [trim_suffix(input.engines[j].env.HF_HOME, "/")]) if {
	true
} else := sprintf("%s/huggingface/hub", [trim_suffix(input.engines[j].env.XDG_CACHE_HOME, "/")]) if {
	true
} else := sprintf("%s/.cache/huggingface/hub", [home(j)])

home(j) := input.engines[j].env.HOME if {
	true
} else := "/root"

weights_text(j) := sprintf("%v GiB", [round(input.engines[j].weights_gib)]) if {
	true
} else := "the weights"

edits(j) := [
	{"op": "append", "at": ["engines", j, "pod", "spec", "container", "volumeMounts"], "value": {"name": "model-cache", "mountPath": trim_suffix(cache(j), "/hub")}},
	{"op": "append", "at": ["engines", j, "pod", "spec", "pod", "volumes"], "value": {"name": "model-cache", "hostPath": {"path": "/var/lib/model-cache", "type": "DirectoryOrCreate"}}},
] if {
	lib.volumes_writable(j)
} else := []
