# METADATA
# title: The engine runs in development mode
# description: |
#   VLLM_SERVER_DEV_MODE=1 adds routes to the API port that ask for no key: /collective_rpc calls a method of the workers by name,
#   /reset_prefix_cache, /sleep and /wake_up empty or stop the engine, /server_info shows its configuration. Anyone who reaches the port may call them.
# custom:
#   category: engine-security
#   severity: error
#   severities: [info, warning]
#   confidence: high
#   inputs: [engine.env, services]
#   when: [engine.env.VLLM_SERVER_DEV_MODE]
#   remedy: |
#     Remove the variable; the routes have no place on a port that others reach. Where `--enable-sleep-mode` needs them, let only
#     what puts the engine to sleep reach the port.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: remove VLLM_SERVER_DEV_MODE
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/entrypoints/launchers/api_server/routers.py
#       symbol: if envs.VLLM_SERVER_DEV_MODE
#       checked: "2026-11-29"
#   messages:
#     main: "VLLM_SERVER_DEV_MODE={value} adds routes without authentication to the API port of engine {engine}: calls of any worker method, cache resets, sleep; remove it"
#     sleep: "VLLM_SERVER_DEV_MODE={value} adds the routes that --enable-sleep-mode needs to the API port of engine {engine}, and calls of any worker method, all without authentication: let only what puts it to sleep reach the port"
package agentlint.rules["vllm-dev-mode"]

import data.agentlint.lib

findings contains object.union_n([
	{"at": path, "args": {"value": engine.env.VLLM_SERVER_DEV_MODE, "engine": engine.name}},
	answer(j),
	weight(engine),
	inside(j, engine),
]) if {
	some j, engine in input.engines
	lib.number(engine.env.VLLM_SERVER_DEV_MODE) != 0
	path := ["engines", j, "env", "VLLM_SERVER_DEV_MODE"]
	not at_home(j)
}

# at_home: a file for development whose port only this machine reaches.
at_home(j) if {
	lib.example_path(input.stack.name)
	lib.local_only(j)
}

answer(j) := {"message": "sleep"} if {
	sleeps(j)
} else := {"fix": {"edits": [{"op": "remove", "at": path}]}} if {
	path := ["engines", j, "env", "VLLM_SERVER_DEV_MODE"]
}

# sleeps(j): engine j is put to sleep by calls of these routes.
sleeps(j) if lib.decides(j, {"enable-sleep-mode", "no-enable-sleep-mode"}) == "enable-sleep-mode"

# Whoever needs the routes has them where only the cluster reaches them.
inside(j, engine) := {"severity": "warning"} if {
	sleeps(j)
	weight(engine) != {}
} else := {}

# Benchmarks and tests reset caches by these routes; only the cluster of an example reaches them.
weight(engine) := {"in_example": "info"} if {
	engine.pod.platform == "kubernetes"
	every service in input.services {
		not opens(service, engine)
	}
} else := {}

opens(service, engine) if {
	service.type in {"LoadBalancer", "NodePort"}
	service.target == {"part": "engine", "name": engine.name}
}
