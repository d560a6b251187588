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
	// Path is where it is written: api_base, or base_url, of a model_list entry.
	Path     model.Path
	Text     string
	URL      *url.URL
	Provider string
}

// addresses walks the deployments whose address is written in the config as it is used: no reference, no template.
func (p *Pass) addresses() iter.Seq[address] {
	return func(yield func(address) bool) {
		for g := range p.Groups() {
			for d := range p.Parts(g.At("deployments")...) {
				index, ok := d.Int("index")
				provider, known := d.Text("provider")
				if !ok || !known {
					continue
				}
				for _, key := range [...]string{"api_base", "base_url"} {
					at := model.Path{"gateway", "config", "model_list", int(index), "litellm_params", key}
					s, ok := p.Text(at...)
					if p.Absent(at...) {
						continue
					}
					u, err := url.Parse(s)
					if ok && err == nil && u.Host != "" && !strings.ContainsAny(s, "${} ") && !yield(address{d, at, s, u, provider}) {
						return
					}
					break
				}
			}
		}
	}
}
