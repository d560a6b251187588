package rules

import (
	"fmt"
	"iter"
	"slices"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

// Pass is one run of one rule over one stack; nothing keeps it when the run has ended. The verbs of the stack (Get, State, Absent, Text, Int, IsTrue, Locate)
// take paths from its root, and tell what is absent from what the files do not show.
type Pass struct {
	*model.Stack

	rule       *Rule
	parameters map[string]float64
	findings   []*model.Finding
	unchecked  []string
	measures   []model.Figure
	// settings are the names that the gateway's release reads in the sections that were asked for.
	settings map[string][]string
}

// Param returns the effective value of one of the rule's declared parameters.
func (p *Pass) Param(name string) float64 {
	for _, d := range p.rule.Meta.Parameters {
		if d.Name == name {
			if x, ok := p.parameters[name]; ok {
				return x
			}
			return d.Default
		}
	}
	panic("parameter " + name + " is not declared")
}

// AtLeast reports whether the gateway's release is v or later.
func (p *Pass) AtLeast(v string) bool {
	return p.GatewayVersion().Final().Compare(knowledge.MustVersion(v)) >= 0
}

// Unchecked says that the rule stayed silent for want of facts: names of facts (postgres_max_connections), or
// dotted paths where no fact can settle it.
func (p *Pass) Unchecked(facts ...string) {
	for _, f := range facts {
		if !slices.Contains(p.unchecked, f) {
			p.unchecked = append(p.unchecked, f)
		}
	}
}

// Measure notes a figure whether or not there is a finding, for comparisons of two revisions.
func (p *Pass) Measure(f model.Figure) { p.measures = append(p.measures, f) }

// Report adds a finding at a path, with the rule's severity and confidence. The message is one sentence or two
// without a final period; texts from files go through [model.Quote].
func (p *Pass) Report(at model.Path, format string, args ...any) *Report {
	f := &model.Finding{
		Rule:       p.rule.Meta.ID,
		Severity:   p.rule.Meta.Severity,
		Confidence: p.rule.Meta.Confidence,
		Message:    fmt.Sprintf(format, args...),
		At:         slices.Clone(at),
	}
	p.findings = append(p.findings, f)
	return &Report{finding: f}
}

// Report refines a finding that was just added.
type Report struct{ finding *model.Finding }

// OnKey puts the finding on the key or flag instead of its value.
func (r *Report) OnKey() *Report { r.finding.OnKey = true; return r }

// Subject says what the finding is about, so that stacks of different versions give one finding for one place.
func (r *Report) Subject(s string) *Report { r.finding.Subject = s; return r }

// Severity replaces the rule's severity by another one that its Meta lists.
func (r *Report) Severity(s model.Severity) *Report { r.finding.Severity = s; return r }

// InExample replaces the rule's severity by one that its Meta lists when the finding stands in a file whose path says
// that it is an example, a test or a local setup.
func (r *Report) InExample(p *Pass, s model.Severity) *Report {
	if p.Stack.InExample(r.finding.At) {
		r.finding.Severity = s
	}
	return r
}

// Confidence replaces the rule's confidence by another one that its Meta lists.
func (r *Report) Confidence(c model.Confidence) *Report { r.finding.Confidence = c; return r }

// Related adds a second place.
func (r *Report) Related(at model.Path, format string, args ...any) *Report {
	r.finding.Related = append(r.finding.Related, model.Related{At: slices.Clone(at), Message: fmt.Sprintf(format, args...)})
	return r
}

// RelatedKey adds a second place, on its key.
func (r *Report) RelatedKey(at model.Path, format string, args ...any) *Report {
	r.Related(at, format, args...)
	r.finding.Related[len(r.finding.Related)-1].OnKey = true
	return r
}

// Figure adds a computed number.
func (r *Report) Figure(f model.Figure) *Report {
	r.finding.Figures = append(r.finding.Figures, f)
	return r
}

// Fix adds a fix. Title, safety and question are the rule's own where they are left out.
func (r *Report) Fix(f model.Fix) *Report {
	r.finding.Fixes = append(r.finding.Fixes, f)
	return r
}

// Needs makes the finding undecided for want of facts; the severity it has becomes that which it would have.
func (r *Report) Needs(facts ...string) *Report {
	r.finding.Needs = append(r.finding.Needs, facts...)
	return r
}

// Part is one item of a list of the model, with the verbs of [model.Stack] on paths that start at it.
type Part struct {
	*model.Value
	// Index is the item's place in its list.
	Index int

	list model.Path // of the list
	pass *Pass
}

// Parts returns the items of a list of the model that are known: p.Parts("autoscalers").
func (p *Pass) Parts(path ...any) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		list := p.Get(path...)
		if list == nil || list.Kind != model.List {
			return
		}
		for i, v := range list.Items() {
			if v.Known() && !yield(Part{Value: v, Index: i, list: path, pass: p}) {
				return
			}
		}
	}
}

// Engines returns the engines whose release is in the rule's version ranges.
func (p *Pass) Engines() iter.Seq[Part] { return p.covered("engines") }

// Routers returns the routers whose release is in the rule's version ranges.
func (p *Pass) Routers() iter.Seq[Part] { return p.covered("routers") }

func (p *Pass) covered(list string) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		g, err := p.rule.gate()
		if err != nil {
			return
		}
		for part := range p.Parts(list) {
			if g.Covers(p.Stack, part.Path()) && !yield(part) {
				return
			}
		}
	}
}

// Groups returns the model groups of the gateway.
func (p *Pass) Groups() iter.Seq[Part] { return p.Parts(groupsPath...) }

// Queries returns the PromQL texts.
func (p *Pass) Queries() iter.Seq[Part] { return p.Parts("queries") }

// ModelList returns the entries of the gateway's model_list.
func (p *Pass) ModelList() iter.Seq[Part] { return p.Parts(modelListPath...) }

// The lists that most rules walk.
var (
	groupsPath    = model.Path{"groups"}
	modelListPath = model.Path{"gateway", "config", "model_list"}
)

// Path returns the item's path from the root of the stack.
func (q Part) Path() model.Path { return q.list.With(q.Index) }

// At returns the path of something below the part.
func (q Part) At(elems ...any) model.Path {
	out := make(model.Path, 0, len(q.list)+1+len(elems))
	return append(append(append(out, q.list...), q.Index), elems...)
}

// Get returns the known value below the part, nil when it is absent or unknown.
func (q Part) Get(rel ...any) *model.Value {
	if v := q.Value.At(rel...); v.Known() {
		return v
	}
	return nil
}

// State says whether a path below the part is present, absent or unseen.
func (q Part) State(rel ...any) model.State { return q.Value.State(rel...) }

// Absent reports whether nothing stands at the path below the part and nothing unseen could put it there.
func (q Part) Absent(rel ...any) bool { return q.State(rel...) == model.Absent }

// Text returns the text at a path below the part.
func (q Part) Text(rel ...any) (string, bool) { return q.Get(rel...).AsText() }

// Int returns the whole number at a path below the part.
func (q Part) Int(rel ...any) (int64, bool) { return q.Get(rel...).AsInt(false) }

// IsTrue reports whether the boolean true stands at a path below the part.
func (q Part) IsTrue(rel ...any) bool { b, ok := q.Get(rel...).AsBool(); return ok && b }

// Version returns the release of an engine or router, the newest known one when it is unknown.
func (q Part) Version() knowledge.Version {
	list, _ := q.list[0].(string)
	return q.pass.PartVersion(list, q.Index)
}

// VLLM returns what the tables know of the engine's release.
func (q Part) VLLM() knowledge.Release { return knowledge.VLLM.At(q.Version()) }

// AtLeast reports whether the part's release is v or later.
func (q Part) AtLeast(v string) bool {
	return q.Version().Final().Compare(knowledge.MustVersion(v)) >= 0
}

// Deployments returns the deployments of a model group.
func (q Part) Deployments() []*model.Value { return q.Get("deployments").Items() }

// DeploymentEntries returns the model_list entries of a model group, in order.
func (q Part) DeploymentEntries() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		list := q.pass.Root.At(modelListPath...)
		for _, d := range q.Deployments() {
			i, ok := d.Get("index").AsInt(false)
			if !ok {
				continue
			}
			if v := list.At(int(i)); v.Known() && !yield(Part{Value: v, Index: int(i), list: modelListPath, pass: q.pass}) {
				return
			}
		}
	}
}

// Count is a number of which some factors may be unseen.
type Count struct {
	N int64
	// AtLeast is true when an unseen factor was taken as its smallest legal value, so that the true number may be
	// larger.
	AtLeast bool
}

// String returns the number as a message says it: "8" or "at least 8".
func (c Count) String() string {
	if c.AtLeast {
		return fmt.Sprintf("at least %d", c.N)
	}
	return fmt.Sprint(c.N)
}

// Times multiplies two counts.
func (c Count) Times(d Count) Count { return Count{c.N * d.N, c.AtLeast || d.AtLeast} }

// count returns the positive whole number at a path, with 1 for one that is absent, and at least 1 for an unseen
// one.
func (p *Pass) count(path ...any) Count {
	if n, ok := p.Int(path...); ok && n >= 1 {
		return Count{N: n}
	}
	return Count{1, p.State(path...) == model.Unseen}
}

// Workers returns the worker processes of one gateway instance.
func (p *Pass) Workers() Count { return p.count("gateway", "workers") }

// MaxReplicas returns the most gateway instances that run at once outside a rollout. Nobody having written a number
// counts as one.
func (p *Pass) MaxReplicas() Count { return p.count("gateway", "replicas", "max") }

// Processes returns the most gateway processes that run at once: workers times replicas.
func (p *Pass) Processes() Count { return p.Workers().Times(p.MaxReplicas()) }
