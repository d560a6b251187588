# METADATA
# title: A full engine is cooled down as if it were broken
# description: |
#   Above `--max-num-queued-reqs` or `--max-num-queued-tokens` vLLM answers 503, which LiteLLM takes for a failure of the deployment
#   (ServiceUnavailableError). When more than half of at least 5 requests of a minute end so, the deployment is cooled down, 5 s by
#   default; its requests go to the other replicas, which are full for the same reason and follow. The answer has no Retry-After header
#   either.
# custom:
#   category: retries
#   severity: info
#   confidence: medium
#   inputs: [gateway.config, engine.args]
#   applies: ["vllm>=0.29"]
#   remedy: |
#     Set `router_settings.allowed_fails_policy.ServiceUnavailableErrorAllowedFails` to a number that full engines do not reach, such as 1000
#     (LiteLLM 1.98 and newer; older releases have no policy for 503), and have clients wait and retry.
#   since: "0.1"
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/config/scheduler.py
#       symbol: This bounds vLLM's otherwise unbounded request queue
#       checked: "2026-11-29"
#       note: Answers 503 without Retry-After.
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/cooldown_handlers.py
#       symbol: percent_fails > DEFAULT_FAILURE_THRESHOLD_PERCENT
#       checked: "2026-11-30"
#       note: 0.5 and 5 requests; a group of one deployment is left out.
#     - artefact: litellm 1.102.0
#       file: litellm/types/router.py
#       symbol: ServiceUnavailableErrorAllowedFails
#       checked: "2026-11-30"
#       note: In 1.98.0, absent in 1.96.0.
#   messages:
#     main: "--{flag} {value} makes {engine} answer 503 when it is full, and the gateway counts each as a failure of the deployment in {groups:group|groups} {names}: above half of the requests of a minute a full replica is cooled down, and the others get its load"
#     there: "leads to this engine"
package agentlint.rules["queue-rejections-cool-down-engine"]

import data.agentlint.lib

findings contains {
	"at": ["engines", j, "args", flag],
	"on_key": true,
	"args": {"flag": flag, "value": lib.last_text(input.engines[j].args[flag]), "engine": lib.engine_label(j), "groups": count(names), "names": names},
	"related": [{"at": array.concat(lib.entry_path(min(ways)[0]), ["litellm_params", "api_base"]), "message": "there"}],
} if {
	cools
	some j, engine in input.engines
	engine.runtime == "vllm"
	flag := [name | some name in ["max-num-queued-reqs", "max-num-queued-tokens"]; lib.present(["engines", j, "args", name])][0]
	ways := ways_to[engine.name]
	names := sort({way[1] | some way in ways})
}

# ways_to[engine]: the deployments that lead to an engine and may be cooled down for its 503, with their groups.
ways_to[deployment.target.name] contains [deployment.index, group.name] if {
	some group in input.groups
	lib.length(group.deployments) > 1
	some deployment in group.deployments
	deployment.target.kind == "engine"
	uncovered(deployment.index)
}

# cools: failures cool deployments down, and no policy says how many 503 answers are allowed.
cools if {
	lib.value(["gateway", "config", "router_settings", "disable_cooldowns"], false) in {false, null}
	covers_none(["gateway", "config", "router_settings", "allowed_fails_policy"])
}

uncovered(index) if covers_none(array.concat(lib.entry_path(index), ["model_info", "allowed_fails_policy"]))

covers_none(path) if lib.value(array.concat(path, ["ServiceUnavailableErrorAllowedFails"]), null) == null
