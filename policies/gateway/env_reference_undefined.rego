# METADATA
# title: A referenced variable is set nowhere
# description: |
#   A value os.environ/NAME whose variable the process does not have becomes None without a message: no key, no address, no
#   password. Where a default exists it is used instead: a missing api_base of openai/ leads to api.openai.com. A
#   `master_key` that is None also keeps LITELLM_MASTER_KEY from counting, because the key is written (run with 1.102.0 and
#   1.110.2: the gateway is open, or refuses to start from 1.104.0 on). `environment_variables` of the same file is applied
#   after references are replaced, and an entry there that refers to a missing variable becomes the text None.
# custom:
#   category: secrets
#   severity: error
#   confidence: medium
#   inputs: [gateway.config, gateway.env]
#   when: [gateway.config]
#   remedy: |
#     Set the variable in the environment of the process: `environment` or `env_file` of compose, `env` of the container, the
#     variables or secrets of the chart. Or write the name of the variable that is set.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: refer to the variable that is set under a similar name
#     question: Is this the variable that was meant?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/proxy_server.py
#       symbol: def _check_for_os_environ_vars
#       checked: "2026-11-29"
#       note: >-
#         get_secret returns None for a variable that is not set. Run: a master_key os.environ/MISSING leaves the gateway open
#         even with LITELLM_MASTER_KEY set.
#     - artefact: litellm 1.110.2
#       file: litellm/proxy/proxy_server.py
#       symbol: def _resolved_config_value
#       checked: "2026-11-29"
#   messages:
#     main: "nothing in the files sets {name} for the gateway, so {key} becomes None{note}"
#     block: "nothing in the files sets {name} for the gateway, so the variable {key} gets the text None{note}"
#     late: "os.environ/{name} is replaced before environment_variables of the same file is applied, so {key} becomes None{note}"
package agentlint.rules["env-reference-undefined"]

import data.agentlint.lib

findings contains object.union(object.union(finding, undecided(reference.name)), fix(reference)) if {
	shown
	not lib.secret_manager
	some reference in input.gateway.references
	missing(reference.name)
	not injected(reference.name)
	not of_chart(reference)
	not of_master_key(reference)
	key := reference.at[lib.length(reference.at) - 1]
	finding := {
		"at": reference.at,
		"message": wording(reference),
		"args": {"name": reference.name, "key": key, "note": note(reference)},
	}
}

# missing(name): the process does not have the variable, as far as the files show.
missing(name) if {
	lib.absent(["gateway", "env", name])
	regex.match(`^[A-Za-z_][A-Za-z0-9_.-]*$`, name)
}

missing(name) if out_of_sight(name)

out_of_sight(name) if {
	lib.unknown(["gateway", "env", name])
	regex.match(`^[A-Za-z_][A-Za-z0-9_.-]*$`, name)
	not ["gateway", "env", name] in lib.unknown_paths
}

# An env file beside a config that nothing starts need not hold everything that its process gets.
undecided(name) := {"needs": [sprintf("gateway.env.%s", [name])]} if {
	unsure(name)
} else := {}

unsure(name) if out_of_sight(name)

unsure(_) if lib.unstarted

# shown: the files show where the variables of the process are set, and the config is no part of another one.
shown if {
	not models_only
	lib.env_shown
}

models_only if {
	lib.fragment
	lib.unstarted
}

# injected(name): the machine, the container runtime or Kubernetes sets it in every process.
injected(name) if name in {"HOME", "HOSTNAME", "LANG", "PATH", "PWD", "TZ", "USER"}

injected(name) if {
	input.gateway.pod.platform == "kubernetes"
	regex.match(`_(SERVICE_HOST|SERVICE_PORT|PORT)(_.*)?$`, name)
}

# of_chart(reference): master-key-env-not-exported-by-chart says it better.
of_chart(reference) if {
	input.gateway.helm
	reference.at == lib.master_key_path
}

# of_master_key(reference): master-key-missing says what comes of it, unless the name is a slip.
of_master_key(reference) if {
	reference.at == lib.master_key_path
	reference.name == lib.master_key_unset
	not near(reference.name)
}

of_master_key(reference) if {
	reference.at == lib.master_key_path
	lib.unknown(lib.master_key_path)
}

wording(reference) := "late" if {
	lib.present(["gateway", "config", "environment_variables", reference.name])
	reference.at[2] != "environment_variables"
} else := "block" if {
	reference.at[2] == "environment_variables"
} else := "main"

note(reference) := "; a written master_key also keeps LITELLM_MASTER_KEY from counting" if {
	reference.at[3] == "master_key"
	"LITELLM_MASTER_KEY" in lib.env_names
} else := sprintf("; a variable %s is set", [near(reference.name)]) if {
	near(reference.name)
} else := ""

fix(reference) := {"fix": {
	"title": sprintf("refer to %s", [near(reference.name)]),
	"edits": [{"op": "set", "at": reference.at, "value": sprintf("os.environ/%s", [near(reference.name)])}],
}} if {
	near(reference.name)
} else := {}

# near(name): the only variable whose name differs by one letter, by case or by underscores.
near(name) := found[0] if {
	found := [candidate | some candidate in lib.env_names; lib.similar(name, candidate)]
	not found[1]
}
