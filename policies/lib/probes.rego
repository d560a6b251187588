# Probes and health checks, the parts they belong to, and the ports that those listen on.
package agentlint.lib

# probe_part(probe): the path of the gateway or engine that a probe belongs to; undefined for routers.
probe_part(probe) := ["gateway"] if probe.target.part == "gateway"

probe_part(probe) := engine_path(probe.target.name) if probe.target.part == "engine"

engine_path(name) := ["engines", min(engines_named[name])]

# engines_named[name]: the places of the engines of a name.
engines_named[engine.name] contains j if some j, engine in input.engines

# services_of[name]: the places of the Services that lead to an engine of a name.
services_of[service.target.name] contains k if {
	some k, service in input.services
	service.target.part == "engine"
}

# part_at(base): the part at a path that probe_part returns.
part_at(base) := input.gateway if base == ["gateway"]

part_at(base) := input.engines[base[1]] if base[0] == "engines"

# probe_name(probe): how messages name the part.
probe_name(probe) := "gateway" if probe.target.part == "gateway"

probe_name(probe) := sprintf("engine %s", [probe.target.name]) if probe.target.part == "engine"

# probe_key(kind): what a manifest calls a probe, probe_word(probe) what messages do.
probe_key(kind) := {"liveness": "livenessProbe", "readiness": "readinessProbe", "startup": "startupProbe"}[kind]

probe_word(probe) := {"liveness": "liveness probe", "readiness": "readiness probe", "startup": "startup probe", "healthcheck": "health check"}[probe.kind]

# container_path(base): the container of a part as a manifest writes it; undefined where a chart's values render it.
container_path(base) := path if {
	part := part_at(base)
	part.pod.platform == "kubernetes"
	is_string(part.pod.spec.container.image)
	absent(array.concat(base, ["helm"]))
	path := array.concat(base, ["pod", "spec", "container"])
}

# probe_spec(probe): the path of a probe as a manifest or the values of app-template write it.
probe_spec(probe) := path if {
	path := array.concat(container_path(probe_part(probe)), [probe_key(probe.kind)])
	present(path)
} else := path if {
	base := probe_part(probe)
	path := array.concat(base, ["pod", "spec", "container", "probes", probe.kind, "spec"])
	present(path)
}

# asks(probe): the path of the request of an HTTP probe, or of a command's, without what follows "?" and a last slash.
asks(probe) := path if {
	probe.type in {"http", "exec"}
	is_string(probe.path)
	path := trim_suffix(split(probe.path, "?")[0], "/")
}

# listens_on(base): the port of a part's server; undefined when the files do not show it, or when the program is not known
# well enough to have a default.
listens_on(base) := number(values[count(values) - 1]) if {
	values := value(array.concat(base, ["args", "port"]), [])
	count(values) > 0
}

listens_on(base) := default_port(base) if absent(array.concat(base, ["args", "port"]))

default_port(base) := number(value(["gateway", "env", "PORT"], 4000)) if base == ["gateway"]

default_port(base) := 8000 if {
	engine := part_at(base)
	engine.runtime == "vllm"
	base[0] == "engines"
	own_start(engine)
}

own_start(engine) if engine.command in {"serve", "api_server"}

own_start(engine) if regex.match(`(^|/)vllm-(openai|cpu)[a-z-]*$`, engine.image.repository)

# probe_port(probe): the number of a probe's port; a name is looked up in the ports of the container.
probe_port(probe) := number(probe.port)

probe_port(probe) := number(ports[0]) if {
	is_string(probe.port)
	not number(probe.port)
	part := part_at(probe_part(probe))
	ports := [port.containerPort | some port in part.pod.ports; port.name == probe.port]
}

# api_key(base): the path of the API key that an engine asks for: of the argument or the variable, also one out of sight.
api_key(base) := array.concat(base, ["args", "api-key"]) if {
	value(array.concat(base, ["args", "api-key"]), []) != []
} else := array.concat(base, ["args", "api-key"]) if {
	array.concat(base, ["args", "api-key"]) in unknown_paths
} else := array.concat(base, ["env", "VLLM_API_KEY"]) if {
	not value(array.concat(base, ["env", "VLLM_API_KEY"]), "") in {"", null}
} else := array.concat(base, ["env", "VLLM_API_KEY"]) if {
	array.concat(base, ["env", "VLLM_API_KEY"]) in unknown_paths
}

# authorized(i): the request of probe i carries credentials, or may.
authorized(i) if "authorization" in input.probes[i].headers

authorized(i) if null in input.probes[i].headers

authorized(i) if unknown(["probes", i, "headers"])

# service_reaches(k, base): Service k may lead to the port of a part's server.
service_reaches(k, base) if {
	some port in input.services[k].ports
	target := object.get(port, "targetPort", object.get(port, "port", 0))
	not other_port(target, base)
}

other_port(target, base) if number(target) != listens_on(base)

# port_at(j, m): where a published port of engine j is written.
port_at(j, m) := path if {
	path := ["engines", j, "pod", "ports", m, "published"]
	present(path)
}

# everywhere(port): the port at a path is published on all interfaces.
everywhere(path) if absent(array.concat(path, ["host_ip"]))

everywhere(path) if value(array.concat(path, ["host_ip"]), "") in {"0.0.0.0", "::", ""}

# local_only(j): only its own machine reaches engine j, as far as the files show.
local_only(j) if {
	hosts := input.engines[j].args.host
	hosts[count(hosts) - 1] in {"127.0.0.1", "localhost", "::1"}
}

local_only(j) if {
	engine := input.engines[j]
	engine.pod.platform in {"compose", "docker"}
	absent(["engines", j, "pod", "spec", "container", "network_mode"])
	every m, _ in engine.pod.ports {
		loopback(["engines", j, "pod", "ports", m])
	}
}

loopback(path) if value(array.concat(path, ["host_ip"]), "") in {"127.0.0.1", "localhost", "::1"}
