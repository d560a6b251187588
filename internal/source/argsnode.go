package source

import "strings"

// Expansion is how the program that reads a list of words replaces references in it.
type Expansion uint8

// The ways. A text instead of a list is split by compose's rules for ComposeExpansion, by a shell's for the
// others.
const (
	NoExpansion Expansion = iota
	ComposeExpansion
	KubernetesExpansion
	SystemdExpansion
)

// ArgsFromNode returns the words of a YAML or JSON value: one for each item of a list, or those of a text. An
// item that is no scalar is an unknown word. The words of a text stand in a file nested in f, see [File.Outer].
// With an error, a [*SyntaxError], the words are what could be read.
func ArgsFromNode(f *File, n *Node, how Expansion, lookup Lookup) (*Args, error) {
	d := n.Deref()
	switch {
	case d == nil || d.Kind == Map:
		return nil, nil
	case d.Kind == Scalar:
		if d.Empty {
			return nil, nil
		}
		inner := Nested(f, d)
		if how == ComposeExpansion {
			return ComposeWords(inner, lookup)
		}
		s, err := ParseShell(inner)
		for _, c := range s.Commands(lookup) {
			if len(c.Words) > 0 {
				return &c.Args, err
			}
		}
		return &Args{File: inner, Form: ShellText, Node: d, Span: Span{len(inner.Bytes), len(inner.Bytes)}}, err
	}
	a := &Args{File: f, Form: ListItems, Node: d, Span: d.Span()}
	var first error
	for _, item := range d.Children {
		s := item.Deref()
		if s == nil || s.Kind != Scalar {
			a.Words = append(a.Words, Word{Span: item.Span(), Node: item, Unknown: true})
			continue
		}
		w := Word{Text: s.Text, Span: item.Span(), Node: item}
		if strings.Contains(s.Text, "$") && how != NoExpansion {
			p, err := piecesOf(s.Text, how)
			if err != nil && first == nil {
				first = &SyntaxError{File: f, Offset: item.Content, Msg: err.Error()}
			}
			w.Pieces, w.parts = p, known(p, lookup)
			w.Text, w.Unknown = w.parts.String(), !w.parts.Literal()
		}
		w.Unknown = w.Unknown || isTemplate(w.Text)
		a.Words = append(a.Words, w)
	}
	if first != nil {
		return a, first
	}
	return a, nil
}

// piecesOf splits text at the references of one kind. Spans are offsets in text.
func piecesOf(text string, how Expansion) (Pieces, error) {
	switch how {
	case ComposeExpansion:
		return ComposePieces(text)
	case KubernetesExpansion:
		return KubernetesPieces(text), nil
	case SystemdExpansion:
		return SystemdPieces(text), nil
	}
	return literal(text, nil, Span{0, len(text)}), nil
}
