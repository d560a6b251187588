# METADATA
# title: kvaware routing looks at text completions only
# description: |
#   To ask LMCache which engine holds a prompt the router tokenises the field `prompt` of the request. Chat completions have
#   `messages` instead, so there is nothing to look up: they match nothing and are spread by the fallback, without a
#   message. `loadaware`, which came after chart 0.1.12, takes the same path as far as it was published.
# custom:
#   category: router-tier
#   severity: warning
#   confidence: medium
#   confidences: [low]
#   inputs: [routers]
#   remedy: |
#     Use `session` (with `sessionKey`) or `prefixaware`, which reads chat messages, until the router tokenises chat requests.
#   since: "0.1"
#   evidence:
#     - artefact: production-stack vllm-stack-0.1.12
#       file: src/vllm_router/routers/routing_logic.py
#       symbol: "TODO (Yuhan): Handle chat completions"
#       checked: "2026-11-29"
#   messages:
#     main: "{mode} routing tokenises only the prompt field of text completions: chat completions match no cache and are spread by the fallback without a message"
package agentlint.rules["kvaware-ignores-chat"]

import data.agentlint.lib


findings contains {
	"at": ["routers", i, "mode"],
	"confidence": confidence(router.mode),
	"args": {"mode": router.mode},
} if {
	some i, router in input.routers
	router.kind == "production-stack"
	router.mode in {"kvaware", "loadaware"}
	count(providers_unknown(router)) == 0
	not text_only(router)
}

confidence("kvaware") := "medium"

confidence("loadaware") := "low"

# The groups of the gateway that reach the router are text completions, all of them.
text_only(router) if {
	some deployment in reaching(router)
	every other in reaching(router) {
		other.provider == "text-completion-openai"
	}
}

reaching(router) := [deployment |
	some group in input.groups
	some deployment in group.deployments
	deployment.target.kind == "router"
	deployment.target.name == router.name
]

# A group or deployment that is not seen may be the one that decides.
providers_unknown(router) := {path |
	router.name != ""
	some path in input.unknown
	path[0] == "groups"
	lib.length(path) < 3
} | {path |
	router.name != ""
	some path in input.unknown
	path[0] == "groups"
	path[2] == "deployments"
	decides(path)
}

decides(path) if lib.length(path) < 5

decides(path) if path[4] in {"provider", "target"}
