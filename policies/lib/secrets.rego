# The master key, and where the variables of the process are set.
package agentlint.lib

# env_names: the variables of the gateway's process that the files name, with or without their value.
env_names := {name | some name, _ in input.gateway.env} | {path[2] |
	some path in unknown_below(["gateway", "env"])
	count(path) == 3
}

# env_shown: some variable of the process stands in the files, so that they are where it is set.
env_shown if count(env_names) > 0

# secret_manager: a secret manager answers references, or may.
secret_manager if value(manager_path, null) != null

secret_manager if unknown(manager_path)

manager_path := ["gateway", "config", "general_settings", "key_management_system"]

master_key_path := ["gateway", "config", "general_settings", "master_key"]

# master_key_variable: the variable that a written master_key refers to.
master_key_variable := trim_prefix(key, "os.environ/") if {
	key := input.gateway.config.general_settings.master_key
	environ_reference(key)
}

# master_key_place: the path at which the master key that counts is written: in the config, else in the variable that the
# config refers to, else in LITELLM_MASTER_KEY. A key that is written with nothing behind it keeps the variable from counting.
master_key_place := ["gateway", "env", master_key_variable] if {
	master_key_variable
} else := master_key_path if {
	present(master_key_path)
} else := ["gateway", "env", "LITELLM_MASTER_KEY"] if {
	absent(master_key_path)
}

# started_by_compose: compose starts the gateway, so that a variable can be handed on from the machine.
started_by_compose if input.gateway.pod.platform == "compose"

# master_key_expected: the config is the one that a gateway starts with, and asks for keys in no other way.
master_key_expected if {
	not fragment
	absent(["gateway", "helm"])
	not secret_manager
	count(otherwise_authorised) == 0
}

# otherwise_authorised: settings that authenticate requests in another way, or may.
otherwise_authorised contains name if {
	some name in ["custom_auth", "enable_jwt_auth", "enable_oauth2_auth", "enable_oauth2_proxy_auth"]
	not value(["gateway", "config", "general_settings", name], null) in {null, false}
}

otherwise_authorised contains name if {
	some name in ["custom_auth", "enable_jwt_auth", "enable_oauth2_auth", "enable_oauth2_proxy_auth"]
	unknown(["gateway", "config", "general_settings", name])
}

# master_key_unset: the variable that a written master_key refers to, where the started process does not have it.
master_key_unset := name if {
	master_key_expected
	name := master_key_variable
	not unstarted
	absent(["gateway", "env", name])
}
