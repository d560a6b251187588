# METADATA
# title: Retries of the gateway and of the router below multiply
# description: |
#   `num_retries: N` is N + 1 attempts of the gateway, and a router or gateway below makes its own attempts in each of
#   them. When the engines fail or are slow, that is when capacity is short, one call of a client becomes (N + 1) x (M + 1)
#   calls to engines, times the retries of the client itself. The default of the gateway is 2 retries, 3 attempts.
# custom:
#   category: retries
#   severity: warning
#   severities: [info]
#   confidence: medium
#   inputs: [gateway.config, routers]
#   when: [gateway.config.model_list]
#   remedy: |
#     Retry in one layer: `router_settings.num_retries` 1 or 0 where a router below fails over by itself, which knows
#     which replica failed. Keep fallbacks to other groups in the gateway.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: lower num_retries to 1
#     question: Do the groups that are behind no router manage with one retry?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/router.py
#       symbol: num_retries
#       checked: "2026-11-29"
#       note: "Run with 1.102.0 and 1.110.2, an upstream that answers 500: 3 calls by default, 6 with num_retries 5."
#   messages:
#     main: "num_retries is {retries}, and {names} below {routers:retries|retry} too: one call of a client is {gateway} attempts of the gateway and up to {total} at the engines"
#     unknown: "num_retries is {retries}, and {names} below {routers:makes|make} attempts of {routers:its|their} own: each of {gateway} attempts of the gateway can become several at the engines"
#     default: "num_retries is 2 when nothing is written, and {names} below {routers:makes|make} attempts of {routers:its|their} own: each of 3 attempts of the gateway can become several at the engines"
#     once: "num_retries is {retries} in front of {names}, which {routers:does|do} not retry: {gateway} attempts go to the same address"
#     name: "num_retries is {retries}, and the host {names} is named like a router: if it retries too, each of {gateway} attempts of the gateway can become several"
#     there: leads there
package agentlint.rules["retries-stack-on-router"]

import data.agentlint.lib

findings contains object.union(finding, fix) if {
	retries >= 2
	case := cases[0]
	finding := {
		"at": at,
		"severity": case.severity,
		"message": case.message,
		"args": {
			"retries": retries, "gateway": retries + 1, "names": case.names, "routers": count(case.names),
			"total": (retries + 1) * case.attempts,
		},
		"related": [{"at": path, "message": "there"} | some path in case.paths],
		"figures": figures(case),
	}
	fix := fix_of[case.severity]
}

retries := lib.number(input.gateway.settings.num_retries.value)

written if input.gateway.settings.num_retries.source == "config"

at := ["gateway", "config", "router_settings", "num_retries"] if {
	lib.present(["gateway", "config", "router_settings", "num_retries"])
} else := ["gateway", "config", "litellm_settings", "num_retries"] if {
	lib.present(["gateway", "config", "litellm_settings", "num_retries"])
	lib.absent(["gateway", "config", "router_settings", "num_retries"])
} else := ["gateway", "config", "router_settings", "num_retries"] if {
	not written
	input.gateway.settings.num_retries.source == "default"
	lib.absent(["gateway", "config", "router_settings", "num_retries"])
	lib.absent(["gateway", "config", "litellm_settings", "num_retries"])
}

# cases are what is below, the worst first: routers that retry a known number of times, others of which only that they
# are routers or gateways is known, routers that do not retry, and names that sound like a router.
cases := [case |
	some [severity, message, list] in [
		["warning", "main", known_retriers],
		["warning", "unknown", other_retriers],
		["info", "once", non_retriers],
		["info", "name", namesakes],
	]
	count(list) > 0
	case := case_of(severity, message, list)
]

case_of(severity, message, list) := {"severity": severity, "message": message, "names": names(list), "paths": paths(list), "attempts": attempts(list)} if {
	written
} else := {"severity": "info", "message": "default", "names": names(list), "paths": paths(list), "attempts": attempts(list)} if {
	message in {"main", "unknown"}
}

names(list) := sort({item.name | some item in list})

paths(list) := array.slice([item.path | some item in list], 0, 3)

attempts(list) := max([item.attempts | some item in list])

known_retriers := [item | some item in below; item.attempts > 1]

other_retriers := [object.union(item, {"attempts": 1}) | some item in below; item.attempts == 0]

non_retriers := [item | some item in below; item.attempts == 1]

# below: what deployments lead to, with the attempts it makes for one request, 0 when that is not known.
below := array.concat(
	[{"name": router.name, "path": address(deployment), "attempts": router_attempts(router)} |
		some deployment in not_engines
		deployment.target.kind == "router"
		some router in input.routers
		router.name == deployment.target.name
	],
	[{"name": deployment.target.service, "path": address(deployment), "attempts": 0} |
		some deployment in not_engines
		deployment.target.kind == "gateway"
	],
)

not_engines := [deployment |
	lib.leads_to({"router", "gateway"})
	some group in input.groups
	some deployment in group.deployments
	deployment.target.kind in {"router", "gateway"}
]

router_attempts(router) := 1 + failovers(router) if router.kind == "production-stack"

router_attempts(router) := 1 + retries_of_sglang(router) if router.kind == "sglang"

router_attempts(router) := 0 if not router.kind in {"production-stack", "sglang"}

# Zero when nothing is written.
failovers(router) := lib.number(router.args["max-instance-failover-reroute-attempts"][0])

failovers(router) := 0 if arg_absent(router, "max-instance-failover-reroute-attempts")

retries_of_sglang(router) := 0 if {
	not arg_absent(router, "disable-retries")
} else := lib.number(router.args["retry-max-retries"][0])

retries_of_sglang(router) := 5 if {
	arg_absent(router, "disable-retries")
	arg_absent(router, "retry-max-retries")
}

arg_absent(router, flag) if {
	some i, other in input.routers
	other.name == router.name
	lib.absent(["routers", i, "args", flag])
}

namesakes := [{"name": host, "path": address(deployment), "attempts": 1} |
	some group in lib.self_hosted
	some deployment in group.deployments
	contains(lower(deployment.api_base), "router")
	deployment.target.kind in {"external", "unknown"}
	host := split(split(replace(deployment.api_base, "://", "/"), "/")[1], ":")[0]
	contains(lower(host), "router")
]

address(deployment) := array.concat(lib.entry_path(deployment.index), ["litellm_params", "api_base"])

figures(case) := [{
	"name": "attempts", "value": (retries + 1) * case.attempts, "unit": "calls to engines",
	"formula": sprintf("(1 + %v retries) x %v attempts of the router", [retries, case.attempts]),
}] if {
	case.message == "main"
} else := []

fix_of := {"warning": {"fix": {"edits": [{"op": "set", "at": at, "value": 1}]}}, "info": {}}
