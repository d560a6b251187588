package rules

import (
	"iter"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

// modelNames is what a request, a fallback or an alias can name at a gateway.
type modelNames struct {
	groups, aliases, ids []string
	// patterns are names of groups with a "*".
	patterns []string
	// closed is true when the files show all of them; stored when the database may add more.
	closed, stored bool
}

type modelNamesKey struct{}

// modelNames returns the names that the gateway's router answers to.
func (p *Pass) modelNames() *modelNames {
	return p.Memo(modelNamesKey{}, func() any { return p.findModelNames() }).(*modelNames)
}

// missing reports whether no model of a name can be reached, as far as the files show.
func (m *modelNames) missing(name string) bool {
	return m.closed && !m.has(name) && !reference(name)
}

func (p *Pass) findModelNames() *modelNames {
	m := &modelNames{}
	config := p.Root.At("gateway", "config")
	list := config.Get("model_list")
	m.closed = config.Known() && !config.Open && list.Known() && list.Kind == model.List && list.Len() > 0 && !list.Open
	for _, entry := range list.Items() {
		name, ok := entry.Get("model_name").Scalar()
		switch {
		case !ok:
			m.closed = false
		case strings.Contains(name, "*"):
			m.patterns = append(m.patterns, name)
		default:
			m.groups = append(m.groups, name)
		}
		if id, ok := entry.At("model_info", "id").Scalar(); ok {
			m.ids = append(m.ids, id)
		} else if entry.State("model_info", "id") == model.Unseen {
			m.closed = false
		}
	}
	aliases := config.At("router_settings", "model_group_alias")
	if aliases != nil && (aliases.Kind != model.Map && aliases.Kind != model.Null || aliases.Open) || p.State("gateway", "config", "router_settings") == model.Unseen {
		m.closed = false
	}
	m.aliases = aliases.Keys()
	stored := model.Path{"gateway", "settings", "store_model_in_db", "value"}
	if p.State(stored...) == model.Unseen {
		m.closed = false
	}
	text, _ := p.Get(stored...).Scalar()
	m.stored = strings.EqualFold(text, "true")
	return m
}

// has reports whether the router answers to a name.
func (m *modelNames) has(name string) bool {
	return slices.Contains(m.groups, name) || slices.Contains(m.aliases, name) || slices.Contains(m.ids, name) ||
		slices.ContainsFunc(m.patterns, func(pattern string) bool { return wildcard(pattern, name) })
}

// wildcard reports whether a name matches a pattern in which each "*" stands for any text.
func wildcard(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return pattern == name
	}
	if !strings.HasPrefix(name, first) || len(name) < len(first)+len(last) || !strings.HasSuffix(name, last) {
		return false
	}
	rest := name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return true
}

// near returns the only name that a word is most likely a misspelling of, "" for none.
func (m *modelNames) near(word string) string {
	found, _ := near(word, func(yield func(string) bool) {
		for _, list := range [...][]string{m.groups, m.aliases} {
			for _, n := range list {
				if !yield(n) {
					return
				}
			}
		}
	})
	if found = slices.Compact(found); len(found) != 1 {
		return ""
	}
	return found[0]
}

type deploymentsKey struct{}

// deployment returns what the model says of the deployment that a model_list entry makes, nil when it makes none.
func (p *Pass) deployment(index int) *model.Value {
	list := p.Memo(deploymentsKey{}, func() any {
		out := make([]*model.Value, p.Root.At(modelListPath...).Len())
		for g := range p.Groups() {
			for _, d := range g.Deployments() {
				if i, ok := d.Get("index").AsInt(false); ok && i >= 0 && i < int64(len(out)) {
					out[i] = d
				}
			}
		}
		return out
	}).([]*model.Value)
	return list[index]
}

// fallbackKinds are the lists that say where a request goes when its group fails, in both sections that hold them.
var fallbackKinds = [...]string{"fallbacks", "context_window_fallbacks", "content_policy_fallbacks"}

var fallbackSections = [...]string{"router_settings", "litellm_settings"}

// fallbackList is one list of fallbacks.
type fallbackList struct {
	Section, Kind string
	Path          model.Path
	List          *model.Value
}

// fallbackLists walks the lists of fallbacks that the config holds.
func (p *Pass) fallbackLists() iter.Seq[fallbackList] {
	return func(yield func(fallbackList) bool) {
		config := p.Root.At("gateway", "config")
		for _, section := range fallbackSections {
			settings := config.Get(section)
			for _, kind := range fallbackKinds {
				v := settings.Get(kind)
				if v == nil {
					continue
				}
				at := model.Path{"gateway", "config", section, kind}
				p.noteUnseen(at)
				if v.Kind == model.List && !yield(fallbackList{section, kind, at, v}) {
					return
				}
			}
		}
	}
}

// fallback is one entry of such a list: the group that fails, and the groups that take over.
type fallback struct {
	Source string
	// Path is the entry's, At that of its targets.
	Path, At model.Path
	Targets  *model.Value
}

// entries walks the entries of a list; one with several keys, which the router refuses, is left out.
func (l *fallbackList) entries() iter.Seq[fallback] {
	return func(yield func(fallback) bool) {
		for i, e := range l.List.Items() {
			if e.Kind != model.Map || e.Len() != 1 || e.Open {
				continue
			}
			source := e.Keys()[0]
			if !yield(fallback{source, l.Path.With(i), l.Path.With(i, source), e.Items()[0]}) {
				return
			}
		}
	}
}

// complete reports whether the files show all entries of the list.
func (l *fallbackList) complete() bool {
	return !l.List.Open && !slices.ContainsFunc(l.List.Items(), func(v *model.Value) bool { return !v.Known() || v.Open })
}

// stripped returns a name without its provider, "" when it begins with none. The router looks for fallbacks of both.
func (p *Pass) stripped(name string) string {
	provider, rest, ok := strings.Cut(name, "/")
	if !ok || !p.provider(provider) {
		return ""
	}
	return rest
}

// provider reports whether a word is a provider of the gateway's release, or of a newer one.
func (p *Pass) provider(word string) bool {
	_, presence := p.LiteLLM().EnumValue("provider", word)
	return presence != knowledge.Unknown
}
