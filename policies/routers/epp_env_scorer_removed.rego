# METADATA
# title: Scorers of the picker are switched on by variables that nothing reads
# description: |
#   The picker of llm-d 0.1 took its scorers and their weights from variables such as ENABLE_PREFIX_AWARE_SCORER and
#   PREFIX_AWARE_SCORER_WEIGHT. From 0.2.0 on no variable of that kind is read, without a message: only the scorers of an
#   EndpointPickerConfig count, and without one the picker's defaults (queue 2, KV usage 2, prefix 3 in 0.10).
# custom:
#   category: router-tier
#   severity: warning
#   confidence: high
#   inputs: [routers]
#   when: [routers.*.env]
#   remedy: |
#     Write the scorers and their weights into an EndpointPickerConfig (`--config-file`), `prefix-cache-scorer` with its weight for
#     ENABLE_PREFIX_AWARE_SCORER, and remove the variables.
#   since: "0.1"
#   evidence:
#     - artefact: llm-d-router 0.1.0
#       file: pkg/config/config.go
#       symbol: 'PREFILL_ENABLE_" + pluginName'
#       checked: "2026-11-30"
#       note: Enabled by the text true. No file of 0.2.0 and later names such a variable.
#     - artefact: llm-d-router 0.10.0
#       file: pkg/epp/config/loader/defaults.go
#       symbol: DefaultScorerWeight is the weight used for scorers referenced in the configuration without explicit weights.
#       checked: "2026-11-30"
#   messages:
#     main: "{list} {verb} read by no picker from llm-d 0.2 on ({version} runs): {rest}"
#     extension: "{list} {verb} read by llm-d's picker up to 0.1 alone, never by this one: {rest}"
#     also: "not read either"
package agentlint.rules["epp-env-scorer-removed"]

import data.agentlint.lib

findings contains {
	"at": ["routers", i, "env", names[0]],
	"on_key": true,
	"message": wording(router),
	"args": {"list": concat(", ", names), "verb": {true: "is", false: "are"}[count(names) == 1], "version": router.version, "rest": rest(i)},
	"related": [{"at": ["routers", i, "env", name], "on_key": true, "message": "also"} | some n, name in names; n > 0],
} if {
	some i, router in input.routers
	lib.picker(router)
	removed(router)
	names := [name |
		some name, text in router.env
		regex.match(`^(PREFILL_)?ENABLE_[A-Z0-9_]+_SCORER$`, name)
		text == "true"
	]
	count(names) > 0
}

# The picker of the inference extension never read them; its releases are numbered otherwise.
removed(router) if router.kind == "gaie"

removed(router) if {
	router.kind == "llm-d"
	lib.at_least(router, "0.2.0")
}

wording(router) := "extension" if {
	router.kind == "gaie"
} else := "main"

rest(i) := "there is no EndpointPickerConfig, so the default scorers run with their default weights" if {
	lib.absent(["routers", i, "config"])
} else := "the scorers and weights of its EndpointPickerConfig alone count"
