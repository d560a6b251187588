# METADATA
# title: The liveness probe kills the engine while it loads
# description: |
#   An engine answers /health only when its weights are loaded and its graphs are captured: minutes for a large model, more from a
#   registry over the network. Without a startup probe the liveness probe counts from the start, and when
#   `initialDelaySeconds + periodSeconds x failureThreshold` is over first, the pod is killed and begins again, for ever. The estimate here is 60 s
#   and 20 s for each 10 GB of weights, at most 1800 s.
# custom:
#   category: probes
#   severity: error
#   severities: [warning]
#   confidence: medium
#   inputs: [probes, engines]
#   remedy: |
#     Add a startup probe whose `periodSeconds x failureThreshold` is longer than the slowest start; liveness counts only after it
#     succeeded.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: add a startup probe of 30 minutes
#     question: Is half an hour longer than the slowest start of this engine, download included?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/entrypoints/serve/instrumentator/health.py
#       symbol: "@router.get(\"/health\""
#       checked: "2026-11-29"
#       note: The route is served by the process that builds its application after the engine client is made.
#     - artefact: vllm-stack 0.1.12
#       file: values.yaml
#       symbol: startupProbe
#       checked: "2026-11-29"
#       note: The production stack gives engines 15 s + 60 x 10 s.
#   parameters:
#     - name: seconds
#       default: 120
#       unit: seconds
#       why: Loading, compiling and capturing graphs takes a small model longer than this.
#   messages:
#     main: "without a startup probe the liveness probe kills the engine {budget} s after its start ({formula}), before weights can be loaded: the pod restarts for ever"
#     estimate: "without a startup probe the liveness probe kills the engine {budget} s after its start ({formula}), and loading {weights} GB of weights takes about {need} s: the pod may restart for ever"
package agentlint.rules["engine-liveness-kills-loading"]

import data.agentlint.lib

findings contains object.union_n([
	{
		"at": ["probes", i],
		"on_key": true,
		"figures": [{"name": "liveness budget", "value": budget, "unit": "seconds", "formula": formula(probe), "limit": limit}],
	},
	weight(base, probe, budget),
	repair(base, probe),
]) if {
	some i, probe in input.probes
	probe.kind == "liveness"
	probe.target.part == "engine"
	base := lib.probe_part(probe)
	loads(lib.part_at(base))
	serves(probe)
	no_startup(base, probe)
	budget := probe.initial_delay_seconds + (probe.period_seconds * probe.failure_threshold)
	limit := max([lib.parameter("engine-liveness-kills-loading", "seconds"), estimate(base)])
	budget < limit
}

loads(engine) if {
	engine.runtime in {"vllm", "sglang"}
	engine.pod.platform == "kubernetes"
}

# A command that asks nothing of the server may succeed while it loads.
serves(probe) if probe.type in {"http", "tcp", "grpc"}

serves(probe) if {
	probe.type == "exec"
	lib.asks(probe)
}

no_startup(base, probe) if {
	not probe.target in started
	lib.absent(array.concat(base, ["pod", "spec", "container", "startupProbe"]))
}

# The targets that have a startup probe.
started contains probe.target if {
	some probe in input.probes
	probe.kind == "startup"
}

# The seconds that a start takes, from the memory of the weights; 0 when their size is not known.
estimate(base) := min([1800, 60 + (2 * gigabytes(base))]) if lib.present(array.concat(base, ["weights_gib"]))

estimate(base) := 0 if not lib.present(array.concat(base, ["weights_gib"]))

gigabytes(base) := round(lib.part_at(base).weights_gib * 1.0737)

weight(_, probe, budget) := {"args": {"budget": budget, "formula": formula(probe)}} if {
	budget < lib.parameter("engine-liveness-kills-loading", "seconds")
}

weight(base, probe, budget) := {
	"severity": "warning",
	"message": "estimate",
	"args": {"budget": budget, "formula": formula(probe), "weights": gigabytes(base), "need": estimate(base)},
} if {
	budget >= lib.parameter("engine-liveness-kills-loading", "seconds")
}

formula(probe) := sprintf("%v s + %v failures x %v s", [probe.initial_delay_seconds, probe.failure_threshold, probe.period_seconds])

# The startup probe asks what the liveness probe asks, for 180 x 10 s.
repair(base, probe) := {"fix": {"edits": [{
	"op": "set",
	"at": array.concat(container, ["startupProbe"]),
	"value": object.union(request, {"periodSeconds": 10, "failureThreshold": 180}),
}]}} if {
	container := lib.container_path(base)
	request := handler(lib.part_at(base).pod.spec.container[lib.probe_key(probe.kind)])
} else := {}

handler(written) := {name: written[name] |
	some name in ["httpGet", "tcpSocket", "grpc", "exec"]
	written[name]
}
