package rules

import (
	"iter"
	"net/url"
	"slices"
	"strings"

	"agentlint/internal/model"
)

// address is the written address of one deployment, with what it leads to.
type address struct {
	Deployment *model.Value
	// Index is the model_list entry, Key the parameter that holds the address: api_base or base_url.
	Index    int
	Key      string
	Text     string
	URL      *url.URL
	Provider string
}

// Path is where the address is written.
func (a *address) Path() model.Path { return modelListPath.With(a.Index, "litellm_params", a.Key) }

type addressesKey struct{}

// addresses walks the deployments whose address is written in the config as it is used: no reference, no template.
func (p *Pass) addresses() iter.Seq[address] {
	return slices.Values(p.Memo(addressesKey{}, func() any { return p.findAddresses() }).([]address))
}

// target returns a text of what the address leads to: kind, name or service.
func (a *address) target(key string) (string, bool) { return a.Deployment.At("target", key).AsText() }

func (p *Pass) findAddresses() (out []address) {
	list := p.Root.At(modelListPath...)
	for g := range p.Groups() {
		for _, d := range g.Deployments() {
			index, ok := d.Get("index").AsInt(false)
			if !ok {
				continue
			}
			key, text := writtenAddress(list.At(int(index)))
			if text == "" || strings.ContainsAny(text, "${} ") {
				continue
			}
			provider, known := d.Get("provider").AsText()
			if !known {
				continue
			}
			if u, err := url.Parse(text); err == nil && u.Host != "" {
				out = append(out, address{d, int(index), key, text, u, provider})
			}
		}
	}
	return out
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
