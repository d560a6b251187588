package rules

import (
	"iter"
	"net/url"
	"strings"

	"agentlint/internal/model"
)

// address is the written address of one deployment, with what it leads to.
type address struct {
	Deployment Part
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
	list := p.Memo(addressesKey{}, func() any { return p.findAddresses() }).([]address)
	return func(yield func(address) bool) {
		for _, a := range list {
			a.Deployment.pass = p
			if !yield(a) {
				return
			}
		}
	}
}

func (p *Pass) findAddresses() (out []address) {
	list := p.Root.At(modelListPath...)
	for g := range p.Groups() {
		for d := range g.Parts("deployments") {
			index, ok := d.Int("index")
			provider, known := d.Text("provider")
			if !ok || !known {
				continue
			}
			key, text := writtenAddress(list.At(int(index)))
			if text == "" || strings.ContainsAny(text, "${} ") {
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
	if entry == nil {
		return "", ""
	}
	for _, key := range [...]string{"api_base", "base_url"} {
		if entry.State("litellm_params", key) != model.Absent {
			text, _ := entry.At("litellm_params", key).AsText()
			return key, text
		}
	}
	return "", ""
}
