# METADATA
# title: The picker is configured at an API group or image that it has left
# description: |
#   The endpoint picker moved from the Gateway API inference extension to the llm-d router, and its own objects from the
#   group `inference.networking.x-k8s.io` to `llm-d.ai`. From llm-d 0.9:
#   an EndpointPickerConfig of the old group is still read, with a deprecation in the log;
#   where InferenceObjective or InferenceModelRewrite exist in both groups, only the new ones are read and the old are
#   ignored, so priorities and rewrites written there have no effect.
#   The image of the old project gets no new releases of the picker. `InferencePool` did not move: v1 of
#   `inference.networking.k8s.io` is right.
# custom:
#   category: router-tier
#   severity: warning
#   severities: [info]
#   confidence: medium
#   inputs: [routers]
#   when: [routers.*.config, routers.*.objects, routers.*.image]
#   remedy: |
#     Write `apiVersion: llm-d.ai/v1alpha1` in the picker's configuration, move InferenceObjective and
#     InferenceModelRewrite objects to the `llm-d.ai` group, and take the image from
#     `ghcr.io/llm-d/llm-d-router-endpoint-picker`.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: use the API group llm-d.ai
#     question: Do all pickers that read this run llm-d 0.9 or later?
#   evidence:
#     - artefact: llm-d-router 0.9.0
#       file: pkg/epp/config/loader/configloader.go
#       symbol: deprecatedSchemeGroupVersion
#       checked: "2026-11-29"
#       note: The old group is registered beside the new one and logged as deprecated.
#     - artefact: llm-d-router 0.10.0
#       file: RELEASE-NOTES.md
#       symbol: EPP will only reconcile the new group and IGNORE legacy resources
#       checked: "2026-11-29"
#   messages:
#     main: "{kind} {name} is of the old group {group} while objects of the new group exist: llm-d {version} reads only the new ones, this object is ignored"
#     new: "an object of the new group"
#     config: "the picker's configuration is of the old group {group}: llm-d {version} still reads it and logs a deprecation; write llm-d.ai/v1alpha1"
#     image: "the picker's image is at its old location: the picker moved to llm-d, take ghcr.io/llm-d/llm-d-router-endpoint-picker"
package agentlint.rules["epp-api-moved"]

import data.agentlint.lib

old_group(api) if startswith(api, "inference.networking.x-k8s.io/")

version(router) := router.version if router.version != ""

version(router) := "0.9 and later" if router.version == ""

# A picker's configuration.
findings contains {
	"at": ["routers", i, "config", "apiVersion"],
	"severity": "info",
	"message": "config",
	"args": {"group": "inference.networking.x-k8s.io", "version": version(router)},
	"fix": {"edits": [{"op": "set", "at": ["routers", i, "config", "apiVersion"], "value": "llm-d.ai/v1alpha1"}]},
} if {
	some i, router in input.routers
	router.kind == "llm-d"
	lib.at_least(router, "0.9")
	router.config.kind == "EndpointPickerConfig"
	old_group(router.config.apiVersion)
}

# Old objects beside new ones.
findings contains {
	"at": ["routers", i, "objects", j, "api_version"],
	"args": {"kind": object_.kind, "name": object_.name, "group": "inference.networking.x-k8s.io", "version": version(router)},
	"related": [{"at": ["routers", i, "objects", k, "api_version"], "message": "new"}],
} if {
	some i, router in input.routers
	router.kind == "llm-d"
	lib.at_least(router, "0.9")
	some j, object_ in router.objects
	old_group(object_.api_version)
	k := min({k |
		some k, other in router.objects
		other.kind == object_.kind
		startswith(other.api_version, "llm-d.ai/")
	})
}

# The image.
findings contains {
	"at": ["routers", i, "image"],
	"severity": "info",
	"message": "image",
	"args": {},
} if {
	some i, router in input.routers
	router.kind == "gaie"
	some folder in ["gateway-api-inference-extension", "k8s-staging-images"]
	contains(router.image.repository, folder)
}
