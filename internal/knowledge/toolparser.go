package knowledge

import "strings"

// toolParserColumns is the header of data/tool_parsers.tsv. owner and name are those of a hub id in lower case, name a glob; parsers are values of
// --tool-call-parser, the recommended one first, separated by commas.
const toolParserColumns = "owner\tname\tparsers\tnote\tsource"

// requantisers are owners of quantised copies that keep the names, and the chat templates, of the models they copy.
var requantisers = [...]string{"redhatai", "neuralmagic", "unsloth"}

// ToolParsers returns the tool-call parsers of vLLM that read what a model writes, the recommended one first, by its hub id (Qwen/Qwen3-8B) in
// any case. It is false for models, and for copies by other owners, that the table does not have.
func ToolParsers(id string) ([]string, bool) {
	id = strings.ToLower(strings.TrimSpace(id))
	if len(id) > maxModelID || !isHubID(id) {
		return nil, false
	}
	owner, name, _ := strings.Cut(id, "/")
	copied := false
	for _, r := range requantisers {
		copied = copied || owner == r
	}
	longest, best := -1, ""
	for i := range toolParsers.len() {
		line := toolParsers.line(i)
		of, rest := cell(line)
		pattern, _ := cell(rest)
		if of != owner && (!copied || pattern == "*") || len(pattern) <= longest || !glob(pattern, name) {
			continue
		}
		longest, best = len(pattern), line
	}
	if longest < 0 {
		return nil, false
	}
	return strings.Split(column(best, 2), ","), true
}
