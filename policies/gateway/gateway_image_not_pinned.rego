# METADATA
# title: Nobody knows which LiteLLM runs
# description: |
#   A floating tag is another release at every pull. `main-latest` is no longer updated, `main-stable` is deprecated, and `latest`
#   pointed at a compromised build for some hours in October 2026. Nodes that pulled on different days run different releases
#   on one database schema, a rollback goes nowhere, and what a setting does cannot be looked up.
# custom:
#   category: versions
#   severity: warning
#   severities: [info]
#   confidence: high
#   inputs: [gateway.image, gateway.helm]
#   when: [gateway.image]
#   remedy: |
#     Pin a release (`v1.110.2` and the like) or a digest, and let a bot raise it. In the charts an empty tag is the release the chart belongs
#     to.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: pin the newest release that agentlint knows
#     question: Is this the release that should run?
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: "tag: \"\""
#       checked: "2026-11-29"
#       note: An empty tag is the chart's appVersion.
#     - artefact: litellm 1.102.0
#       file: litellm-1.102.0.dist-info/METADATA
#       symbol: "ghcr.io/berriai/litellm:<release-tag>"
#       checked: "2026-11-29"
#   messages:
#     main: "the image tag {tag} floats: which release runs depends on the day of the pull"
#     dead: "the image tag {tag} floats and is no longer updated: what runs is an old build that nobody can name"
#     deprecated: "the image tag main-stable floats and is deprecated: which release runs depends on the day of the pull"
#     none: "the image has no tag, which is latest: which release runs depends on the day of the pull"
package agentlint.rules["gateway-image-not-pinned"]

import data.agentlint.lib

image := ["gateway", "image"]

findings contains object.union({
	"at": place,
	"in_example": "info",
	"message": wording,
	"args": {"tag": tag},
}, lib.with_edits(edits)) if {
	input.gateway.image.floating == true
	lib.absent(array.concat(image, ["digest"]))
	not chart_default
	lib.absent(["gateway", "pod", "spec", "container", "build"])
}

tag := lib.value(array.concat(image, ["tag"]), "")

place := array.concat(image, ["tag"]) if {
	lib.present(array.concat(image, ["tag"]))
} else := array.concat(image, ["repository"])

# chart_default: the chart's own release is the tag.
chart_default if {
	tag == ""
	not lib.absent(["gateway", "helm"])
}

wording := {"main-latest": "dead", "main": "dead", "main-stable": "deprecated", "": "none"}[tag]

wording := "main" if not tag in {"main-latest", "main", "main-stable", ""}

release := sprintf("v%s", [input.gateway.version]) if {
	input.gateway.version_source == "newest"
	regex.match(`(^|/)berriai/litellm(-database|-non_root|-gateway)?$`, input.gateway.image.repository)
}

pinned := sprintf("%s:%s", [input.gateway.image.repository, release])

# The places that hold the image under its own name: the whole of it, or the tag in a chart's values.
edits := [{"op": "set", "at": whole[0], "value": pinned}] if {
	whole[0]
} else := [{"op": "set", "at": tags[0], "value": release}] if {
	tags[0]
} else := []

whole := [path |
	some path in [["compose", "services", input.gateway.name, "image"], ["gateway", "pod", "spec", "container", "image"]]
	lib.present(path)
]

tags := [path |
	some keys in [["image", "tag"], ["gateway", "image", "tag"]]
	path := array.concat(["gateway", "helm", "values"], keys)
	lib.present(path)
]
