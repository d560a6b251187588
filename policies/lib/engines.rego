# What engines are told on their command lines.
package agentlint.lib

# context_limit(engine): the longest sequence of an engine in tokens; undefined when the files do not show it, or when the
# engine chooses.
context_limit(engine) := engine.context.value

# release_named(part): the files or the options name the release of an engine or router, so the newest one is not assumed.
release_named(part) if part.version_source in {"image", "chart", "requirements", "target"}

# decides(j, flags): the one of these spellings of a boolean flag that stands last on the command line of engine j, which
# is the one that counts; undefined when none is there, or when words are not seen that may be one.
decides(j, flags) := name if {
	not ["engines", j, "args"] in unknown_paths
	every flag in input.engines[j].flags {
		is_string(flag.name)
	}
	places := [k | some k, flag in input.engines[j].flags; flag.name in flags]
	name := input.engines[j].flags[places[count(places) - 1]].name
}

# chart_entry(j): the path of the entry of servingEngineSpec.modelSpec that vllm-stack renders engine j from. The values of
# an engine hold no other.
chart_entry(j) := ["engines", j, "helm", "values", "servingEngineSpec", "modelSpec", 0] if input.engines[j].helm.chart == "vllm-stack"

# prefix_caching_off(j): the flag that switches prefix caching off in engine j; undefined when it is on, or left to the
# model. --disable-prefix-caching is a flag from 0.33 on.
prefix_caching_off(j) := name if {
	name := decides(j, prefix_caching_flags(input.engines[j]))
	name != "enable-prefix-caching"
	present(["engines", j, "args", name])
}

prefix_caching_flags(engine) := {"enable-prefix-caching", "no-enable-prefix-caching", "disable-prefix-caching"} if {
	at_least(engine, "0.33")
} else := {"enable-prefix-caching", "no-enable-prefix-caching"}

# kv_events_on(j): engine j publishes KV events.
kv_events_on(j) if input.engines[j].kv_events.enable_kv_cache_events == true

# reached(j): groups of the gateway lead to engine j, directly or through a router.
reached(j) if j in reached_engines

reached_engines contains j if {
	some group in input.groups
	some j in engines_of(group)
}

reached_engines contains j if {
	some i in reached_routers
	some j in engines_of_router(input.routers[i])
}

reached_routers contains i if {
	some group in input.groups
	some i in routers_of(group)
}

# apart(j): no group leads to engine j for certain.
apart(j) if {
	not reached(j)
	ways_seen
}

# ways_seen: where the groups lead is known.
ways_seen if {
	every group in input.groups {
		every deployment in group.deployments {
			deployment.target.kind in {"engine", "router", "gateway", "external"}
		}
	}
	every path in unknown_paths {
		path[0] != "groups"
		path[0] != "routers"
	}
}

# gateway_admission: the gateway limits the requests in flight, or may do so out of sight.
gateway_admission if {
	at_least("litellm", "1.101.0")
	not in_flight_unlimited
}

gateway_admission if {
	input.gateway
	not unwritten(["gateway", "args", "limit-concurrency"])
}

gateway_admission if {
	at_least("litellm", "1.94.0")
	input.gateway
	not unwritten(["gateway", "env", "LIMIT_CONCURRENCY"])
}

in_flight_unlimited if value(["gateway", "config", "general_settings", "max_in_flight_requests_per_worker"], 0) in {0, null}
