# METADATA
# title: The spend log grows without an end
# description: |
#   Every request adds a row to LiteLLM_SpendLogs. With `store_prompts_in_spend_logs` each row holds the whole prompt and
#   answer, often megabytes for an agent, and without `maximum_spend_logs_retention_period` nothing is ever deleted: the
#   table grows until the usage pages, vacuum and backups fail and the disk is full. Without prompts a row is small, and the
#   table still grows for ever.
# custom:
#   category: database
#   severity: warning
#   severities: [info]
#   confidence: medium
#   inputs: [gateway.config, database]
#   remedy: |
#     Set `general_settings.maximum_spend_logs_retention_period`, such as `"30d"`; old rows are deleted in batches once a
#     day (`maximum_spend_logs_retention_interval`, or `maximum_spend_logs_cleanup_cron`). With `disable_spend_logs: true` no
#     rows are written at all.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: delete spend logs after 30 days
#     question: May rows of the spend log older than 30 days be deleted?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/db/db_transaction_queue/spend_log_cleanup.py
#       symbol: maximum_spend_logs_retention_period
#       checked: "2026-11-29"
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/spend_tracking/spend_tracking_utils.py
#       symbol: STORE_PROMPTS_IN_SPEND_LOGS
#       checked: "2026-11-29"
#   messages:
#     main: "prompts are stored in the spend log and maximum_spend_logs_retention_period is not set: every prompt and answer stays in the database for ever"
#     rows: "no maximum_spend_logs_retention_period: every request leaves a row in the spend log that is never deleted"
package agentlint.rules["spend-logs-without-retention"]

import data.agentlint.lib

settings := ["gateway", "config", "general_settings"]

retention := array.concat(settings, ["maximum_spend_logs_retention_period"])

prompts := array.concat(settings, ["store_prompts_in_spend_logs"])

variable := ["gateway", "env", "STORE_PROMPTS_IN_SPEND_LOGS"]

yes := {true, "true", "True", "TRUE"}

findings contains {
	"at": place.at,
	"severity": place.severity,
	"message": place.message,
	"fix": {"edits": [{"op": "set", "at": retention, "value": "30d"}]},
} if {
	lib.present(["database", "urls"])
	not lib.fragment
	lib.value(retention, null) == null
	lib.value(array.concat(settings, ["disable_spend_logs"]), false) in {false, null}
}

# Either the setting or the variable switches prompts on. One that is not seen leaves at least the rows.
place := {"at": prompts, "severity": "warning", "message": "main"} if {
	lib.resolved(lib.value(prompts, false)) in yes
} else := {"at": variable, "severity": "warning", "message": "main"} if {
	lib.value(variable, "") in yes
} else := {"at": retention, "severity": "info", "message": "rows"}
