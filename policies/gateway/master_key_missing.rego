# METADATA
# title: No master key is set
# description: |
#   Without a master key the gateway accepts every request as an internal user, with any key or none, and its providers' bills
#   with them. From 1.104.0 on it refuses to start: "no master key is set, so every request would be accepted without
#   authentication". A written `master_key` that resolves to nothing counts as none, and keeps LITELLM_MASTER_KEY from counting;
#   so does a reference to a variable that only `environment_variables` of the same file sets, because that block is applied too
#   late (run with 1.102.0 and 1.110.2).
# custom:
#   category: security
#   severity: error
#   confidence: high
#   inputs: [gateway.config, gateway.env, gateway.helm]
#   when: [gateway.config]
#   remedy: |
#     Write `general_settings.master_key: os.environ/LITELLM_MASTER_KEY` and set the variable from a secret.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: take the master key from the environment
#     question: Is LITELLM_MASTER_KEY set where the gateway starts?
#   evidence:
#     - artefact: litellm 1.110.2
#       file: litellm/proxy/auth/master_key_boot_check.py
#       symbol: def master_key_boot_verdict
#       checked: "2026-11-29"
#       note: "First in 1.104.0, absent in 1.103.0. Run: no key, a key in another section, and a reference to a missing variable all refuse to start; 1.102.0 starts and answers 200 without a key."
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_server.py
#       symbol: LITELLM_MASTER_KEY is not set! All requests will be treated as INTERNAL_USER
#       checked: "2026-11-29"
#   messages:
#     main: "neither general_settings.master_key nor LITELLM_MASTER_KEY is set, so {effect}"
#     unset: "{name} is set nowhere, so master_key is None{note}: {effect}"
#     late: "{name} is set only by environment_variables of the same file, which is applied too late, so master_key is None: {effect}"
#     empty: "master_key is written without a value, which also keeps LITELLM_MASTER_KEY from counting: {effect}"
package agentlint.rules["master-key-missing"]

import data.agentlint.lib

# Nothing is written in the config, and the variable that counts then is not set.
findings contains object.union(object.union(finding, undecided), fix) if {
	lib.master_key_expected
	lib.absent(lib.master_key_path)
	not may_be_set
	finding := {"at": lib.master_key_path, "args": {"effect": effect}}
}

# The key is written, and what it refers to is not set for certain.
findings contains {"at": lib.master_key_path, "message": wording, "args": {"name": name, "effect": effect, "note": note}} if {
	name := lib.master_key_unset
}

findings contains {"at": lib.master_key_path, "message": "empty", "args": {"effect": effect}} if {
	lib.master_key_expected
	lib.value(lib.master_key_path, "") == null
}

variable := ["gateway", "env", "LITELLM_MASTER_KEY"]

may_be_set if lib.present(variable)

may_be_set if variable in lib.unknown_paths

# An unseen Secret, or a process that nothing in the files starts, may hold the key.
undecided := {"needs": ["gateway.env.LITELLM_MASTER_KEY"]} if {
	lib.unknown(variable)
} else := {"needs": ["gateway.env.LITELLM_MASTER_KEY"]} if {
	lib.unstarted
} else := {}

wording := "late" if {
	lib.present(["gateway", "config", "environment_variables", lib.master_key_variable])
} else := "unset"

note := ", and a written master_key keeps LITELLM_MASTER_KEY from counting" if {
	"LITELLM_MASTER_KEY" in lib.env_names
} else := ""

effect := "every request is accepted without a key" if {
	lib.below("litellm", "1.104.0")
} else := "every request is accepted without a key, which the settings permit" if {
	permitted
} else := sprintf("LiteLLM %s refuses to start", [input.gateway.version])

permitted if input.gateway.config.general_settings.dangerously_permit_weak_or_unset_master_key == true

permitted if "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY" in lib.env_names

fix := {"fix": {"edits": [
	{"op": "set", "at": lib.master_key_path, "value": "os.environ/LITELLM_MASTER_KEY"},
	{"op": "set", "at": variable, "value": "${LITELLM_MASTER_KEY}"},
], "brings": unset}} if {
	lib.started_by_compose
	lib.absent(variable)
} else := {"fix": {"edits": [{"op": "set", "at": lib.master_key_path, "value": "os.environ/LITELLM_MASTER_KEY"}], "brings": unset}} if {
	lib.unknown(variable)
} else := {}

# The question asks for the variable.
unset := ["env-reference-undefined"]
