# METADATA
# title: A Service named vllm breaks the engines beside it
# description: |
#   Kubernetes puts the address of every Service of a namespace into the environment of its pods. One named `vllm` becomes
#   `VLLM_PORT=tcp://10.0.0.5:80`, and VLLM_PORT is a variable of vLLM's own, the port between its processes: the engine stops
#   with `VLLM_PORT 'tcp://...' appears to be a URI`.
# custom:
#   category: rollout
#   severity: error
#   confidence: high
#   inputs: [services, engine.pod]
#   remedy: |
#     Give the Service another name, or set `enableServiceLinks: false` in the pod, or VLLM_PORT to a number.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: set enableServiceLinks to false
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/envs.py
#       symbol: "appears to be a URI"
#       checked: "2026-11-29"
#     - artefact: vllm 0.8.5
#       file: vllm/envs.py
#       symbol: int(os.getenv('VLLM_PORT', '0'))
#       checked: "2026-11-30"
#       note: Releases before 0.9.0 stop with "invalid literal for int()".
#   messages:
#     main: "the Service vllm makes Kubernetes set VLLM_PORT to tcp://... in {engine}, which stops with \"VLLM_PORT 'tcp://...' appears to be a URI\""
#     number: "the Service vllm makes Kubernetes set VLLM_PORT to tcp://... in {engine}, which stops with \"invalid literal for int() with base 10: 'tcp://...'\""
#     pod: "gets the variable"
package agentlint.rules["vllm-service-name-collision"]

import data.agentlint.lib

links(j) := ["engines", j, "pod", "spec", "pod", "enableServiceLinks"]

findings contains {
	"at": ["services", i, "name"],
	"message": words(hit),
	"args": {"engine": concat(", ", [input.engines[j].name | some j in hit])},
	"related": [{"at": ["engines", j, "pod"], "message": "pod"} | some j in hit],
	"fix": {"edits": [{"op": "set", "at": links(j), "value": false} | some j in hit]},
} if {
	some i, service in input.services
	service.name == "vllm"
	service.type in {"ClusterIP", "NodePort", "LoadBalancer"}
	service.headless == false
	hit := [j |
		some j, engine in input.engines
		reads_port(engine)
		engine.pod.platform == "kubernetes"
		beside(i, j)
		lib.value(links(j), true) == true
		unset(j)
	]
	count(hit) > 0
}

# words(hit): what the engines say before they stop.
words(hit) := "number" if {
	every j in hit {
		lib.below(input.engines[j], "0.9.0")
	}
} else := "main"

reads_port(engine) if engine.runtime == "vllm"

reads_port(engine) if engine.backend == "vllm"

# beside(i, j): Service i is in the namespace of engine j.
beside(i, j) if {
	lib.value(["services", i, "namespace"], "default") == lib.value(["engines", j, "pod", "namespace"], "default")
}

# unset(j): the pod sets no VLLM_PORT of its own, which would win over the one of the Service.
unset(j) if lib.absent(["engines", j, "env", "VLLM_PORT"])
