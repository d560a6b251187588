// Package knowledge knows the settings, arguments, environment variables, metrics and accepted values of every LiteLLM and vLLM release, and the
// advisories, model shapes and GPU sizes that rules need.
//
// The facts are tables under data/, one line per name, extracted from the published artefacts of the two projects (docs/knowledge.md). They are
// compiled into the binary as text constants with an index; a lookup is a binary search, and nothing is parsed or allocated before the first one.
package knowledge

//go:generate go run -C ../gen ./knowledge/tables
