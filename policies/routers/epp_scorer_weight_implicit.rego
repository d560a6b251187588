# METADATA
# title: A scorer without a weight counts 1
# description: |
#   A profile that names a scorer without a weight gives it 1.0. The picker's own default profile weighs prefix matches with 3 and queue
#   and KV usage with 2, so a scorer that is copied from it without its weight has a third of the say, beside others that kept theirs.
# custom:
#   category: router-tier
#   severity: info
#   confidence: high
#   inputs: [routers]
#   when: [routers.*.config.schedulingProfiles]
#   remedy: |
#     Write the weight of every scorer: 3 for the prefix cache, 2 for queue and KV usage is what the picker does without a configuration.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: write the weight that counts
#     question: Is 1 the weight that the scorer should have, beside the others of the profile?
#   evidence:
#     - artefact: llm-d-router 0.10.0
#       file: pkg/epp/config/loader/defaults.go
#       symbol: DefaultScorerWeight is the weight used for scorers referenced in the configuration without explicit weights.
#       checked: "2026-11-30"
#   messages:
#     main: "{scorer} has no weight and counts 1.0, beside {other} with {weight}; the picker's own default gives prefixes 3, queue and KV usage 2"
package agentlint.rules["epp-scorer-weight-implicit"]

import data.agentlint.lib

findings contains {
	"at": at,
	"args": {"scorer": ref.pluginRef, "other": heavy.pluginRef, "weight": heavy.weight},
	"fix": {"edits": [{"op": "set", "at": ["routers", i, "config", "schedulingProfiles", p, "plugins", j, "weight"], "value": 1}]},
} if {
	some i, router in input.routers
	lib.picker(router)
	some p, profile in router.config.schedulingProfiles
	some j, ref in profile.plugins
	scorer(router, ref.pluginRef)
	lib.absent(["routers", i, "config", "schedulingProfiles", p, "plugins", j, "weight"])
	heavy := weighted(router, profile)[0]
	at := ["routers", i, "config", "schedulingProfiles", p, "plugins", j, "pluginRef"]
}

# The scorers of a profile that have a weight, in order; when all have none they weigh the same.
weighted(router, profile) := [ref |
	some ref in profile.plugins
	scorer(router, ref.pluginRef)
	is_number(ref.weight)
]

# scorer(router, name): the plugin of that name, or type, is a scorer.
scorer(router, name) if {
	some plugin in router.config.plugins
	plugin_name(plugin) == name
	endswith(plugin.type, "-scorer")
}

plugin_name(plugin) := plugin.name

plugin_name(plugin) := plugin.type if not plugin.name
