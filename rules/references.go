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
	Value *model.Value

	nodes []configNode
	index int
}

// configTexts walks the texts of the gateway's config.
func (p *Pass) configTexts() iter.Seq[configText] {
	return func(yield func(configText) bool) {
		nodes := p.configNodes()
		for i := range nodes {
			if v := nodes[i].value; v.Kind == model.Text && !yield(configText{v, nodes, i}) {
				return
			}
		}
	}
}

// configScalars walks the scalars of the gateway's config.
func (p *Pass) configScalars() iter.Seq[configText] {
	return func(yield func(configText) bool) {
		nodes := p.configNodes()
		for i := range nodes {
			if v := nodes[i].value; v.Kind != model.Map && v.Kind != model.List && !yield(configText{v, nodes, i}) {
				return
			}
		}
	}
}

// Text is the text of a text.
func (c *configText) Text() string { return c.Value.Text }

// Item reports whether the scalar is a plain item of a list.
func (c *configText) Item() bool {
	return c.index > 0 && c.nodes[c.nodes[c.index].up].value.Kind == model.List
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
		config := p.Get("gateway", "config")
		if config == nil {
			return []configNode(nil)
		}
		return appendNodes(make([]configNode, 0, config.Size()), config, 0, 0)
	}).([]configNode)
}

func appendNodes(out []configNode, v *model.Value, up, index int) []configNode {
	own := len(out)
	out = append(out, configNode{v, up, index})
	for i, w := range v.Items() {
		out = appendNodes(out, w, own, i)
	}
	return out
}

// Path is the path of the scalar from the root of the stack.
func (c *configText) Path() model.Path {
	depth := 0
	for i := c.index; i > 0; i = c.nodes[i].up {
		depth++
	}
	out := make(model.Path, depth+2)
	out[0], out[1] = "gateway", "config"
	for i := c.index; i > 0; i = c.nodes[i].up {
		if key, ok := c.key(i); ok {
			out[depth+1] = key
		} else {
			out[depth+1] = c.nodes[i].index
		}
		depth--
	}
	return out
}

// key returns the key of one of the nodes; ok is false for an item of a list.
func (c *configText) key(i int) (key string, ok bool) {
	n := c.nodes[i]
	if up := c.nodes[n.up].value; up.Kind == model.Map {
		return up.Keys()[n.index], true
	}
	return "", false
}

// keys walks the keys of the config that lead to the scalar, its own one first.
func (c *configText) keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := c.index; i > 0; i = c.nodes[i].up {
			if key, ok := c.key(i); ok && !yield(key) {
				return
			}
		}
	}
}

// under reports whether a key of the config above the text has one of some names.
func (c *configText) under(names ...string) bool {
	for key := range c.keys() {
		if slices.Contains(names, key) {
			return true
		}
	}
	return false
}

// proseWords are parts of keys whose values are texts for people or models.
var proseWords = [...]string{"comment", "content", "description", "disclaimer", "example", "instruction", "message", "note", "prompt", "summary", "template", "title"}

// prose reports whether the text is written for people or models: by the name of its key, or by its length.
func (c *configText) prose() bool {
	for key := range c.keys() {
		for word := range strings.FieldsFuncSeq(strings.ToLower(key), func(r rune) bool { return r == '_' || r == '-' }) {
			if slices.Contains(proseWords[:], strings.TrimSuffix(word, "s")) {
				return true
			}
		}
	}
	return strings.Contains(c.Text(), "\n") || len(strings.Fields(c.Text())) > 3
}

// resolvesItself reports whether the code that reads a text looks for references in it by itself: the headers of pass-through
// endpoints and the addresses for alerts (litellm 1.102.0, proxy/pass_through_endpoints/pass_through_endpoints.py
// set_env_variables_in_header, integrations/SlackAlerting/utils.py process_slack_alerting_variables).
func (c *configText) resolvesItself() bool {
	return c.under("pass_through_endpoints") && c.under("headers") || c.under("alert_to_webhook_url")
}

// envName reports whether s can be the name of an environment variable.
func envName(s string) bool { return s != "" && nameLength(s) == len(s) }

// leadingName returns the part of s that can be the name of a variable.
func leadingName(s string) string { return strings.TrimRight(s[:nameLength(s)], ".-") }

// nameLength is the number of bytes at the beginning of s that can stand in the name of a variable.
func nameLength(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		case i > 0 && (c == '.' || c == '-' || c >= '0' && c <= '9'):
		default:
			return i
		}
	}
	return len(s)
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
