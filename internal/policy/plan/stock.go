package plan

// stock has the containers that the policies of one stack build. They are taken out of pieces that the next stack uses
// again, so that what is built for a condition costs no memory of its own; nothing of them may be kept after [Evaluator.Stop].
type stock struct {
	arrays  piece[Array]
	objects piece[Object]
	sets    piece[Set]
	values  piece[Value]
	pairs   piece[pair]
}

// piece is room for things of one kind, of which some are taken.
type piece[T any] struct {
	all   []T
	taken int
}

// The sizes of pieces: they begin with room for some things and grow as things are taken, up to what a usual stack needs.
// Where one needs more, pieces that are full are garbage as soon as nothing holds what was taken of them.
const (
	firstPiece = 64
	mostPiece  = 1 << 13
)

// take returns n things that nothing else uses; they are what they were before.
func (p *piece[T]) take(n int) []T {
	if n > len(p.all)-p.taken {
		// Those that were taken stay where they are.
		p.all, p.taken = make([]T, max(min(2*len(p.all), mostPiece), n, firstPiece)), 0
	}
	out := p.all[p.taken : p.taken+n : p.taken+n]
	p.taken += n
	return out
}

// reset makes all things free.
func (p *piece[T]) reset() {
	if len(p.all) > mostPiece {
		p.all = nil
	}
	p.taken = 0
}

func (s *stock) reset() {
	s.arrays.reset()
	s.objects.reset()
	s.sets.reset()
	s.values.reset()
	s.pairs.reset()
}

// array returns an array of some items, all of which the caller sets.
func (s *stock) array(n int) *Array {
	a := &s.arrays.take(1)[0]
	*a = Array{s.values.take(n)}
	return a
}

// object returns an object with n pairs in the order of keys, all of which the caller sets.
func (s *stock) object(n int) *Object {
	o := &s.objects.take(1)[0]
	*o = Object{pairs: s.pairs.take(n), sorted: true}
	return o
}

// set returns a set without members.
func (s *stock) set() *Set {
	x := &s.sets.take(1)[0]
	*x = Set{}
	return x
}

// more returns items with room for one more of them.
func (s *stock) more(items []Value) []Value {
	n := len(items)
	if n < cap(items) {
		return items
	}
	out := s.values.take(max(2*n, 4))
	copy(out, items)
	return out[:n]
}
