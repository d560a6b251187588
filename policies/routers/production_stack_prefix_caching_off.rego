# METADATA
# title: The production-stack chart switches prefix caching off
# description: |
#   For a model whose `vllmConfig` does not say `enablePrefixCaching: true` the chart renders `--no-enable-prefix-caching`,
#   although vLLM caches prefixes by default. Every turn of a conversation is then prefilled from its first token, and
#   prefixaware or kvaware routing has nothing to route to. Words of `vllmConfig.extraArgs` come later on the command line
#   and win.
# custom:
#   category: router-tier
#   severity: error
#   severities: [warning, info]
#   confidence: high
#   inputs: [routers, engines]
#   when: [engines.*.helm]
#   remedy: |
#     Write `enablePrefixCaching: true` in the model's `vllmConfig`.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: add enablePrefixCaching true
#   evidence:
#     - artefact: vllm-stack 0.1.12
#       file: templates/deployment-vllm-multi.yaml
#       symbol: --no-enable-prefix-caching
#       checked: "2026-11-29"
#       note: The same template stands in charts 0.1.5, 0.1.8 and 0.1.10.
#   messages:
#     main: "vllmConfig of {model} has no enablePrefixCaching, so the chart renders --no-enable-prefix-caching: every turn is prefilled from its first token"
#     written: "enablePrefixCaching is false for {model}: the chart renders --no-enable-prefix-caching, and every turn is prefilled from its first token"
package agentlint.rules["production-stack-prefix-caching-off"]

import data.agentlint.lib

findings contains {
	"at": array.concat(at, ["enablePrefixCaching"]),
	"in_example": "info",
	"args": {"model": engine.name},
	"fix": {"edits": [{"op": "set", "at": array.concat(at, ["enablePrefixCaching"]), "value": true}]},
} if {
	some at, engine in configured
	lib.absent(array.concat(at, ["enablePrefixCaching"]))
}

findings contains {
	"at": array.concat(at, ["enablePrefixCaching"]),
	"in_example": "info",
	"message": "written",
	"severity": "warning",
	"args": {"model": engine.name},
	"fix": {
		"title": "set enablePrefixCaching to true",
		"safety": "unsafe",
		"question": "Was prefix caching switched off for a reason?",
		"edits": [{"op": "set", "at": array.concat(at, ["enablePrefixCaching"]), "value": true}],
	},
} if {
	some at, engine in configured
	lib.value(array.concat(at, ["enablePrefixCaching"]), true) == false
}

# configured: the vllmConfig of every generating engine of the chart, by its path, unless the command line turns prefix
# caching on again.
configured[at] := engine if {
	some j, engine in input.engines
	engine.helm.chart == "vllm-stack"
	engine.role != "pooling"
	lib.absent(["engines", j, "args", "enable-prefix-caching"])
	at := array.concat(lib.chart_entry(j), ["vllmConfig"])
	is_object(lib.value(at, null))
}
