# METADATA
# title: Engines that compare block hashes have no common seed
# description: |
#   Block hashes begin with a value that Python's hash seed decides. Where something compares hashes of several processes,
#   all of them need the same `PYTHONHASHSEED`; without it (or with different ones) every process hashes the same tokens
#   differently and nothing ever matches, without an error. Two cases need it:
#   LMCache with its `builtin` hash (the default) and a store, peer or controller that several engines share, at every vLLM
#   release;
#   vLLM's own hashes before 0.29, or with an `xxhash` algorithm at any release, behind a picker of llm-d up to 0.8 (whose
#   `hashSeed` must be the same) or in a shared block store.
#   From 0.29 vLLM's sha256 algorithms start from a fixed value. llm-d from 0.9 and AIBrix hash the tokens of events
#   themselves, Dynamo's workers set 0 on their own, and the production-stack chart writes 123.
# custom:
#   category: kv-events
#   severity: error
#   severities: [info]
#   confidence: high
#   inputs: [engines, routers]
#   when: [engines.*.lmcache, engines.*.kv_transfer, routers.*.config]
#   remedy: |
#     Set the same `PYTHONHASHSEED` (any number, 0 is usual) in the environment of all engines, and as `hashSeed` of a picker
#     up to 0.8.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: set one PYTHONHASHSEED on all engines
#   evidence:
#     - artefact: lmcache 0.5.6
#       file: lmcache/v1/token_database.py
#       symbol: For centralized cache sharing, ensure PYTHONHASHSEED is
#       checked: "2026-11-29"
#       note: builtin is Python's hash function and the default of pre_caching_hash_algorithm.
#     - artefact: vllm 0.29.0
#       file: vllm/v1/core/kv_cache_utils.py
#       symbol: DEFAULT_NONE_HASH_SEED
#       checked: "2026-11-29"
#       note: Random without the variable up to 0.28.0; fixed for sha256 from 0.29.0; xxhash stays random.
#     - artefact: ai-dynamo 1.6.1
#       file: dynamo/vllm/__main__.py
#       symbol: PYTHONHASHSEED
#       checked: "2026-11-29"
#   messages:
#     main: "{consumer} compares the block hashes of {engines} and every process hashes with a seed of its own ({why}), so they never match; set one PYTHONHASHSEED on all"
#     floating: "{consumer} compares the block hashes of {engines}, which have no PYTHONHASHSEED: vLLM before 0.29 then hashes the same tokens differently in every process, and nothing pins a release"
#     picker: "the picker {picker} hashes with seed {theirs} and {engine} with PYTHONHASHSEED {seed}: no hash ever matches; use one seed"
#     other: "shares the cache"
#     seed: "the picker's seed"
package agentlint.rules["kv-hash-seed-missing"]

import data.agentlint.lib

findings contains object.union({
	"at": ["engines", first, "env", "PYTHONHASHSEED"],
	"severity": severity(group),
	"message": wording(group),
	"args": {
		"engines": concat(", ", [lib.engine_label(j) | some j in members]),
		"consumer": group.consumer,
		"why": why(members),
	},
	"related": [{"at": ["engines", j, "env", "PYTHONHASHSEED"], "message": "other"} | some j in members; j != first],
}, fix(members)) if {
	some group in groups
	members := sort([j | some j in group.engines])
	every j in members {
		not lib.unknown(["engines", j, "env", "PYTHONHASHSEED"])
	}
	needs_seed(members)
	first := [j | some j in members; wrong(j, members)][0]
}

# The picker's own seed is another one.
findings contains {
	"at": ["engines", j, "env", "PYTHONHASHSEED"],
	"message": "picker",
	"args": {"picker": router.name, "engine": lib.engine_label(j), "theirs": theirs, "seed": seed(j)},
	"related": [{"at": array.concat(processor[0], ["hashSeed"]), "message": "seed"}],
	"fix": {"edits": [{"op": "set", "at": ["engines", j, "env", "PYTHONHASHSEED"], "value": theirs}]},
} if {
	some i, router in input.routers
	lib.picker_precise(i)
	lib.below(router, "0.9")
	some processor in lib.token_processors(i)
	theirs := sprintf("%v", [processor[1].hashSeed])
	some j in lib.engines_of_router(router)
	seeded(j, true)
	seed(j) != theirs
}

# groups: engines whose hashes are compared, and through what.
groups contains {"engines": members, "consumer": "LMCache", "sure": true} if {
	some j, engine in input.engines
	url := engine.lmcache.remote_url
	members := {k |
		some k, other in input.engines
		other.lmcache.remote_url == url
		builtin(k)
	}
	j in members
	several(members)
}

groups contains {"engines": members, "consumer": "LMCache's peers", "sure": true} if {
	some way in ["enable_p2p", "enable_pd", "enable_controller"]
	members := {k |
		some k, other in input.engines
		other.lmcache[way] in {true, "true", "True", "1"}
		builtin(k)
	}
	several(members)
}

groups contains {"engines": members, "consumer": sprintf("the picker %s", [router.name]), "sure": sure} if {
	some i, router in input.routers
	lib.picker_precise(i)
	lib.below(router, "0.9")
	some sure in [true, false]
	members := {j | some j in lib.engines_of_router(router); seeded(j, sure)}
	count(members) > 0
}

groups contains {"engines": members, "consumer": "a shared block store", "sure": sure} if {
	some sure in [true, false]
	members := {j |
		some j, engine in input.engines
		engine.kv_transfer.kv_connector == "MooncakeStoreConnector"
		seeded(j, sure)
	}
	several(members)
}

builtin(k) if {
	lib.value(["engines", k, "lmcache", "pre_caching_hash_algorithm"], "builtin") == "builtin"
	input.engines[k].runtime == "vllm"
}

# seeded(j, sure): the hashes of engine j depend on the seed; not surely when nothing pins its release.
seeded(j, true) if {
	input.engines[j].runtime == "vllm"
	input.engines[j].version_source != "newest"
	lib.below(input.engines[j], "0.29")
}

seeded(j, true) if {
	input.engines[j].runtime == "vllm"
	startswith(lib.last_text(input.engines[j].args["prefix-caching-hash-algo"]), "xxhash")
}

seeded(j, false) if {
	input.engines[j].runtime == "vllm"
	input.engines[j].version_source == "newest"
	lib.absent(["engines", j, "args", "prefix-caching-hash-algo"])
}

# several(members): more than one process for certain.
several(members) if count(members) > 1

several(members) if {
	some j in members
	input.engines[j].replicas.max > 1
}

seed(j) := input.engines[j].env.PYTHONHASHSEED

needs_seed(members) if {
	some j in members
	lib.absent(["engines", j, "env", "PYTHONHASHSEED"])
}

needs_seed(members) if count({seed(j) | some j in members}) > 1

# The first engine without a seed, else the first whose seed is not that of the first engine.
wrong(j, _) if lib.absent(["engines", j, "env", "PYTHONHASHSEED"])

wrong(j, members) if {
	every k in members {
		lib.present(["engines", k, "env", "PYTHONHASHSEED"])
	}
	seed(j) != seed(members[0])
}

why(members) := "PYTHONHASHSEED is not set" if {
	some j in members
	lib.absent(["engines", j, "env", "PYTHONHASHSEED"])
} else := sprintf("PYTHONHASHSEED is %s", [concat(" and ", sort([s | some s in {seed(j) | some j in members}]))])

severity(group) := "error" if group.sure

severity(group) := "info" if not group.sure

wording(group) := "main" if group.sure

wording(group) := "floating" if not group.sure

# The seed that exists is kept; with several, the first engine's.
fix(members) := lib.with_edits([{"op": "set", "at": ["engines", j, "env", "PYTHONHASHSEED"], "value": value} |
	some j in members
	not has_seed(j, value)
]) if {
	value := chosen(members)
}

has_seed(j, value) if seed(j) == value

chosen(members) := [seed(j) | some j in members; lib.present(["engines", j, "env", "PYTHONHASHSEED"])][0]

chosen(members) := "0" if {
	every j in members {
		lib.absent(["engines", j, "env", "PYTHONHASHSEED"])
	}
}
