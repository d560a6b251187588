# Values that may be present, absent or unknown.
package agentlint.lib

# nothing stands for "no value here"; no value of an input equals it.
nothing := {"agentlint": "nothing"}

unknown_paths := {path | some path in input.unknown}

# unknown_below(prefix): the unknown paths that start with the items of prefix.
unknown_below(prefix) := {path |
	some path in unknown_paths
	array.slice(path, 0, count(prefix)) == prefix
}

# unknown(path): a value is set at the path, or may be set there, that the files do not show. In an open container (its
# own path is in input.unknown) the values that are shown are known. An unknown item of a list is shown as null.
unknown(path) if {
	count(unknown_paths) > 0
	object.get(input, path, nothing) == nothing
	some length in numbers.range(0, count(path))
	array.slice(path, 0, length) in unknown_paths
}

unknown(path) if {
	path in unknown_paths
	object.get(input, path, nothing) == null
}

# present(path): a known value stands at the path; null is a value.
present(path) if {
	object.get(input, path, nothing) != nothing
	not unknown(path)
}

# absent(path): nothing stands at the path, and nothing unseen could put it there.
absent(path) if {
	object.get(input, path, nothing) == nothing
	not unknown(path)
}

# value(path, fallback): the value at the path, the fallback when it is absent; undefined when it is unknown.
value(path, fallback) := found if {
	not unknown(path)
	found := object.get(input, path, fallback)
}

# parameter(id, name): the effective value of a parameter that the policy declares.
parameter(id, name) := input.parameters[id][name]

# example_path(path): the path says that the file is an example, a test or a local setup: the whole name of a folder, a
# word of the file's name, or, of words that stand for teaching only, also a word of a folder's name.
example_path(path) if {
	some folder in split(lower(path), "/")
	folder in example_words
}

example_path(path) if {
	parts := split(lower(path), "/")
	some word in words(parts[count(parts) - 1])
	word in example_words
}

example_path(path) if {
	some word in words(lower(path))
	word in {"example", "examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials", "quickstart", "cookbook"}
}

example_words := {"template", "test", "tests", "testdata", "local", "dev", "development", "benchmark", "benchmarks"}

words(name) := split(replace(replace(replace(replace(name, "/", " "), ".", " "), "-", " "), "_", " "), " ")

# resolved(v): a value of a LiteLLM config as the program sees it: the text "os.environ/NAME" is the variable's text,
# null when it is absent; undefined when the files do not show it.
resolved(v) := v if not environ_reference(v)

resolved(v) := value(["gateway", "env", trim_prefix(v, "os.environ/")], null) if environ_reference(v)

environ_reference(v) if {
	is_string(v)
	startswith(v, "os.environ/")
}

# unstarted: nothing in the files starts the process, so its environment and arguments are wholly out of sight.
unstarted if input.stack.kind == "config"

# unwritten(path): nothing stands at the path, and no source that the files name could put it there. In an environment
# that is wholly out of sight (see unstarted) a setting counts as unwritten when nothing hints at it.
unwritten(path) if absent(path)

unwritten(path) if {
	unstarted
	count(path) == 3
	array.slice(path, 0, 2) in {["gateway", "env"], ["gateway", "args"]}
	object.get(input, path, nothing) == nothing
	not path in unknown_paths
}

# seen_confidence: confidence in what is missing from the files: less when the process itself is out of sight, or when
# its settings may be changed in the database.
seen_confidence := "medium" if {
	unstarted
} else := "medium" if {
	input.gateway.settings.store_model_in_db.value in {true, "true", "True", "TRUE"}
} else := "high"

# similar(a, b): names that differ by case and underscores, or by one letter that is another one or stands in one of them
# only; short names by case and underscores alone.
similar(a, b) if {
	a != b
	replace(lower(a), "_", "") == replace(lower(b), "_", "")
}

# One letter too many in either of them.
similar(a, b) if one_more(a, b)

similar(a, b) if one_more(b, a)

# One letter exchanged for another.
similar(a, b) if {
	n := count(letters(a))
	n >= 6
	n == count(letters(b))
	i := differs_at(a, b)
	substring(a, i + 1, -1) == substring(b, i + 1, -1)
}

one_more(a, b) if {
	n := count(letters(b))
	n >= 6
	count(letters(a)) == n + 1
	i := differs_at(a, b)
	substring(a, i + 1, -1) == substring(b, i, -1)
}

letters(name) := split(name, "")

# differs_at(a, b): the place of the first letter of a that b has not there.
differs_at(a, b) := [i | some i, letter in letters(a); not letters(b)[i] == letter][0]

# mentions(value, text): the text stands in a value as it is printed.
mentions(value, text) if contains(sprintf("%v", [value]), text)
