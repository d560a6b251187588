package source

import (
	"slices"
	"strings"
)

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
// item that is no scalar is an unknown word. The words of a text stand in a file nested in f, see [File.Outer]; a
// text of several commands is the words sh, -c and the text, the first two with empty spans.
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
		commands := slices.DeleteFunc(s.Commands(lookup), func(c Command) bool { return len(c.Words) == 0 })
		whole := Span{0, len(inner.Bytes)}
		a := &Args{File: inner, Form: ShellText, Node: d, Span: whole}
		switch len(commands) {
		case 0:
			a.Span.Start = whole.End
		case 1:
			a = &commands[0].Args
		default:
			// Only a shell can run several.
			for _, t := range []string{"sh", "-c"} {
				a.Words = append(a.Words, Word{Text: t, Node: d, parts: Pieces{{Text: t}}})
			}
			text := inner.text()
			a.Words = append(a.Words, Word{Text: text, Span: whole, Node: d, Unknown: isTemplate(text), parts: Pieces{{Span: whole, Text: text}}})
		}
		return a, err
	}
	a := &Args{File: f, Form: ListItems, Node: d, Span: d.Span()}
	var first error
	for _, item := range d.Children {
		w, err := itemWord(item, how, lookup)
		if err != nil && first == nil {
			first = &SyntaxError{File: f, Offset: item.Content, Msg: err.Error()}
		}
		a.Words = append(a.Words, w)
	}
	if first != nil {
		return a, first
	}
	return a, nil
}

// itemWord reads one item of a list.
func itemWord(item *Node, how Expansion, lookup Lookup) (Word, error) {
	s := item.Deref()
	if s == nil || s.Kind != Scalar {
		return Word{Span: item.Span(), Node: item, Unknown: true}, nil
	}
	w := Word{Text: s.Text, Span: item.Span(), Node: item}
	var err error
	if strings.Contains(s.Text, "$") && how != NoExpansion {
		w.Pieces, err = piecesOf(s.Text, how)
		w.parts = known(w.Pieces, lookup)
		w.Text, w.Unknown = w.parts.String(), !w.parts.Literal()
	}
	w.Unknown = w.Unknown || isTemplate(w.Text)
	return w, err
}

// Expand returns the words of a list read again with references replaced, for a list that had to be read before
// its environment was known. Words that are not list items stay as they are. a may be nil.
func (a *Args) Expand(how Expansion, lookup Lookup) *Args {
	if a == nil || a.Form != ListItems {
		return a
	}
	out := *a
	out.Words = slices.Clone(a.Words)
	for i := range out.Words {
		if n := out.Words[i].Node; n != nil {
			// A reference that is refused is left as it is written, which the reader of the list has said before.
			out.Words[i], _ = itemWord(n, how, lookup)
		}
	}
	return &out
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
