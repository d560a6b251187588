# METADATA
# title: The prompt_caching check pins no vLLM traffic
# description: |
#   The check pins a request to a deployment only when its messages carry `cache_control` marks and the marked part has
#   1024 tokens or more (`MINIMUM_PROMPT_CACHE_TOKEN_COUNT`), and for 300 s. Clients of a self-hosted engine send no such
#   marks, so nothing is pinned (7/13 and 8/12 of 20 turns in runs, 20/0 with marks), while the tokens of every chat
#   prompt are counted twice, before the call and after it. From 1.108 one-hour marks are pinned 3600 s where the provider
#   honours them; the newest releases also take `prompt_cache_breakpoint` as a mark.
# custom:
#   category: affinity
#   severity: warning
#   severities: [info]
#   confidence: high
#   inputs: [gateway.config]
#   when: [gateway.config.router_settings.optional_pre_call_checks]
#   remedy: |
#     Use `session_affinity` for self-hosted groups (1.81.16 and newer). Keep `prompt_caching` only for Claude groups at
#     Anthropic or Bedrock whose clients mark what is to be cached.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: use session_affinity
#     question: Do clients send x-litellm-session-id or metadata.session_id, and none of them cache_control marks?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/prompt_caching_cache.py
#       symbol: ttl=300
#       checked: "2026-11-29"
#     - artefact: litellm 1.102.0
#       file: litellm/router_utils/pre_call_checks/prompt_caching_deployment_check.py
#       symbol: is_prompt_caching_valid_prompt
#       checked: "2026-11-29"
#       note: "Run with 1.102.0 and 1.110.2: prompts without cache_control were spread 7/13 and 8/12, with it 20/0."
#   messages:
#     main: "prompt_caching pins only prompts of 1024 tokens or more with cache_control marks, for 300 s: {groups:group|groups} {names} of vLLM {groups:gets|get} no pin, and every chat prompt is counted twice"
#     shared: use session_affinity; the pins need a shared Redis
#     redis: "Do clients send x-litellm-session-id or metadata.session_id, and none of them cache_control marks? And {processes} gateway processes run and no shared Redis is visible: which one will they share?"
#     beside: "prompt_caching beside session_affinity pins nothing more for self-hosted {groups:group|groups} {names}, and every chat prompt is counted twice"
package agentlint.rules["prompt-caching-check-without-effect"]

import data.agentlint.lib

findings contains object.union(finding, fix) if {
	at := lib.check_at("prompt_caching")[0]
	names := [group.name | some group in input.groups; pool(group)]
	count(names) > 0
	not both_wanted
	finding := {
		"at": at,
		"severity": severity,
		"message": wording[severity],
		"args": {"groups": count(names), "names": names, "processes": lib.processes.text},
	}
	fix := {"fix": object.union({"edits": edits(at)}, alone)}
}

pool(group) if {
	group.self_hosted == true
	count(lib.entries(group)) > 1
}

# Each check serves groups of its own kind.
both_wanted if {
	session_pins
	marked_pool
}

marked_pool if {
	some group in input.groups
	not group.self_hosted == true
	lib.length(group.deployments) > 1
	some deployment in group.deployments
	not deployment.provider in unmarked
}

marked_pool if {
	some i, _ in input.groups
	lib.unknown(["groups", i, "deployments"])
}

# Providers that know no marks; another one, or one that is not in the files, may honour them.
unmarked := {"hosted_vllm", "vllm", "ollama", "ollama_chat", "openai", "azure", "openai_like"}

# A value that the files do not show may be session_affinity.
session_pins if not lib.check_missing("session_affinity")

severity := "info" if {
	session_pins
} else := "warning"

wording := {"info": "beside", "warning": "main"}

# session_affinity needs a Redis that the processes share.
alone := {"title": "shared", "question": "redis", "brings": ["session-affinity-without-redis"]} if {
	not session_pins
	lib.pins_apart
} else := {}

edits(at) := [{"op": "remove", "at": at}] if {
	session_pins
} else := [{"op": "append", "at": lib.pre_call_checks, "value": "session_affinity"}] if {
	marked_pool
} else := [{"op": "set", "at": at, "value": "session_affinity"}]
