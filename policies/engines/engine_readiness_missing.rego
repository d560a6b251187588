# METADATA
# title: A loading engine gets traffic
# description: |
#   A pod without a readiness probe counts as ready as soon as its container runs. The Service then sends requests to an engine that
#   still loads its weights, for minutes after each start, rollout or scale-up: connections are refused, the gateway counts failures and cools the deployment
#   down, and with one address for all replicas that takes the healthy ones out too.
# custom:
#   category: probes
#   severity: warning
#   confidence: medium
#   inputs: [engines, probes, services]
#   remedy: Add a readiness probe on `/health`, which answers once the model is loaded and asks for no key.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: add a readiness probe on /health
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/entrypoints/serve/instrumentator/health.py
#       symbol: "@router.get(\"/health\""
#       checked: "2026-11-29"
#       note: Answers 200 while the engine lives, without a key.
#   messages:
#     main: "engine {engine} has no readiness probe, so Service {service} sends requests to it while it loads its model: they fail and the gateway cools it down; add one on /health"
#     service: sends traffic to every pod that runs
package agentlint.rules["engine-readiness-missing"]

import data.agentlint.lib

findings contains object.union(
	{
		"at": container,
		"args": {"engine": engine.name, "service": input.services[behind[0]].name},
		"related": [{"at": ["services", behind[0]], "message": "service"}],
	},
	repair(["engines", j], container),
) if {
	some j, engine in input.engines
	engine.runtime in {"vllm", "sglang"}
	not engine.pod.kind in {"InferenceService", "LLMInferenceService", "Service", "Job", "CronJob", "chart"}
	container := lib.container_path(["engines", j])
	lib.absent(array.concat(container, ["readinessProbe"]))
	answers(j)
	behind := [k | some k in lib.services_of[engine.name]]
	behind[0] >= 0
}

# Ranks of an engine over several nodes but the first have no API.
answers(j) if {
	lib.absent(["engines", j, "args", "headless"])
	lib.value(["engines", j, "args", "node-rank"], ["0"]) == ["0"]
}

repair(base, container) := {"fix": {"edits": [{
	"op": "set",
	"at": array.concat(container, ["readinessProbe"]),
	"value": {"httpGet": {"path": "/health", "port": lib.listens_on(base)}, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 3},
}]}} if {
	lib.listens_on(base)
} else := {}
