# METADATA
# title: A provider is used that we have no contract with
# description: |
#   Purchasing has contracts with some providers only. A call to another one is paid by credit card and
#   processed without an agreement.
# custom:
#   severity: error
#   messages:
#     main: "group {group} uses {provider}; there are contracts with {allowed}"
#   remedy: Use one of the providers of `data.json`, or ask purchasing for a contract.
package agentlint.custom.providers.forbidden_providers

import data.agentlint.lib

import data.agentlint.custom.contracts

findings contains {
	"at": array.concat(lib.entry_path(deployment.index), ["litellm_params", "model"]),
	"args": {"group": group.name, "provider": deployment.provider, "allowed": contracts.providers},
} if {
	some group in input.groups
	some deployment in group.deployments
	not deployment.provider in contracts.providers
}
