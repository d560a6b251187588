package model

import (
	"fmt"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
)

// Gate says whether a rule has anything to do in a stack. It is made once a rule and is safe for concurrent use.
type Gate struct {
	// input is empty where every when path leads through it.
	input  []string
	when   [][]string
	ranges []knowledge.Range
}

// anyChild is the path element of [Meta.When] that stands for every item of a list and every entry of a map.
const anyChild = "*"

// NewGate returns the gate of a rule with the fields of [Meta] of those names. It fails on an unreadable version
// range or input name.
func NewGate(inputs, when, applies []string) (*Gate, error) {
	g := &Gate{}
	if len(inputs) == 0 {
		return nil, fmt.Errorf("inputs: none given")
	}
	for _, name := range append(inputs[:len(inputs):len(inputs)], when...) {
		if name == "" || strings.Contains(name, "..") {
			return nil, fmt.Errorf("input %q: not a dotted path", name)
		}
	}
	g.input = inputPath(inputs[0])
	for _, w := range when {
		g.when = append(g.when, inputPath(w))
	}
	if len(g.when) > 0 && !slices.ContainsFunc(g.when, func(w []string) bool { return !below(w, g.input) }) {
		g.input = nil
	}
	for _, a := range applies {
		r, err := knowledge.ParseRange(a)
		if err != nil {
			return nil, fmt.Errorf("applies: %w", err)
		}
		g.ranges = append(g.ranges, r)
	}
	return g, nil
}

// below reports whether a path leads through another one and further.
func below(p, through []string) bool {
	return len(p) > len(through) && slices.Equal(p[:len(through)], through)
}

// inputPath turns an input's name into a path: "engine.args" is short for "engines.*.args".
func inputPath(name string) []string {
	if rest, ok := strings.CutPrefix(name, "engine."); ok {
		name = "engines." + anyChild + "." + rest
	}
	return strings.Split(name, ".")
}

// Part returns the top-level name of the model that an input belongs to: "engines" for "engine.args".
func Part(input string) string {
	name, _, _ := strings.Cut(input, ".")
	if name == "engine" {
		return "engines"
	}
	return name
}

// Open reports whether the first input exists in s (or may exist, unseen), one of the when paths does, and every
// version range holds for one part of its product.
func (g *Gate) Open(s *Stack) bool {
	if !mayHold(s.Root, g.input, false) {
		return false
	}
	for i, w := range g.when {
		if mayHold(s.Root, w, true) {
			break
		}
		if i == len(g.when)-1 {
			return false
		}
	}
	for _, r := range g.ranges {
		if !s.inRange(r) {
			return false
		}
	}
	return true
}

// Covers reports whether the version ranges hold for the part that a path lies in. A finding about an engine or a
// router of another release is dropped by it.
func (g *Gate) Covers(s *Stack, at Path) bool {
	if len(at) < 2 {
		return true
	}
	part, _ := at[0].(string)
	i, ok := at[1].(int)
	if !ok || (part != "engines" && part != "routers") {
		return true
	}
	if pv := s.productVersion(part, i); pv != nil {
		for _, r := range g.ranges {
			if r.Product == pv.product && !r.Contains(pv.version) {
				return false
			}
		}
	}
	return true
}

// mayHold reports whether something stands at the path, or may stand there unseen. An empty list at its end counts only
// when empty says so: lists of parts are always there, but the values of a flag that takes none are an empty list too.
func mayHold(v *Value, p []string, empty bool) bool {
	for i, e := range p {
		if v.Kind == Unknown {
			return true
		}
		if e == anyChild {
			for _, w := range v.Items() {
				if mayHold(w, p[i+1:], empty) {
					return true
				}
			}
			return v.Open
		}
		w := v.Get(e)
		if w == nil {
			return v.Open
		}
		v = w
	}
	return v.Kind != List || v.Len() > 0 || v.Open || empty
}

// productVersion is the version of one part of a stack.
type productVersion struct {
	product string
	part    string // gateway, engines or routers
	index   int
	version knowledge.Version
}

// productVersions returns the version of every part that has one, with the newest known release in the place of
// an unreadable or missing version.
func (s *Stack) productVersions() []productVersion {
	s.versionsOnce.Do(func() {
		add := func(part string, index int, product string, v *Value) {
			s.versions = append(s.versions, productVersion{product, part, index, versionOr(v.Get("version"), product)})
		}
		if g := s.Root.Get("gateway"); g != nil {
			add("gateway", 0, knowledge.LiteLLM.Name(), g)
		}
		for i, e := range s.Root.Get("engines").Items() {
			runtime, _ := e.Get("runtime").AsText()
			add("engines", i, runtime, e)
		}
		for i, r := range s.Root.Get("routers").Items() {
			kind, _ := r.Get("kind").AsText()
			add("routers", i, kind, r)
		}
	})
	return s.versions
}

// GatewayVersion returns the LiteLLM release that rules assume: that of the gateway, the newest known one when
// there is none.
func (s *Stack) GatewayVersion() knowledge.Version {
	return s.PartVersion("gateway", 0)
}

// LiteLLM returns what the tables know of the gateway's release, of the newest one when its version is unknown.
func (s *Stack) LiteLLM() knowledge.Release {
	s.litellmOnce.Do(func() { s.litellm = knowledge.LiteLLM.At(s.GatewayVersion()) })
	return s.litellm
}

// PartVersion returns the release that rules assume of a part ("gateway", "engines", "routers") at an index of its
// list, and the newest known LiteLLM release for a part that is not there.
func (s *Stack) PartVersion(part string, index int) knowledge.Version {
	if pv := s.productVersion(part, index); pv != nil {
		return pv.version
	}
	return knowledge.LiteLLM.Newest()
}

// productVersion returns that of a part at an index of its list, nil for a part that is not there.
func (s *Stack) productVersion(part string, index int) *productVersion {
	list := s.productVersions()
	i := slices.IndexFunc(list[:min(1, len(list))], func(pv productVersion) bool { return pv.part == "gateway" }) + 1
	switch part {
	case "gateway":
		i--
	case "engines":
		i += index
	default:
		i += s.Root.Get("engines").Len() + index
	}
	if i < 0 || i >= len(list) || list[i].part != part || list[i].index != index {
		return nil
	}
	return &list[i]
}

// inRange reports whether a version range holds for one part of its product, or for the newest known release when
// the stack has no such part.
func (s *Stack) inRange(r knowledge.Range) bool {
	if r.Product == "" {
		return true
	}
	found := false
	for _, pv := range s.productVersions() {
		if pv.product == r.Product {
			if r.Contains(pv.version) {
				return true
			}
			found = true
		}
	}
	return !found && r.Contains(newestOf(r.Product))
}

func versionOr(v *Value, product string) knowledge.Version {
	if text, ok := v.AsText(); ok {
		if ver, err := knowledge.ParseVersion(text); err == nil {
			return ver
		}
	}
	return newestOf(product)
}

// newestOf returns the newest known release of a product, and one after every release for products that the
// knowledge base has no table of.
func newestOf(product string) knowledge.Version {
	if p := knowledge.ByName(product); p != nil {
		return p.Newest()
	}
	return knowledge.MustVersion("999999")
}
