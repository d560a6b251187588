package rules

import (
	"iter"
	"slices"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// referencePrefix starts a text that LiteLLM replaces by an environment variable.
const referencePrefix = "os.environ/"

// configText is a text, or another scalar, of the gateway's config.
type configText struct {
	Path  model.Path
	Value *model.Value
	Text  string // of a text
	// Item is true for a plain item of a list.
	Item bool
}

// configTexts walks the texts of the gateway's config that is says yes to.
func (p *Pass) configTexts(is func(text string) bool) iter.Seq[configText] {
	return p.configScalars(func(v *model.Value) bool {
		s, ok := v.AsText()
		return ok && is(s)
	})
}

// configScalars walks the scalars of the gateway's config that is says yes to. A path is made only for those.
func (p *Pass) configScalars(is func(v *model.Value) bool) iter.Seq[configText] {
	return func(yield func(configText) bool) {
		nodes := p.configNodes()
		for i, n := range nodes {
			if n.value.Kind == model.Map || n.value.Kind == model.List || !is(n.value) {
				continue
			}
			if !yield(configText{Path: configPath(nodes, i), Value: n.value, Text: n.value.Text, Item: i > 0 && nodes[n.up].value.Kind == model.List}) {
				return
			}
		}
	}
}

// configNode is a value of the gateway's config: up is the number of the container that holds it, and index its place
// there.
type configNode struct {
	value     *model.Value
	up, index int
}

type configNodesKey struct{}

// configNodes lists the values of the gateway's config, parents first.
func (p *Pass) configNodes() []configNode {
	return p.Memo(configNodesKey{}, func() any {
		var out []configNode
		var walk func(v *model.Value, up, index int)
		walk = func(v *model.Value, up, index int) {
			own := len(out)
			out = append(out, configNode{v, up, index})
			for i, w := range v.Items() {
				walk(w, own, i)
			}
		}
		if config := p.Get("gateway", "config"); config != nil {
			walk(config, 0, 0)
		}
		return out
	}).([]configNode)
}

// configPath is the path of one of the nodes.
func configPath(nodes []configNode, i int) model.Path {
	depth := 0
	for j := i; j > 0; j = nodes[j].up {
		depth++
	}
	out := make(model.Path, depth+2)
	out[0], out[1] = "gateway", "config"
	for at := depth + 1; i > 0; at-- {
		n := nodes[i]
		if up := nodes[n.up].value; up.Kind == model.Map {
			out[at] = up.Keys()[n.index]
		} else {
			out[at] = n.index
		}
		i = n.up
	}
	return out
}

// under reports whether a key of the config above the text has one of some names.
func (c *configText) under(names ...string) bool {
	return slices.ContainsFunc(c.Path[2:], func(e any) bool {
		key, ok := e.(string)
		return ok && slices.Contains(names, key)
	})
}

// proseWords are parts of keys whose values are texts for people or models.
var proseWords = [...]string{"comment", "content", "description", "disclaimer", "example", "instruction", "message", "note", "prompt", "summary", "template", "title"}

// prose reports whether the text is written for people or models: by the name of its key, or by its length.
func (c *configText) prose() bool {
	for _, e := range c.Path[2:] {
		key, ok := e.(string)
		if !ok {
			continue
		}
		for word := range strings.FieldsFuncSeq(strings.ToLower(key), func(r rune) bool { return r == '_' || r == '-' }) {
			if slices.Contains(proseWords[:], strings.TrimSuffix(word, "s")) {
				return true
			}
		}
	}
	return strings.Contains(c.Text, "\n") || len(strings.Fields(c.Text)) > 3
}

// resolvesItself reports whether the code that reads a text looks for references in it by itself: the headers of pass-through
// endpoints and the addresses for alerts (litellm 1.102.0, proxy/pass_through_endpoints/pass_through_endpoints.py
// set_env_variables_in_header, integrations/SlackAlerting/utils.py process_slack_alerting_variables).
func (c *configText) resolvesItself() bool {
	return c.under("pass_through_endpoints") && c.under("headers") || c.under("alert_to_webhook_url")
}

// envName reports whether s can be the name of an environment variable.
func envName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		case i > 0 && (c == '.' || c == '-' || c >= '0' && c <= '9'):
		default:
			return false
		}
	}
	return s != ""
}

// leadingName returns the part of s that can be the name of a variable.
func leadingName(s string) string {
	i := 0
	for i < len(s) && envName(s[:i+1]) {
		i++
	}
	return strings.TrimRight(s[:i], ".-")
}

// fileOf returns path and kind of the file a value is written in, "" for one that no file holds.
func (p *Pass) fileOf(v *model.Value) (path, kind string) {
	if v == nil || v.Origin.File == nil {
		return "", ""
	}
	f, _ := v.Origin.File.Outer(source.Span{})
	for m := range p.Parts("files") {
		if s, _ := m.Text("path"); s == f.Path {
			kind, _ = m.Text("kind")
			return s, kind
		}
	}
	return f.Path, ""
}
