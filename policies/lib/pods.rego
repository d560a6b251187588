# What surrounds containers: mounts, volumes, devices.
package agentlint.lib

# engine_argument(j, names): the number that the last written of some flags of engine j has; a fallback when none stands
# there for certain; undefined when it is not known, or no number.
engine_argument(j, flag, fallback) := fallback if absent(["engines", j, "args", flag])

engine_argument(j, flag, _) := last_number(input.engines[j].args[flag])

# flagged(j, flags): one of these flags stands on the command line of engine j, or may stand there unseen.
flagged(j, flags) if {
	some flag in flags
	not absent(["engines", j, "args", flag])
}

# mounted(j, path): something may be mounted at a path of engine j's container, or above it.
mounted(j, path) if {
	some mount in input.engines[j].pod.mounts
	beneath(path, mount.mountPath)
}

mounted(j, _) if {
	some i, _ in input.engines[j].pod.mounts
	unknown(["engines", j, "pod", "mounts", i, "mountPath"])
}

mounted(j, _) if ["engines", j, "pod", "mounts"] in unknown_paths

# beneath(path, folder): the path is the folder, or stands in it.
beneath(path, folder) if startswith(sprintf("%s/", [trim_suffix(path, "/")]), sprintf("%s/", [trim_suffix(folder, "/")]))

# ray_started(j): the container's script starts Ray, which spreads an engine over several machines.
ray_started(j) if {
	some key in ["command", "args", "entrypoint"]
	words := input.engines[j].pod.spec.container[key]
	some hint in ["ray start", "ray symmetric-run", "multi-node-serving"]
	contains(sprintf("%v", [words]), hint)
}

# volumes_writable(j): volumes and mounts stand in the pod of engine j as Kubernetes reads them. A chart takes them
# under keys of its own.
volumes_writable(j) if {
	input.engines[j].pod.platform == "kubernetes"
	input.engines[j].pod.kind != "chart"
	absent(["engines", j, "pod", "values"])
}
