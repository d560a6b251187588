# The entry point: the findings of the policies that the run enables for this stack.
package agentlint.main

# findings are those of the enabled policies, each with the id of its rule.
findings contains object.union(finding, {"rule": id}) if {
	some id in input.enabled
	some finding in data.agentlint.rules[id].findings
}

# A policy that stayed silent for want of a fact names it in unchecked.
findings contains {"rule": id, "unchecked": fact} if {
	some id in input.enabled
	some fact in data.agentlint.rules[id].unchecked
}
