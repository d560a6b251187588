# METADATA
# title: Several engines share a volume that one node may mount
# description: |
#   A ReadWriteOnce volume is attached to one node at a time. A second replica of the engine that lands on another node, and
#   engines with GPUs mostly do, stays in ContainerCreating with `Multi-Attach error for volume`. With one replica a rolling
#   update meets the same: the new pod waits for the old one, which waits for the new one.
# custom:
#   category: rollout
#   severity: error
#   severities: [info]
#   confidence: high
#   inputs: [engine.pod, autoscalers, files]
#   when: [engines.*.pod.claims, engines.*.helm]
#   remedy: |
#     Use a storage class with ReadWriteMany (NFS, CephFS, Lustre, Filestore, EFS, Azure Files), ReadOnlyMany for weights that are
#     written once, or a StatefulSet with volumeClaimTemplates, which gives each replica a volume of its own.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: ask for ReadWriteMany
#     question: Can the storage class be mounted by several nodes?
#   evidence:
#     - artefact: kubernetes 1.34 API
#       file: v1 PersistentVolumeClaimSpec
#       symbol: ReadWriteOnce
#       checked: "2026-11-29"
#       note: Mounted read-write by a single node; the attach controller refuses a second one.
#     - artefact: vllm-stack 0.1.12
#       file: templates/pvc.yaml
#       symbol: ReadWriteOnce
#       checked: "2026-11-29"
#       note: One claim for each model, shared by its replicas; ReadWriteOnce unless pvcAccessMode says otherwise.
#   messages:
#     main: "up to {replicas} replicas of {engine} share the claim {claim}, which one node may mount (ReadWriteOnce): pods on other nodes stay pending with Multi-Attach errors"
#     rolling: "a rolling update of {engine} starts a second pod on the claim {claim}, which one node may mount (ReadWriteOnce): it hangs when the new pod lands on another node"
package agentlint.rules["model-cache-rwo-with-replicas"]

import data.agentlint.lib

findings contains object.union({
	"at": claim.at,
	"message": "main",
	"args": {"replicas": engine.replicas.max, "engine": engine.name, "claim": claim.name},
	"related": [{"at": ["engines", j, "replicas", "max"], "message": sprintf("up to %v replicas", [engine.replicas.max])}],
}, lib.with_edits(claim.edits)) if {
	some j, engine in input.engines
	engine.replicas.max > 1
	some claim in single(j)
}

findings contains object.union({
	"at": claim.at,
	"message": "rolling",
	"severity": "info",
	"args": {"engine": engine.name, "claim": claim.name},
}, lib.with_edits(claim.edits)) if {
	some j, engine in input.engines
	engine.replicas.max == 1
	engine.pod.kind in {"Deployment", "chart"}
	engine.rollout.kind == "RollingUpdate"
	lib.value(["engines", j, "rollout", "max_surge"], "25%") != 0
	some claim in single(j)
}

# single(j): the claims of engine j that one node at a time may mount.
single(j) := {{"name": claim.name, "at": at, "edits": [{"op": "set", "at": at, "value": ["ReadWriteMany"]}]} |
	some k, claim in input.engines[j].pod.claims
	claim.access_modes == ["ReadWriteOnce"]
	not pinned(j, k)
	at := ["engines", j, "pod", "claims", k, "access_modes"]
} | chart_claims(j)

# A class of local disks, with the pods pinned to one node.
pinned(j, k) if {
	class := input.engines[j].pod.claims[k].storage_class
	some word in ["local", "hostpath", "openebs", "topolvm", "lvm"]
	contains(lower(class), word)
	input.engines[j].pod.spec.pod.nodeSelector
}

pinned(j, _) if lib.present(["engines", j, "pod", "spec", "pod", "nodeSelector", "kubernetes.io/hostname"])

pinned(j, _) if lib.present(["engines", j, "pod", "spec", "pod", "nodeName"])

pinned(j, k) if lib.unknown(["engines", j, "pod", "claims", k, "storage_class"])

pinned(j, _) if lib.unknown(["engines", j, "pod", "spec", "pod", "nodeSelector"])

chart_claims(j) := {{"name": "of pvcStorage", "at": at, "edits": [{"op": "set", "at": at, "value": ["ReadWriteMany"]}]} |
	input.engines[j].helm.chart == "vllm-stack"
	entry := lib.chart_entry(j)
	not lib.value(array.concat(entry, ["pvcStorage"]), false) in {false, null}
	at := array.concat(entry, ["pvcAccessMode"])
	lib.value(at, ["ReadWriteOnce"]) == ["ReadWriteOnce"]
	lib.absent(array.concat(entry, ["nodeName"]))
}
