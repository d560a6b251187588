# METADATA
# title: Every process writes its spend every ten seconds
# description: |
#   Each gateway process writes its collected spend to Postgres every `proxy_batch_write_at` seconds (plus 0 to 5 at
#   random), 10 when nothing is written. The transactions grow with the number of processes and update the same rows of
#   keys, teams and users, so they wait for one another, up to deadlocks with many pods. The production guide uses 60. The
#   price of 60 is that budgets are looked at with older numbers.
# custom:
#   category: database
#   severity: info
#   confidence: high
#   inputs: [gateway.config, gateway.env, database]
#   remedy: |
#     Set `general_settings.proxy_batch_write_at: 60` (a number, not a text: `"60"` stops the start with a TypeError). With
#     small budgets stay below 60, or raise `default_redis_ttl` above the interval, or use
#     `use_redis_transaction_buffer` with a Redis.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: set proxy_batch_write_at to 60
#     question: May a budget be overrun by what one minute spends?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/constants.py
#       symbol: PROXY_BATCH_WRITE_AT
#       checked: "2026-11-29"
#       note: "Run with 1.102.0 and 1.110.2: 10 s plus 0 to 5 when nothing is set, 60 to 65 with 60; the config wins over the variable."
#   messages:
#     main: "spend is written every 10 s by each of {processes} gateway processes, {minute} times a minute, on the same rows; the production guide uses 60 s"
#     written: "spend is written every {seconds} s by each of {processes} gateway processes, {minute} times a minute, on the same rows; the production guide uses 60 s"
package agentlint.rules["batch-write-interval-default"]

import data.agentlint.lib

setting := ["gateway", "config", "general_settings", "proxy_batch_write_at"]

variable := ["gateway", "env", "PROXY_BATCH_WRITE_AT"]

findings contains {
	"at": place.at,
	"message": place.message,
	"args": {"seconds": place.seconds, "processes": lib.processes.text, "minute": round((60 / place.seconds) * lib.processes.n)},
	"fix": {"edits": [{"op": "set", "at": setting, "value": 60}]},
} if {
	lib.several_processes
	lib.present(["database"])
	not lib.fragment
	unbuffered
	place.seconds > 0
	place.seconds <= 10
}

place := {"at": setting, "message": "written", "seconds": lib.number(lib.resolved(input.gateway.config.general_settings.proxy_batch_write_at))} if {
	lib.present(setting)
} else := {"at": variable, "message": "written", "seconds": lib.number(input.gateway.env.PROXY_BATCH_WRITE_AT)} if {
	lib.absent(setting)
	lib.present(variable)
} else := {"at": setting, "message": "main", "seconds": 10} if {
	lib.absent(setting)
	lib.unwritten(variable)
}

unbuffered if {
	lib.value(["gateway", "config", "general_settings", "use_redis_transaction_buffer"], false) in {false, null}
	lib.unwritten(["gateway", "env", "USE_REDIS_TRANSACTION_BUFFER"])
}

unbuffered if {
	lib.value(["gateway", "config", "general_settings", "use_redis_transaction_buffer"], false) in {false, null}
	lib.below("litellm", "1.93.0")
}

unbuffered if {
	lib.value(["gateway", "config", "general_settings", "use_redis_transaction_buffer"], false) in {false, null}
	lower(lib.value(["gateway", "env", "USE_REDIS_TRANSACTION_BUFFER"], "true")) == "false"
}

unchecked contains "gateway_replicas" if {
	not lib.several_processes
	lib.processes.at_least
	lib.present(["database"])
	unbuffered
	place.seconds <= 10
}
