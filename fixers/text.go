package fixers

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// replaceText makes a replace-text operation in the text of the scalar that o stands for.
func (s *Session) replaceText(o *model.Origin, op model.Op) error {
	f := source.Nested(o.File, o.Node)
	if f == nil {
		return refuse(ReasonForm, "the value is no text")
	}
	v, err := s.view(f)
	if err != nil {
		return err
	}
	return v.replaceIn(source.Span{Start: 0, End: len(v.cur.Bytes)}, op)
}

// replaceIn makes a replace-text operation in a part of the view's text as it is now.
func (v *view) replaceIn(part source.Span, op model.Op) error {
	found, err := occurrences(v.cur.Text(part), op)
	if err != nil {
		return err
	}
	var edits []source.Edit
	for _, at := range found {
		at += part.Start
		edits = append(edits, edit(at, at+len(op.From), op.Name))
	}
	return v.apply(&change{tries: [][]source.Edit{edits}})
}

// occurrences returns where the text to be replaced stands: as a whole word, where it begins or ends with a
// character of one.
func occurrences(text string, op model.Op) ([]int, error) {
	if op.From == "" {
		return nil, refuse(ReasonInput, "the text to replace is empty")
	}
	var out []int
	for from := 0; ; {
		i := strings.Index(text[from:], op.From)
		if i < 0 {
			break
		}
		i += from
		end := i + len(op.From)
		if (i == 0 || !joins(text[i-1], op.From[0])) && (end == len(text) || !joins(op.From[len(op.From)-1], text[end])) {
			out = append(out, i)
			from = end
			continue
		}
		from = i + 1
	}
	if op.Occurrence >= 0 {
		if op.Occurrence >= len(out) {
			return nil, refuse(ReasonInput, "%q does not stand there %d times", op.From, op.Occurrence+1)
		}
		out = out[op.Occurrence : op.Occurrence+1]
	}
	if len(out) == 0 {
		return nil, refuse(ReasonInput, "%q does not stand there", op.From)
	}
	return out, nil
}

// joins reports whether two characters side by side belong to one name of a metric, label or variable.
func joins(a, b byte) bool { return isNameByte(a) && isNameByte(b) }

func isNameByte(c byte) bool {
	return c == '_' || c == ':' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
