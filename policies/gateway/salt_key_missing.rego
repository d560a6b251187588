# METADATA
# title: Credentials in the database are encrypted with the master key
# description: |
#   With `store_model_in_db` LiteLLM writes provider keys and other credentials into Postgres, encrypted with
#   LITELLM_SALT_KEY, or with the master key when that variable is not set. Then every rotation of the master key makes
#   what is stored unreadable, and all models of the database stop answering.
# custom:
#   category: database
#   severity: warning
#   confidence: medium
#   inputs: [gateway.env, gateway.config, gateway.helm]
#   when: [gateway.settings.store_model_in_db]
#   remedy: |
#     Set LITELLM_SALT_KEY to a secret of its own before the first model is stored, and never change it afterwards. On a
#     database that already holds credentials it must be the master key that encrypted them: another value makes them
#     unreadable at once.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/common_utils/encrypt_decrypt_utils.py
#       symbol: def _get_salt_key
#       checked: "2026-11-29"
#       note: Reads LITELLM_SALT_KEY from the environment, else takes the master key.
#   messages:
#     main: "LITELLM_SALT_KEY is not set while store_model_in_db is true: credentials in the database are encrypted with the master key and cannot be read after it is rotated"
package agentlint.rules["salt-key-missing"]

import data.agentlint.lib

variable := ["gateway", "env", "LITELLM_SALT_KEY"]

stored := ["gateway", "settings", "store_model_in_db", "value"]

findings contains object.union({"at": variable, "related": [{"at": stored, "message": "models and their credentials are stored"}]}, undecided) if {
	input.gateway.settings.store_model_in_db.value in {true, "true", "True", "TRUE"}
	lib.present(["database"])
	not lib.present(variable)
	not variable in lib.unknown_paths
	not lib.unstarted
}

undecided := {"needs": [concat(".", variable)]} if {
	lib.unknown(variable)
} else := {}

unchecked contains concat(".", variable) if {
	input.gateway.settings.store_model_in_db.value in {true, "true", "True", "TRUE"}
	lib.unstarted
	lib.unknown(variable)
	not variable in lib.unknown_paths
}
