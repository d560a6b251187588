# METADATA
# title: The chart does not know the routing logic
# description: |
#   From 0.1.11 on the JSON schema of vllm-stack lists the values of `routerSpec.routingLogic`: roundrobin, session, prefixaware,
#   kvaware, disaggregated_prefill and from 0.1.12 disaggregated_prefill_orchestrated. Helm refuses any other one before it renders
#   (`values don't meet the specifications of the schema(s)`), also `loadaware` and `priority`, which newer routers know. Older charts
#   pass anything on, and a name that no router knows stops the router at the start (`invalid choice`).
# custom:
#   category: router-tier
#   severity: warning
#   severities: [error, info]
#   confidence: medium
#   inputs: [routers]
#   when: [routers.*.helm]
#   remedy: |
#     Leave `routingLogic` at a value that the schema lists and pass the other one through
#     `routerSpec.extraArgs: ["--routing-logic", "loadaware"]`, which stands later on the command line and wins.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: pass the logic through extraArgs
#     question: Does the router's image know this logic?
#   evidence:
#     - artefact: vllm-stack 0.1.12
#       file: values.schema.json
#       symbol: disaggregated_prefill_orchestrated
#       checked: "2026-11-29"
#       note: The schema of 0.1.11 lists five values, that of 0.1.10 none ("type" only).
#     - artefact: production-stack vllm-stack-0.1.12
#       file: src/vllm_router/parsers/parser.py
#       symbol: --routing-logic
#       checked: "2026-11-29"
#       note: choices are the same six. loadaware and priority were merged later, as pull requests 1035 and 996.
#   messages:
#     main: "the schema of vllm-stack {chart} does not list {logic} for routingLogic: Helm does not render the release"
#     newer: "the schemas of vllm-stack up to 0.1.12 do not list {logic} for routingLogic; that of {chart} may"
#     unknown: "no router knows the routing logic {logic}: Helm does not render the release, and the router would stop with \"invalid choice\""
#     starts: "no router knows the routing logic {logic}: vllm-stack {chart} passes it on and the router stops with \"invalid choice\""
package agentlint.rules["routing-logic-not-in-chart"]

import data.agentlint.lib

# Known to routers of some release.
known := {"roundrobin", "session", "prefixaware", "kvaware", "disaggregated_prefill", "disaggregated_prefill_orchestrated", "loadaware", "priority"}

findings contains object.union({
	"at": logic(i),
	"severity": kind.severity,
	"message": kind.message,
	"args": {"logic": name, "chart": chart(i)},
}, lib.with_edits(edits(i, name, kind.severity))) if {
	some i, router in input.routers
	router.kind == "production-stack"
	router.helm.chart == "vllm-stack"
	name := router.helm.values.routerSpec.routingLogic
	is_string(name)
	kind := judged(lib.value(["routers", i, "helm", "chart_version"], "0.1.12"), name)
}

# A chart whose version nothing says is taken for the newest one that was read.
chart(i) := input.routers[i].helm.chart_version if {
	input.routers[i].helm.chart_version
} else := "0.1.12 (assumed)"

logic(i) := ["routers", i, "helm", "values", "routerSpec", "routingLogic"]

# listed(version): what the schema of a chart allows; undefined where it allows any text.
listed(version) := {"roundrobin", "session", "prefixaware", "kvaware", "disaggregated_prefill"} if {
	lib.at_least(version, "0.1.11")
	lib.below(version, "0.1.12")
} else := known - {"loadaware", "priority"} if {
	lib.at_least(version, "0.1.12")
}

judged(version, name) := {"severity": "info", "message": "newer"} if {
	lib.at_least(version, "0.1.13")
	not name in listed(version)
} else := {"severity": "error", "message": "starts"} if {
	lib.below(version, "0.1.11")
	not name in known
} else := {"severity": "error", "message": "unknown"} if {
	not name in known
} else := {"severity": "warning", "message": "main"} if {
	not name in listed(version)
	lib.at_least(version, "0.1.11")
}

edits(i, name, "warning") := [
	{"op": "remove", "at": logic(i)},
	{"op": "append", "at": extra(i), "value": "--routing-logic"},
	{"op": "append", "at": extra(i), "value": name},
]

edits(_, _, severity) := [] if severity != "warning"

extra(i) := ["routers", i, "helm", "values", "routerSpec", "extraArgs"]
