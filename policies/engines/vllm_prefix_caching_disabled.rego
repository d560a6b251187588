# METADATA
# title: Prefix caching is switched off
# description: |
#   With prefix caching an engine keeps the KV cache of finished requests and computes only what a new prompt adds. Switched off,
#   every turn of a conversation prefills its whole history again: an agent that sends about 275 tokens for each token it gets
#   spends most of its time there. Prefix caching is on by default for generating decoder models, and costs next to nothing when nothing is shared.
#   A prefix-aware router that chooses this engine for its cache, and KV events that report it, are then without effect.
# custom:
#   category: engine-args
#   severity: warning
#   severities: [error]
#   confidence: high
#   inputs: [engine.args, engine.image, routers]
#   when: [engine.args.no-enable-prefix-caching, engine.args.disable-prefix-caching]
#   remedy: |
#     Remove `--no-enable-prefix-caching` (or `--disable-prefix-caching`, which is a flag from 0.33 on). When wrong answers were the
#     reason, look for the cause: blocks are found by a hash of all tokens before them.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: remove the flag
#     question: Was prefix caching switched off for a reason that still holds?
#   evidence:
#     - artefact: vllm 0.29.0
#       file: vllm/config/model.py
#       symbol: def is_prefix_caching_supported
#       checked: "2026-11-29"
#       note: >-
#         The default where nothing is written: on for decoder and hybrid models, off for attention-free and encoder-decoder
#         ones. Hybrid models are off up to 0.25.1.
#     - artefact: vllm 0.33.0
#       file: vllm/utils/argparse_utils.py
#       symbol: class EnableDisableAction
#       checked: "2026-11-29"
#       note: Pairs --enable-x with --disable-x from 0.33.0 on.
#   messages:
#     main: "--{flag}: every turn of a conversation prefills its whole history again"
#     router: "--{flag}, and the prefix-aware router {router} chooses the engine for a cache that it does not keep: every turn of a conversation prefills its whole history again"
#     events: "--{flag} with KV events on: there is nothing to report, and every turn of a conversation prefills its whole history again"
#     routed: this router counts on the engine's prefix cache
package agentlint.rules["vllm-prefix-caching-disabled"]

import data.agentlint.lib

findings contains object.union_n([
	{
		"at": ["engines", j, "args", flag],
		"on_key": true,
		"fix": {"edits": [{"op": "remove", "at": ["engines", j, "args", flag]}]},
	},
	effect(j, flag),
]) if {
	some j, engine in input.engines
	engine.runtime == "vllm"
	engine.role in {"serve", "prefill", "decode"}
	flag := lib.prefix_caching_off(j)
	wanted(engine)
	not benchmark
	by_hand(j, engine)
}

effect(j, flag) := {
	"severity": "error",
	"message": "router",
	"args": {"flag": flag, "router": input.routers[users[0]].name},
	"related": [{"at": ["routers", i, "mode"], "message": "routed"} | some i in users],
} if {
	users := routers(j)
	count(users) > 0
} else := {"severity": "error", "message": "events", "args": {"flag": flag}} if {
	lib.kv_events_on(j)
} else := {"args": {"flag": flag}}

# The prefix-aware routers in front of engine j.
routers(j) := [i |
	some i, router in input.routers
	lib.prefix_aware(router)
	j in lib.engines_of_router(router)
]

# Models that vLLM itself leaves without prefix caching, by parts of their names.
wanted(engine) if {
	model := lower(engine.model)
	every part in never {
		not contains(model, part)
	}
	not hybrid_default(engine, model)
}

hybrid_default(engine, model) if {
	lib.below(engine, "0.26")
	some part in hybrid
	contains(model, part)
}

never := {"mamba", "whisper", "bart", "t5-", "florence-2", "nougat", "donut"}

hybrid := {
	"jamba", "bamba", "zamba", "hymba", "falcon-h1", "granite-4", "nemotron-h", "nemotron-nano", "nemotron-3", "qwen3-next",
	"qwen3.5", "qwen3.6", "minimax-text", "minimax-m1", "kimi-linear", "kimi-k3", "lfm2", "plamo", "-linear-", "mini-flash",
}

# Runs that measure prefill switch the cache off on purpose.
benchmark if regex.match(`(^|[/._-])(bench(mark(s|ing)?)?|(load|perf|performance|regression|stress)[-_]?test(s|ing)?)([/._-]|$)`, lower(input.stack.name))

# The production stack's chart renders the flag where its values do not say otherwise; that is a rule of its own.
by_hand(j, _) if lib.absent(["engines", j, "helm"])

by_hand(_, engine) if engine.helm.chart != "vllm-stack"

by_hand(j, _) if lib.value(array.concat(lib.chart_entry(j), ["vllmConfig", "enablePrefixCaching"]), false) == true
