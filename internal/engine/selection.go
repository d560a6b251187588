package engine

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/rules"
)

// selection says which rules run and how severe their findings are.
type selection struct {
	opts *Options
	// rules and policies are those of the program that run where they are open.
	rules    []*rules.Rule
	policies []*policy.Policy
}

func newSelection(o *Options) *selection {
	s := &selection{opts: o}
	for _, r := range rules.All() {
		if s.on(r.Meta.ID, r.Meta.Category) {
			s.rules = append(s.rules, r)
		}
	}
	for _, p := range policy.Builtin() {
		if s.on(p.ID, p.Category) {
			s.policies = append(s.policies, p)
		}
	}
	return s
}

// Metas returns the metadata of every rule in both languages, by id.
func Metas() ([]*model.Meta, error) {
	var out []*model.Meta
	for _, r := range rules.All() {
		out = append(out, &r.Meta)
	}
	for _, p := range policy.Builtin() {
		m, err := p.Meta()
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// MetaOf returns the metadata of one rule by its id or a former id; nil when there is none.
func MetaOf(id string) *model.Meta {
	for _, r := range rules.All() {
		if is(&r.Meta, id) {
			return &r.Meta
		}
	}
	for _, p := range policy.Builtin() {
		if p.ID == id {
			if m, err := p.Meta(); err == nil {
				return m
			}
		}
	}
	for _, p := range policy.Builtin() {
		if m, err := p.Meta(); err == nil && is(m, id) {
			return m
		}
	}
	return nil
}

func is(m *model.Meta, id string) bool {
	if m.ID == id {
		return true
	}
	for _, a := range m.Aliases {
		if a == id {
			return true
		}
	}
	return false
}

func (s *selection) meta(id string) *model.Meta {
	if policy.IsCustom(id) {
		return s.opts.Custom.Meta(id)
	}
	return MetaOf(id)
}

// on reports whether a rule runs.
func (s *selection) on(id, category string) bool {
	o := s.opts
	if len(o.Only) > 0 && !matchRule(o.Only, id, category) || matchRule(o.Skip, id, category) {
		return false
	}
	if l, ok := o.level(id, category); ok && l.Off {
		return false
	}
	return true
}

// matchRule reports whether a list of ids and "category/*" names a rule.
func matchRule(list []string, id, category string) bool {
	for _, x := range list {
		if x == id || x == category+"/*" || x == category || x == "*" || x == customRules && policy.IsCustom(id) {
			return true
		}
	}
	return false
}

// customRules names all policies of users.
const customRules = policy.CustomPrefix + "*"

// level returns the user's choice for a rule; an id goes before its category, and that before custom/*.
func (o *Options) level(id, category string) (Level, bool) {
	if l, ok := o.Severities[id]; ok {
		return l, true
	}
	l, ok := o.Severities[category+"/*"]
	if !ok && policy.IsCustom(id) {
		l, ok = o.Severities[customRules]
	}
	return l, ok
}

// agenticCategories are raised a step by the agentic profile.
var agenticCategories = []string{"affinity", "kv-events", "router-tier", "engine-memory"}

// agenticContext is the context limit in tokens from which a self-hosted group counts as serving agents.
const agenticContext = 65536

// severity is the severity of a finding under the user's choices and the profile. What a guard lowered stays
// lowered by the same number of steps.
func (s *selection) severity(f *model.Finding, meta *model.Meta, st *model.Stack, o *Options) (severity, wouldBe model.Severity) {
	severity, wouldBe = f.Severity, f.WouldBe
	if meta == nil {
		return severity, wouldBe
	}
	adjust := func(v model.Severity) model.Severity {
		if l, ok := o.level(f.Rule, meta.Category); ok && !l.Off {
			steps := int(v) - int(meta.Severity)
			v = model.Severity(min(int(model.Error), max(int(model.Info), int(l.Severity)+steps)))
		}
		switch o.Profile {
		case "strict":
			v = max(v, model.Warning)
		case "agentic":
			if v == model.Info && st != nil && contains(agenticCategories, meta.Category) && servesAgents(st) {
				v = model.Warning
			}
		}
		return v
	}
	if severity == model.Undecided {
		return severity, adjust(wouldBe)
	}
	return adjust(severity), wouldBe
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// servesAgents reports whether a group is self-hosted on an engine with a long context.
func servesAgents(s *model.Stack) bool {
	long := map[string]bool{}
	for _, e := range s.Root.Get("engines").Items() {
		name, _ := e.Get("name").AsText()
		if n, ok := e.At("args", "max-model-len", 0).AsInt(true); ok && n >= agenticContext {
			long[name] = true
		}
		if t, ok := e.At("args", "max-model-len", 0).AsText(); ok {
			if n, ok := humanNumber(t); ok && n >= agenticContext {
				long[name] = true
			}
		}
	}
	for _, g := range s.Root.Get("groups").Items() {
		self, _ := g.Get("self_hosted").AsBool()
		for _, d := range g.Get("deployments").Items() {
			name, _ := d.At("target", "name").AsText()
			i, _ := d.Get("index").AsInt(false)
			declared, ok := s.Get("gateway", "config", "model_list", int(i), "model_info", "max_input_tokens").AsInt(false)
			if self && (long[name] || ok && declared >= agenticContext) {
				return true
			}
		}
	}
	return false
}

// humanNumber reads vLLM's 32k (thousands) and 32K (1024s).
func humanNumber(t string) (float64, bool) {
	scale := 1.0
	switch {
	case strings.HasSuffix(t, "k"):
		scale = 1000
	case strings.HasSuffix(t, "K"):
		scale = 1024
	case strings.HasSuffix(t, "m"):
		scale = 1e6
	case strings.HasSuffix(t, "M"):
		scale = 1 << 20
	}
	if scale > 1 {
		t = t[:len(t)-1]
	}
	v := model.NewText(t, model.Origin{})
	x, ok := v.AsFloat(true)
	return x * scale, ok
}
