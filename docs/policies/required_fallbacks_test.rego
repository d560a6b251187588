package agentlint.custom.routing.required_fallbacks_test

import data.agentlint.custom.routing.required_fallbacks

# stack(fallbacks): two groups, of which the second is outside the EU.
stack(fallbacks) := {
	"gateway": {"fragment": false, "config": {"router_settings": {"fallbacks": fallbacks}}},
	"groups": [
		{"name": "chat", "deployments": [{"index": 0, "api_base": "https://eu.example.com", "target": {"kind": "external"}}]},
		{"name": "far", "deployments": [{"index": 1, "api_base": "https://example.com", "target": {"kind": "external"}}]},
	],
	"unknown": [],
}

messages(fallbacks) := {sprintf("%s %s", [finding.args.group, object.get(finding, "message", "main")]) | some finding in found} if {
	found := required_fallbacks.findings with input as stack(fallbacks)
}

test_none if messages([]) == {"chat main", "far main"}

test_outside if messages([{"chat": ["far"]}]) == {"chat outside", "far main"}

test_inside if messages([{"far": ["chat"]}]) == {"chat main"}

# A part of the list that the files do not show may hold the fallback.
test_unseen if {
	found := required_fallbacks.findings with input as object.union(stack([null]), {"unknown": [["gateway", "config", "router_settings", "fallbacks", 0]]})
	found == set()
}

test_own_engine if not required_fallbacks.far([], {"target": {"kind": "engine"}})
