package rules

import (
	"bytes"
	"fmt"
	"slices"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "duplicate-key",
		Title:    "A key is written twice in one mapping",
		Category: "schema",
		Why: "Of a key that stands twice in one mapping PyYAML and Helm keep the last value and drop the earlier one without a word. A\n" +
			"second `litellm_settings:` or `general_settings:` block, added at the end of a long file, therefore throws away every\n" +
			"setting of the first: budgets, callbacks, the master key. Compose refuses the file.",
		Remedy:     "Merge the two blocks, or remove the value that is not meant.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"files", "gateway.config"},
		Fix:        model.Unsafe,
		FixTitle:   "merge the two blocks",
		Question:   "Do the settings of both blocks belong together? Where both have a key, the later value stays.",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "yaml.safe_load(file)", Checked: "2026-11-29",
				Note: "Run with two router_settings blocks: the last one wins, nothing is logged."},
			{Artefact: "pyyaml 6.0.3", File: "yaml/constructor.py", Symbol: "mapping[key] = value", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		walked, seen := map[placeKey]bool{}, map[placeKey]bool{}
		for _, root := range p.documents() {
			document := p.Get(root...)
			if document == nil || walked[placeKey{document.Origin.File, document.Origin.Span}] {
				continue
			}
			if document.Origin.File != nil {
				walked[placeKey{document.Origin.File, document.Origin.Span}] = true
			}
			if !overridden(document) {
				continue
			}
			document.Walk(func(below model.Path, v *model.Value) {
				twice := duplicates(v)
				if len(twice) == 0 {
					return
				}
				// Several parts of a stack may hold the same document.
				key := placeKey{v.Origin.File, v.Origin.Key}
				if !seen[key] {
					seen[key] = true
					p.reportDuplicate(root.With(below...), v, twice)
				}
			})
		}
	},
})

// overridden reports whether something in a value was written more than once.
func overridden(v *model.Value) bool {
	return len(v.Losers()) > 0 || slices.ContainsFunc(v.Items(), overridden)
}

// documents are the paths at which the stack holds what a file says as it is written.
func (p *Pass) documents() []model.Path {
	out := []model.Path{{"gateway", "config"}, {"gateway", "helm", "values"}, {"compose", "services"}}
	if platform, _ := p.Text("gateway", "pod", "platform"); platform == "kubernetes" {
		out = append(out, model.Path{"gateway", "pod"})
	}
	for _, list := range [...]string{"engines", "routers"} {
		for part := range p.Parts(list) {
			out = append(out, part.At("helm", "values"), part.At("config"))
			if platform, _ := part.Text("pod", "platform"); platform == "kubernetes" {
				out = append(out, part.At("pod"))
			}
		}
	}
	return out
}

// duplicates returns the indices of those of a value's losers that stand in the same map under the same key.
func duplicates(v *model.Value) (out []int) {
	if len(v.Losers()) == 0 {
		return nil
	}
	own := v.Origin.Node
	if v.Origin.Via != nil {
		own = v.Origin.Via
	}
	if own == nil || own.Parent == nil {
		return nil
	}
	for i := range v.Losers() {
		l := &v.Losers()[i]
		if l.Node != nil && l.File == v.Origin.File && l.Node.Parent == own.Parent && l.Span == l.Key && !branches(l.File.Bytes, l.Key.End, v.Origin.Key.Start) {
			out = append(out, i)
		}
	}
	return out
}

// branches reports whether a template's control structure stands between two places of a text, so that the reader may see
// one of them only.
func branches(text []byte, from, to int) bool {
	if from > to || to > len(text) {
		return false
	}
	text = text[from:to]
	if bytes.Contains(text, []byte("{%")) || bytes.Contains(text, []byte("#@")) {
		return true
	}
	for {
		i := bytes.Index(text, []byte("{{"))
		if i < 0 {
			return false
		}
		text = text[i+2:]
		word := bytes.TrimLeft(text, "- \t")
		for _, control := range [...]string{"if", "else", "end", "range", "with", "block", "define", "#", "/"} {
			if bytes.HasPrefix(word, []byte(control)) {
				return true
			}
		}
	}
}

func (p *Pass) reportDuplicate(at model.Path, v *model.Value, losers []int) {
	name := model.Quote(keyText(v))
	times := "twice"
	switch {
	case len(losers) > 9:
		times = "many times"
	case len(losers) > 1:
		times = fmt.Sprintf("%d times", len(losers)+1)
	}
	same := true
	for _, i := range losers {
		same = same && sameNode(v.Origin.Node, v.Losers()[i].Node)
	}
	effect := "the last one wins"
	if at[0] == "compose" {
		effect = "compose refuses the file (\"mapping key already defined\")"
	}
	var r *Report
	switch {
	case same && at[0] == "compose":
		r = p.Report(at, "%s is written %s with the same value: %s", name, times, effect).Severity(model.Warning)
	case same:
		r = p.Report(at, "%s is written %s with the same value", name, times).Severity(model.Warning)
	case v.Kind == model.Unknown:
		r = p.Report(at, "%s is written %s: %s", name, times, effect).Severity(model.Warning)
	case at[0] == "compose":
		r = p.Report(at, "%s is written %s: %s", name, times, effect)
	default:
		r = p.Report(at, "%s is written %s: %s%s", name, times, effect, lostText(v, losers))
	}
	r.OnKey()
	if ops, ok := mergeOps(at, v, losers, same); ok {
		r.Fix(model.Fix{Ops: ops})
	}
}

// keyText is the key under which a value stands in its file.
func keyText(v *model.Value) string {
	n := v.Origin.Node
	if v.Origin.Via != nil {
		n = v.Origin.Via
	}
	return n.KeyNode().Text
}

// lostText says what of the earlier blocks nobody reads.
func lostText(v *model.Value, losers []int) string {
	var keys []string
	items := 0
	for _, i := range losers {
		switch n := v.Losers()[i].Node.Deref(); {
		case n == nil:
		case n.Kind == source.List:
			items += len(n.Children)
		case n.Kind == source.Map && v.Kind == model.Map:
			for _, e := range n.Entries() {
				if v.Get(e.Key.Text) == nil {
					keys = append(keys, model.Quote(e.Key.Text))
				}
			}
		}
	}
	switch {
	case len(keys) == 1:
		return fmt.Sprintf(", and %s of the earlier block is lost", keys[0])
	case len(keys) > 1:
		return fmt.Sprintf(", and of the earlier block these are lost: %s", shortList(keys))
	case items == 1:
		return ", and the entry of the earlier list is lost"
	case items > 1:
		return fmt.Sprintf(", and the %d entries of the earlier list are lost", items)
	case v.Kind == model.Map || v.Kind == model.List:
		return ", and the earlier block is lost"
	}
	return ""
}

// mergeOps moves what only the earlier blocks have into the one that wins, and removes them. Of two different scalars
// nobody knows which one is meant.
func mergeOps(at model.Path, v *model.Value, losers []int, same bool) (ops []model.Op, ok bool) {
	if len(losers) > maxBlocks {
		return nil, false
	}
	taken := map[string]bool{}
	for _, i := range losers {
		n := v.Losers()[i].Node
		from := at.With(model.Loser(i))
		switch {
		case same:
		case n.Kind == source.Map && v.Kind == model.Map:
			for _, e := range n.Entries() {
				if e.Merge != nil {
					return nil, false
				}
				if key := e.Key.Text; v.Get(key) == nil && !taken[key] {
					taken[key] = true
					ops = append(ops, model.Op{Kind: model.OpMove, At: from.With(key), To: at.With(key)})
				}
			}
		case n.Kind == source.List && v.Kind == model.List:
			// From the last one on, each in front of the one that was moved before.
			for j := len(n.Children) - 1; j >= 0; j-- {
				ops = append(ops, model.Op{Kind: model.OpMove, At: from.With(j), To: at.With(0)})
			}
		default:
			return nil, false
		}
		ops = append(ops, model.Remove(from))
	}
	return ops, len(ops) <= maxMerged
}

// What is merged: at most so many earlier blocks, with so many operations, since each of them reads the file anew.
const (
	maxBlocks = 4
	maxMerged = 40
)

// maxCompared bounds the nodes that are compared, since aliases may stand for more than the text has.
const maxCompared = 10_000

// sameNode reports whether two nodes are read as the same value, the order of keys aside.
func sameNode(a, b *source.Node) bool {
	left := maxCompared
	return equalNodes(a, b, &left)
}

func equalNodes(a, b *source.Node, left *int) bool {
	a, b = a.Deref(), b.Deref()
	if *left--; a == nil || b == nil || a.Kind != b.Kind || *left < 0 {
		return false
	}
	switch a.Kind {
	case source.Scalar:
		return a.Text == b.Text && a.Tag() == b.Tag() && (a.Style == source.Plain) == (b.Style == source.Plain)
	case source.List:
		if len(a.Children) != len(b.Children) {
			return false
		}
		for i := range a.Children {
			if !equalNodes(a.Children[i], b.Children[i], left) {
				return false
			}
		}
		return true
	}
	ae, be := a.Entries(), b.Entries()
	if len(ae) != len(be) {
		return false
	}
	byKey := make(map[string]*source.Node, len(be))
	for _, e := range be {
		byKey[e.Key.Text] = e.Value
	}
	for _, e := range ae {
		if other := byKey[e.Key.Text]; other == nil || !equalNodes(e.Value, other, left) {
			return false
		}
	}
	return true
}
