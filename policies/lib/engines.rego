# What engines are told on their command lines.
package agentlint.lib

# context_limit(engine): the longest sequence of an engine in tokens; undefined when the files do not show it, or when the
# engine chooses.
context_limit(engine) := engine.context.value
