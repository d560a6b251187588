# Releases of products.
package agentlint.lib

# at_least(part, release): the part is of that release or a later one. A part is "litellm" (the gateway), an engine
# or router object, or a version text. A version that cannot be read counts as the newest.
at_least(part, release) if {
	version_numbers(version_of(part)) >= version_numbers(release)
}

# below(part, release): the part is older than that release.
below(part, release) if {
	version_numbers(version_of(part)) < version_numbers(release)
}

version_of("litellm") := object.get(input, ["gateway", "version"], "")

version_of(part) := part if {
	is_string(part)
	part != "litellm"
}

version_of(part) := object.get(part, "version", "") if is_object(part)

# version_numbers("1.83.14.rc.1") is [1, 83, 14, 0]: a pre-release counts as the release it leads to.
version_numbers(text) := array.slice(array.concat(numbers, [0, 0, 0, 0]), 0, 4) if {
	some release in regex.find_n(`^v?[0-9]+(\.[0-9]+)*`, text, 1)
	numbers := [to_number(part) | some part in split(trim_prefix(release, "v"), ".")]
} else := [999999, 0, 0, 0]
