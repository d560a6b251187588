# Routers, the prefixes they keep an index of, and the engines behind them.
package agentlint.lib

# picker(router): an endpoint picker, of llm-d or of the Gateway API inference extension.
picker(router) if router.kind in {"llm-d", "gaie"}

# picker_precise(i): router i is llm-d's picker with the index that engines' KV events fill.
picker_precise(i) if {
	input.routers[i].kind == "llm-d"
	input.routers[i].mode == "precise-prefix-cache"
}

# picker_rehashes(i): it computes block keys from the tokens of events (llm-d 0.9), so engines' own hashes do not matter.
picker_rehashes(i) if {
	picker_precise(i)
	at_least(input.routers[i], "0.9")
}

# dynamo_kv(i): router i is Dynamo's in kv mode, without the load-aware preset.
dynamo_kv(i) if {
	input.routers[i].kind == "dynamo"
	input.routers[i].mode == "kv"
	value(["routers", i, "settings", "load_aware", "value"], false) == false
}

# reads_events(i): the index of router i is filled by KV events of the engines.
reads_events(i) if picker_precise(i)

reads_events(i) if {
	dynamo_kv(i)
	value(["routers", i, "settings", "kv_events", "value"], true) == true
}

reads_events(i) if {
	input.routers[i].kind == "aibrix"
	input.routers[i].settings.kv_events.value == true
}

# precise_plugins(router): indices of the plugins of a picker that keep the precise index.
precise_plugins(router) := {j |
	some j, plugin in router.config.plugins
	startswith(plugin.type, "precise-prefix-cache")
}

# token_processor(i): the first tokenProcessorConfig of the precise index of router i, as [path, object].
token_processors(i) := [[path, plugin.parameters.tokenProcessorConfig] |
	some j in precise_plugins(input.routers[i])
	plugin := input.routers[i].config.plugins[j]
	path := ["routers", i, "config", "plugins", j, "parameters", "tokenProcessorConfig"]
]

# index_block_size(i): the block size that router i fixes, as {"at": path, "size": tokens}; undefined when it writes none.
index_block_size(i) := {"at": array.concat(tp[0], [key]), "size": tp[1][key]} if {
	picker_precise(i)
	tp := token_processors(i)[0]
	key := [k | some k in ["blockSizeTokens", "blockSize"]; tp[1][k]][0]
}

index_block_size(i) := {"at": ["routers", i, "settings", key, "value"], "size": input.routers[i].settings[key].value} if {
	dynamo_kv(i)
	key := [k | some k in ["block_size", "router_block_size"]; input.routers[i].settings[k].value][0]
}

# replay_port(i): the port at which the picker asks engines for lost events.
replay_port(i) := [port |
	some j in precise_plugins(input.routers[i])
	port := input.routers[i].config.plugins[j].parameters.kvEventsConfig.podDiscoveryConfig.replaySocketPort
][0]

# last_number(list): the number that the last value of an argument is.
last_number(list) := number(list[count(list) - 1])

# last_text(list): the last value of an argument.
last_text(list) := text if {
	text := list[count(list) - 1]
	is_string(text)
}

# block_size(j): the block size that engine j writes.
block_size(j) := last_number(input.engines[j].args["block-size"])

# data_parallel(j): the number of data-parallel ranks of engine j; undefined when it is not known.
data_parallel(j) := 1 if absent(["engines", j, "args", "data-parallel-size"])

data_parallel(j) := last_number(input.engines[j].args["data-parallel-size"])

# shares_model(j, k): engines j and k serve the same name.
shares_model(j, k) if {
	some name in input.engines[j].served_names
	name in input.engines[k].served_names
}

# engine_label(j): how messages name an engine.
engine_label(j) := input.engines[j].name

# written_at(i, setting, flags, envs): where a setting of router i is written, for a fix: its argument, its variable, or
# the value in a file.
written_at(i, setting, flags, _) := ["routers", i, "args", flag] if {
	input.routers[i].settings[setting].source == "args"
	flag := [f | some f in flags; input.routers[i].args[f]][0]
}

written_at(i, setting, _, envs) := ["routers", i, "env", name] if {
	input.routers[i].settings[setting].source == "env"
	name := [n | some n in envs; input.routers[i].env[n]][0]
}

written_at(i, setting, _, _) := ["routers", i, "settings", setting, "value"] if {
	input.routers[i].settings[setting].source in {"config", "chart"}
}

# with_edits(edits): a finding's fix with these edits; nothing when there are none.
with_edits(edits) := {"fix": {"edits": edits}} if count(edits) > 0

with_edits(edits) := {} if count(edits) == 0

# length(list): how many items a list has, those that are not seen included.
length(list) := count(list)

# prefix_aware(router): the router chooses engines by the prefixes that they hold.
prefix_aware(router) if router.mode in prefix_modes[router.kind]

prefix_modes := {
	"production-stack": {"prefixaware", "kvaware"},
	"llm-d": {"precise-prefix-cache", "approx-prefix-cache"},
	"gaie": {"precise-prefix-cache", "approx-prefix-cache"},
	"dynamo": {"kv"},
	"sglang": {"cache_aware"},
	"aibrix": {"prefix-cache", "prefix-cache-preble"},
	"ray": {"PrefixCacheAffinityRouter"},
}

# shared_name(j, k): the first name that engines j and k both serve.
shared_name(j, k) := [name | some name in input.engines[j].served_names; name in input.engines[k].served_names][0]

# default_hash(j): the algorithm of block hashes that engine j uses when it writes none.
default_hash(j) := "sha256" if at_least(input.engines[j], "0.10.2")

default_hash(j) := "builtin" if below(input.engines[j], "0.10.2")

# compares_hashes(j, k): what compares the block hashes of engines j and k with each other; undefined when nothing does.
compares_hashes(j, k) := "LMCache" if {
	input.engines[j].lmcache.remote_url == input.engines[k].lmcache.remote_url
} else := "a shared block store" if {
	every e in [j, k] {
		input.engines[e].kv_transfer.kv_connector == "MooncakeStoreConnector"
	}
} else := sprintf("the picker %s", [input.routers[i].name]) if {
	pickers := [p |
		some p, router in input.routers
		picker_precise(p)
		below(router, "0.9")
		every e in [j, k] {
			input.engines[e].name in router.targets
		}
	]
	i := pickers[0]
}

# events_place(j): where the KV events of engine j are configured, or would be.
events_place(j) := ["engines", j, "kv_events"] if {
	input.engines[j].kv_events
} else := ["engines", j, "args", "kv-events-config"]

# dynamo_unknown_flag(router): how Dynamo stops at a flag that it does not know: the frontend from 1.0 on says so itself, the
# standalone router (which needs an endpoint) and older frontends through argparse.
dynamo_unknown_flag(router) := "unrecognized arguments" if {
	router.args.endpoint
} else := "unrecognized arguments" if {
	router.env.DYN_ROUTER_ENDPOINT
} else := "unrecognized arguments" if {
	below(router, "1.0")
} else := "Unknown arguments specified"

# router_count(router): the number of its replicas as messages name it.
router_count(router) := sprintf("up to %v", [router.replicas.max]) if {
	router.replicas.owner == "autoscaler"
} else := sprintf("%v", [router.replicas.max])
