# METADATA
# title: Pins expire while people read
# description: |
#   `deployment_affinity_ttl_seconds` is how long a pin outlives the last request of its session or key; the default is 3600. The median
#   pause of a person between two turns is about four minutes, and many take ten: with a shorter time the next turn goes to any replica,
#   which computes the whole conversation again.
# custom:
#   category: affinity
#   severity: info
#   confidence: medium
#   inputs: [gateway.config]
#   when: [gateway.config.router_settings.deployment_affinity_ttl_seconds]
#   applies: ["litellm>=1.81.16"]
#   remedy: |
#     Remove `deployment_affinity_ttl_seconds`, which leaves 3600, or set it to the longest pause after which the cache of an engine may
#     still hold the conversation.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: raise deployment_affinity_ttl_seconds to 3600
#     question: May a conversation stay on its replica for an hour after its last request?
#   parameters:
#     - name: seconds
#       default: 600
#       unit: s
#       why: more than twice the median pause of 4.1 minutes between the turns of a person.
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/pre_call_checks/deployment_affinity_check.py
#       symbol: redis.call('EXPIRE', KEYS[1], ARGV[2])
#       checked: "2026-11-30"
#       note: The time starts again with every request that keeps the pin.
#     - artefact: litellm 1.102.0
#       file: litellm/router.py
#       symbol: "deployment_affinity_ttl_seconds: int = 3600"
#       checked: "2026-11-30"
#   messages:
#     main: "pins expire {ttl} after the last request, while people pause between turns for 4 min and more: the next turn starts on a replica without the conversation; the default is 3600"
#     affinity: "affinity is on here"
package agentlint.rules["session-affinity-ttl-short"]

import data.agentlint.lib

ttl := ["gateway", "config", "router_settings", "deployment_affinity_ttl_seconds"]

findings contains {
	"at": ttl,
	"args": {"ttl": lib.duration_text(seconds)},
	"related": [{"at": lib.affinity_at[0], "message": "affinity"}],
	"fix": {"edits": [{"op": "set", "at": ttl, "value": 3600}]},
} if {
	seconds := lib.value(ttl, null)
	is_number(seconds)
	seconds > 0
	seconds < lib.parameter("session-affinity-ttl-short", "seconds")
	count(lib.affinity_at) > 0
	lib.certain_choice
}
