# METADATA
# title: Callers may choose credentials or addresses
# description: |
#   With `allow_client_side_credentials`, or `configurable_clientside_auth_params` of a deployment, a caller
#   sends its own api_key and api_base: prompts go to servers that nobody reviewed, and our logs say that we
#   sent them. A key that stands in the file is known to everyone who may read it.
# custom:
#   severity: error
#   fix: {safety: safe, title: remove what callers may choose}
#   messages:
#     main: "{name} lets callers choose where their prompts go"
#     literal: "{name} is written into the file: everyone who reads it can use it"
#   remedy: Remove the setting; write keys as `os.environ/NAME`.
package agentlint.custom.security.no_client_side_credentials

import data.agentlint.lib

setting := ["gateway", "config", "general_settings", "allow_client_side_credentials"]

findings contains {"at": setting, "on_key": true, "args": {"name": "allow_client_side_credentials"}, "fix": {"edits": [{"op": "remove", "at": setting}]}} if {
	lib.value(setting, false) == true
}

findings contains {"at": at, "on_key": true, "args": {"name": "configurable_clientside_auth_params"}, "fix": {"edits": [{"op": "remove", "at": at}]}} if {
	some i, entry in input.gateway.config.model_list
	entry.litellm_params.configurable_clientside_auth_params
	at := array.concat(lib.entry_path(i), ["litellm_params", "configurable_clientside_auth_params"])
}

# A word such as "none" is what engines without keys are given.
findings contains {"at": at, "message": "literal", "args": {"name": "api_key"}} if {
	some i, entry in input.gateway.config.model_list
	key := entry.litellm_params.api_key
	not startswith(key, "os.environ/")
	regex.match(`^.{13}`, key)
	at := array.concat(lib.entry_path(i), ["litellm_params", "api_key"])
}
