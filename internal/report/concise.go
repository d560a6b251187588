package report

import (
	"bytes"
	"fmt"

	"agentlint/internal/engine"
)

// writeConcise prints one line a finding: file:line:column: severity: message [rule].
func writeConcise(b *bytes.Buffer, r *engine.Result, o *Options) error {
	for _, f := range shown(r, o) {
		fmt.Fprintln(b, Line(f))
	}
	return nil
}

// Line returns a finding as one line: file:line:column: severity: message [rule].
func Line(f *engine.Finding) string {
	return fmt.Sprintf("%s: %s: %s [%s]", place(f.Location), f.Severity, clean(redact(f.Message)), clean(f.Rule))
}
