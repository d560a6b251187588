package report

import "strings"

// TableCell makes text safe in a cell of a Markdown table.
func TableCell(s string) string {
	return strings.ReplaceAll(clean(s), "|", `\|`)
}
