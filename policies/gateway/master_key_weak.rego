# METADATA
# title: The master key is one that everybody knows
# description: |
#   sk-1234 is the master key of LiteLLM's documentation, and an empty one is none. Whoever reaches the gateway with it is its
#   administrator. From 1.104.0 on the gateway refuses to start with sk-1234 (also with blanks around it) and with an empty key.
#   A salt key of sk-1234 is just as public, encrypts the credentials in the database, and is never refused.
# custom:
#   category: security
#   severity: error
#   confidence: high
#   severities: [warning, info]
#   inputs: [gateway.config, gateway.env, compose]
#   remedy: |
#     Make a random key, for example `sk-` and the output of `openssl rand -hex 32`, hand it to the process as LITELLM_MASTER_KEY
#     and write `master_key: os.environ/LITELLM_MASTER_KEY`. Where no salt key is set the old master key has encrypted what the
#     database holds: set `LITELLM_MIGRATE_FROM_MASTER_KEY` to it once. A salt key is not changed once credentials are stored.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: take the key from the environment of the machine
#     question: Will a random key be set in the environment, and nothing that the old key has encrypted be needed?
#   evidence:
#     - artefact: litellm 1.110.2
#       file: litellm/proxy/auth/master_key_boot_check.py
#       symbol: PUBLICLY_KNOWN_MASTER_KEY_SHA256_DIGESTS
#       checked: "2026-11-29"
#       note: >-
#         One digest, of sk-1234. First in 1.104.0, absent in 1.103.0. Run: 1.102.0 starts with sk-1234, 1.110.2 refuses
#         ("publicly known default").
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/common_utils/encrypt_decrypt_utils.py
#       symbol: LITELLM_SALT_KEY
#       checked: "2026-11-29"
#   messages:
#     main: "the master key is {key}, which everybody knows: whoever reaches the gateway is its administrator{start}"
#     fallback: "the master key is {key} where {name} is not set, and everybody knows it: whoever reaches the gateway is then its administrator{start}"
#     empty: "the master key is empty: every request is accepted without a key{start}"
#     salt: "the salt key is {key}, which everybody knows: whoever reads the database decrypts the credentials in it"
package agentlint.rules["master-key-weak"]

import data.agentlint.lib

findings contains object.union(object.union(finding, severity(place)), fix) if {
	place := lib.master_key_place
	key := lib.value(place, null)
	is_string(key)
	not lib.environ_reference(key)
	public(key)
	finding := {
		"at": place,
		"in_example": "info",
		"message": wording(place, key),
		"args": {"key": shown(key), "name": place[2], "start": refusal},
	}
}

findings contains object.union(
	{"at": salt, "in_example": "info", "message": "salt", "args": {"key": lib.value(salt, "")}},
	severity(salt),
) if {
	trim_space(lib.value(salt, "")) == "sk-1234"
}

salt := ["gateway", "env", "LITELLM_SALT_KEY"]

public(key) if trim_space(key) in {"", "sk-1234"}

# The value that the charts' values and the documentation show for one's own.
public("changeit")

shown(key) := trim_space(key)

severity(place) := {"severity": "warning"} if {
	fallback(place)
} else := {}

fallback(place) if {
	place[1] == "env"
	place[2] in input.gateway.fallbacks
}

wording(place, key) := "empty" if {
	trim_space(key) == ""
} else := "fallback" if {
	fallback(place)
} else := "main"

# Only sk-1234 and an empty key are refused.
refusal := ", and the gateway refuses to start from 1.104.0 on" if {
	trim_space(lib.value(lib.master_key_place, "")) in {"", "sk-1234"}
	lib.below("litellm", "1.104.0")
} else := sprintf(", and LiteLLM %s refuses to start", [input.gateway.version]) if {
	trim_space(lib.value(lib.master_key_place, "")) in {"", "sk-1234"}
	not permitted
} else := ""

permitted if input.gateway.config.general_settings.dangerously_permit_weak_or_unset_master_key == true

permitted if input.gateway.env.LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY

fix := {"fix": {"edits": [{"op": "set", "at": lib.master_key_place, "value": sprintf("${%s}", [lib.master_key_place[2]])}]}} if {
	lib.master_key_place[1] == "env"
	lib.started_by_compose
	not fallback(lib.master_key_place)
} else := {"fix": {"edits": [
	{"op": "set", "at": lib.master_key_path, "value": "os.environ/LITELLM_MASTER_KEY"},
	{"op": "set", "at": ["gateway", "env", "LITELLM_MASTER_KEY"], "value": "${LITELLM_MASTER_KEY}"},
]}} if {
	lib.master_key_place == lib.master_key_path
	lib.started_by_compose
	lib.absent(["gateway", "env", "LITELLM_MASTER_KEY"])
} else := {"fix": {"edits": [{"op": "set", "at": lib.master_key_path, "value": "os.environ/LITELLM_MASTER_KEY"}]}} if {
	lib.master_key_place == lib.master_key_path
	lib.unknown(["gateway", "env", "LITELLM_MASTER_KEY"])
} else := {}
