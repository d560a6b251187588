package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"agentlint/internal/model"
	"agentlint/internal/policy/plan"
)

// decode adds one finding of the policy to its outcome.
func (p *Policy) decode(s *model.Stack, obj plan.Value, o *model.Outcome) error {
	meta, err := p.Meta()
	if err != nil {
		return err
	}
	gate, err := p.gate()
	if err != nil {
		return err
	}
	d := &decoder{meta: meta, custom: p.custom}
	if args := plan.Get(obj, "args"); plan.IsObjectValue(args) {
		d.args = args
	}
	f := d.finding(p, obj)
	if v := plan.Get(obj, "in_example"); v != nil && s.InExample(f.At) {
		f.Severity = named(d, v, "in_example", model.ParseSeverity)
	}
	if d.err == nil {
		d.err = meta.Finish(&f)
	}
	if d.err != nil {
		return d.err
	}
	if gate.Covers(s, f.At) {
		o.Findings = append(o.Findings, f)
	}
	return nil
}

// decoder turns one finding object into a finding and keeps the first thing that is wrong with it.
type decoder struct {
	meta *model.Meta
	args plan.Value
	// custom allows messages that are texts of the policy.
	custom bool
	err    error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("finding: "+format, args...)
	}
}

// fields calls f for each entry of an object with its key.
func (d *decoder) fields(v plan.Value, what string, f func(key string, v plan.Value)) {
	if !plan.IsObjectValue(v) {
		d.fail("%s is no object", what)
		return
	}
	plan.EachPair(v, func(k, v plan.Value) {
		key, _ := k.(string)
		f(key, v)
	})
}

// list calls f for each item of an array or set.
func (d *decoder) list(v plan.Value, what string, f func(v plan.Value)) {
	if !plan.IsArrayValue(v) && !plan.IsSetValue(v) {
		d.fail("%s is no list", what)
		return
	}
	plan.Each(v, f)
}

func (d *decoder) finding(p *Policy, obj plan.Value) model.Finding {
	f := model.Finding{Rule: p.ID, Severity: d.meta.Severity, Confidence: d.meta.Confidence}
	message := "main"
	d.fields(obj, "it", func(key string, v plan.Value) {
		switch key {
		case "at":
			f.At = d.path(v, "at")
		case "on_key":
			f.OnKey = d.bool(v, "on_key")
		case "severity":
			f.Severity = named(d, v, "severity", model.ParseSeverity)
		case "confidence":
			f.Confidence = named(d, v, "confidence", model.ParseConfidence)
		case "message":
			message = d.text(v, "message")
		case "related":
			d.list(v, "related", func(v plan.Value) { f.Related = append(f.Related, d.related(v)) })
		case "needs":
			d.list(v, "needs", func(v plan.Value) { f.Needs = append(f.Needs, d.text(v, "needs")) })
		case "figures":
			d.list(v, "figures", func(v plan.Value) { f.Figures = append(f.Figures, d.figure(v)) })
		case "fix":
			if plan.IsObjectValue(v) {
				f.Fixes = append(f.Fixes, d.fix(v))
				return
			}
			d.list(v, "fix", func(v plan.Value) { f.Fixes = append(f.Fixes, d.fix(v)) })
		case "rule", "args", "in_example":
		default:
			d.fail("unknown field %q", key)
		}
	})
	if _, ok := d.meta.Messages[message]; !ok {
		// A text of its own has more than a word.
		if d.custom && strings.ContainsAny(strings.TrimSpace(message), " \t\n") {
			f.Message = model.QuoteLong(message)
			return f
		}
		d.fail("message %q is not in METADATA%s", message, didYouMean(message, slices.Sorted(maps.Keys(d.meta.Messages))))
		return f
	}
	f.Message = d.sentence(message)
	return f
}

// sentence returns a message of METADATA, or the text itself when there is none of that key, with the arguments of
// the finding.
func (d *decoder) sentence(key string) string {
	template, ok := d.meta.Messages[key]
	if !ok && d.custom {
		return model.QuoteLong(key)
	}
	if !ok {
		template = key
	}
	s, err := fill(template, d.args)
	if err != nil {
		d.fail("%w", err)
	}
	return s
}

func (d *decoder) related(v plan.Value) (r model.Related) {
	d.fields(v, "related", func(key string, v plan.Value) {
		switch key {
		case "at":
			r.At = d.path(v, "related.at")
		case "on_key":
			r.OnKey = d.bool(v, "related.on_key")
		case "message":
			r.Message = d.sentence(d.text(v, "related.message"))
		default:
			d.fail("unknown field related.%s", key)
		}
	})
	if len(r.At) == 0 {
		d.fail("related has no at")
	}
	return r
}

func (d *decoder) figure(v plan.Value) (x model.Figure) {
	d.fields(v, "figures", func(key string, v plan.Value) {
		switch key {
		case "name":
			x.Name = d.text(v, "figures.name")
		case "value":
			x.Value = d.number(v, "figures.value")
		case "unit":
			x.Unit = d.text(v, "figures.unit")
		case "formula":
			x.Formula = d.text(v, "figures.formula")
		case "limit":
			limit := d.number(v, "figures.limit")
			x.Limit = &limit
		default:
			d.fail("unknown field figures.%s", key)
		}
	})
	return x
}

func (d *decoder) fix(v plan.Value) (x model.Fix) {
	d.fields(v, "fix", func(key string, v plan.Value) {
		switch key {
		case "title":
			x.Title = d.sentence(d.text(v, "fix.title"))
		case "question":
			x.Question = d.sentence(d.text(v, "fix.question"))
		case "safety":
			x.Safety = named(d, v, "fix.safety", model.ParseSafety)
		case "brings":
			d.list(v, "fix.brings", func(v plan.Value) { x.Brings = append(x.Brings, d.text(v, "fix.brings")) })
		case "edits":
			d.list(v, "fix.edits", func(v plan.Value) { x.Ops = append(x.Ops, d.op(v)) })
		default:
			d.fail("unknown field fix.%s", key)
		}
	})
	return x
}

func (d *decoder) op(v plan.Value) model.Op {
	op := model.Op{Occurrence: -1}
	value := false
	d.fields(v, "fix.edits", func(key string, v plan.Value) {
		switch key {
		case "op":
			op.Kind = model.OpKind(d.text(v, "op"))
		case "at":
			op.At = d.path(v, "fix.edits.at")
		case "value":
			op.Value, value = plain(v), true
		case "name":
			op.Name = d.text(v, "fix.edits.name")
		case "from":
			op.From = d.text(v, "fix.edits.from")
		case "to":
			op.To = d.path(v, "fix.edits.to")
		case "occurrence":
			op.Occurrence = int(d.number(v, "fix.edits.occurrence"))
		default:
			d.fail("unknown field fix.edits.%s", key)
		}
	})
	if len(op.At) == 0 {
		d.fail("edit %q has no at", op.Kind)
	}
	ok := true
	switch op.Kind {
	case model.OpSet, model.OpAppend:
		ok = value
	case model.OpRename, model.OpInsertComment:
		ok = op.Name != ""
	case model.OpReplaceText:
		ok = op.From != "" && op.Name != ""
	case model.OpMove:
		ok = len(op.To) > 0
	case model.OpRemove:
	default:
		d.fail("unknown operation %q", op.Kind)
	}
	if !ok {
		d.fail("edit %q lacks a field", op.Kind)
	}
	return op
}

func (d *decoder) path(v plan.Value, what string) model.Path {
	if !plan.IsArrayValue(v) {
		d.fail("%s is no array", what)
		return nil
	}
	p := make(model.Path, 0, plan.Length(v))
	plan.Each(v, func(e plan.Value) {
		switch v := e.(type) {
		case string:
			p = append(p, e) // as it is, which costs no memory
		case int64:
			p = append(p, int(v))
		case plan.Decimal:
			i, ok := ast.Number(v).Int()
			if !ok {
				d.fail("%s holds the number %s, which is no index", what, v)
			}
			p = append(p, i)
		default:
			d.fail("%s holds %s, neither key nor index", what, plan.Term(v))
		}
	})
	return p
}

func (d *decoder) text(v plan.Value, what string) string {
	s, ok := v.(string)
	if !ok {
		d.fail("%s is no text", what)
	}
	return s
}

func (d *decoder) bool(v plan.Value, what string) bool {
	b, ok := v.(bool)
	if !ok {
		d.fail("%s is neither true nor false", what)
	}
	return b
}

func (d *decoder) number(v plan.Value, what string) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case plan.Decimal:
		if x, ok := ast.Number(v).Float64(); ok {
			return x
		}
	}
	d.fail("%s is no number", what)
	return 0
}

func named[T any](d *decoder, v plan.Value, what string, parse func(string) (T, bool)) T {
	s := d.text(v, what)
	x, ok := parse(s)
	if !ok {
		d.fail("%s %q is not known", what, s)
	}
	return x
}

// text returns the text of a term, "" for anything else.
func text(t *ast.Term) string {
	if t == nil {
		return ""
	}
	s, _ := t.Value.(ast.String)
	return string(s)
}

// plain returns a value as the plain values of [model.Op]; sets become lists.
func plain(v plan.Value) any {
	switch v := v.(type) {
	case bool, string, int64:
		return v
	case plan.Decimal:
		if n, ok := ast.Number(v).Int64(); ok {
			return n
		}
		x, _ := ast.Number(v).Float64()
		return x
	}
	switch {
	case plan.IsArrayValue(v), plan.IsSetValue(v):
		out := make([]any, 0, plan.Length(v))
		plan.Each(v, func(w plan.Value) { out = append(out, plain(w)) })
		return out
	case plan.IsObjectValue(v):
		out := make(map[string]any, plan.Length(v))
		plan.EachPair(v, func(k, w plan.Value) {
			key, _ := k.(string)
			out[key] = plain(w)
		})
		return out
	}
	return nil
}
