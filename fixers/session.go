package fixers

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// Session plans fixes one after another over the same files, as they stand after the ones before. Each
// operation of a fix is verified by reading the edited file back; a fix that is refused leaves no trace. A
// session is for one goroutine.
type Session struct {
	views map[*source.File]*view
	// top finds the view of an outermost file by its path, since several stacks may have read it each.
	top   map[string]*view
	order []*view
	// lines are the command lines of loaders whose words are edited.
	lines map[*source.CommandLine]*lineParts
	// nested finds the view of a text in a scalar.
	nested map[spot]*view
	// fix counts the fixes.
	fix int
	// charts are the keys of charts by name and form.
	charts map[string][]knowledge.ChartKey
	// blocks are the new blocks of a chart's values that the fix at hand writes, by path.
	blocks map[string]bool
	// batch collects edits instead of making them; nil when each is made at once.
	batch *batch
	// scratch is where the trees of texts with edits lie while a batch is made that is taken back in any case; nil
	// otherwise.
	scratch *source.Scratch
}

// spot is a scalar of a view's first trees.
type spot struct {
	host *view
	node *source.Node
}

// NewSession returns a session without edits.
func NewSession() *Session {
	return &Session{views: map[*source.File]*view{}, top: map[string]*view{}, nested: map[spot]*view{}, lines: map[*source.CommandLine]*lineParts{}}
}

// view is one text during a session: a file, or a text nested in a scalar of another view.
type view struct {
	session *Session
	// orig is the text as it was read first, roots0 its trees.
	orig   *source.File
	roots0 []*source.Node
	json   bool
	// host and hostNode say where a nested text stands; the node is one of the host's first trees.
	host     *view
	hostNode *source.Node
	// found are the command lines of the first text that were looked for.
	found map[*source.CommandLine][]reading
	state
}

// state is what edits change.
type state struct {
	cur    *source.File
	roots  []*source.Node
	pieces pieces
	steps  []*step
	// moves are all edits made so far, one list a step, each in the text as it was then.
	moves [][]source.Edit
	// lineage follows the words of command lines in the text.
	lineage *lineage
	// hostFile is the host's text when cur was taken out of it.
	hostFile *source.File
	read     *readings
}

// readings are what was made out of a view's present text.
type readings struct {
	file     *source.File
	programs [textKinds][]source.Program
	done     [textKinds]bool
	lineage  [textKinds]*lineage // of words that no edit has moved
	aliases  []*source.Node
	walked   bool
	template bool // whether a template expression stands anywhere
	slots    map[*source.Node][]slot
	indents  wholeIndents
}

// now returns what was made out of the present text.
func (v *view) now() *readings {
	if v.read == nil || v.read.file != v.cur {
		v.read = &readings{file: v.cur, slots: map[*source.Node][]slot{}, template: bytes.Contains(v.cur.Bytes, []byte("{{")) || bytes.Contains(v.cur.Bytes, []byte("{%"))}
	}
	return v.read
}

// programs returns the command lines of the present text.
func (v *view) programs(kind textKind) []source.Program {
	r := v.now()
	if !r.done[kind] {
		r.programs[kind], r.done[kind] = programsOf(v.cur, kind), true
	}
	return r.programs[kind]
}

// aliases returns the aliases in the trees of the present text.
func (v *view) aliases() []*source.Node {
	r := v.now()
	if r.walked {
		return r.aliases
	}
	var visit func(n *source.Node)
	visit = func(n *source.Node) {
		if n.Kind == source.Alias && n.Target() != nil {
			r.aliases = append(r.aliases, n)
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	for _, root := range v.roots {
		if root != nil {
			visit(root)
		}
	}
	r.walked = v.roots != nil
	return r.aliases
}

// view returns the view of a file that a loader read.
func (s *Session) view(f *source.File) (*view, error) {
	if v := s.views[f]; v != nil {
		return v, v.refresh()
	}
	hf, hn := f.Host()
	if hf == nil {
		v := s.top[f.Path]
		if v == nil {
			if bytes.Contains(f.Bytes[min(3, len(f.Bytes)):], []byte(utf8BOM)) {
				return nil, refuse(ReasonFile, "%s has a byte order mark inside", f.Path)
			}
			v = &view{session: s, orig: f}
			v.cur = f
			v.pieces = pieces{{start: 0, end: len(f.Bytes)}}
			s.top[f.Path] = v
			s.order = append(s.order, v)
		} else if !bytes.Equal(v.orig.Bytes, f.Bytes) {
			return nil, refuse(ReasonConflict, "%s was read twice with different content", f.Path)
		}
		s.views[f] = v
		return v, nil
	}
	host, err := s.view(hf)
	if err != nil {
		return nil, err
	}
	node, err := host.first(hn)
	if err != nil {
		return nil, err
	}
	if v := s.nested[spot{host, node}]; v != nil {
		s.views[f] = v
		return v, v.refresh()
	}
	v := &view{session: s, orig: f, host: host, hostNode: node}
	s.nested[spot{host, node}] = v
	v.cur = f
	v.hostFile = hf
	s.views[f] = v
	s.order = append(s.order, v)
	return v, v.refresh()
}

// refresh takes a nested text out of its host again when the host was edited elsewhere.
func (v *view) refresh() error {
	if v.host == nil || v.hostFile == v.host.cur {
		return nil
	}
	if err := v.host.refresh(); err != nil {
		return err
	}
	n := v.host.current(v.hostNode)
	if n == nil {
		return refuse(ReasonConflict, "another fix changed the text around the place")
	}
	f := source.Nested(v.host.cur, n)
	if f == nil || !bytes.Equal(f.Bytes, v.cur.Bytes) {
		return refuse(ReasonConflict, "another fix changed the text around the place")
	}
	before := v.roots
	v.cur, v.hostFile = f, v.host.cur
	if v.roots0 == nil {
		return nil
	}
	roots, err := v.parse(f)
	if err != nil {
		return err
	}
	v.roots = roots
	v.steps = append(v.steps[:len(v.steps):len(v.steps)], &step{before: before, after: roots, patch: &patch{}, fix: v.session.fix})
	return nil
}

// parse reads a text as the view's format.
func (v *view) parse(f *source.File) ([]*source.Node, error) { return v.parseIn(f, nil) }

func (v *view) parseIn(f *source.File, scratch *source.Scratch) ([]*source.Node, error) {
	if v.json {
		root, err := source.ParseJSON(f)
		if err != nil {
			return nil, err
		}
		return []*source.Node{root}, nil
	}
	docs, err := source.ParseYAMLIn(f, scratch)
	if err != nil {
		return nil, err
	}
	roots := make([]*source.Node, len(docs))
	for i, d := range docs {
		if d.Inexact {
			return nil, errors.New("the spans of the file could not be made out")
		}
		roots[i] = d.Root
	}
	return roots, nil
}

// load makes sure that the first trees are there. n is a node of a loader's tree of the text.
func (v *view) load(n *source.Node) error {
	if v.roots0 != nil {
		return nil
	}
	for n.Parent != nil {
		n = n.Parent
	}
	// JSON is edited as JSON, which YAML readers take as well.
	head := bytes.TrimLeft(bytes.TrimPrefix(v.orig.Bytes, []byte(utf8BOM)), " \t\r\n")
	if len(head) > 0 && (head[0] == '{' || head[0] == '[') && (len(n.Children) > 0 || path.Ext(v.orig.Path) == ".json") {
		if root, err := source.ParseJSON(v.orig); err == nil {
			v.json = true
			v.roots0 = []*source.Node{root}
		}
	}
	if v.roots0 == nil {
		if !hasMarkers(v.orig.Bytes) {
			// The only document of its file.
			v.roots0 = []*source.Node{n}
		} else {
			roots, err := v.parse(v.orig)
			if err != nil {
				return refuse(ReasonFile, "%s: %v", v.orig.Path, err)
			}
			v.roots0 = roots
		}
	}
	v.roots = v.roots0
	return nil
}

// hasMarkers reports whether a text may hold several documents or directives.
func hasMarkers(b []byte) bool {
	return bytes.Contains(b, []byte("---")) || bytes.Contains(b, []byte("...")) || bytes.Contains(b, []byte("%"))
}

// first returns the node of the view's first trees that stands where n, a node of any loader's tree of the same
// text, stands.
func (v *view) first(n *source.Node) (*source.Node, error) {
	if err := v.load(n); err != nil {
		return nil, err
	}
	root := n
	for root.Parent != nil {
		root = root.Parent
	}
	if slices.Contains(v.roots0, root) {
		return n, nil
	}
	var path []int
	for c := n; c.Parent != nil; c = c.Parent {
		path = append(path, c.Place())
	}
	for _, r := range v.roots0 {
		if r == nil || r.Start != root.Start || r.End != root.End {
			continue
		}
		for i := len(path) - 1; i >= 0; i-- {
			if path[i] < 0 || path[i] >= len(r.Children) {
				r = nil
				break
			}
			r = r.Children[path[i]]
		}
		if r != nil && r.Start == n.Start && r.End == n.End && r.Kind == n.Kind {
			return r, nil
		}
	}
	return nil, refuse(ReasonConflict, "%s was read twice with different results", v.orig.Path)
}

// current returns what a node of the first trees has become, nil when it is gone.
func (v *view) current(n *source.Node) *source.Node {
	for _, s := range v.steps {
		if n = s.follow(n); n == nil {
			return nil
		}
	}
	return n
}

// node returns what a node of a loader's tree has become.
func (v *view) node(n *source.Node) (*source.Node, error) {
	f, err := v.first(n)
	if err != nil {
		return nil, err
	}
	for _, s := range v.steps {
		if s.fix != v.session.fix && s.patch.replaced[f] != nil {
			return nil, refuse(ReasonConflict, "another fix changed the value")
		}
		if f = s.follow(f); f == nil {
			return nil, refuse(ReasonConflict, "another operation removed the place")
		}
	}
	return f, nil
}

// atStart returns what a node of the first trees was when the present fix began, nil when it was not there.
func (v *view) atStart(n *source.Node) *source.Node {
	for _, s := range v.steps {
		if s.fix == v.session.fix {
			break
		}
		if n = s.follow(n); n == nil {
			return nil
		}
	}
	return n
}

// span returns where a span of the text as it was read is now.
func (v *view) span(s source.Span) (source.Span, error) {
	for _, edits := range v.moves {
		d0, d1 := 0, 0
		for _, e := range edits {
			switch {
			case e.End <= s.Start && (e.Start < s.Start || e.Len() > 0 || s.Len() > 0):
				d0 += len(e.Text) - e.Len()
				d1 += len(e.Text) - e.Len()
			case e.Start >= s.End:
			default:
				return s, refuse(ReasonConflict, "another operation changed the place")
			}
		}
		s.Start += d0
		s.End += d1
	}
	return s, nil
}

// writer returns a writer of the view's text as it is now.
func (v *view) writer() *writer {
	return &writer{file: v.cur, b: v.cur.Bytes, roots: v.roots, json: v.json, nl: v.newline(), kept: v.now().slots, whole: &v.now().indents}
}

// newline returns the line end of the text; one line takes that of the file around it.
func (v *view) newline() string {
	if v.host != nil && bytes.IndexByte(v.cur.Bytes, '\n') < 0 {
		return v.host.newline()
	}
	return v.cur.Newline()
}

// snapshot saves the state of all views, and restore goes back to it.
func (s *Session) snapshot() (restore func()) {
	states := make([]state, len(s.order))
	for i, v := range s.order {
		states[i] = v.state
	}
	n := len(s.order)
	return func() {
		for i, v := range s.order[:n] {
			v.state = states[i]
		}
		for _, v := range s.order[n:] {
			v.reset()
		}
	}
}

// reset forgets all edits of a view.
func (v *view) reset() {
	v.state = state{cur: v.orig, roots: v.roots0}
	if v.host == nil {
		v.pieces = pieces{{start: 0, end: len(v.orig.Bytes)}}
	}
}

// apply makes a change in the first way that reads back right.
func (v *view) apply(ch *change) error {
	if v.session.batch != nil {
		if len(ch.tries) == 0 {
			return errAlone
		}
		return v.edit(ch.tries[0], &ch.patch, nil)
	}
	var first error
	for _, edits := range ch.tries {
		restore := v.session.snapshot()
		err := v.edit(edits, &ch.patch, nil)
		if err == nil {
			return nil
		}
		restore()
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = errors.New("no way to write the change")
	}
	var r *Refusal
	if errors.As(first, &r) {
		return first
	}
	return refuse(ReasonVerify, "the edited file does not read back as intended: %v", first)
}

// edit replaces bytes of the view's text and verifies the result: the trees of a YAML or JSON text against p,
// and any text by check, which may be nil.
func (v *view) edit(edits []source.Edit, p *patch, check func(*source.File) error) error {
	edits = slices.DeleteFunc(slices.Clone(edits), func(e source.Edit) bool { return e.Len() == 0 && e.Text == "" })
	if v.session.batch != nil {
		if check != nil {
			return errAlone
		}
		return v.stage(edits, p)
	}
	text, err := source.Apply(v.cur.Bytes, edits)
	if err != nil {
		return err
	}
	if err := v.template(edits); err != nil {
		return err
	}
	var next *source.File
	if v.host == nil {
		next = source.NewFile(v.orig.Path, text)
	} else if next, err = v.editHost(edits, text); err != nil {
		return err
	}
	if check != nil {
		if err := check(next); err != nil {
			return err
		}
	}
	if v.roots0 != nil {
		after, err := v.parse(next)
		if err != nil {
			return err
		}
		if err := verify(v.roots, after, p); err != nil {
			return err
		}
		v.pushed(after, p)
	}
	if v.host == nil {
		v.pieces = v.pieces.edit(edits)
	}
	v.moves = append(v.moves[:len(v.moves):len(v.moves)], edits)
	v.cur = next
	return nil
}

// pushed takes trees that were verified as those of the view.
func (v *view) pushed(after []*source.Node, p *patch) {
	v.steps = append(v.steps[:len(v.steps):len(v.steps)], &step{before: v.roots, after: after, patch: p, fix: v.session.fix})
	v.roots = after
}

// template refuses edits that remove or split a template expression.
func (v *view) template(edits []source.Edit) error {
	if !v.now().template {
		return nil
	}
	for _, e := range edits {
		line := v.cur.Bytes[v.cur.Line(v.cur.LineAt(e.Start)).Start:v.cur.Line(v.cur.LineAt(e.End)).End]
		if bytes.Contains(line, []byte("{{")) || bytes.Contains(line, []byte("{%")) {
			removed := v.cur.Text(e.Span)
			if strings.Contains(removed, "{{") || strings.Contains(removed, "{%") || insideTemplate(v.cur.Bytes, e.Start) {
				return refuse(ReasonTemplate, "a template expression stands in the place")
			}
		}
	}
	return nil
}

// insideTemplate reports whether offset i lies between "{{" or "{%" and its end on the same line.
func insideTemplate(b []byte, i int) bool {
	start := bytes.LastIndexByte(b[:i], '\n') + 1
	before := b[start:i]
	open := max(bytes.LastIndex(before, []byte("{{")), bytes.LastIndex(before, []byte("{%")))
	end := max(bytes.LastIndex(before, []byte("}}")), bytes.LastIndex(before, []byte("%}")))
	return open > end
}

// editHost makes edits of a nested text in the text around it and returns the nested text as it is then.
func (v *view) editHost(edits []source.Edit, text []byte) (*source.File, error) {
	n := v.host.current(v.hostNode)
	if n == nil {
		return nil, refuse(ReasonConflict, "another fix removed the text around the place")
	}
	ways := v.outerEdits(n, edits, string(text))
	var first error
	for _, way := range ways {
		restore := v.session.snapshot()
		p := &patch{}
		p.replace(n, &shape{kind: source.Scalar, text: string(text), plain: way.plain})
		err := v.host.edit(way.edits, p, nil)
		if err == nil {
			m := v.host.current(v.hostNode)
			if next := source.Nested(v.host.cur, m); next != nil && bytes.Equal(next.Bytes, text) {
				v.hostFile = v.host.cur
				return next, nil
			}
			err = errors.New("the nested text is lost")
		}
		restore()
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = errors.New("the nested text cannot be edited")
	}
	return nil, first
}

// way is a choice of outer edits, and whether the scalar stands without quotes afterwards.
type way struct {
	edits []source.Edit
	plain bool
}

// outerEdits returns ways to make edits of the text of scalar n where it stands.
func (v *view) outerEdits(n *source.Node, edits []source.Edit, text string) []way {
	var out []way
	plain := n.Style == source.Plain
	if outer, err := v.cur.HostEdits(edits); err == nil {
		if own := v.ownLines(n, outer); own != nil {
			out = append(out, way{own, plain})
		}
		if !plain || isPlainWord(strings.Join(strings.Fields(text), " "), v.host.writer().inFlow(n)) && looksTyped(text) == looksTyped(n.Text) {
			out = append(out, way{outer, plain})
		}
	}
	// A batch takes the first way.
	if !isBlockScalar(n) && n.Parent != nil && (len(out) == 0 || v.session.batch == nil) {
		w := v.host.writer()
		st := w.styleAt(n.Parent)
		if n.Style == source.SingleQuoted || n.Style == source.DoubleQuoted {
			st.values.style = n.Style
		}
		if t, s, err := st.scalar(text); err == nil {
			out = append(out, way{[]source.Edit{edit(n.Content, n.End, t)}, s.plain})
		}
		out = append(out, way{[]source.Edit{edit(n.Content, n.End, quoteDouble(text))}, false})
	}
	return out
}

// ownLines gives what is added at the end of a line of a folded scalar, which has several, a line of its own, which
// reads as the blank in front of it; nil when there is nothing of that kind.
func (v *view) ownLines(n *source.Node, edits []source.Edit) []source.Edit {
	w := v.host.writer()
	if n.Style != source.Folded || len(edits) != 1 || edits[0].Len() > 0 {
		return nil
	}
	e := edits[0]
	rest, ok := strings.CutPrefix(e.Text, " ")
	line := w.lineStart(e.Start)
	if !ok || w.blanks(e.Start) != w.lineEnd(e.Start) || line == w.nextLine(n.Content) || strings.HasPrefix(rest, " ") {
		return nil
	}
	// The line holds one flag with its value, as the new one will.
	words := strings.Fields(string(w.b[line:e.Start]))
	if len(words) == 0 || len(words) > 2 || !strings.HasPrefix(words[0], "-") {
		return nil
	}
	return []source.Edit{edit(e.Start, e.Start, w.nl+w.indent(w.blanks(line))+rest)}
}

// Edits returns what the session has changed, as edits of the outermost files as they were read.
func (s *Session) Edits() []FileEdit {
	var out []FileEdit
	for _, v := range s.order {
		if v.host != nil || v.cur == v.orig {
			continue
		}
		for _, e := range v.pieces.edits(len(v.orig.Bytes)) {
			out = append(out, FileEdit{File: v.orig, Edit: e})
		}
	}
	return out
}

// Content returns the new content of the changed files by path.
func (s *Session) Content() map[string][]byte {
	out := map[string][]byte{}
	for _, v := range s.order {
		if v.host == nil && v.cur != v.orig {
			out[v.orig.Path] = v.cur.Bytes
		}
	}
	return out
}

// Plan returns the edits that make the operations of one fix in the files of a stack. The error is a
// [*Refusal] when the fix cannot be made safely.
func Plan(s *model.Stack, ops []model.Op) ([]FileEdit, error) {
	session := NewSession()
	if err := session.Add(s, ops); err != nil {
		return nil, err
	}
	return session.Edits(), nil
}
