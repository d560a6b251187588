# METADATA
# title: More replicas than the node pool has room for
# description: Pods that do not fit stay pending, and the autoscaler counts them.
# custom:
#   severity: warning
#   remedy: Write 8 or fewer.
#   messages:
#     main: "up to {max} replicas, and the pool has room for 8"
package agentlint.custom.capacity.replicas

findings contains {"at": ["gateway", "replicas"], "args": {"max": input.gateway.rplicas.max}} if {
	input.gateway.rplicas.max > 8
}
