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
	if at < 0 || raw == "" || strings.Index(string(f.Bytes[at+1:]), raw) >= 0 {
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
	case model.OpReplaceText:
		return v.replaceIn(value, op)
	case model.OpRemove:
		// A list item that holds nothing but the name and the value goes as a whole.
		if v.host == nil || key.Start != 0 || value.End != len(v.cur.Bytes) || key.Len() == 0 {
			return refuse(ReasonForm, "a part of a text cannot be removed")
		}
		n := v.host.current(v.hostNode)
		if n == nil || n.Parent == nil || n.Parent.Kind != source.List {
			return refuse(ReasonForm, "a part of a text cannot be removed")
		}
		if err := v.host.anchored(n, true); err != nil {
			return err
		}
		return v.host.write(func(w *writer) (*change, error) { return w.remove(n) })
	case model.OpInsertComment:
		if v.host == nil {
			break
		}
		n := v.host.current(v.hostNode)
		if n == nil {
			return refuse(ReasonConflict, "another operation removed the place")
		}
		return v.host.write(func(w *writer) (*change, error) { return w.comment(n, op.Name) })
	}
	return refuse(ReasonForm, "%s is not possible in this kind of text", op.Kind)
}
