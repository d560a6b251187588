# METADATA
# title: The image of an engine or router floats
# description: |
#   vLLM publishes a release every two weeks, and releases remove flags and metrics without a period in which both work: the next time a
#   node pulls `latest`, `nightly` or an image without a tag, the engine stops at an argument it no longer has, dashboards and autoscalers
#   lose their series, and two replicas of one Deployment may run two releases. There is no tag to roll back to.
# custom:
#   category: engine-security
#   severity: warning
#   severities: [info]
#   confidence: high
#   inputs: [engine.image, routers]
#   remedy: Pin a release tag, or a digest, and raise it on purpose.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: pin the newest release that agentlint knows
#     question: Is this the release that should run, with the arguments that are written?
#   evidence:
#     - artefact: vllm 0.18.0
#       file: vllm/engine/arg_utils.py
#       symbol: class EngineArgs
#       checked: "2026-11-29"
#       note: --swap-space, accepted by 0.17.1, is gone without a replacement.
#     - artefact: vllm-stack 0.1.12
#       file: values.yaml
#       symbol: lmcache/lmstack-router
#       checked: "2026-11-29"
#       note: The router's tag is latest, pulled always.
#   messages:
#     main: "the image {image} of engine {name} floats: the next pull may bring a release that has other flags and metrics; pin a release or a digest"
#     router: "the image {image} of router {name} floats: the next pull may bring another release; pin a release or a digest"
package agentlint.rules["engine-image-not-pinned"]

import data.agentlint.lib

findings contains object.union(
	{
		"at": ["engines", j, "image", "repository"],
		"in_example": "info",
		"args": {"name": engine.name, "image": shown(engine.image)},
	},
	repair(j, engine),
) if {
	some j, engine in input.engines
	engine.image.floating == true
	not built(engine)
}

findings contains {
	"at": ["routers", i, "image", "repository"],
	"in_example": "info",
	"message": "router",
	"args": {"name": router.name, "image": shown(router.image)},
} if {
	some i, router in input.routers
	router.image.floating == true
	not built(router)
}

shown(image) := concat(":", [image.repository, image.tag])

shown(image) := sprintf("%s (no tag)", [image.repository]) if not image.tag

# built: compose builds the image here, and its tag is only a name for it.
built(part) if part.pod.spec.container.build

# Only where a manifest or a compose file writes vLLM's own image whole. What depends on the release is said of a pinned
# one only.
repair(j, engine) := {"fix": {
	"edits": [{
		"op": "set",
		"at": ["engines", j, "pod", "spec", "container", "image"],
		"value": sprintf("%s:v%s", [engine.image.repository, engine.version]),
	}],
	"brings": ["vllm-admission-control-missing"],
}} if {
	engine.image.repository in {"vllm/vllm-openai", "docker.io/vllm/vllm-openai"}
	engine.version_source == "newest"
	lib.absent(["engines", j, "helm"])
	startswith(engine.pod.spec.container.image, engine.image.repository)
} else := {}
