package rules

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// secretsPlace reports whether a value stands where secrets belong: an env file, a Secret of Kubernetes, or a generator of
// Secrets. A reference to a variable stands anywhere; what it refers to does not.
func (p *Pass) secretsPlace(v *model.Value) bool {
	if v.Origin.Env() != nil || referred(v) {
		return true
	}
	if _, kind := p.fileOf(v); kind == "env" {
		return true
	}
	n, f := v.Origin.Node, v.Origin.File
	for n != nil {
		for n.Parent != nil {
			n = n.Parent
			if key := n.KeyNode(); key != nil && key.Text == "secretGenerator" {
				return true
			}
		}
		if kind := n.Get("kind"); kind != nil && (kind.Text == "Secret" || kind.Text == "SopsSecret" || kind.Text == "SealedSecret") {
			return true
		}
		f, n = f.Host()
	}
	return false
}

// referred reports whether a text comes, through a reference, from somewhere else than its place.
func referred(v *model.Value) bool {
	text, ok := v.AsText()
	if !ok || v.Origin.File == nil {
		return false
	}
	raw := v.Origin.File.Text(v.Origin.Span)
	return strings.Contains(raw, "$") && !strings.Contains(raw, text)
}

// written is a text with its path.
type written struct {
	Path  model.Path
	Value *model.Value
	Text  string
}

// places collects texts, each place of a file once.
type places struct {
	list []written
	seen map[placeKey]bool
}

type placeKey struct {
	file *source.File
	span source.Span
}

// add adds the text at a path, unless it is unknown or was added under another path.
func (l *places) add(p *Pass, at model.Path) {
	v := p.Get(at...)
	s, ok := v.AsText()
	if !ok || v.Origin.File == nil {
		return
	}
	key := placeKey{v.Origin.File, v.Origin.Span}
	if l.seen[key] {
		return
	}
	if l.seen == nil {
		l.seen = map[placeKey]bool{}
	}
	l.seen[key] = true
	l.list = append(l.list, written{at, v, s})
}
