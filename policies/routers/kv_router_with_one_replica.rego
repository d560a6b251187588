# METADATA
# title: A KV-aware router has one engine replica to choose from
# description: |
#   A KV-aware router finds the replica that holds most of a prompt. With one replica per model there is nothing to find:
#   every request goes to the same engine, whose own prefix cache does the work already. The router adds a hop, a process to
#   run, and with events a stream of token ids, for no gain.
# custom:
#   category: router-tier
#   severity: info
#   confidence: medium
#   inputs: [routers, engines]
#   remedy: |
#     Point the gateway at the engine until a second replica comes, or keep the router when one is planned.
#   since: "0.1"
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/config/cache.py
#       symbol: "enable_prefix_caching: bool = True"
#       checked: "2026-11-29"
#       note: Prefix caching inside the engine is on by default for generation.
#   messages:
#     main: "{mode} routing has a single replica per model to choose from ({engines}): every request goes there, and the engine's own prefix cache does the work"
#     engine: "one replica"
package agentlint.rules["kv-router-with-one-replica"]

import data.agentlint.lib

findings contains {
	"at": ["routers", i, "mode"],
	"args": {"mode": router.mode, "engines": names},
	"related": [{"at": ["engines", j, "replicas", "max"], "message": "engine"} | some j in engines],
} if {
	some i, router in input.routers
	aware(i)
	engines := lib.engines_of_router(router)
	count(engines) > 0
	every j in engines {
		alone(j, engines)
	}
	all_seen(i, engines)
	every engine in input.engines {
		is_object(engine)
	}
	every target in router.targets {
		is_string(target)
	}
	names := concat(", ", sort([input.engines[j].name | some j in engines]))
}

aware(i) if {
	input.routers[i].kind == "production-stack"
	input.routers[i].mode == "kvaware"
}

aware(i) if {
	lib.picker(input.routers[i])
	input.routers[i].mode in {"precise-prefix-cache", "approx-prefix-cache"}
}

aware(i) if {
	input.routers[i].kind == "sglang"
	input.routers[i].mode == "cache_aware"
}

aware(i) if lib.dynamo_kv(i)

# Engine j runs once, with one rank, and no other engine serves its model.
alone(j, engines) if {
	input.engines[j].replicas.max == 1
	lib.data_parallel(j) == 1
	lib.present(["engines", j, "served_names"])
	same := {k | some k in engines; k != j; lib.shares_model(j, k)}
	count(same) == 0
	count({n | some n in input.engines[j].served_names; is_null(n)}) == 0
}

# Workers that are listed by URL are all among the files.
all_seen(i, engines) if {
	every list in [["settings", "static_backends", "value"], ["args", "worker-urls"]] {
		count(lib.value(array.concat(["routers", i], list), [])) <= count(engines)
	}
}
