package fixers

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// doPart makes an operation at a part of a scalar, such as the value in the list item "KEY=value".
func (s *Session) doPart(v *view, n *source.Node, p place, op model.Op) error {
	f := source.Nested(p.origin.File, p.origin.Node)
	if f == nil {
		return refuse(ReasonForm, "the value is no text")
	}
	// The span counts in the file of the scalar. It is a part of the text when it is written there word for word.
	raw := p.origin.File.Text(p.origin.Span)
	at := strings.Index(string(f.Bytes), raw)
	if at < 0 || raw == "" || strings.Contains(string(f.Bytes[at+1:]), raw) {
		return refuse(ReasonForm, "the value is a part of a text that is written in another way")
	}
	o := *p.origin
	o.File, o.Node, o.Span, o.Key = f, nil, source.Span{Start: at, End: at + len(raw)}, source.Span{}
	if name, _, ok := strings.Cut(string(f.Bytes[:at]), "="); ok && len(name)+1 == at {
		o.Key = source.Span{Start: 0, End: len(name)}
	}
	p.origin = &o
	return s.doText(p, op)
}

// doText makes an operation at a span of a text that has no trees: a part of a scalar, a line of a plain file.
func (s *Session) doText(p place, op model.Op) error {
	if len(p.rest) > 0 {
		return refuse(ReasonNoPlace, "no file has a place for it")
	}
	v, err := s.view(p.origin.File)
	if err != nil {
		return err
	}
	value, err := v.span(p.origin.Span)
	if err != nil {
		return err
	}
	key, err := v.span(p.origin.Key)
	if err != nil {
		return err
	}
	if op.Kind == model.OpReplaceText {
		return v.replaceIn(value, op)
	}
	if v.host != nil && key.Len() > 0 && key.Start == 0 && value.Start == key.End+1 && value.End == len(v.cur.Bytes) {
		n := v.host.current(v.hostNode)
		if n == nil {
			return refuse(ReasonConflict, "another operation removed the place")
		}
		if n.Parent != nil && n.Parent.Kind == source.List && !isKey(n) {
			if err := v.host.anchored(n, true); err != nil {
				return err
			}
			return s.doPair(v.host, n, op, v.cur.Text(key))
		}
	}
	if key.Len() > 0 {
		for _, do := range [...]func(*view, source.Span, source.Span, model.Op) (bool, error){s.doAssignment, s.doSetting, s.doOption} {
			if ok, err := do(v, key, value, op); ok {
				return err
			}
		}
	}
	// What stands between the words of a script belongs to no assignment.
	between := p.origin.Source == model.FromArgs && p.origin.Key.IsZero()
	if v.host == nil && !(between && op.Kind == model.OpSet) {
		return refuse(ReasonForm, "%s is not possible in this kind of file", op.Kind)
	}
	switch op.Kind {
	case model.OpSet:
		text, err := asText(op.Value)
		if err != nil {
			return err
		}
		if isTemplate(v.cur.Text(value)) {
			return refuse(ReasonTemplate, "the value is a template expression")
		}
		if v.cur.Text(value) == text {
			return nil
		}
		return v.apply(&change{tries: [][]source.Edit{{edit(value.Start, value.End, text)}}})
	case model.OpRename:
		if key.Len() == 0 {
			return refuse(ReasonForm, "the value has no name to change")
		}
		return v.apply(&change{tries: [][]source.Edit{{edit(key.Start, key.End, op.Name)}}})
	}
	return refuse(ReasonForm, "%s is not possible for a part of a text", op.Kind)
}

// doPair makes an operation at a variable that is a list item NAME=value or NAME.
func (s *Session) doPair(v *view, n *source.Node, op model.Op, name string) error {
	value, ok := strings.CutPrefix(n.Text, name+"=")
	if !ok && n.Text != name {
		return refuse(ReasonForm, "the variable comes from something of another name")
	}
	switch op.Kind {
	case model.OpSet:
		text, err := asText(op.Value)
		if err != nil {
			return err
		}
		if isTemplate(value) {
			return refuse(ReasonTemplate, "the value is a template expression")
		}
		if value == text && ok {
			return nil
		}
		return v.write(func(w *writer) (*change, error) { return w.set(n, name+"="+text) })
	case model.OpRename:
		return v.write(func(w *writer) (*change, error) { return w.set(n, op.Name+strings.TrimPrefix(n.Text, name)) })
	case model.OpRemove:
		return v.write(func(w *writer) (*change, error) { return w.remove(n) })
	case model.OpInsertComment:
		return v.write(func(w *writer) (*change, error) { return w.comment(n, op.Name) })
	}
	return refuse(ReasonForm, "%s is not possible for a variable", op.Kind)
}
