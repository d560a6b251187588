# METADATA
# title: kvaware routing has no LMCache controller
# description: |
#   production-stack's kvaware logic asks an LMCache controller which engine holds which tokens. The controller listens in the
#   router, and the LMCache worker of each engine connects to it at `controllerPort`. When an engine's LMCache is off, has no
#   controller, or another port, the router knows nothing of it and routes to the engine with the fewest requests, or by the session key.
# custom:
#   category: router-tier
#   severity: error
#   severities: [warning]
#   confidence: medium
#   inputs: [routers, engines]
#   remedy: |
#     Set `lmcacheConfig.enabled: true`, `enableController: true` and `controllerPort` on the model, and the same port at
#     `routerSpec.lmcacheControllerPort` (9000 when nothing is written).
#   since: "0.1"
#   evidence:
#     - artefact: production-stack vllm-stack-0.1.12
#       file: src/vllm_router/routers/routing_logic.py
#       symbol: class KvawareRouter
#       checked: "2026-11-29"
#     - artefact: vllm-stack 0.1.12
#       file: templates/deployment-vllm-multi.yaml
#       symbol: LMCACHE_CONTROLLER_PULL_URL
#       checked: "2026-11-29"
#     - artefact: lmcache 0.5.6
#       file: lmcache/v1/config.py
#       symbol: controller_pull_url is required when enable_controller=True
#       checked: "2026-11-29"
#   messages:
#     off: "the router runs kvaware and lmcacheConfig.enabled is not true for {model}: without LMCache it reports no tokens and the router never finds a cache there"
#     controller: "the router runs kvaware and enableController is not true for {model}: its LMCache reports to nobody and the router never finds a cache there"
#     no_port: "the router runs kvaware and {model} has no controllerPort: its LMCache has no controller to report to, and the router's listens on {ours}"
#     port: "{model} reports to port {theirs} and the router's controller listens on {ours}: the router never finds a cache there"
#     engine_off: "the router runs kvaware and {model} has no LMCache connector: it reports no tokens and the router never finds a cache there"
#     engine_controller: "the router runs kvaware and enable_controller is not true in the LMCache of {model}: it reports to nobody and the router never finds a cache there"
#     unseen: "the router runs kvaware and its engines are not among the files: it finds no cache unless their LMCache reports to its controller on port {ours}"
#     router: the port of the router's controller
package agentlint.rules["kvaware-without-controller"]

import data.agentlint.lib

# Models of the chart.
findings contains object.union(problem, {"args": {"model": model.name, "theirs": port_of(config), "ours": port(i)}}) if {
	some i in kvaware
	charted(i)
	some k, model in input.routers[i].helm.values.servingEngineSpec.modelSpec
	rendered(i, k)
	config := array.concat(spec(i), [k, "lmcacheConfig"])
	problem := wrong(i, config)
}

# Engines beside the router that no chart renders.
findings contains object.union(problem, {"args": {"model": input.engines[j].name, "ours": port(i)}}) if {
	some i in kvaware
	apart(i)
	some j in lib.engines_of_router(input.routers[i])
	input.engines[j].runtime == "vllm"
	problem := wrong_engine(j)
}

findings contains {"at": ["routers", i, "mode"], "severity": "warning", "message": "unseen", "args": {"ours": port(i)}} if {
	some i in kvaware
	apart(i)
	every engine in input.engines {
		engine.runtime != "vllm"
	}
}

values(i) := ["routers", i, "helm", "values"]

spec(i) := array.concat(values(i), ["servingEngineSpec", "modelSpec"])

kvaware contains i if {
	some i, router in input.routers
	router.kind == "production-stack"
	router.mode == "kvaware"
}

charted(i) if {
	input.routers[i].helm.chart == "vllm-stack"
	lib.value(array.concat(values(i), ["servingEngineSpec", "enableEngine"]), true) == true
}

# No chart, or one that is told of no engines.
apart(i) if lib.absent(["routers", i, "helm"])

apart(i) if {
	input.routers[i].helm.chart == "vllm-stack"
	input.routers[i].helm.values.servingEngineSpec.enableEngine == false
}

apart(i) if {
	input.routers[i].helm.chart == "vllm-stack"
	lib.absent(spec(i))
}

# rendered(i, k): the chart makes a Deployment of model k and nothing but lmcacheConfig configures its LMCache.
rendered(i, k) if {
	model := array.concat(spec(i), [k])
	lib.value(array.concat(model, ["enabled"]), true) == true
	lib.value(array.concat(model, ["raySpec", "enabled"]), false) == false
	lib.absent(array.concat(model, ["envFromSecret"]))
	not lib.unknown(array.concat(model, ["env"]))
	not lib.unknown(array.concat(model, ["vllmConfig", "extraArgs"]))
	not array.concat(model, ["env"]) in unseen
	not array.concat(model, ["vllmConfig", "extraArgs"]) in unseen
	not own_lmcache(input.routers[i].helm.values.servingEngineSpec.modelSpec[k])
}

# unseen: paths with something unknown below them, as long as those of a model's variables and arguments.
unseen contains array.slice(path, 0, n) if {
	some path in lib.unknown_paths
	path[0] == "routers"
	some n in [7, 8]
}

own_lmcache(model) if {
	some variable in model.env
	startswith(variable.name, "LMCACHE_C")
}

own_lmcache(model) if {
	some variable in model.env
	variable.name == "LMCACHE_ENABLE_CONTROLLER"
}

own_lmcache(model) if {
	some argument in model.vllmConfig.extraArgs
	startswith(argument, "--kv-transfer-config")
}

wrong(i, config) := {"at": array.concat(config, ["enabled"]), "message": "off"} if {
	lib.value(array.concat(config, ["enabled"]), false) == false
} else := {"at": array.concat(config, ["enableController"]), "message": "controller"} if {
	lib.present(array.concat(config, ["enabled"]))
	lib.value(array.concat(config, ["enableController"]), false) == false
} else := {"at": array.concat(config, ["controllerPort"]), "message": "no_port"} if {
	on(config)
	lib.absent(array.concat(config, ["controllerPort"]))
} else := object.union({"at": array.concat(config, ["controllerPort"]), "message": "port"}, related(i)) if {
	on(config)
	port_of(config) != port(i)
	port_of(config) > 0
}

on(config) if {
	lib.value(array.concat(config, ["enabled"]), false) == true
	lib.value(array.concat(config, ["enableController"]), false) == true
}

# port_of(config): the port that a model's LMCache reports to, 0 for none.
port_of(config) := lib.number(lib.value(array.concat(config, ["controllerPort"]), 0))

port_of(config) := 0 if lib.unknown(array.concat(config, ["controllerPort"]))

# The router's controller listens on 9000 unless the router is told another port.
port(i) := lib.value(["routers", i, "settings", "lmcache_controller_port", "value"], 9000)

related(i) := {"related": [{"at": ["routers", i, "settings", "lmcache_controller_port", "value"], "message": "router"}]} if {
	input.routers[i].settings.lmcache_controller_port
} else := {"related": [{"at": ["routers", i, "mode"], "message": "router"}]}

wrong_engine(j) := {"at": ["engines", j, "args"], "message": "engine_off"} if {
	lib.absent(["engines", j, "args", "kv-transfer-config"])
} else := {"at": ["engines", j, "lmcache", "enable_controller"], "message": "engine_controller"} if {
	not lib.unknown(["engines", j, "env", "LMCACHE_ENABLE_CONTROLLER"])
	lib.value(["engines", j, "lmcache", "enable_controller"], false) in {false, "false", "False", "0"}
	input.engines[j].lmcache
}
