# METADATA
# title: kvaware routing was made for another release of vLLM and LMCache
# description: |
#   A router in kvaware mode runs the controller of LMCache, and the engines report to it in that release's messages. The router of the
#   production stack is built with LMCache 0.3.11 and vLLM 0.13.0 from chart 0.1.9 on (0.3.9.post2 and 0.11.0 in 0.1.8). Engines of
#   another release may register and still be understood wrongly, which shows as prompts that match nowhere.
# custom:
#   category: router-tier
#   severity: info
#   confidence: low
#   inputs: [routers, engines]
#   remedy: |
#     Run the engines with the LMCache of the router (the image `lmcache/vllm-openai:v0.3.11`), or choose `session` or `prefixaware`, which need
#     no agreement.
#   since: "0.1"
#   evidence:
#     - artefact: production-stack vllm-stack-0.1.12
#       file: pyproject.toml
#       symbol: '"lmcache==0.3.11",'
#       checked: "2026-11-30"
#       note: "With vllm==0.13.0, in 0.1.9 to 0.1.12; 0.1.8 has lmcache==0.3.9post2 and vllm==0.11.0. That other releases do not match was not run."
#   messages:
#     main: "{mode} routing is built with LMCache {lmcache} and vLLM {vllm}, and engine {engine} runs vLLM {version}: what it reports to the controller may not be understood"
#     image: "{mode} routing is built with LMCache {lmcache} and vLLM {vllm}, and engine {engine} runs the image {version}: what it reports to the controller may not be understood"
#     mode: "the routing that depends on it"
package agentlint.rules["kvaware-engine-version-mismatch"]

import data.agentlint.lib

findings contains {
	"at": ["engines", j, "image"],
	"message": found.message,
	"args": {"mode": router.mode, "lmcache": built.lmcache, "vllm": built.vllm, "engine": lib.engine_label(j), "version": found.version},
	"related": [{"at": ["routers", i, "mode"], "message": "mode"}],
} if {
	some i, router in input.routers
	router.kind == "production-stack"
	router.mode in {"kvaware", "loadaware"}
	built := pins(router)
	some j in lib.engines_of_router(router)
	input.engines[j].runtime == "vllm"
	found := other(input.engines[j], built)
}

pins(router) := {"lmcache": "0.3.11", "vllm": "0.13.0"} if {
	lib.at_least(router, "0.1.9")
} else := {"lmcache": "0.3.9.post2", "vllm": "0.11.0"} if {
	lib.at_least(router, "0.1.8")
}

# other(engine, built): the engine's release is known, and another one.
other(engine, built) := {"message": "main", "version": engine.version} if {
	not lmcache_image(engine)
	lib.release_named(engine)
	engine.version != built.vllm
}

other(engine, built) := {"message": "image", "version": sprintf("%s:%s", [engine.image.repository, engine.image.tag])} if {
	lmcache_image(engine)
	regex.match(`^v?[0-9]+\.[0-9]+\.`, engine.image.tag)
	not startswith(trim_prefix(engine.image.tag, "v"), trim_suffix(built.lmcache, ".post2"))
}

lmcache_image(engine) if contains(engine.image.repository, "lmcache/")
