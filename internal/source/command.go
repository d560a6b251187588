package source

import (
	"bytes"
	"slices"
	"strings"
)

// Command is one simple command of a script: its words, and what is in its environment.
type Command struct {
	Args
	// Stmt covers the command with its assignments, without redirections.
	Stmt Span
	// Assigns are the assignments before the words; without words they are the shell's own (X=1, export X=1).
	Assigns   []Assignment
	Redirects []Redirect
	// Conditional is true for a command that may not run, or not once: in a branch, a loop, a function, behind ||.
	Conditional bool
	// Background is true for a command that ends with &.
	Background bool
	// OpenEnv is true when the environment may hold more than the script shows: it read another file before, or
	// exported names that are computed.
	OpenEnv bool

	exports *exportList
	block   int32
	parents []int32
}

// exportList is the exported assignments made so far, the last first. Commands share its tails.
type exportList struct {
	Assignment
	prev *exportList
}

// Assignment is an assignment of a script, or NAME=value before a command.
type Assignment struct {
	File *File
	Name string
	// ValueSpan covers the value as written with its quotes; Span the name too.
	NameSpan, ValueSpan, Span Span
	// Value is the value in full; for an array its first item. When Unknown, references without a value stand
	// in it as written.
	Value   string
	Unknown bool
	Pieces  Pieces
	// From is where the value stands word for word, as in [Word].
	From     Span
	Exported bool
	// Unset is true for unset NAME, and for a bare export of a name that nothing gave a value.
	Unset bool
	// Conditional is true when the assignment may not have been made, seen from the command that lists it.
	Conditional bool

	block int32
}

// Redirect is a redirection of a command.
type Redirect struct {
	Op     string // "<", ">", ">>", "<<", "<<<", "2>&1" is ">&"
	Span   Span
	Target Word
	// Heredoc is set for << and <<-.
	Heredoc *Heredoc

	raw rawWord
}

// Heredoc is a here-document. File holds its text as a file of its own, with references as written.
type Heredoc struct {
	File   *File
	Pieces Pieces
	// Quoted is true for <<'EOF', whose text is taken as it stands.
	Quoted bool
	Span   Span
}

// maxExports bounds how many exports are looked through for one command.
const maxExports = 10_000

// Environment returns the variables the script exports to the command, each once, the last assignment of it,
// in the order of those. Variables that only the script itself sees are not among them.
func (c *Command) Environment() []Assignment {
	var out []Assignment
	seen := map[string]bool{}
	add := func(a Assignment) {
		if seen[a.Name] || !a.Exported && !a.Unset {
			return
		}
		a.Conditional = !within(c.parents, a.block, c.block)
		// A conditional assignment does not hide the one before it.
		if !a.Conditional {
			seen[a.Name] = true
		}
		if !a.Unset {
			out = append(out, a)
		}
	}
	if len(c.Words) > 0 {
		for _, a := range slices.Backward(c.Assigns) {
			add(a)
		}
	}
	for x, n := c.exports, 0; x != nil && n < maxExports; x, n = x.prev, n+1 {
		add(x.Assignment)
	}
	slices.Reverse(out)
	return out
}

// within reports whether what was done in block a has been done where block b runs.
func within(parents []int32, a, b int32) bool {
	for range len(parents) + 1 {
		if a == b {
			return true
		}
		if b == 0 {
			return false
		}
		b = parents[b]
	}
	return false
}

// shellVar is a variable while a script is followed.
type shellVar struct {
	state Binding
	array bool
	// items are the values of an array, or one. References in them are values that are not known.
	items []Pieces
	// open is true when more may have been appended.
	open bool
	// unset is true after unset, which also hides what was set outside.
	unset bool
}

func (v shellVar) first() Pieces {
	if len(v.items) == 0 {
		return nil
	}
	return v.items[0]
}

// frame is a block that is being followed.
type frame struct {
	id      int32
	end     int
	restore bool // a subshell
	loop    bool
	opaque  bool // too deep to follow
	exports *exportList
	before  map[string]savedVar
}

type savedVar struct {
	v        shellVar
	appended bool
}

// follower runs through a script and keeps what is known of its variables.
type follower struct {
	s        *Script
	lookup   Lookup
	vars     map[string]shellVar
	frames   []frame
	parents  []int32
	exports  *exportList
	exported map[string]bool
	allexp   bool
	// sourced is true once something set variables that cannot be seen.
	sourced  bool
	function bool
	budget   int
	out      []Command
	order    []int
}

// maxLoops is the depth of loops in which variables are still told apart.
const maxLoops = 8

// Commands returns the simple commands of the script in the order they are written. Variables that the script
// sets are replaced, others are looked up; words are split as a shell does.
func (s *Script) Commands(lookup Lookup) []Command {
	f := &follower{
		s: s, lookup: lookup, vars: map[string]shellVar{}, exported: map[string]bool{}, parents: []int32{0},
		frames: []frame{{}}, budget: 8*len(s.File.Bytes) + maxExpansion,
	}
	// Functions run when they are called, so after what the script sets at its top level.
	later := f.run(0, len(s.events))
	for len(later) > 0 {
		i := later[0]
		later = later[1:]
		f.function = true
		f.enter(s.events[i].end, false)
		later = append(later, f.run(i+1, s.events[i].end)...)
		f.leave()
	}
	idx := make([]int, len(f.out))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(a, b int) int { return f.order[a] - f.order[b] })
	out := make([]Command, len(f.out))
	for i, k := range idx {
		out[i] = f.out[k]
		out[i].parents = f.parents
	}
	return out
}

// run follows the events from i to end and returns the functions it passed.
func (f *follower) run(i, end int) (functions []int) {
	depth := len(f.frames)
	for i < end {
		e := f.s.events[i]
		switch e.kind {
		case openFunction:
			functions = append(functions, i)
			i = e.end
		case openBranch, openLoop, openSubshell:
			f.enter(e.end, e.kind == openSubshell)
			if e.kind == openLoop {
				f.loop(i, e.end)
			}
		case closeBlock:
			if len(f.frames) > depth {
				f.leave()
			}
		case runCommand:
			f.command(i, e.cmd)
		}
		i++
	}
	return functions
}

func (f *follower) enter(end int, restore bool) {
	id := int32(len(f.parents))
	f.parents = append(f.parents, f.frames[len(f.frames)-1].id)
	f.frames = append(f.frames, frame{id: id, end: end, restore: restore, exports: f.exports,
		opaque: f.frames[len(f.frames)-1].opaque})
}

func (f *follower) leave() {
	n := len(f.frames) - 1
	top := f.frames[n]
	f.frames = f.frames[:n]
	for name, old := range top.before {
		now := f.vars[name]
		switch {
		case top.restore:
			f.vars[name] = old.v
			continue
		case old.appended && old.v.state == Bound:
			merged := old.v
			merged.open = true
			f.vars[name] = merged
		case old.v.state == Bound && now.state == Bound && equalVars(old.v, now):
			f.vars[name] = old.v
		default:
			f.vars[name] = shellVar{state: Hidden}
		}
		f.save(name, old.v, old.appended)
	}
	if top.restore {
		f.exports = top.exports
	}
}

func equalVars(a, b shellVar) bool {
	if a.array != b.array || a.open != b.open || len(a.items) != len(b.items) {
		return false
	}
	for i := range a.items {
		if !a.items[i].Literal() || !b.items[i].Literal() || a.items[i].String() != b.items[i].String() {
			return false
		}
	}
	return true
}

// save notes in the innermost block what a variable was before the block.
func (f *follower) save(name string, old shellVar, appended bool) {
	top := &f.frames[len(f.frames)-1]
	if len(f.frames) == 1 {
		return
	}
	if s, ok := top.before[name]; ok {
		s.appended = s.appended && appended
		top.before[name] = s
		return
	}
	if top.before == nil {
		top.before = map[string]savedVar{}
	}
	top.before[name] = savedVar{old, appended}
}

func (f *follower) set(name string, v shellVar, appended bool) {
	f.save(name, f.vars[name], appended)
	f.vars[name] = v
}

// loop hides what a loop assigns, since it may be the value of an earlier turn.
func (f *follower) loop(start, end int) {
	loops := 0
	for _, x := range f.frames {
		if x.loop {
			loops++
		}
	}
	top := &f.frames[len(f.frames)-1]
	top.loop = true
	if loops >= maxLoops {
		top.opaque = true
		return
	}
	for _, e := range f.s.events[start:end] {
		if e.cmd == nil {
			continue
		}
		for _, a := range e.cmd.assigns {
			if len(e.cmd.words) == 0 || e.cmd.declare != "" {
				f.set(a.name, shellVar{state: Hidden}, a.add)
			}
		}
	}
}

// get returns what is known of a variable.
func (f *follower) get(name string, at Span) shellVar {
	if f.frames[len(f.frames)-1].opaque {
		return shellVar{state: Hidden}
	}
	if f.function && (name == "@" || name == "*" || '0' <= name[0] && name[0] <= '9') {
		return shellVar{state: Hidden}
	}
	if v := f.vars[name]; (v.state != Unbound || v.unset) && !f.sourced {
		return v
	}
	if f.lookup != nil && name != "@" && name != "*" {
		switch text, b := f.lookup(name); b {
		case Bound:
			return shellVar{state: Bound, items: []Pieces{{{Span: at, Text: text}}}}
		case Hidden:
			return shellVar{state: Hidden}
		}
	}
	if f.sourced {
		return shellVar{state: Hidden}
	}
	return shellVar{state: Unbound}
}

// fields collects the words that one word of a script becomes.
type fields struct {
	split   bool
	done    []Pieces
	cur     Pieces
	started bool
}

func (w *fields) add(x Piece) {
	w.cur = append(w.cur, x)
	w.started = true
}

func (w *fields) flush() {
	if w.started {
		w.done = append(w.done, w.cur)
	}
	w.cur, w.started = nil, false
}

const shellBlanks = " \t\n"

func (f *follower) fill(w *fields, p Pieces) {
	for _, x := range p {
		if x.Ref == nil {
			w.add(x)
			continue
		}
		f.reference(w, x)
	}
}

// alternative adds what stands behind an operator, whose blanks outside quotes separate words too.
func (f *follower) alternative(w *fields, p Pieces) {
	for _, x := range p {
		switch {
		case x.Ref != nil:
			f.reference(w, x)
		case x.Quoted || !w.split:
			w.add(x)
		default:
			f.splitInto(w, x)
		}
	}
}

func (f *follower) reference(w *fields, x Piece) {
	r := x.Ref
	if r.Name == "" || r.Op == OpOther {
		w.add(x)
		return
	}
	v := f.get(r.Name, x.Span)
	if r.All {
		if v.state == Unbound && r.Op == OpNone && r.Name == "@" && f.s.positional != nil {
			v = shellVar{state: Bound, items: f.s.positional}
		}
		if v.state != Bound || r.Op != OpNone {
			w.add(x)
			return
		}
		for i, item := range v.items {
			if i > 0 {
				w.flush()
			}
			f.emit(w, item, x)
		}
		if v.open {
			w.flush()
			w.add(x)
		}
		return
	}
	if v.state == Hidden {
		w.add(x)
		return
	}
	value := v.first()
	set := v.state == Bound
	text := value.String()
	// A value of unknown parts alone may be empty.
	doubt := set && text != "" && !slices.ContainsFunc(value, func(x Piece) bool { return x.Ref == nil && x.Text != "" })
	empty := !set || text == ""
	switch r.Op {
	case OpDefaultEmpty, OpDefault, OpAssignEmpty, OpAssign:
		colon := r.Op == OpDefaultEmpty || r.Op == OpAssignEmpty
		switch {
		case colon && doubt:
			w.add(x)
			return
		case !set || colon && empty:
			if r.Op == OpDefault || r.Op == OpDefaultEmpty {
				f.alternative(w, r.Alt)
				return
			}
			alt := f.whole(r.Alt)
			f.set(r.Name, shellVar{state: Bound, items: []Pieces{alt}}, false)
			f.emit(w, alt, x)
			return
		}
	case OpPresentEmpty, OpPresent:
		switch {
		case r.Op == OpPresentEmpty && doubt:
			w.add(x)
		case set && (r.Op == OpPresent || !empty):
			f.alternative(w, r.Alt)
		}
		return
	case OpRequiredEmpty:
		if doubt || empty {
			w.add(x)
			return
		}
	default:
		if !set {
			w.add(x)
			return
		}
	}
	f.emit(w, value, x)
	if v.open {
		if w.split && !x.Quoted {
			w.flush()
		}
		w.add(x)
	}
}

// pieceCost is what a copied piece takes from the budget besides its text.
const pieceCost = 16

// emit adds a value that stands for the reference x.
func (f *follower) emit(w *fields, value Pieces, x Piece) {
	n := 0
	for _, p := range value {
		n += len(p.Text) + pieceCost
	}
	if n > f.budget {
		w.add(x)
		return
	}
	f.budget -= n
	if x.Quoted || !w.split {
		if x.Quoted {
			w.started = true
		}
		for _, p := range value {
			p.Quoted = true
			w.add(p)
		}
		return
	}
	for _, p := range value {
		if p.Ref != nil {
			w.add(p)
		} else {
			f.splitInto(w, p)
		}
	}
}

// splitInto adds a literal, split at blanks.
func (f *follower) splitInto(w *fields, p Piece) {
	exact := p.exact(f.s.File.Bytes)
	for i := 0; i < len(p.Text); {
		if strings.IndexByte(shellBlanks, p.Text[i]) >= 0 {
			w.flush()
			i++
			continue
		}
		end := len(p.Text)
		if k := strings.IndexAny(p.Text[i:], shellBlanks); k >= 0 {
			end = i + k
		}
		q := p
		q.Text = p.Text[i:end]
		if exact {
			q.Span = Span{p.Span.Start + i, p.Span.Start + end}
		}
		w.add(q)
		i = end
	}
}

// whole returns a text with its references replaced, as one value.
func (f *follower) whole(p Pieces) Pieces {
	w := fields{}
	f.fill(&w, p)
	w.flush()
	var out Pieces
	for _, d := range w.done {
		if len(out) > 0 {
			out = append(out, Piece{Span: Span{d[0].Span.Start, d[0].Span.Start}, Text: " "})
		}
		for _, x := range d {
			if x.Ref != nil || x.Text != "" {
				out = append(out, x)
			}
		}
	}
	return out
}

// words returns the words that w becomes.
func (f *follower) words(w rawWord) []Word {
	fs := fields{split: true}
	f.fill(&fs, w.pieces)
	fs.flush()
	out := make([]Word, 0, len(fs.done))
	for _, p := range fs.done {
		out = append(out, f.newWord(w, p))
	}
	return out
}

func (f *follower) newWord(w rawWord, p Pieces) Word {
	x := Word{Text: p.String(), Span: w.span, Unknown: !p.Literal(), Pieces: w.pieces, parts: p}
	if isTemplate(x.Text) {
		x.Unknown = true
	}
	if !x.Unknown && !w.pieces.Literal() {
		x.From = f.written(p)
	}
	return x
}

// written returns the bytes in which p stands word for word, or the zero span.
func (f *follower) written(p Pieces) Span {
	b := f.s.File.Bytes
	var s Span
	for _, x := range p {
		if x.Text == "" {
			continue
		}
		if string(b[x.Span.Start:x.Span.End]) != x.Text || s.End > 0 && s.End != x.Span.Start {
			return Span{}
		}
		if s.End == 0 {
			s.Start = x.Span.Start
		}
		s.End = x.Span.End
	}
	return s
}

// isTemplate reports whether text holds an expression of a template language, which something replaces before any
// program reads the text.
func isTemplate(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%")
}

// maxTemplate bounds the length of one template expression, in bytes.
const maxTemplate = 500

// templateSpans returns the template expressions of a text that begin and end on one line.
func templateSpans(b []byte) []Span {
	var out []Span
	for i := 0; ; {
		d := bytes.IndexByte(b[i:], '{')
		if d < 0 || i+d+1 >= len(b) {
			return out
		}
		i += d
		end := "}}"
		switch b[i+1] {
		case '{':
		case '%':
			end = "%}"
		default:
			i++
			continue
		}
		text := b[i:min(len(b), i+maxTemplate)]
		n := bytes.Index(text, []byte(end))
		if k := bytes.IndexByte(text, '\n'); n < 0 || k >= 0 && k < n {
			i += 2
			continue
		}
		n += 2
		// The brace of a map in the expression may come right before.
		for n < len(text) && end == "}}" && text[n] == '}' {
			n++
		}
		out = append(out, Span{i, i + n})
		i += n
	}
}

// assign works out one assignment; persist is false for the ones before a command.
func (f *follower) assign(a rawAssign, c *rawCommand, persist bool) Assignment {
	out := Assignment{File: f.s.File, Name: a.name, NameSpan: a.nameSpan, ValueSpan: a.value.span, Span: a.span, Pieces: a.value.pieces,
		Exported: !persist || c.exported || f.allexp || f.exported[a.name], block: f.frames[len(f.frames)-1].id}
	old := f.get(a.name, a.nameSpan)
	var v shellVar
	appended := a.add
	switch {
	case a.opaque:
		v = shellVar{state: Hidden}
	case a.naked:
		v = old
		if c.declare == "local" {
			v = shellVar{}
		}
		if v.state == Unbound && c.declare == "export" {
			out.Unset = true
		}
	case a.array:
		v = shellVar{state: Bound, array: true}
		if a.add && old.state == Bound {
			v.items, v.open = append(v.items, old.items...), old.open
		} else if a.add {
			v.state = Hidden
		}
		for _, w := range a.items {
			fs := fields{split: true}
			f.fill(&fs, w.pieces)
			fs.flush()
			v.items = append(v.items, fs.done...)
		}
		f.budget -= pieceCost * len(v.items)
		if f.budget < 0 {
			v = shellVar{state: Hidden}
		}
	default:
		value := f.whole(a.value.pieces)
		if len(a.value.pieces) > 0 {
			if r := a.value.pieces[0].Ref; r != nil && r.Name == a.name && r.Op == OpNone {
				appended = true
			}
		}
		v = shellVar{state: Bound, items: []Pieces{value}}
		if a.add {
			switch old.state {
			case Hidden:
				v = shellVar{state: Hidden}
			case Bound:
				v.items = []Pieces{append(slices.Clone(old.first()), value...)}
				v.open = old.open
				f.budget -= pieceCost * len(v.items[0])
				if f.budget < 0 {
					v = shellVar{state: Hidden}
				}
			}
		}
	}
	value := v.first()
	out.Value, out.Unknown = value.String(), v.state == Hidden || v.open || !value.Literal() || isTemplate(value.String())
	if v.state == Hidden {
		out.Value = a.value.pieces.String()
	}
	if !out.Unknown && (a.naked || !out.Pieces.Literal()) {
		out.From = f.written(value)
	}
	if persist {
		f.set(a.name, v, appended)
		if out.Exported {
			f.exported[a.name] = true
			f.exports = &exportList{out, f.exports}
		}
	}
	return out
}

// command works out one command.
func (f *follower) command(at int, r *rawCommand) {
	top := f.frames[len(f.frames)-1]
	c := Command{Stmt: r.span, Background: r.background, Conditional: f.conditional(), OpenEnv: f.sourced, block: top.id}
	c.Args = Args{File: f.s.File, Form: ShellText}
	if _, n := f.s.File.Host(); n != nil {
		c.Args.Node = n
	}
	c.exports = f.exports
	persist := len(r.words) == 0 || r.declare != ""
	for _, a := range r.assigns {
		c.Assigns = append(c.Assigns, f.assign(a, r, persist))
	}
	for i, w := range r.words {
		ws := f.words(w)
		if i == 0 {
			c.Args.Span = w.span
		}
		c.Args.Span.End = w.span.End
		if c.Node != nil {
			for k := range ws {
				ws[k].Node = c.Node
			}
		}
		c.Words = append(c.Words, ws...)
	}
	if len(r.words) == 0 {
		c.Args.Span = Span{r.span.End, r.span.End}
	}
	for _, x := range r.redirects {
		if x.Heredoc == nil {
			if ws := f.words(x.raw); len(ws) > 0 {
				x.Target = ws[0]
			}
		}
		c.Redirects = append(c.Redirects, x)
	}
	f.builtin(&c)
	if len(c.Words) == 0 && len(c.Assigns) == 0 && len(c.Redirects) == 0 {
		return
	}
	f.out = append(f.out, c)
	f.order = append(f.order, at)
}

func (f *follower) conditional() bool {
	return f.function || slices.ContainsFunc(f.frames[1:], func(x frame) bool { return !x.restore })
}

// builtin follows the commands that change variables.
func (f *follower) builtin(c *Command) {
	if len(c.Words) == 0 {
		return
	}
	hide := func(words []Word) {
		for _, w := range words {
			if nameLen(w.Text) == len(w.Text) && w.Text != "" {
				f.set(w.Text, shellVar{state: Hidden}, false)
			}
		}
	}
	args := c.Words[1:]
	switch name := c.Words[0].Text; name {
	case "source", ".", "eval":
		f.sourced = true
	case "export", "declare", "typeset", "local", "readonly":
		// With words, so with names that are computed: export $(cat .env | xargs).
		f.sourced = true
	case "read", "mapfile", "readarray", "getopts", "printf", "let":
		hide(args)
	case "unset":
		for _, w := range args {
			if nameLen(w.Text) == len(w.Text) && w.Text != "" {
				f.set(w.Text, shellVar{unset: true}, false)
				f.exports = &exportList{Assignment{Name: w.Text, NameSpan: w.Span, Span: w.Span, Unset: true,
					block: f.frames[len(f.frames)-1].id}, f.exports}
			}
		}
	case "shift":
		f.set("@", shellVar{state: Hidden}, false)
		f.set("*", shellVar{state: Hidden}, false)
	case "set":
		f.setOptions(args)
	default:
		if f.s.functions[name] {
			if len(f.s.inFunctions) > maxFunctionNames {
				f.sourced = true
			}
			for _, n := range f.s.inFunctions {
				f.set(n, shellVar{state: Hidden}, false)
			}
		}
	}
}

// setOptions follows set -a, and set -- words.
func (f *follower) setOptions(args []Word) {
	for i, w := range args {
		switch {
		case w.Text == "--":
			v := shellVar{state: Bound, array: true}
			for _, a := range args[i+1:] {
				p := Pieces{{Span: a.Span, Text: a.Text, Quoted: true}}
				switch {
				case a.Unknown:
					p[0].Ref = &Reference{}
				case !a.From.IsZero():
					p[0].Span = a.From
				}
				v.items = append(v.items, p)
			}
			f.budget -= pieceCost * len(v.items)
			if f.budget < 0 {
				v = shellVar{state: Hidden}
			}
			f.set("@", v, false)
			f.set("*", v, false)
			return
		case w.Text == "-o" || w.Text == "+o":
			if i+1 < len(args) && args[i+1].Text == "allexport" {
				f.allexp = w.Text == "-o"
			}
		case len(w.Text) > 1 && (w.Text[0] == '-' || w.Text[0] == '+') && strings.Contains(w.Text[1:], "a"):
			f.allexp = w.Text[0] == '-'
		}
	}
}
