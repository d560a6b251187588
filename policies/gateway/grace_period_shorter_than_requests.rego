# METADATA
# title: Pods are killed before their requests end
# description: |
#   After `terminationGracePeriodSeconds` the kubelet kills what still runs. A stream that may take `request_timeout` seconds and
#   started just before a rollout is cut in the middle when the grace period is shorter, and the time of a preStop hook counts
#   too. Kubernetes gives 30 s, the classic LiteLLM chart 90 s, while agents' answers take minutes.
# custom:
#   category: rollout
#   severity: warning
#   severities: [info]
#   confidence: medium
#   inputs: [gateway.pod, gateway.config, gateway.helm]
#   remedy: |
#     Set `terminationGracePeriodSeconds` above `request_timeout` plus the preStop hook, such as 620 for 600. With the drain endpoint
#     raise GRACEFUL_SHUTDOWN_TIMEOUT (30 s by default) as well: it ends the wait before the kubelet does.
#   since: "0.1"
#   fix:
#     safety: safe
#     title: raise terminationGracePeriodSeconds
#   parameters:
#     - name: seconds
#       default: 600
#       unit: s
#       why: The longest useful call where no request_timeout is written; the gateway itself allows 6000 s.
#   evidence:
#     - artefact: litellm-helm 1.102.0
#       file: values.yaml
#       symbol: "terminationGracePeriodSeconds: 90"
#       checked: "2026-11-29"
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/shutdown/graceful_shutdown_manager.py
#       symbol: DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT
#       checked: "2026-11-29"
#   messages:
#     main: "pods are killed {grace} s after they are told to stop and a request may take {formula}: long streams are cut at every rollout"
#     unbounded: "pods are killed {grace} s after they are told to stop: a call of {formula} is cut at every rollout (no request_timeout is written, so the gateway allows 6000 s)"
package agentlint.rules["grace-period-shorter-than-requests"]

import data.agentlint.lib

id := "grace-period-shorter-than-requests"

grace_path := ["gateway", "pod", "grace_period_seconds"]

findings contains object.union({
	"at": grace_path,
	"severity": severity,
	"message": longest.message,
	"args": {"grace": grace, "formula": formula},
	"related": array.concat(longest.related, hook_related),
	"figures": [{"name": "needed", "value": need, "unit": "s", "formula": formula, "limit": grace}],
}, lib.with_edits(edits)) if {
	input.gateway.pod.platform == "kubernetes"
	grace < need
	seen_hook
}

grace := lib.value(grace_path, 30)

# written: somebody chose the grace period; a chart's default does not count.
written if {
	lib.present(grace_path)
	lib.absent(["gateway", "helm", "chart"])
}

# 90 is litellm-helm's default, and stands in most copies of its values.
written if {
	lib.present(["gateway", "helm", "values", "terminationGracePeriodSeconds"])
	grace != 90
}

# Empty is the default of the chart litellm.
written if lib.number(input.gateway.helm.values.gateway.terminationGracePeriodSeconds) > 0

severity := "warning" if {
	written
} else := "warning" if {
	lib.present(["gateway", "pod", "pre_stop"])
} else := "warning" if {
	lib.value(["gateway", "config", "general_settings", "enable_drain_endpoint"], false) == true
} else := "info"

setting := ["gateway", "settings", "request_timeout", "value"]

longest := {"n": n, "message": "main", "related": [{"at": setting, "message": "the longest request"}]} if {
	input.gateway.settings.request_timeout.source != "default"
	n := lib.number(input.gateway.settings.request_timeout.value)
	n > 0
} else := {"n": lib.parameter(id, "seconds"), "message": "unbounded", "related": []} if {
	input.gateway.settings.request_timeout.source == "default"
	quiet
}

# A variable out of sight may hold the timeout.
quiet if not lib.unknown(["gateway", "env", "REQUEST_TIMEOUT"])

# sleep: the seconds that the preStop hook itself waits.
sleep := n if {
	n := lib.number(input.gateway.pod.pre_stop.sleep.seconds)
} else := n if {
	words := concat(" ", [word | some word in input.gateway.pod.pre_stop.exec.command])
	found := regex.find_all_string_submatch_n(`\bsleep ([0-9]+)`, words, 1)
	n := lib.number(found[0][1])
} else := 0

seen_hook if not ["gateway", "pod", "pre_stop"] in lib.unknown_paths

need := longest.n + sleep

formula := sprintf("%v s", [longest.n]) if {
	sleep == 0
} else := sprintf("%v s + %v s of the preStop hook", [longest.n, sleep])

hook_related := [{"at": ["gateway", "pod", "pre_stop"], "message": "the preStop hook"}] if {
	sleep > 0
} else := []

edits := [{"op": "set", "at": place, "value": need}]

place := ["gateway", "helm", "values", "terminationGracePeriodSeconds"] if {
	input.gateway.helm.chart == "litellm-helm"
} else := ["gateway", "helm", "values", "gateway", "terminationGracePeriodSeconds"] if {
	input.gateway.helm.chart == "litellm"
} else := ["gateway", "pod", "spec", "pod", "terminationGracePeriodSeconds"]
