# How many gateway processes run. A factor that the files do not show counts as its smallest legal value, and
# at_least is then true.
package agentlint.lib

# workers: worker processes of one gateway instance.
workers := factor(["gateway", "workers"])

# max_replicas: the most gateway instances at once outside a rollout; nobody having written a number counts as one.
max_replicas := factor(["gateway", "replicas", "max"])

# processes: workers times replicas, as {"n": 8, "at_least": false, "text": "8"}.
processes := {"n": n, "at_least": at_least_n, "text": text} if {
	n := workers.n * max_replicas.n
	at_least_n := any_true([workers.at_least, max_replicas.at_least])
	text := count_text(n, at_least_n)
}

# several_processes: more than one process for certain. single_process: one for certain.
several_processes if processes.n > 1

single_process if {
	processes.n == 1
	not processes.at_least
}

factor(path) := {"n": 1, "at_least": true} if unknown(path)

factor(path) := {"n": n, "at_least": false} if n := max([1, value(path, 1)])

any_true(list) if {
	some true in list
} else := false

# count_text(8, true) is "at least 8".
count_text(n, true) := sprintf("at least %v", [n])

count_text(n, false) := sprintf("%v", [n])

# surge: gateway instances that a rolling update adds at the most replicas: 25 % rounded up when nothing is written.
surge := surge_of(input.gateway.rollout.kind)

surge := {"n": 0, "at_least": false} if absent(["gateway", "rollout", "kind"])

surge := {"n": 0, "at_least": true} if unknown(["gateway", "rollout", "kind"])

surge_of("RollingUpdate") := {"n": n, "at_least": false} if {
	n := surge_number(value(["gateway", "rollout", "max_surge"], "25%"))
} else := {"n": 0, "at_least": true}

surge_of(kind) := {"n": 0, "at_least": false} if kind != "RollingUpdate"

surge_number(n) := max([0, n]) if is_number(n)

surge_number(text) := ceil((max_replicas.n * number(percent)) / 100) if {
	is_string(text)
	endswith(text, "%")
	percent := trim_suffix(text, "%")
}

surge_number(text) := number(text) if {
	is_string(text)
	not endswith(text, "%")
}

# pod_count: the most gateway instances at once, during a rollout: "12" or "(12 + 3)" as a factor of a formula.
pod_count := {"n": max_replicas.n + surge.n, "at_least": any_true([max_replicas.at_least, surge.at_least]), "text": text} if {
	text := pod_text(surge.n)
}

pod_text(0) := sprintf("%v", [max_replicas.n])

pod_text(n) := sprintf("(%v + %v)", [max_replicas.n, n]) if n > 0

# workers_text is "4 workers", "at least 1 worker".
workers_text := concat(" ", [count_text(workers.n, workers.at_least), noun]) if {
	noun := {true: "worker", false: "workers"}[workers.n == 1]
}
