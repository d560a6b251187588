# METADATA
# title: A version changes during the change freeze
# description: |
#   From the week before Christmas until Epiphany nobody is there to mend what a new release breaks. Images stay
#   at the frozen releases, and a tag that moves by itself is a change too.
# custom:
#   severity: error
#   messages:
#     main: "{part} is at {version}; until {until} it stays at {frozen}"
#     floating: "{part} runs the floating tag {tag}, which may change before {until}"
#   remedy: Write the frozen release, or wait until the freeze is over.
package agentlint.custom.changes.change_freeze


freezes := [{"from": "2026-12-18", "until": "2027-01-06"}]

frozen := {"the gateway": "1.101.0", "vllm": "0.29.0"}

freeze := [f | some f in freezes; input.today >= f.from; input.today <= f.until][0]

parts contains {"at": ["gateway", "image"], "part": "the gateway", "frozen": frozen["the gateway"], "image": input.gateway.image}

parts contains {"at": ["engines", i, "image"], "part": sprintf("engine %s", [engine.name]), "frozen": frozen.vllm, "image": engine.image} if {
	some i, engine in input.engines
	engine.runtime == "vllm"
}

findings contains {
	"at": array.concat(part.at, ["tag"]),
	"args": {"part": part.part, "version": part.image.version, "frozen": part.frozen, "until": freeze.until},
} if {
	some part in parts
	part.image.version != part.frozen
}

findings contains {
	"at": array.concat(part.at, ["tag"]),
	"message": "floating",
	"args": {"part": part.part, "tag": part.image.tag, "until": freeze.until},
} if {
	some part in parts
	part.image.floating == true
}
