# PromQL texts of dashboards, alerts and autoscalers.
package agentlint.lib

# watching(product): indices of the queries about a product that somebody looks at or is alerted by, in the order of
# files; a trigger of an autoscaler watches nothing.
watching(product) := [i |
	some i, query in input.queries
	query.product == product
	query.where in {"dashboard", "alert", "recording"}
]

# query_path(index): the path of a query.
query_path(index) := ["queries", index]

# queries_unseen: some query is out of sight, so that nothing can be said to be unwatched.
queries_unseen if ["queries"] in unknown_paths

queries_unseen if {
	some i, _ in input.queries
	unknown(["queries", i, "text"])
}
