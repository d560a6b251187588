# METADATA
# title: Prompts leave the EU
# description: |
#   Our contracts promise that texts of customers stay in the EU. An `api_base` elsewhere breaks them with the
#   first call, and so does a hosted provider without one, whose usual address is in the United States.
# custom:
#   severity: error
#   messages:
#     main: "group {group} sends prompts to {host}, which is not in the EU"
#     usual: "group {group} sends prompts to the usual address of {provider}, which is not in the EU"
#   remedy: Use an endpoint of the EU (`https://eu.api.openai.com/v1`, a Bedrock or Azure region of the EU), or an engine of our own.
package agentlint.custom.residency.eu_only_api_base

import data.agentlint.lib

european := ["eu.*", "*.eu", "*.eu.*", "*.westeurope.*", "*.swedencentral.*", "*.eu-west-?.*", "*.eu-central-?.*"]

inside := ["*.internal", "*.svc", "*.svc.cluster.local", "localhost", "10.*", "192.168.*"]

findings contains {
	"at": array.concat(lib.entry_path(deployment.index), ["litellm_params", "api_base"]),
	"args": {"group": group.name, "host": host},
} if {
	some group in input.groups
	some deployment in group.deployments
	deployment.target.kind == "external"
	host := regex.replace(deployment.api_base, `^[a-z]+://([^/:]+).*$`, "$1")
	not matched(host)
}

findings contains {
	"at": array.concat(lib.entry_path(deployment.index), ["litellm_params", "model"]),
	"message": "usual",
	"args": {"group": group.name, "provider": deployment.provider},
} if {
	some group in input.groups
	some deployment in group.deployments
	deployment.provider in {"openai", "anthropic", "gemini"}
	lib.absent(array.concat(lib.entry_path(deployment.index), ["litellm_params", "api_base"]))
}

matched(host) if {
	some pattern in array.concat(european, inside)
	lib.matches(pattern, host)
}
