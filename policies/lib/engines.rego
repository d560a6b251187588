# What engines are told on their command lines.
package agentlint.lib

# context_limit(engine): the longest sequence of an engine in tokens, as --max-model-len or the fact engine_max_model_len
# says; undefined when neither does, or when the engine chooses (auto, -1).
context_limit(engine) := tokens(engine.args["max-model-len"][0]) if {
	tokens(engine.args["max-model-len"][0])
} else := fact_of(engine, "engine_max_model_len")

# tokens(text): a number of tokens as vLLM reads it (vllm 0.29.0, engine/arg_utils.py, human_readable_int): 32768, 32k for
# 32000, 25.6k, 32K for 32768. Suffixes of binary multiples take no fraction.
tokens(text) := to_number(replace(text, "_", "")) if {
	is_string(text)
	regex.match(`^[0-9]+(_[0-9]+)*$`, text)
} else := floor(to_number(trim_right(text, "kmgt")) * token_multiples[substring(text, count(text) - 1, 1)]) if {
	is_string(text)
	regex.match(`^[0-9]+(\.[0-9]+)?[kmgt]$`, text)
} else := to_number(trim_right(text, "KMGT")) * token_multiples[substring(text, count(text) - 1, 1)] if {
	is_string(text)
	regex.match(`^[0-9]+[KMGT]$`, text)
}

token_multiples := {
	"k": 1000, "m": 1000000, "g": 1000000000, "t": 1000000000000,
	"K": 1024, "M": 1048576, "G": 1073741824, "T": 1099511627776,
}

# fact_of(engine, name): a fact about engines, given for all of them or by the engine's name.
fact_of(engine, name) := input.facts[name][engine.name] if is_object(input.facts[name])

fact_of(_, name) := input.facts[name] if not is_object(input.facts[name])
