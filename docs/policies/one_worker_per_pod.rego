# METADATA
# title: Several worker processes share a pod
# description: |
#   Limits, caches and pools exist once in each process, so a pod with 4 workers is harder to size and to drain
#   than 4 pods. In production that cost us an evening; on a laptop it does not matter.
# custom:
#   severity: warning
#   severities: [error, info]
#   messages:
#     main: "{workers} worker processes in each pod of {environment}"
#   remedy: Write `NUM_WORKERS=1` and more replicas.
package agentlint.custom.environments.one_worker_per_pod


findings contains {
	"at": ["gateway", "workers"],
	"severity": severity,
	"args": {"workers": input.gateway.workers, "environment": environment},
} if {
	input.gateway.workers > 1
}

severity := {"production": "error", "staging": "warning", "development": "info"}[environment]

# The files of a stack say which environment it is.
environment := "production" if {
	named(["prod", "production"])
} else := "staging" if {
	named(["staging", "stage", "preprod"])
} else := "development"

named(words) if {
	some file in input.stack.files
	some word in regex.split(`[^a-z]+`, lower(file))
	word in words
}
