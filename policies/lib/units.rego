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
matches(pattern, text) if glob.match(pattern, null, text)

# duration_text(5400) is "1 h 30 min": whole minutes from a minute on, whole hours from two days on.
duration_text(s) := sprintf("%v s", [s]) if s < 60

duration_text(s) := sprintf("%d min", [floor(s / 60)]) if {
	s >= 60
	s < 3600
}

duration_text(s) := sprintf("%d h%s", [floor(s / 3600), rest]) if {
	s >= 3600
	s < 172800
	rest := minutes_text(floor(s / 60) % 60)
}

duration_text(s) := sprintf("%d h", [floor(s / 3600)]) if s >= 172800

minutes_text(0) := ""

minutes_text(n) := sprintf(" %d min", [n]) if n > 0

# number(x): a number, or the number a text is; undefined for anything else. null, which stands for an unknown item of
# a list, is no number.
number(x) := x if is_number(x)

number(x) := to_number(x) if {
	is_string(x)
	regex.match(`^-?[0-9]+(\.[0-9]+)?$`, x)
}

# memory_text(1610612736) is "1.5 GiB", memory_text(536870912) "512 MiB".
memory_text(n) := sprintf("%v GiB", [round(n / 107374182.4) / 10]) if n >= 1073741824

memory_text(n) := sprintf("%v MiB", [round(n / 1048576)]) if n < 1073741824
