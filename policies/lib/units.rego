# Durations, quantities and patterns.
package agentlint.lib

# seconds(x): a duration as LiteLLM and Kubernetes write it, in seconds: 30, "30", "30s", "5m", "1h30m", "7d", "1mo".
seconds(x) := x if is_number(x)

seconds(x) := to_number(x) if {
	is_string(x)
	regex.match(`^[0-9]+(\.[0-9]+)?$`, x)
} else := sum([amount |
	some part in regex.find_n(`[0-9]+(\.[0-9]+)?(ms|mo|s|m|h|d|w)`, x, -1)
	unit := trim_left(part, "0123456789.")
	amount := to_number(trim_suffix(part, unit)) * unit_seconds[unit]
]) if {
	is_string(x)
	regex.match(`^([0-9]+(\.[0-9]+)?(ms|mo|s|m|h|d|w))+$`, x)
}

unit_seconds := {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "mo": 2592000}

# bytes("4Gi") is 4294967296. cpus("500m") is 0.5. Numbers stay.
bytes(x) := x if is_number(x)

bytes(x) := units.parse_bytes(x) if is_string(x)

cpus(x) := x if is_number(x)

cpus(x) := units.parse(x) if is_string(x)

# matches(pattern, text): the whole text matches a pattern with "*" for any run of characters and "?" for one.
matches(pattern, text) if glob.match(pattern, [], text)
