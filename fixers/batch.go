package fixers

import (
	"bytes"
	"errors"
	"slices"
	"sort"
	"strings"
	"sync"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// batch collects edits of several fixes that are all planned on the same texts, to be made and read back at once.
type batch struct {
	views map[*view]*pending
	order []*view
	// stage are the edits of the fix that is being planned.
	stage []staged
}

// pending are the edits of a batch in one text.
type pending struct {
	edits    []source.Edit // by start; at one place there is one insertion
	patch    patch
	comments bool
	lines    []*lineEdit
	// plain says how the scalar that holds a nested text is written afterwards.
	plain bool
}

// staged are edits that a fix makes in one text.
type staged struct {
	view  *view
	edits []source.Edit
	patch *patch
	// comments is true when the edits only take comments away.
	comments bool
	line     *lineEdit
	plain    bool
}

// lineEdit is what becomes of the words of a command line.
type lineEdit struct {
	kind textKind
	// readings are the languages in which the text holds the line, own the number of its words that were read.
	readings []reading
	own      int
	// k is the number of the line in the text.
	k int
	splice
}

// errAlone is returned by the planning of a fix that cannot share a reading with others.
var errAlone = errors.New("the fix is made by itself")

// stage plans the operations of a fix, or its ready edits, without making them. Any error but a refusal that does not
// depend on other fixes is errAlone.
func (s *Session) stage(st *model.Stack, ops []model.Op, edits []FileEdit) ([]staged, error) {
	if s.batch == nil {
		s.batch = &batch{views: map[*view]*pending{}}
	}
	s.batch.stage = nil
	clear(s.blocks)
	var err error
	if len(ops) == 0 {
		err = s.addEdits(edits)
	}
	for _, op := range ops {
		if err = s.do(st, op); err != nil {
			break
		}
	}
	out := s.batch.stage
	s.batch.stage = nil
	if err == nil && !slices.ContainsFunc(out, func(x staged) bool { return len(x.edits) > 0 }) {
		err = errAlone
	}
	return out, err
}

// stage notes edits of the view's text.
func (v *view) stage(edits []source.Edit, p *patch) error {
	if err := v.template(edits); err != nil {
		return err
	}
	b := v.session.batch
	own := pending{}
	for i := range b.stage {
		if b.stage[i].view == v {
			own.add(&b.stage[i])
		}
	}
	x := staged{view: v, edits: edits, patch: p}
	for _, e := range edits {
		if e.Start < 0 || e.End < e.Start || e.End > len(v.cur.Bytes) {
			return errAlone
		}
	}
	if !own.admits(&x) {
		return errAlone
	}
	if v.host != nil {
		n := v.host.current(v.hostNode)
		if n == nil {
			return errAlone
		}
		var text []byte
		if !isBlockScalar(n) {
			var err error
			if text, err = source.Apply(v.cur.Bytes, edits); err != nil {
				return errAlone
			}
		}
		ways := v.outerEdits(n, edits, string(text))
		if len(ways) == 0 {
			return errAlone
		}
		if err := v.host.stage(ways[0].edits, &patch{}); err != nil {
			return err
		}
		x.plain = ways[0].plain
	}
	b.stage = append(b.stage, x)
	return nil
}

// commit puts the edits of a fix beside those of the batch; false, and nothing is done, when they meet.
func (b *batch) commit(list []staged) bool {
	for i := range list {
		p := b.views[list[i].view]
		if p == nil {
			continue
		}
		if !p.admits(&list[i]) || list[i].view.host != nil && p.plain != list[i].plain {
			return false
		}
	}
	for i := range list {
		x := &list[i]
		p := b.views[x.view]
		if p == nil {
			p = &pending{plain: x.plain}
			b.views[x.view] = p
			b.order = append(b.order, x.view)
		}
		p.add(x)
	}
	return true
}

// admits reports whether edits can be made together with those that are there, in any order of planning.
func (p *pending) admits(x *staged) bool {
	if len(p.edits) == 0 {
		return true
	}
	for _, e := range x.edits {
		i := sort.Search(len(p.edits), func(i int) bool { return p.edits[i].End >= e.Start })
		for ; i < len(p.edits) && p.edits[i].Start <= e.End; i++ {
			f := p.edits[i]
			switch {
			case f.Len() == 0 && e.Len() == 0 && f.Start == e.Start:
				if !p.joins(x) {
					return false
				}
			case f.Start < e.End && e.Start < f.End, f.Text != "" || e.Text != "":
				return false
			}
		}
	}
	if x.patch != nil {
		for n := range x.patch.replaced {
			if p.patch.replaced[n] != nil || p.patch.removed[n] {
				return false
			}
		}
		for n := range x.patch.removed {
			if p.patch.removed[n] || p.patch.replaced[n] != nil {
				return false
			}
		}
	}
	return true
}

// joins reports whether an insertion can follow another one at the same place: both add to one container, or behind one
// word, and not the same thing.
func (p *pending) joins(x *staged) bool {
	if l := x.line; l != nil {
		here := 0
		for _, m := range p.lines {
			if m.kind != l.kind || m.k != l.k || m.place != l.place {
				continue
			}
			if m.n > 0 || l.n > 0 || flagOf(m.texts) == flagOf(l.texts) {
				return false
			}
			here++
		}
		return here > 0
	}
	if len(x.patch.inserted) != 1 || len(x.patch.replaced)+len(x.patch.removed) > 0 {
		return false
	}
	for n, list := range x.patch.inserted {
		there := p.patch.inserted[n]
		if len(list) != 1 || len(there) == 0 {
			return false
		}
		for _, t := range there {
			for _, k := range list[0].kids {
				if slices.ContainsFunc(t.kids, func(o *shape) bool { return o.name() == k.name() && k.name() != "" }) {
					return false
				}
			}
		}
	}
	return true
}

// flagOf is the flag that words begin with.
func flagOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	flag, _, _ := strings.Cut(words[0], "=")
	return flag
}

// name is what tells a new entry of a container from others: its text, the name in NAME=value, or the first value of a
// map.
func (s *shape) name() string {
	if s.kind == source.Scalar {
		name, _, _ := strings.Cut(s.text, "=")
		return name
	}
	if len(s.kids) > 1 && s.kids[1].kind == source.Scalar {
		return s.kids[1].text
	}
	return ""
}

// add puts edits that are admitted beside those that are there.
func (p *pending) add(x *staged) {
	for _, e := range x.edits {
		i := sort.Search(len(p.edits), func(i int) bool { return p.edits[i].Start >= e.Start })
		if i < len(p.edits) && p.edits[i].Len() == 0 && e.Len() == 0 && p.edits[i].Start == e.Start {
			p.edits[i].Text += e.Text
			continue
		}
		p.edits = slices.Insert(p.edits, i, e)
	}
	p.patch.merge(x.patch)
	p.comments = p.comments || x.comments
	if x.line != nil {
		p.lines = append(p.lines, x.line)
	}
}

// merge adds what q changes.
func (p *patch) merge(q *patch) {
	if q == nil {
		return
	}
	for n, s := range q.replaced {
		p.replace(n, s)
	}
	for n := range q.removed {
		p.remove(n)
	}
	for n, list := range q.inserted {
		for _, x := range list {
			p.insert(n, x.at, x.kids...)
		}
	}
}

// flush makes the edits of the batch and verifies them. After an error none is made.
func (s *Session) flush() error {
	b := s.batch
	s.batch = nil
	if b == nil || len(b.order) == 0 {
		return nil
	}
	s.fix++
	restore := s.snapshot()
	if err := b.make(); err != nil {
		restore()
		return err
	}
	return nil
}

func (b *batch) make() error {
	slices.SortStableFunc(b.order, func(x, y *view) int { return x.depth() - y.depth() })
	texts := map[*view][]byte{}
	for _, v := range slices.Backward(b.order) {
		p := b.views[v]
		text, err := source.Apply(v.cur.Bytes, p.edits)
		if err != nil {
			return err
		}
		texts[v] = text
		if v.host != nil {
			b.views[v.host].patch.replace(v.host.current(v.hostNode), &shape{kind: source.Scalar, text: string(text), plain: p.plain})
		}
	}
	for _, v := range b.order {
		if err := v.make(b.views[v], texts[v]); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) depth() int {
	n := 0
	for ; v.host != nil; v = v.host {
		n++
	}
	return n
}

// make makes the edits of a batch in the view's text, after those in the text around it.
func (v *view) make(p *pending, text []byte) error {
	var next *source.File
	if v.host == nil {
		next = source.NewFile(v.orig.Path, text)
	} else if m := v.host.current(v.hostNode); m != nil {
		next = source.Nested(v.host.cur, m)
	}
	if next == nil || !bytes.Equal(next.Bytes, text) {
		return errors.New("the nested text is lost")
	}
	lineage, err := v.checkLines(p.lines, next)
	if err != nil {
		return err
	}
	if v.roots0 != nil {
		after, err := v.parseIn(next, v.session.scratch)
		if err != nil {
			return err
		}
		if p.comments {
			p.patch.allowComments(v.roots, after, 0)
		}
		if err := verify(v.roots, after, &p.patch); err != nil {
			return err
		}
		v.pushed(after, &p.patch)
		if v.steps[len(v.steps)-1].repeats() {
			return errRepeated
		}
	}
	if v.host == nil {
		v.pieces = v.pieces.edit(p.edits)
	} else {
		v.hostFile = v.host.cur
	}
	v.moves = append(v.moves[:len(v.moves):len(v.moves)], p.edits)
	v.cur = next
	if lineage != nil {
		v.lineage = lineage
	}
	return nil
}

// checkLines verifies that a text has the command lines of the view with the edits made, to all its readers, and
// returns what becomes of the words.
func (v *view) checkLines(edits []*lineEdit, next *source.File) (*lineage, error) {
	if len(edits) == 0 {
		return nil, nil
	}
	kind := edits[0].kind
	before := v.programs(kind)
	lin := v.words(kind)
	out := &lineage{kind: kind, lines: slices.Clone(lin.lines)}
	want := make([][]string, len(before))
	for i, p := range before {
		want[i] = wordTexts(p.Line)
	}
	byLine := map[int][]*lineEdit{}
	for _, e := range edits {
		byLine[e.k] = append(byLine[e.k], e)
	}
	for k, list := range byLine {
		slices.SortStableFunc(list, func(a, b *lineEdit) int { return a.place - b.place })
		var texts []string
		var ids []int
		at := 0
		for _, e := range list {
			if e.place < at || e.place+e.n > len(want[k]) {
				return nil, errors.New("two edits of one word")
			}
			texts = append(append(texts, want[k][at:e.place]...), e.texts...)
			ids = append(append(ids, lin.lines[k][at:e.place]...), e.numbers(lin.lines[k][e.place:e.place+e.n])...)
			at = e.place + e.n
		}
		was := repeatedFlags(want[k])
		if want[k] = append(texts, want[k][at:]...); repeatedFlags(want[k]) > was {
			return nil, errRepeated
		}
		out.lines[k] = append(ids, lin.lines[k][at:]...)
	}
	if err := sameLines(next, kind, want); err != nil {
		return nil, err
	}
	type part struct {
		reading
		k, from, own int
	}
	seen := map[part]bool{}
	texts := map[textKind][]source.Program{}
	for _, e := range edits {
		for _, r := range e.readings[1:] {
			x := part{r, e.k, e.readings[0].from, e.own}
			if seen[x] {
				continue
			}
			seen[x] = true
			if texts[r.kind] == nil {
				texts[r.kind] = programsOf(next, r.kind)
			}
			if !r.reads(texts[r.kind], want[e.k], e.readings[0].from, e.own+len(want[e.k])-len(before[e.k].Line.Words)) {
				return nil, errDifferent
			}
		}
	}
	return out, nil
}

var errRepeated = errors.New("two fixes write one name")

// repeats reports whether a container that the step changed has names twice that it did not have twice before.
func (s *step) repeats() bool {
	changed := map[*source.Node]bool{}
	for n := range s.patch.inserted {
		changed[n] = true
	}
	for n := range s.patch.replaced {
		if n.Parent != nil && (isKey(n) || n.Parent.Kind == source.List) {
			changed[n.Parent] = true
		}
		if k := n.KeyNode(); k != nil && k.Text == "name" && n.Parent.Parent != nil {
			changed[n.Parent.Parent] = true
		}
	}
	for n := range changed {
		if after := s.follow(n); after != nil && repeatedNames(after) > repeatedNames(n) {
			return true
		}
	}
	return false
}

// repeatedNames counts the keys of a map, or the variables and flags in a list, that stand there before.
func repeatedNames(n *source.Node) int {
	seen := make(map[string]bool, len(n.Children))
	count := 0
	for i, c := range n.Children {
		name, named := c.Text, c.Kind == source.Scalar
		if n.Kind == source.List {
			if c.Kind == source.Map {
				c = ownKey(c, "name")
				if named = c != nil && c.Kind == source.Scalar; named {
					name = c.Text
				}
			} else {
				name, _, named = strings.Cut(name, "=")
			}
		} else if i%2 == 1 {
			continue
		}
		if named && seen[name] {
			count++
		}
		seen[name] = true
	}
	return count
}

// repeatedFlags counts the flags of a command line that stand there before.
func repeatedFlags(words []string) int {
	seen := map[string]bool{}
	count := 0
	for i := range words {
		if flag := flagOf(words[i : i+1]); strings.HasPrefix(flag, "--") {
			if seen[flag] {
				count++
			}
			seen[flag] = true
		}
	}
	return count
}

var errDifferent = errors.New("the words of the command line are not the same to all readers")

// Planned is a fix of [PlanAll]: its edits, or why it cannot be made.
type Planned struct {
	Edits []FileEdit
	Err   error
}

// scratches are what [PlanAll] reads texts with edits into: it keeps no node of them.
var scratches = sync.Pool{New: func() any { return new(source.Scratch) }}

// PlanAll does [Plan] for several fixes of a stack, each by itself. Fixes in different places of a file are read back
// together, and one by one only when something is wrong then.
func PlanAll(st *model.Stack, fixes [][]model.Op) []Planned {
	out := make([]Planned, len(fixes))
	s := NewSession()
	scratch := scratches.Get().(*source.Scratch)
	defer scratches.Put(scratch)
	one := func(i int) {
		s.batch = nil
		restore := s.snapshot()
		if out[i].Err = s.Add(st, fixes[i]); out[i].Err == nil {
			out[i].Edits = s.Edits()
		}
		restore()
	}
	list := make([][]staged, len(fixes))
	var todo []int
	for i, ops := range fixes {
		var err error
		if list[i], err = s.stage(st, ops, nil); err != nil {
			one(i)
			continue
		}
		todo = append(todo, i)
	}
	var try func(group []int)
	try = func(group []int) {
		s.batch = &batch{views: map[*view]*pending{}}
		meet := false
		for _, i := range group {
			meet = meet || !s.batch.commit(list[i])
		}
		restore := s.snapshot()
		s.scratch = scratch
		err := s.flush()
		s.scratch = nil
		restore()
		scratch.Reset()
		if (err != nil || meet) && len(group) == 1 {
			one(group[0])
			return
		}
		if err != nil || meet {
			try(group[:len(group)/2])
			try(group[len(group)/2:])
			return
		}
		for _, i := range group {
			out[i].Edits = outermost(list[i])
		}
	}
	for len(todo) > 0 {
		b := &batch{views: map[*view]*pending{}}
		var group, later []int
		for _, i := range todo {
			if b.commit(list[i]) {
				group = append(group, i)
			} else {
				later = append(later, i)
			}
		}
		try(group)
		todo = later
	}
	return out
}

// outermost returns the edits of a fix in the outermost files, as they were read.
func outermost(list []staged) []FileEdit {
	var order []*view
	all := map[*view]*pending{}
	for i := range list {
		v := list[i].view
		if v.host != nil {
			continue
		}
		if all[v] == nil {
			all[v] = &pending{}
			order = append(order, v)
		}
		all[v].add(&list[i])
	}
	var out []FileEdit
	for _, v := range order {
		n := len(v.orig.Bytes)
		for _, e := range (pieces{{start: 0, end: n}}).edit(all[v].edits).edits(n) {
			out = append(out, FileEdit{File: v.orig, Edit: e})
		}
	}
	return out
}
