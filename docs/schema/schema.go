// Package schema holds the published JSON Schemas that the program itself reads.
package schema

import _ "embed"

//go:embed input.schema.json
var input []byte

// Input returns the JSON Schema of policies' input. The bytes must not be changed.
func Input() []byte { return input }
