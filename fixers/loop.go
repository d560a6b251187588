package fixers

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// Finding is what the loop of fixes needs to know of a finding.
type Finding struct {
	Rule     string
	Severity model.Severity
	// Fingerprint is the same for the same finding in another run.
	Fingerprint string
	Message     string
	// File and Line are where it stands, for reports.
	File  string
	Line  int
	Stack *model.Stack
	Fixes []Fix
	// Of is what the caller made it of.
	Of any
}

// Fix is one way to repair a finding: operations over paths, or ready edits.
type Fix struct {
	Title    string
	Safety   model.Safety
	Question string
	Ops      []model.Op
	Edits    []FileEdit
	// Brings are the rules of findings that may come, see [model.Fix].
	Brings []string
	Of     any
}

// Run checks the files with the content of some replaced, by path, and returns the findings in order. The files
// of their stacks hold that content.
type Run func(overlay map[string][]byte) ([]Finding, error)

// Options say which fixes are applied.
type Options struct {
	// Unsafe lets unsafe fixes be applied, too. Choose, when set, says for each finding whether it is to be fixed.
	Unsafe bool
	Choose func(*Finding) bool
	// Shown is true when the changes will be printed: those that hold a secret are then refused.
	Shown bool
	// Passes bounds how often fixes are planned on top of each other, 20 when 0.
	Passes int
	// Budget bounds the bytes of files that planning fixes reads again, 64 MiB when 0: fixes that do not meet cost one
	// reading of their files together, any other one by itself, and a run over fixes that are not kept eight.
	Budget int
}

// Applied is a fix that was made.
type Applied struct {
	Finding Finding
	Fix     Fix
	Files   []string
}

// Refused is a fix that was not made.
type Refused struct {
	Finding Finding
	Fix     Fix
	Refusal *Refusal
}

// Outcome is what a loop of fixes did.
type Outcome struct {
	// Files are the changed files, by path. Groups are the paths that fixes over several files bind together: all
	// of a group are written, or none.
	Files   []Content
	Groups  [][]string
	Applied []Applied
	Refused []Refused
	// Decisions are fixes that wait for a person: unsafe ones that were not asked for.
	Decisions []Refused
	// Left are all findings after the fixes, those of run number Run (from 0).
	Left []Finding
	Run  int
	// Passes counts the rounds of fixes. Exhausted is true when there may be more to fix than the options allow.
	Passes    int
	Exhausted bool
}

// defaultPasses bounds a loop of fixes.
const defaultPasses = 20

// defaultBudget bounds the bytes that a loop of fixes plans on.
const defaultBudget = 64 << 20

// FixAll applies fixes until none is left. Those of one pass are planned on top of each other; one whose place
// another fix of the pass changed waits for the next. A fix is kept only when its finding is gone afterwards and no
// new one of the same or a higher severity has come; fixes that undo each other are all dropped.
func FixAll(run Run, o Options) (*Outcome, error) {
	findings, err := run(nil)
	if err != nil {
		return nil, err
	}
	l := &loop{run: run, runs: 1, opts: o, overlay: map[string][]byte{}, old: map[string][]byte{}, refused: map[string]*Refused{}, alone: map[string]bool{}, brings: map[string]string{}, together: map[string]bool{}, when: map[string]int{}, findings: findings}
	if l.opts.Passes <= 0 {
		l.opts.Passes = defaultPasses
	}
	if l.opts.Budget <= 0 {
		l.opts.Budget = defaultBudget
	}
	return l.fix()
}

type loop struct {
	run      Run
	runs     int // how often it was called
	last     int // the number of the call that the findings are of
	opts     Options
	overlay  map[string][]byte
	old      map[string][]byte // the changed files as they were at first
	findings []Finding
	applied  []Applied
	refused  map[string]*Refused
	order    []string
	alone    map[string]bool     // fixes that are tried by themselves, after the others
	brings   map[string]string   // the rule of the finding that a fix of a rule and title brought
	together map[string]bool     // the fixes of a rule and title that were tried as a group after that
	when     map[string]int      // how many fixes were applied when one was refused
	spent    int                 // of the budget
	states   [][sha256.Size]byte // of the overlay, after each pass
	marks    []int               // how many fixes were applied then
}

// key names a fix of a finding.
func key(f *Finding, x *Fix) string { return f.Rule + "\x00" + f.Fingerprint + "\x00" + x.Title }

// brings reports whether a rule may have a finding after a fix.
func (x *Fix) brings(rule string) bool {
	return slices.Contains(x.Brings, rule) || slices.Contains(x.Brings, model.BringsAny)
}

// apart reports whether a fix is made by itself, after the others: it was put off, or says nothing about what it brings,
// and would excuse what others do.
func (l *loop) apart(f *Finding, x *Fix) bool {
	return l.alone[key(f, x)] || slices.Contains(x.Brings, model.BringsAny)
}

// kind names the fixes of a rule with a title.
func kind(f *Finding, x *Fix) string { return f.Rule + "\x00" + x.Title }

func (f *Finding) is(g *Finding) bool { return f.Rule == g.Rule && f.Fingerprint == g.Fingerprint }

// size is the size of the files in which a fix of the finding is likely made, in bytes.
func (f *Finding) size() int {
	n := 0
	if f.Stack != nil {
		for _, file := range f.Stack.Files {
			if file.Path == f.File {
				n += len(file.Bytes)
			}
		}
	}
	return n
}

// choose returns the fix to try for a finding, nil when there is none.
func (l *loop) choose(f *Finding) *Fix {
	if l.opts.Choose != nil && !l.opts.Choose(f) {
		return nil
	}
	for i := range f.Fixes {
		x := &f.Fixes[i]
		if x.Safety == model.NoFix || x.Safety == model.Unsafe && !l.opts.Unsafe || len(x.Ops)+len(x.Edits) == 0 || l.refused[key(f, x)] != nil {
			continue
		}
		return x
	}
	return nil
}

func (l *loop) refuse(f *Finding, x *Fix, err error) {
	var r *Refusal
	if !errors.As(err, &r) {
		r = &Refusal{Reason: ReasonVerify, Text: err.Error()}
	}
	k := key(f, x)
	if l.refused[k] == nil {
		l.order = append(l.order, k)
	}
	l.refused[k] = &Refused{Finding: *f, Fix: *x, Refusal: r}
	l.when[k] = len(l.applied)
}

// retry gives fixes whose result was not acceptable another chance, one by one, when others were applied since: they
// may depend on each other.
func (l *loop) retry() bool {
	again := false
	for k, r := range l.refused {
		if (r.Refusal.Reason == ReasonWorse || r.Refusal.Reason == ReasonStays) && l.when[k] < len(l.applied) {
			delete(l.refused, k)
			l.order = slices.DeleteFunc(l.order, func(o string) bool { return o == k })
			l.alone[k] = true
			clear(l.together)
			again = true
		}
	}
	return again
}

func (l *loop) fix() (*Outcome, error) {
	out := &Outcome{}
	l.mark()
	limit := len(l.findings) + 1 // fixes in one batch
	suspects := 0                // how many of the next fixes hold one that does harm
	conflicts := map[string]int{}
	for {
		session, batch := l.plan(limit, conflicts)
		if len(batch) == 0 {
			if !l.broke() && l.retry() {
				continue
			}
			out.Exhausted = l.broke()
			break
		}
		if out.Passes == l.opts.Passes {
			out.Exhausted = true
			break
		}
		next := map[string][]byte{}
		for p, b := range l.overlay {
			next[p] = b
		}
		for p, b := range session.Content() {
			next[p] = b
		}
		after, err := l.run(next)
		if err != nil {
			return nil, err
		}
		l.runs++
		if i, worse, err := l.judge(after, batch); err != nil {
			l.spent += wasted(next)
			known := l.known(batch, worse)
			switch {
			case len(batch) > 1 && i >= 0:
				// Its turn comes when the others are done.
				l.alone[key(&batch[i].Finding, &batch[i].Fix)] = true
			case len(batch) > 1 && len(known) == len(batch) && worse.n >= len(batch):
				// Each brings one.
				for _, a := range batch {
					l.refuse(&a.Finding, &a.Fix, refuse(ReasonWorse, "it would bring about %s", worse.rule))
				}
			case len(known) > 0 && len(known) < len(batch):
				for _, a := range known {
					l.alone[key(&a.Finding, &a.Fix)] = true
				}
			case len(batch) > 1:
				// One of them is to blame: smaller batches tell which.
				suspects = len(batch)
				limit = suspects / 2
			default:
				if worse.rule != "" {
					l.brings[kind(&batch[0].Finding, &batch[0].Fix)] = worse.rule
				}
				l.refuse(&batch[0].Finding, &batch[0].Fix, err)
				suspects, limit = 0, len(l.findings)+1
			}
			continue
		}
		for _, v := range session.order {
			if v.host == nil && v.cur != v.orig && l.old[v.orig.Path] == nil {
				l.old[v.orig.Path] = v.orig.Bytes
			}
		}
		l.overlay, l.findings, l.last = next, after, l.runs-1
		l.applied = append(l.applied, batch...)
		out.Passes++
		suspects -= len(batch)
		if limit = len(l.findings) + 1; suspects > 0 {
			limit = max(1, suspects/2)
		}
		l.breakCycle()
	}
	l.finish(out)
	return out, nil
}

// maxConflicts is how many passes a fix may wait for others.
const maxConflicts = 5

// broke reports whether the budget is spent.
func (l *loop) broke() bool { return l.spent >= l.opts.Budget }

// plan makes fixes for the present findings on top of each other, at most limit.
func (l *loop) plan(limit int, conflicts map[string]int) (*Session, []Applied) {
	session, batch := l.planOf(limit, conflicts, false, "")
	if len(batch) == 0 {
		for i := range l.findings {
			f := &l.findings[i]
			if x := l.choose(f); x != nil && l.apart(f, x) {
				if k := kind(f, x); l.brings[k] != "" && !l.together[k] {
					l.together[k] = true
					return l.planOf(len(l.findings), conflicts, true, k)
				}
			}
		}
		return l.planOf(1, conflicts, true, "")
	}
	return session, batch
}

// known returns the fixes of a batch that are like one that brought such findings.
func (l *loop) known(batch []Applied, worse newcomers) []Applied {
	var out []Applied
	for _, a := range batch {
		if worse.rule != "" && l.brings[kind(&a.Finding, &a.Fix)] == worse.rule {
			out = append(out, a)
		}
	}
	return out
}

// wasted is what a run for nothing costs of the budget: it reads the files and checks them.
func wasted(overlay map[string][]byte) int {
	n := 16 << 10
	for _, b := range overlay {
		n += 8 * len(b)
	}
	return n
}

// newcomers are the findings of a rule that fixes brought.
type newcomers struct {
	rule string
	n    int
}

// candidate is a fix that a pass may make.
type candidate struct {
	// number is that of its finding.
	number int
	f      *Finding
	x      *Fix
	list   []staged
}

// planOf plans the fixes that are to be tried alone, or the others; with only set, those of that kind.
func (l *loop) planOf(limit int, conflicts map[string]int, alone bool, only string) (*Session, []Applied) {
	p := &pass{loop: l, session: NewSession(), limit: limit, conflicts: conflicts}
	for before := -1; ; {
		var todo []*candidate
		for i := range l.findings {
			f := &l.findings[i]
			if x := l.choose(f); x != nil && l.apart(f, x) == alone && (only == "" || kind(f, x) == only) {
				todo = append(todo, &candidate{number: i, f: f, x: x})
			}
		}
		n := len(todo)
		waiting := false
		// Where fixes by turns would take too long, and when the last round refused none, all are tried.
		if !alone && l.runs <= l.opts.Passes/2 && n != before {
			todo, waiting = turn(todo)
		}
		for len(todo) > 0 && !p.full() {
			todo = p.round(todo)
		}
		if !waiting || len(p.made) > 0 || p.broke() {
			break
		}
		// What the others waited for was refused.
		before = n
	}
	sort.SliceStable(p.made, func(i, j int) bool { return p.made[i].number < p.made[j].number })
	batch := make([]Applied, len(p.made))
	for i, m := range p.made {
		batch[i] = m.Applied
	}
	return p.session, batch
}

// pass is the planning of fixes on top of each other.
type pass struct {
	*loop
	session   *Session
	limit     int
	conflicts map[string]int
	made      []made
}

// made is a fix that a pass makes.
type made struct {
	Applied
	number int
}

func (p *pass) full() bool { return len(p.made) >= p.limit || p.broke() }

// round makes the fixes that do not meet each other, and returns those that do. Each is planned on the text as it is,
// and all are read back at once: one reading for each fix would cost as many as there are fixes.
func (p *pass) round(todo []*candidate) (later []*candidate) {
	if len(todo) == 1 || p.limit == 1 {
		p.one(todo[0])
		return todo[1:]
	}
	b := &batch{views: map[*view]*pending{}}
	var group, alone []*candidate
	for i, c := range todo {
		if len(p.made)+len(group)+len(alone) >= p.limit {
			later = append(later, todo[i:]...)
			break
		}
		p.session.batch = b
		var err error
		c.list, err = p.session.stage(c.f.Stack, c.x.Ops, c.x.Edits)
		switch {
		case err != nil:
			alone = append(alone, c)
		case b.commit(c.list):
			group = append(group, c)
		default:
			later = append(later, c)
		}
	}
	p.session.batch = nil
	p.group(group)
	p.each(alone)
	return later
}

// each makes fixes one by one.
func (p *pass) each(list []*candidate) {
	for _, c := range list {
		if !p.full() {
			p.one(c)
		}
	}
}

// group makes fixes that do not meet; when something is wrong, fewer of them, and at last one by one.
func (p *pass) group(list []*candidate) {
	switch {
	case len(list) == 0 || p.full():
		return
	case len(list) == 1:
		p.one(list[0])
		return
	}
	s := p.session
	b := &batch{views: map[*view]*pending{}}
	ok := true
	for _, c := range list {
		ok = ok && b.commit(c.list)
	}
	for _, v := range b.order {
		if v.host == nil {
			p.spent += len(v.cur.Bytes)
		}
	}
	before := s.Content()
	restore := s.snapshot()
	s.batch = b
	ok = s.flush() == nil && ok
	if ok && p.opts.Shown {
		if _, held := Diff(s.changed(before)); len(held) > 0 {
			ok = false
		}
	}
	if !ok {
		restore()
		p.group(list[:len(list)/2])
		// The others stand in another text now.
		var half, alone []*candidate
		s.batch = &batch{views: map[*view]*pending{}}
		for _, c := range list[len(list)/2:] {
			var err error
			if c.list, err = s.stage(c.f.Stack, c.x.Ops, c.x.Edits); err != nil {
				alone = append(alone, c)
			} else {
				half = append(half, c)
			}
		}
		s.batch = nil
		p.group(half)
		p.each(alone)
		return
	}
	for _, c := range list {
		m := made{Applied{Finding: *c.f, Fix: *c.x}, c.number}
		for i := range c.list {
			if v := c.list[i].view; v.host == nil && !slices.Contains(m.Files, v.orig.Path) {
				m.Files = append(m.Files, v.orig.Path)
			}
		}
		p.made = append(p.made, m)
	}
}

// one makes a fix by itself.
func (p *pass) one(c *candidate) {
	f, x, session := c.f, c.x, p.session
	p.spent += f.size()
	before := session.Content()
	restore := session.snapshot()
	var err error
	if len(x.Ops) > 0 {
		err = session.Add(f.Stack, x.Ops)
	} else {
		err = session.AddEdits(x.Edits)
	}
	changed := session.changed(before)
	switch {
	case err == nil && len(changed) == 0:
		err = refuse(ReasonStays, "the files already say so")
	case err == nil && p.opts.Shown:
		if _, held := Diff(changed); len(held) > 0 {
			err = refuse(ReasonSecret, "line %d of %s cannot be shown without a secret", held[0].Line, held[0].Path)
			restore()
		}
	}
	var r *Refusal
	// What is there already may be what another fix of the pass has just written.
	if errors.As(err, &r) && (r.Reason == ReasonConflict || r.Reason == ReasonExists) && len(p.made) > 0 && p.conflicts[key(f, x)] < maxConflicts {
		p.conflicts[key(f, x)]++
		return
	}
	if err != nil {
		p.refuse(f, x, err)
		return
	}
	m := made{Applied{Finding: *f, Fix: *x}, c.number}
	for _, c := range changed {
		m.Files = append(m.Files, c.Path)
	}
	p.made = append(p.made, m)
}

// changed returns the files whose content differs from before.
func (s *Session) changed(before map[string][]byte) []Content {
	var out []Content
	for _, v := range s.order {
		if v.host != nil {
			continue
		}
		old, ok := before[v.orig.Path]
		if !ok {
			old = v.orig.Bytes
		}
		if string(old) != string(v.cur.Bytes) {
			out = append(out, Content{Path: v.orig.Path, Old: old, New: v.cur.Bytes})
		}
	}
	return out
}

// AddEdits makes ready edits of files, none of which may lie in a place that an earlier fix changed. A YAML file must
// read the same afterwards.
func (s *Session) AddEdits(edits []FileEdit) error {
	restore := s.snapshot()
	s.fix++
	err := s.addEdits(edits)
	if err != nil {
		restore()
	}
	return err
}

func (s *Session) addEdits(edits []FileEdit) error {
	var files []*source.File
	byFile := map[*source.File][]source.Edit{}
	for _, e := range edits {
		f, span := e.File.Outer(e.Span)
		if byFile[f] == nil {
			files = append(files, f)
		}
		byFile[f] = append(byFile[f], source.Edit{Span: span, Text: e.Text})
	}
	for _, f := range files {
		v, err := s.view(f)
		if err != nil {
			return err
		}
		if ext := path.Ext(f.Path); v.roots0 == nil && (ext == ".yaml" || ext == ".yml") {
			if roots, err := v.parse(v.orig); err == nil {
				v.roots0, v.roots = roots, roots
			}
		}
		list := slices.Clone(byFile[f])
		for i := range list {
			if list[i].Span, err = v.span(list[i].Span); err != nil {
				return err
			}
		}
		ch := &change{tries: [][]source.Edit{list}}
		if v.roots0 != nil && s.batch == nil {
			ch.patch = v.readTheSame(list)
		}
		if err := v.apply(ch); err != nil {
			return err
		}
		if b := s.batch; b != nil && len(b.stage) > 0 {
			b.stage[len(b.stage)-1].comments = v.roots0 != nil
		}
	}
	return nil
}

// readTheSame is the change of trees that edits make which take comments away: none but in block scalars, whose texts
// must then read as they did.
func (v *view) readTheSame(edits []source.Edit) patch {
	var p patch
	text, err := source.Apply(v.cur.Bytes, edits)
	if err != nil {
		return p
	}
	if after, err := v.parse(source.NewFile(v.orig.Path, text)); err == nil {
		p.allowComments(v.roots, after, 0)
	}
	return p
}

// maxTextsInTexts bounds block scalars inside the texts of block scalars.
const maxTextsInTexts = 5

// allowComments expects block scalars as they are afterwards where they read the same as YAML.
func (p *patch) allowComments(before, after []*source.Node, depth int) {
	for i, o := range before {
		if o == nil || i >= len(after) || after[i] == nil {
			continue
		}
		n := after[i]
		if isBlockScalar(o) && o.Text != n.Text && n.Style == o.Style && depth < maxTextsInTexts && sameYAML(o.Text, n.Text, depth+1) {
			p.replace(o, &shape{kind: source.Scalar, text: n.Text})
		}
		p.allowComments(o.Children, n.Children, depth)
	}
}

// sameYAML reports whether two texts are YAML and read the same.
func sameYAML(a, b string, depth int) bool {
	var roots [2][]*source.Node
	for i, text := range [...]string{a, b} {
		docs, err := source.ParseYAML(source.NewFile("", []byte(text)))
		if err != nil {
			return false
		}
		for _, d := range docs {
			roots[i] = append(roots[i], d.Root)
		}
	}
	var p patch
	p.allowComments(roots[0], roots[1], depth)
	return verify(roots[0], roots[1], &p) == nil
}

// judge says what is wrong with the findings after a batch of fixes, nil when they may be kept, and which fix is to
// blame, -1 when that cannot be told but by what came.
func (l *loop) judge(after []Finding, batch []Applied) (int, newcomers, error) {
	type name struct{ rule, fingerprint string }
	// names and numbers of rules' findings, before and after
	index := func(list []Finding) (map[name]bool, map[string]int) {
		has, count := make(map[name]bool, len(list)), map[string]int{}
		for i := range list {
			has[name{list[i].Rule, list[i].Fingerprint}] = true
			count[list[i].Rule]++
		}
		return has, count
	}
	hadBefore, before := index(l.findings)
	hasAfter, now := index(after)
	least := model.Error
	gone := map[string]int{}
	for _, a := range batch {
		least = min(least, a.Finding.Severity)
		gone[a.Finding.Rule]++
	}
	for i, a := range batch {
		// Another finding of the rule may have taken the name: an item that moved up, the second of two.
		r := a.Finding.Rule
		if hasAfter[name{r, a.Finding.Fingerprint}] && now[r] > before[r]-gone[r] {
			return i, newcomers{}, refuse(ReasonStays, "the finding would still be there")
		}
	}
	for i := range after {
		f := &after[i]
		if f.Severity < least || hadBefore[name{f.Rule, f.Fingerprint}] || slices.ContainsFunc(batch, func(a Applied) bool { return a.Fix.brings(f.Rule) }) {
			continue
		}
		// A finding that only stands under another name or number now is none that has come.
		if now[f.Rule] <= before[f.Rule]-gone[f.Rule] {
			continue
		}
		worse := newcomers{rule: f.Rule}
		for j := range after {
			if g := &after[j]; g.Rule == f.Rule && g.Severity >= least && !hadBefore[name{g.Rule, g.Fingerprint}] {
				worse.n++
			}
		}
		return -1, worse, refuse(ReasonWorse, "it would bring about %s: %s", f.Rule, f.Message)
	}
	return -1, newcomers{}, nil
}

// state is a sum of the changed files.
func (l *loop) state() [sha256.Size]byte {
	var paths []string
	for p, b := range l.overlay {
		// A file that is as it was counts as unchanged.
		if string(l.old[p]) != string(b) {
			paths = append(paths, p)
		}
	}
	sort.Strings(paths)
	h := sha256.New()
	for _, p := range paths {
		fmt.Fprintf(h, "%d %s %d ", len(p), p, len(l.overlay[p]))
		h.Write(l.overlay[p])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

func (l *loop) mark() {
	l.states = append(l.states, l.state())
	l.marks = append(l.marks, len(l.applied))
}

// breakCycle drops the fixes since the files were as they are now, if they were.
func (l *loop) breakCycle() {
	now := l.state()
	i := slices.Index(l.states, now)
	if i < 0 {
		l.mark()
		return
	}
	undone := l.applied[l.marks[i]:]
	var rules []string
	for _, a := range undone {
		if !slices.Contains(rules, a.Finding.Rule) {
			rules = append(rules, a.Finding.Rule)
		}
	}
	sort.Strings(rules)
	for _, a := range undone {
		l.refuse(&a.Finding, &a.Fix, refuse(ReasonCycle, "the fixes of %s undo each other", strings.Join(rules, " and ")))
	}
	l.applied = l.applied[:l.marks[i]:l.marks[i]]
	l.states, l.marks = l.states[:i+1], l.marks[:i+1]
}

func (l *loop) finish(out *Outcome) {
	out.Applied, out.Left, out.Run = l.applied, l.findings, l.last
	for _, k := range l.order {
		r := l.refused[k]
		// What another fix repaired on the way needs no excuse.
		if r.Refusal.Reason != ReasonCycle && !slices.ContainsFunc(l.findings, func(f Finding) bool { return f.is(&r.Finding) }) {
			continue
		}
		out.Refused = append(out.Refused, *r)
	}
	for i := range l.findings {
		f := &l.findings[i]
		if l.opts.Choose != nil && !l.opts.Choose(f) {
			continue
		}
		tried := slices.ContainsFunc(f.Fixes, func(x Fix) bool { return l.refused[key(f, &x)] != nil })
		for j := range f.Fixes {
			x := &f.Fixes[j]
			if x.Safety == model.Unsafe && !l.opts.Unsafe && !tried {
				out.Decisions = append(out.Decisions, Refused{Finding: *f, Fix: *x})
				break
			}
		}
	}
	var paths []string
	for p, b := range l.overlay {
		if string(l.old[p]) != string(b) {
			paths = append(paths, p)
		}
	}
	sort.Strings(paths)
	for _, p := range paths {
		out.Files = append(out.Files, Content{Path: p, Old: l.old[p], New: l.overlay[p]})
	}
	out.Groups = groups(paths, l.applied)
}

// groups joins the paths that fixes over several files bind together.
func groups(paths []string, applied []Applied) [][]string {
	parent := map[string]string{}
	var root func(p string) string
	root = func(p string) string {
		if q, ok := parent[p]; ok && q != p {
			return root(q)
		}
		return p
	}
	for _, a := range applied {
		for _, p := range a.Files {
			if x, y := root(a.Files[0]), root(p); x != y {
				parent[y] = x
			}
		}
	}
	var out [][]string
	at := map[string]int{}
	for _, p := range paths {
		r := root(p)
		i, ok := at[r]
		if !ok {
			i = len(out)
			at[r] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], p)
	}
	return out
}

// Write replaces the changed files below root, group by group. The error joins those of the groups that could not be
// written; written are the paths that were.
func (o *Outcome) Write(root string) (written []string, err error) {
	for _, g := range o.Groups {
		var files []Content
		for _, f := range o.Files {
			if slices.Contains(g, f.Path) {
				files = append(files, f)
			}
		}
		if e := Replace(root, files); e != nil {
			err = errors.Join(err, e)
			continue
		}
		written = append(written, g...)
	}
	return written, err
}
