package source

// room is memory for trees, made in pieces.
type room struct {
	nodes []Node
	kids  []*Node
}

// Scratch is memory for trees that are looked at and dropped, used again and again. The zero value is ready for use, by
// one goroutine at a time.
type Scratch struct{ room }

// maxScratch is how many nodes a scratch keeps room for.
const maxScratch = 1 << 15

// Reset drops the trees in s: their nodes must not be used from here on.
func (s *Scratch) Reset() {
	if cap(s.nodes) > maxScratch || cap(s.kids) > maxScratch {
		s.room = room{}
	}
	s.nodes, s.kids = s.nodes[:0], s.kids[:0]
}
