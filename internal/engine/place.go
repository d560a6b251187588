package engine

import (
	"bytes"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// locate gives a path of a stack its place: the wrong scalar; the key token of a container and of what is missing
// below it; the first key or scalar of a list item; a flag or the word of its value. The place of a default is the
// block that turns it on.
func locate(s *model.Stack, at model.Path, onKey bool) model.Location {
	pl := s.Locate(at)
	for v, i := pl.Value, len(pl.Path); ; i-- {
		if loc, ok := placeOf(v, onKey || len(pl.Missing) > 0, 0); ok {
			return loc
		}
		if i == 0 {
			break
		}
		// A part without a place of its own stands where what holds it does.
		v = s.Root.At(pl.Path[:i-1]...)
		onKey = true
	}
	if len(s.Files) > 0 {
		return model.Location{File: s.Files[0]}
	}
	return model.Location{}
}

// maxBlocks bounds how many defaults refer to each other's blocks.
const maxBlocks = 8

func placeOf(v *model.Value, onKey bool, depth int) (model.Location, bool) {
	if v == nil || depth > maxBlocks {
		return model.Location{}, false
	}
	o := &v.Origin
	if handed := o.Through(); handed != nil && onKey {
		o = &handed.Origin
	}
	if o.File == nil {
		if o.Block() != nil {
			return placeOf(o.Block(), true, depth+1)
		}
		return model.Location{}, false
	}
	return originPlace(o, onKey), true
}

// originPlace is the place of an origin in the outermost file.
func originPlace(o *model.Origin, onKey bool) model.Location {
	n := o.Node
	span := o.Span
	switch {
	case o.Via != nil:
		span = o.Via.Span()
		n = o.Via
	case o.Arg() != nil && o.Arg().Flag >= 0 && (onKey || len(o.Arg().Values) == 0):
		span = o.Arg().Line.Words[o.Arg().Flag].Span
	case onKey && !o.Key.IsZero():
		span = o.Key
	case n != nil && (n.Kind == source.Map || n.Kind == source.List):
		span = containerToken(n, o.Key)
	case span.Len() == 0 && !o.Key.IsZero():
		span = o.Key
	}
	f, sp := o.File.Outer(firstLine(o.File, span))
	loc := model.Location{File: f, Span: firstLine(f, sp)}
	if n != nil {
		loc.Path = filePath(o.File, n)
	}
	return loc
}

// containerToken is the token a container is pointed at by: its key, or for a list item and a document its first
// key or scalar.
func containerToken(n *source.Node, key source.Span) source.Span {
	if !key.IsZero() {
		return key
	}
	for n != nil && (n.Kind == source.Map || n.Kind == source.List) {
		if len(n.Children) == 0 {
			return n.Span()
		}
		n = n.Children[0]
	}
	if n == nil {
		return source.Span{}
	}
	return n.Span()
}

// firstLine cuts a span at the end of its first line.
func firstLine(f *source.File, s source.Span) source.Span {
	s.Start = max(0, min(s.Start, len(f.Bytes)))
	s.End = max(s.Start, min(s.End, len(f.Bytes)))
	if i := bytes.IndexAny(f.Bytes[s.Start:s.End], "\r\n"); i >= 0 {
		s.End = s.Start + i
	}
	return s
}

// filePath is the path of a node in its file's document; for a nested text it continues the path of the scalar
// that holds it.
func filePath(f *source.File, n *source.Node) []any {
	p := n.Path()
	for {
		host, scalar := f.Host()
		if host == nil || scalar == nil {
			return p
		}
		p = append(scalar.Path(), p...)
		f = host
	}
}

// related gives the other places of a finding their positions; what an alias uses is related to its anchor.
func relatedOf(s *model.Stack, f *model.Finding) []Related {
	var out []Related
	for _, r := range f.Related {
		loc := locate(s, r.At, r.OnKey)
		if loc.File == nil {
			continue
		}
		out = append(out, Related{Location: loc, Message: r.Message, at: r.At})
	}
	pl := s.Locate(f.At)
	if pl.Value == nil || len(pl.Missing) > 0 {
		return out
	}
	o := pl.Value.Origin
	if o.Via != nil && o.File != nil {
		anchored := o
		anchored.Via = nil
		out = append(out, Related{Location: originPlace(&anchored, false), Message: "written here, behind the anchor"})
	}
	for i := range pl.Value.Losers() {
		if l := &pl.Value.Losers()[i]; l.File != nil && (l.File != o.File || l.Span != o.Span) {
			out = append(out, Related{Location: originPlace(l, false), Message: "overridden here"})
		}
	}
	return out
}
