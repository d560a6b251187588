# METADATA
# title: Budgets are overrun before the spend is written
# description: |
#   A budget is held against a spend counter in Redis that lives 60 s and is then filled again from Postgres. With
#   `proxy_batch_write_at` of 60 or more (the real interval is the value plus 0 to 5 s) the counter can end before the
#   spend reaches the database: it starts again at the old amount, and a small budget is spent more than once. Measured
#   with 1.104.0.
# custom:
#   category: database
#   severity: info
#   confidence: medium
#   inputs: [gateway.config, gateway.env]
#   when:
#     - gateway.config.general_settings.proxy_batch_write_at
#     - gateway.env.PROXY_BATCH_WRITE_AT
#   applies: ["litellm>=1.83"]
#   remedy: |
#     Raise `default_redis_ttl` (in `litellm_settings` or `cache_params`) above the interval, or write at 30 s, or keep
#     budgets large against what a minute spends.
#   since: "0.1"
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/caching/base_cache.py
#       symbol: "default_ttl: int = 60"
#       checked: "2026-11-29"
#       note: Redis spend counters from 1.83.0; from 1.84.0 the 60 s start again at each change.
#   messages:
#     main: "spend is written every {seconds} s, and the counter that budgets are held against lives 60 s after its last change: a budget is overrun while the spend is not in the database"
#     older: "spend is written every {seconds} s, and the counter that budgets are held against lives 60 s: a budget is overrun while the spend is not in the database"
#     budget: a budget
package agentlint.rules["batch-write-interval-overspends"]

import data.agentlint.lib

setting := ["gateway", "config", "general_settings", "proxy_batch_write_at"]

variable := ["gateway", "env", "PROXY_BATCH_WRITE_AT"]

findings contains {
	"at": interval.at,
	"message": wording,
	"args": {"seconds": interval.seconds},
	"related": [{"at": path, "on_key": true, "message": "budget"} | some path in array.slice(lib.budgets_at, 0, 3)],
} if {
	interval.seconds >= 60
	count(lib.budgets_at) > 0
	every path in lifetimes {
		short(path)
	}
}

interval := {"at": setting, "seconds": lib.number(lib.resolved(input.gateway.config.general_settings.proxy_batch_write_at))} if {
	lib.present(setting)
} else := {"at": variable, "seconds": lib.number(input.gateway.env.PROXY_BATCH_WRITE_AT)} if {
	lib.absent(setting)
}

lifetimes := [
	["gateway", "config", "litellm_settings", "default_redis_ttl"],
	["gateway", "config", "litellm_settings", "cache_params", "default_redis_ttl"],
]

short(path) if lib.value(path, null) == null

short(path) if lib.number(lib.value(path, null)) <= interval.seconds

wording := "older" if {
	lib.below("litellm", "1.84.0")
} else := "main"
