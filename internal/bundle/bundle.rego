# METADATA
# title: Findings of agentlint's policies, for OPA and conftest
# description: |
#   The input is what `agentlint model` prints: a list of stacks, or one with --stack. `findings` are those that
#   `agentlint check` reports with the default severities, with paths into the input in the place of lines. `deny` and
#   `warn` say the same to conftest.
package agentlint.bundle

import data.agentlint.lib

stacks := input if is_array(input)

stacks := [input] if is_object(input)

findings contains object.union(finding, {"stack": object.get(stack, ["stack", "name"], "")}) if {
	some stack in stacks
	found := reported with input as asked(stack)
	some finding in found
}

deny contains {"msg": line(finding), "finding": finding} if {
	some finding in findings
	finding.severity == "error"
}

warn contains {"msg": line(finding), "finding": finding} if {
	some finding in findings
	finding.severity in {"warning", "info"}
}

line(finding) := sprintf("%s: %s [%s]", [finding.stack, finding.message, finding.rule])

# unchecked are the facts for want of which policies stayed silent.
unchecked contains {"rule": id, "fact": fact, "stack": object.get(stack, ["stack", "name"], "")} if {
	some stack in stacks
	missed := missing with input as asked(stack)
	some id, facts in missed
	some fact in facts
}

# asked(stack): the input that policies see: with the defaults of their parameters, and the date.
asked(stack) := object.union(
	{"unknown": [], "today": date, "parameters": {id: policy.parameters | some id, policy in policies}},
	stack,
)

date := sprintf("%04d-%02d-%02d", time.date(time.now_ns()))

# The answers of the policies that are open for the stack.
reported contains finding if {
	some id, found in answers
	some raw in found
	covered(policies[id], raw.at)
	finding := finding_of(id, policies[id], raw)
}

finding_of(id, policy, raw) := object.union(
	{
		"rule": id, "category": policy.category, "severity": severity_of(policy, raw), "at": raw.at,
		"confidence": object.get(raw, "confidence", policy.confidence),
		"message": sentence(policy, object.get(raw, "message", "main"), object.get(raw, "args", {})),
	},
	{key: value | some key in ["needs", "figures"]; value := raw[key]},
)

severity_of(policy, raw) := "undecided" if {
	count(object.get(raw, "needs", [])) > 0
} else := object.get(raw, "severity", policy.severity)

# sentence(policy, key, args): a message of METADATA with its arguments, or the policy's own text.
sentence(policy, key, args) := filled(policy.messages[key], args)

sentence(policy, key, _) := cut(clean(key), 600) if not policy.messages[key]

filled(template, args) := clean(strings.replace_n(places(template, args), template))

# places(template, args): what stands for each {name} and {name:one|many}.
places(template, args) := object.union(
	{whole: text | some [whole, name] in regex.find_all_string_submatch_n(`\{([a-z_][a-z0-9_]*)\}`, template, -1); text := written(args[name])},
	{whole: text |
		some [whole, name, one, many] in regex.find_all_string_submatch_n(`\{([a-z_][a-z0-9_]*):([^|}]*)\|([^}]*)\}`, template, -1)
		text := {true: one, false: many}[args[name] == 1]
	},
)

written(v) := cut(clean(v), 120) if is_string(v)

written(v) := sprintf("%d", [v]) if {
	is_number(v)
	v == round(v)
}

written(v) := trim_right(trim_right(sprintf("%.6f", [v]), "0"), ".") if {
	is_number(v)
	v != round(v)
}

written(v) := concat(", ", [item(x) | some x in v]) if is_array(v)

written(v) := concat(", ", [item(x) | some x in v]) if is_set(v)

written(v) := cut(clean(json.marshal(v)), 120) if not plain(v)

item(v) := cut(clean(v), 120) if is_string(v)

item(v) := sprintf("%v", [v]) if not is_string(v)

plain(v) if is_string(v)

plain(v) if is_number(v)

plain(v) if is_array(v)

plain(v) if is_set(v)

clean(text) := regex.replace(text, `[\p{Cc}\p{Cf}\x{2028}\x{2029}]`, " ")

cut(text, most) := text if count(text) <= most

cut(text, most) := concat("", [substring(text, 0, most), "…"]) if count(text) > most

# in_range(policy): each version range of the policy holds for a part of its product, or for the newest release when
# there is no such part.
in_range(policy) if {
	every wanted in policy.ranges {
		range_holds(wanted)
	}
}

range_holds(wanted) if {
	some part in parts
	part.product == wanted.product
	contained(wanted, part.version)
}

range_holds(wanted) if {
	count([part | some part in parts; part.product == wanted.product]) == 0
	contained(wanted, object.get(newest, wanted.product, "999999"))
}

contained(wanted, version) if {
	every bound in wanted.bounds {
		compared(bound.op, lib.version_numbers(version), lib.version_numbers(bound.version))
	}
}

compared(">=", a, b) if a >= b

compared(">", a, b) if a > b

compared("<=", a, b) if a <= b

compared("<", a, b) if a < b

compared("==", a, b) if a == b

compared("!=", a, b) if a != b

parts contains {"at": ["gateway"], "product": "litellm", "version": release(input.gateway, "litellm")}

parts contains {"at": ["engines", i], "product": engine.runtime, "version": release(engine, engine.runtime)} if some i, engine in input.engines

parts contains {"at": ["routers", i], "product": router.kind, "version": release(router, router.kind)} if some i, router in input.routers

# release(part, product): the version of a part, the newest known one when it cannot be read.
release(part, _) := part.version if regex.match(`^v?[0-9]`, object.get(part, "version", ""))

release(part, product) := object.get(newest, product, "999999") if not regex.match(`^v?[0-9]`, object.get(part, "version", ""))

# covered(policy, at): the version ranges hold for the engine or router that a finding is about.
covered(policy, at) if {
	every wanted in policy.ranges {
		fits(wanted, at)
	}
}

fits(wanted, at) if {
	count([part | some part in own_part(at); part.product == wanted.product]) == 0
}

fits(wanted, at) if {
	some part in own_part(at)
	part.product == wanted.product
	contained(wanted, part.version)
}

own_part(at) := [part | some part in parts; at[0] != "gateway"; part.at == array.slice(at, 0, 2)]

# unseen(path): something that the files do not show may stand at the path; "*" is any element of it.
unseen(path) if {
	some hidden in input.unknown
	count(hidden) <= count(path)
	every i, element in hidden {
		path[i] in {element, "*"}
	}
}

# is_any(value): also false and null.
is_any(_) := true
