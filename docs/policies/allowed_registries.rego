# METADATA
# title: An image comes from a registry that we do not trust
# description: |
#   Images are scanned and mirrored in two registries. Anything else is pulled from the internet by the node
#   that happens to start the pod, and a tag can be moved to another image by whoever owns it.
# custom:
#   severity: error
#   severities: [info]
#   messages:
#     main: "{part} runs {image}, which is not from an allowed registry"
#     digest: "{part} runs {image} by its tag, and a tag can be moved: write the digest too"
#   remedy: Pull from `ghcr.io/berriai`, `vllm/vllm-openai` or `registry.internal`, and write the digest behind the tag (`@sha256:...`).
package agentlint.custom.images.allowed_registries

import data.agentlint.lib

allowed := ["ghcr.io/berriai/*", "vllm/vllm-openai", "docker.io/vllm/vllm-openai", "registry.internal/*"]

images contains {"at": ["gateway", "image"], "part": "the gateway", "image": input.gateway.image}

images contains {"at": ["engines", i, "image"], "part": sprintf("engine %s", [engine.name]), "image": engine.image} if some i, engine in input.engines

findings contains {
	"at": array.concat(image.at, ["repository"]),
	"args": {"part": image.part, "image": image.image.repository},
} if {
	some image in images
	not trusted(image.image.repository)
}

findings contains {
	"at": array.concat(image.at, ["repository"]),
	"severity": "info",
	"message": "digest",
	"args": {"part": image.part, "image": sprintf("%s:%s", [image.image.repository, image.image.tag])},
} if {
	some image in images
	trusted(image.image.repository)
	lib.absent(array.concat(image.at, ["digest"]))
}

trusted(repository) if {
	some pattern in allowed
	lib.matches(pattern, repository)
}
