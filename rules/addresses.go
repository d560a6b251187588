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
	Deployment Part
	// Path is where it is written: api_base, or base_url, of a model_list entry.
	Path     model.Path
	Text     string
	URL      *url.URL
	Provider string
}

type addressesKey struct{}

// addresses walks the deployments whose address is written in the config as it is used: no reference, no template.
func (p *Pass) addresses() iter.Seq[address] {
	list := p.Memo(addressesKey{}, func() any { return slices.Collect(p.findAddresses()) }).([]address)
	return func(yield func(address) bool) {
		for _, a := range list {
			a.Deployment.pass = p
			if !yield(a) {
				return
			}
		}
	}
}

func (p *Pass) findAddresses() iter.Seq[address] {
	return func(yield func(address) bool) {
		list := p.Root.At("gateway", "config", "model_list")
		for g := range p.Groups() {
			for d := range p.Parts(g.At("deployments")...) {
				index, ok := d.Int("index")
				provider, known := d.Text("provider")
				entry := list.At(int(index))
				if !ok || !known || entry == nil {
					continue
				}
				for _, key := range [...]string{"api_base", "base_url"} {
					if entry.State("litellm_params", key) == model.Absent {
						continue
					}
					s, ok := entry.At("litellm_params", key).AsText()
					if !ok || strings.ContainsAny(s, "${} ") {
						break
					}
					if u, err := url.Parse(s); err == nil && u.Host != "" {
						at := model.Path{"gateway", "config", "model_list", int(index), "litellm_params", key}
						if !yield(address{d, at, s, u, provider}) {
							return
						}
					}
					break
				}
			}
		}
	}
}
