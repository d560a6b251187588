package source

import "sort"

// embedding says where the bytes of a nested file stand in the file around it.
type embedding struct {
	file *File
	node *Node
	segs []segment
}

// segment maps a run of inner bytes to outer bytes one to one. Inner bytes between segments (a folded line
// break, an escape) map to the end of the segment before them.
type segment struct{ inner, outer, length int }

// offset translates an inner offset to the outer file.
func (e *embedding) offset(inner int) int {
	i := sort.Search(len(e.segs), func(i int) bool { return e.segs[i].inner > inner }) - 1
	if i < 0 {
		return e.node.Content
	}
	s := e.segs[i]
	return s.outer + min(inner-s.inner, s.length)
}

// Outer returns the outermost file around f and the place of s in it. For a file that is not nested that is f
// and s themselves.
func (f *File) Outer(s Span) (*File, Span) {
	for f.outer != nil {
		e := f.outer
		s = Span{e.offset(s.Start), max(e.offset(s.Start), e.offset(s.End))}
		f = e.file
	}
	return f, s
}

// Host returns the file and scalar that f's text stands in, nil and nil when f is not nested.
func (f *File) Host() (*File, *Node) {
	if f.outer == nil {
		return nil, nil
	}
	return f.outer.file, f.outer.node
}

// Edit replaces the bytes of a span by a text.
type Edit struct {
	Span
	Text string
}
