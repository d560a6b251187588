package rules

import (
	"iter"
	"net/url"
	"strings"

	"agentlint/internal/model"
)

// address is the written address of one deployment.
type address struct {
	// Index is the model_list entry, Key the parameter that holds the address: api_base or base_url.
	Index int
	Key   string
	Text  string
	URL   *url.URL
}

// Path is where the address is written.
func (a *address) Path() model.Path { return modelListPath.With(a.Index, "litellm_params", a.Key) }

// addresses walks the addresses that are written in the config as they are used, no reference and no template, and that
// is says yes to.
func (p *Pass) addresses(is func(text string) bool) iter.Seq[address] {
	return func(yield func(address) bool) {
		for entry := range p.ModelList() {
			key, text := writtenAddress(entry.Value)
			if text == "" || !is(text) || strings.ContainsAny(text, "${} ") {
				continue
			}
			if u, err := url.Parse(text); err == nil && u.Host != "" && !yield(address{entry.Index, key, text, u}) {
				return
			}
		}
	}
}

// writtenAddress returns the address of a model_list entry and the parameter that holds it, "" when none is written or
// the files do not show it.
func writtenAddress(entry *model.Value) (key, text string) {
	params := entry.Get("litellm_params")
	if params == nil {
		return "", ""
	}
	for _, key := range [...]string{"api_base", "base_url"} {
		if params.State(key) != model.Absent {
			text, _ := params.Get(key).AsText()
			return key, text
		}
	}
	return "", ""
}
