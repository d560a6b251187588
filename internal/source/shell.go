package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Script is a shell script, or one command line, as written. [Script.Commands] gives its commands.
type Script struct {
	File *File

	events []shellEvent
	// functions are the names of the functions it defines, inFunctions the variables they assign.
	functions   map[string]bool
	inFunctions []string
	// positional are the script's arguments, nil when they are not known.
	positional []Pieces
}

// shellEvent is one step of a script in the order it is written.
type shellEvent struct {
	kind eventKind
	cmd  *rawCommand
	// end is the index of the event that closes what this one opens.
	end int
}

type eventKind uint8

const (
	runCommand   eventKind = iota
	openBranch             // what may or may not run
	openLoop               // what may run any number of times
	openSubshell           // what leaves no trace in the variables
	openFunction           // what runs when it is called
	closeBlock
)

type rawWord struct {
	span   Span
	pieces Pieces
}

type rawAssign struct {
	name           string
	nameSpan, span Span
	value          rawWord
	items          []rawWord
	array          bool
	add            bool // +=
	naked          bool // a name without a value
	opaque         bool // an item of an array, or a name that is computed
}

type rawCommand struct {
	span    Span
	words   []rawWord
	assigns []rawAssign
	// declare is export, local, readonly and so on for assignments made by one of them.
	declare    string
	exported   bool
	redirects  []Redirect
	background bool
}

// Limits of the scripts that are parsed as such; beyond them only words are split.
const (
	maxScript       = 1 << 20 // bytes
	maxScriptLines  = 100_000
	maxScriptFrames = 4000 // Go stack frames of the recursive parser
)

var errScriptDepth = errors.New("nested too deep")

// scriptReader feeds the parser and ends the input when its recursion gets too deep.
type scriptReader struct{ b []byte }

func (r *scriptReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	var pc [1]uintptr
	if runtime.Callers(maxScriptFrames, pc[:]) > 0 {
		return 0, errScriptDepth
	}
	n := copy(p, r.b[:min(len(r.b), 512)])
	r.b = r.b[n:]
	return n, nil
}

// ParseShell reads a shell script. The script is usable with an error too: what the parser refuses is split
// into words by quotes, blanks and separators alone. The error is a [*SyntaxError].
func ParseShell(f *File) (*Script, error) {
	return parseShell(f, nil)
}

// parseShell is ParseShell for a text in which the bytes of holes are values that are not known.
func parseShell(f *File, holes []Span) (*Script, error) {
	s := &Script{File: f}
	c := shellReader{script: s, b: f.Bytes, masked: f.Bytes, holes: holes}
	if bytes.HasPrefix(c.b, bom) {
		c.base = len(bom)
	}
	rest, err := c.parse()
	if err != nil {
		c.events = append(c.events, c.loose(rest)...)
	}
	s.events = c.close()
	if err != nil {
		return s, err
	}
	return s, nil
}

// shellReader turns the parser's tree into events.
type shellReader struct {
	script *Script
	b      []byte
	base   int // offset of the text the parser saw
	holes  []Span
	events []shellEvent
	// masked is b with placeholders and template expressions turned into words of the same length.
	masked []byte
	// placeholders are the <words> outside quotes and inside them; only the former count.
	placeholders []Span
	names        map[string]bool
	inFunc       int
}

// parse returns where the text begins that could not be parsed.
func (c *shellReader) parse() (rest int, err *SyntaxError) {
	rest = c.base
	if len(c.b) > maxScript || bytes.Count(c.b, []byte("\n")) > maxScriptLines {
		return rest, &SyntaxError{File: c.script.File, Msg: "script too long to follow"}
	}
	// The parser is not ours: a fault in it must not take a run down.
	defer func() {
		if r := recover(); r != nil {
			err = &SyntaxError{File: c.script.File, Offset: rest, Msg: fmt.Sprintf("script not understood: %v", r)}
		}
	}()
	c.masked, c.placeholders = maskPlaceholders(c.b)
	c.maskTemplates()
	p := syntax.NewParser(syntax.Variant(syntax.LangBash))
	for stmt, perr := range p.StmtsSeq(&scriptReader{b: c.masked[c.base:]}) {
		if perr != nil {
			return rest, c.syntaxError(perr, rest)
		}
		c.stmt(stmt)
		rest = max(rest, c.off(stmt.End()))
		for _, r := range c.lastHeredocs(stmt) {
			rest = max(rest, r)
		}
	}
	return len(c.b), nil
}

// maxPlaceholder bounds what stands between < and > of a placeholder, in bytes.
const maxPlaceholder = 60

// maskPlaceholders returns a copy of b, or b itself, in which <your-model> is a word of the same length instead
// of two redirections, and where those stand.
func maskPlaceholders(b []byte) ([]byte, []Span) {
	var holes []Span
	out := b
	for i := 1; i < len(b); i++ {
		if b[i] != '<' || strings.IndexByte(" \t=/:@,\"'", b[i-1]) < 0 || i+1 >= len(b) || !isNameStart(b[i+1]) {
			continue
		}
		k := i + 1
		for k < len(b) && k-i < maxPlaceholder && (isNameStart(b[k]) || '0' <= b[k] && b[k] <= '9' || strings.IndexByte(" .-", b[k]) >= 0) {
			k++
		}
		if k >= len(b) || b[k] != '>' || b[k-1] == ' ' || k+1 < len(b) && strings.IndexByte(" \t\r\n/:.,@\"'\\;", b[k+1]) < 0 {
			continue
		}
		if holes == nil {
			out = slices.Clone(b)
		}
		for j := i; j <= k; j++ {
			out[j] = '_'
		}
		holes = append(holes, Span{i, k + 1})
		i = k
	}
	return out, holes
}

// maskTemplates makes each template expression a run of word characters whose value is not known.
func (c *shellReader) maskTemplates() {
	spans := templateSpans(c.b)
	if len(spans) == 0 {
		return
	}
	c.masked = slices.Clone(c.masked)
	for _, s := range spans {
		for i := s.Start; i < s.End; i++ {
			c.masked[i] = '_'
		}
	}
	c.holes = append(slices.Clone(c.holes), spans...)
	slices.SortFunc(c.holes, func(a, b Span) int { return a.Start - b.Start })
}

// lastHeredocs returns the ends of the here-documents of a statement, which lie behind its own end.
func (c *shellReader) lastHeredocs(s *syntax.Stmt) []int {
	var out []int
	for _, r := range s.Redirs {
		if r.Hdoc != nil {
			end := c.off(r.Hdoc.End())
			// The line with the delimiter.
			if n := bytes.IndexByte(c.b[min(end, len(c.b)):], '\n'); n >= 0 {
				end += n + 1
			}
			out = append(out, end)
		}
	}
	return out
}

func (c *shellReader) syntaxError(err error, rest int) *SyntaxError {
	out := &SyntaxError{File: c.script.File, Offset: rest, Msg: err.Error()}
	var pe syntax.ParseError
	var le syntax.LangError
	switch {
	case errors.As(err, &pe):
		out.Offset, out.Msg = c.off(pe.Pos), pe.Text
	case errors.As(err, &le):
		out.Offset, out.Msg = c.off(le.Pos), strings.TrimPrefix(le.Error(), le.Filename+le.Pos.String()+": ")
	}
	return out
}

func (c *shellReader) off(p syntax.Pos) int {
	return min(int(p.Offset())+c.base, len(c.b))
}

func (c *shellReader) span(n syntax.Node) Span {
	s := Span{c.off(n.Pos()), c.off(n.End())}
	// The parser counts the CR of a line's end to the word before it.
	if s.End > s.Start && s.End < len(c.b) && c.b[s.End-1] == '\r' && c.b[s.End] == '\n' {
		s.End--
	}
	s.End = max(s.Start, s.End)
	return s
}

func (c *shellReader) open(k eventKind) int {
	c.events = append(c.events, shellEvent{kind: k, end: -1})
	return len(c.events) - 1
}

func (c *shellReader) shut(i int) {
	c.events[i].end = len(c.events)
	c.events = append(c.events, shellEvent{kind: closeBlock})
}

// close returns the events and fills in what the script as a whole knows.
func (c *shellReader) close() []shellEvent {
	for name := range c.names {
		c.script.inFunctions = append(c.script.inFunctions, name)
	}
	slices.Sort(c.script.inFunctions)
	return c.events
}

func (c *shellReader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		c.stmt(s)
	}
}

func (c *shellReader) block(k eventKind, list ...*syntax.Stmt) {
	i := c.open(k)
	c.stmts(list)
	c.shut(i)
}

func (c *shellReader) stmt(s *syntax.Stmt) {
	// Chains lean to the left and may be long.
	if _, ok := s.Cmd.(*syntax.BinaryCmd); ok {
		var chain []*syntax.Stmt
		for x := s; ; {
			b, ok := x.Cmd.(*syntax.BinaryCmd)
			if !ok || len(x.Redirs) > 0 && x != s {
				break
			}
			chain = append(chain, x)
			x = b.X
		}
		c.chain(chain)
		return
	}
	switch cmd := s.Cmd.(type) {
	case nil:
		if len(s.Redirs) > 0 {
			c.simple(s, &rawCommand{})
		}
	case *syntax.CallExpr:
		r := &rawCommand{}
		for _, a := range cmd.Assigns {
			r.assigns = append(r.assigns, c.assign(a))
		}
		for _, w := range cmd.Args {
			r.words = append(r.words, c.word(w))
		}
		c.simple(s, r)
	case *syntax.DeclClause:
		c.declaration(s, cmd)
	case *syntax.IfClause:
		c.redirects(s)
		for i := cmd; i != nil; i = i.Else {
			c.stmts(i.Cond)
			c.block(openBranch, i.Then...)
		}
	case *syntax.WhileClause:
		c.redirects(s)
		c.block(openLoop, append(slices.Clone(cmd.Cond), cmd.Do...)...)
	case *syntax.ForClause:
		c.redirects(s)
		i := c.open(openLoop)
		if it, ok := cmd.Loop.(*syntax.WordIter); ok && it.Name != nil {
			c.events = append(c.events, shellEvent{cmd: &rawCommand{
				span:    c.span(it),
				assigns: []rawAssign{{name: it.Name.Value, nameSpan: c.span(it.Name), span: c.span(it.Name), opaque: true}},
			}})
		}
		c.stmts(cmd.Do)
		c.shut(i)
	case *syntax.CaseClause:
		c.redirects(s)
		for _, item := range cmd.Items {
			c.block(openBranch, item.Stmts...)
		}
	case *syntax.Block:
		c.redirects(s)
		if s.Background {
			c.block(openSubshell, cmd.Stmts...)
		} else {
			c.stmts(cmd.Stmts)
		}
	case *syntax.Subshell:
		c.redirects(s)
		c.block(openSubshell, cmd.Stmts...)
	case *syntax.FuncDecl:
		if cmd.Name != nil {
			if c.script.functions == nil {
				c.script.functions = map[string]bool{}
			}
			c.script.functions[cmd.Name.Value] = true
		}
		c.inFunc++
		c.block(openFunction, cmd.Body)
		c.inFunc--
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			c.stmt(cmd.Stmt)
		}
	case *syntax.CoprocClause:
		if cmd.Stmt != nil {
			c.block(openSubshell, cmd.Stmt)
		}
	case *syntax.ArithmCmd, *syntax.LetClause:
		// It may assign variables in ways that are not followed.
		c.events = append(c.events, shellEvent{cmd: &rawCommand{span: c.span(s.Cmd), assigns: c.arithmetic(s.Cmd)}})
	}
}

// chain reads a && b || c | d, outermost first. What follows a test with && and what follows || may not run;
// what follows any other command with && runs when all is well.
func (c *shellReader) chain(chain []*syntax.Stmt) {
	first := chain[len(chain)-1].Cmd.(*syntax.BinaryCmd).X
	prev := first
	c.link(first, chain[len(chain)-1].Cmd.(*syntax.BinaryCmd).Op, false)
	for i := len(chain) - 1; i >= 0; i-- {
		c.redirects(chain[i])
		b := chain[i].Cmd.(*syntax.BinaryCmd)
		branch := b.Op == syntax.OrStmt || b.Op == syntax.AndStmt && isTest(prev)
		c.link(b.Y, b.Op, branch)
		if b.Op != syntax.AndStmt || !branch {
			prev = b.Y
		}
	}
}

func (c *shellReader) link(s *syntax.Stmt, op syntax.BinCmdOperator, branch bool) {
	switch {
	case op == syntax.Pipe || op == syntax.PipeAll:
		c.block(openSubshell, s)
	case branch:
		c.block(openBranch, s)
	default:
		c.stmt(s)
	}
}

// isTest reports whether a command is run for its exit status.
func isTest(s *syntax.Stmt) bool {
	if s.Negated {
		return true
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.TestClause, *syntax.ArithmCmd:
		return true
	case *syntax.BinaryCmd:
		return isTest(cmd.Y)
	case *syntax.CallExpr:
		if len(cmd.Args) > 0 {
			switch cmd.Args[0].Lit() {
			case "[", "test", "grep", "egrep", "command", "which", "type", "false", "pgrep", "diff", "cmp":
				return true
			}
		}
	}
	return false
}

// simple adds a command with the redirections of its statement.
func (c *shellReader) simple(s *syntax.Stmt, r *rawCommand) {
	r.span = Span{c.off(s.Pos()), c.off(s.End())}
	if s.Semicolon.IsValid() {
		r.span.End = c.off(s.Semicolon)
	}
	if s.Cmd != nil {
		r.span.End = max(r.span.Start, c.off(s.Cmd.End()))
	}
	r.background = s.Background
	for _, x := range s.Redirs {
		r.redirects = append(r.redirects, c.redirect(x))
	}
	c.noteAssigned(r)
	c.events = append(c.events, shellEvent{cmd: r})
}

// redirects adds those of a compound command as a command without words.
func (c *shellReader) redirects(s *syntax.Stmt) {
	if len(s.Redirs) == 0 {
		return
	}
	r := &rawCommand{span: Span{c.off(s.Redirs[0].Pos()), c.off(s.Redirs[0].Pos())}}
	for _, x := range s.Redirs {
		r.redirects = append(r.redirects, c.redirect(x))
	}
	c.events = append(c.events, shellEvent{cmd: r})
}

// maxFunctionNames bounds the variables of functions that are tracked by name.
const maxFunctionNames = 200

func (c *shellReader) noteAssigned(r *rawCommand) {
	if c.inFunc == 0 || len(r.words) > 0 && r.declare == "" || r.declare == "local" {
		return
	}
	for _, a := range r.assigns {
		if c.names == nil {
			c.names = map[string]bool{}
		}
		if len(c.names) <= maxFunctionNames {
			c.names[a.name] = true
		}
	}
}

func (c *shellReader) declaration(s *syntax.Stmt, d *syntax.DeclClause) {
	r := &rawCommand{declare: d.Variant.Value, exported: d.Variant.Value == "export"}
	var others []rawWord
	for _, a := range d.Args {
		if a.Name != nil {
			r.assigns = append(r.assigns, c.assign(a))
			continue
		}
		w := c.word(a.Value)
		text := w.pieces.String()
		if strings.HasPrefix(text, "-") && w.pieces.Literal() {
			if strings.Contains(text, "x") {
				r.exported = true
			}
			if strings.Contains(text, "n") && r.declare == "export" {
				r.exported = false
			}
			continue
		}
		others = append(others, w)
	}
	if len(others) > 0 {
		r.words = append([]rawWord{{span: c.span(d.Variant), pieces: c.literal(c.span(d.Variant), plainText, false)}}, others...)
	}
	c.simple(s, r)
}

// arithmetic returns the variables that let or (( )) mention, as assignments of unknown values.
func (c *shellReader) arithmetic(n syntax.Node) []rawAssign {
	var out []rawAssign
	sp := c.span(n)
	for i := sp.Start; i < sp.End; {
		if k := nameLen(c.b[i:sp.End]); k > 0 {
			s := Span{i, i + k}
			out = append(out, rawAssign{name: string(c.b[s.Start:s.End]), nameSpan: s, span: s, opaque: true})
			i += k
			continue
		}
		i++
	}
	return out
}

func (c *shellReader) assign(a *syntax.Assign) rawAssign {
	r := rawAssign{name: a.Name.Value, nameSpan: c.span(a.Name), add: a.Append, naked: a.Naked, opaque: a.Index != nil}
	r.span = Span{r.nameSpan.Start, max(r.nameSpan.End, c.off(a.End()))}
	r.value.span = Span{r.span.End, r.span.End}
	switch {
	case a.Array != nil:
		r.array = true
		r.value.span = c.span(a.Array)
		for _, e := range a.Array.Elems {
			if e.Index != nil || e.Value == nil {
				r.opaque = true
				continue
			}
			r.items = append(r.items, c.word(e.Value))
		}
	case a.Value != nil:
		r.value = c.word(a.Value)
	}
	return r
}

func (c *shellReader) redirect(r *syntax.Redirect) Redirect {
	out := Redirect{Op: r.Op.String(), Span: Span{c.off(r.Pos()), c.off(r.Pos())}}
	if r.Word != nil {
		w := c.word(r.Word)
		out.raw = w
		out.Span.End = w.span.End
	}
	if r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc {
		return out
	}
	out.Heredoc = &Heredoc{Quoted: r.Word != nil && isQuotedWord(r.Word), Span: Span{out.Span.End, out.Span.End}}
	if r.Hdoc != nil {
		out.Heredoc.Span = c.span(r.Hdoc)
		mode := hereText
		if out.Heredoc.Quoted {
			mode = quotedHereText
		}
		out.Heredoc.Pieces = c.parts(r.Hdoc.Parts, mode, true, nil)
		c.cutDelimiter(out.Heredoc)
		if r.Op == syntax.DashHdoc {
			out.Heredoc.Pieces = stripTabs(out.Heredoc.Pieces)
		}
	}
	out.Heredoc.File = embedPieces(c.script.File, out.Heredoc.Pieces, out.Heredoc.Span.Start)
	return out
}

// cutDelimiter removes the last line of a here-document, which the parser counts to its text.
func (c *shellReader) cutDelimiter(h *Heredoc) {
	text := c.b[h.Span.Start:h.Span.End]
	end := h.Span.Start + bytes.LastIndexByte(text, '\n') + 1
	h.Span.End = end
	for n := len(h.Pieces); n > 0 && h.Pieces[n-1].Span.End > end; n-- {
		last := &h.Pieces[n-1]
		if last.Span.Start < end && last.Ref == nil && last.Span.Len() == len(last.Text) {
			last.Text = last.Text[:end-last.Span.Start]
			last.Span.End = end
			break
		}
		h.Pieces = h.Pieces[:n-1]
	}
}

// stripTabs removes the tabs at the start of each line of a here-document.
func stripTabs(p Pieces) Pieces {
	var out Pieces
	lineStart := true
	for _, x := range p {
		if x.Ref != nil || x.Text == "" {
			lineStart = false
			out = append(out, x)
			continue
		}
		exact := x.Span.Len() == len(x.Text)
		for i := 0; i < len(x.Text); {
			if lineStart && x.Text[i] == '\t' {
				i++
				continue
			}
			end := len(x.Text)
			if n := strings.IndexByte(x.Text[i:], '\n'); n >= 0 {
				end = i + n + 1
			}
			y := x
			y.Text = x.Text[i:end]
			if exact {
				y.Span = Span{x.Span.Start + i, x.Span.Start + end}
			}
			out = append(out, y)
			lineStart = y.Text[len(y.Text)-1] == '\n'
			i = end
		}
	}
	return out
}

func isQuotedWord(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch x := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.Contains(x.Value, `\`) {
				return true
			}
		}
	}
	return false
}

func (c *shellReader) word(w *syntax.Word) rawWord {
	return rawWord{span: c.span(w), pieces: c.parts(w.Parts, plainText, false, nil)}
}

// textMode is how backslashes are read.
type textMode uint8

const (
	plainText      textMode = iota // any character after a backslash stands for itself
	doubleText                     // in double quotes: only $ ` " \
	hereText                       // in a here-document: only $ ` \
	quotedHereText                 // nothing is special
	ansiText                       // in $'...': escapes as in C
)

func (c *shellReader) parts(parts []syntax.WordPart, mode textMode, quoted bool, out Pieces) Pieces {
	for _, part := range parts {
		switch x := part.(type) {
		case *syntax.Lit:
			out = append(out, c.literal(c.span(x), mode, quoted)...)
		case *syntax.SglQuoted:
			s := c.span(x)
			m := quotedHereText
			s.Start++
			if x.Dollar {
				s.Start++
				m = ansiText
			}
			s.End = max(s.Start, s.End-1)
			out = append(out, c.literal(s, m, true)...)
			if s.Len() == 0 {
				out = append(out, Piece{Span: s, Quoted: true})
			}
		case *syntax.DblQuoted:
			n := len(out)
			out = c.parts(x.Parts, doubleText, true, out)
			if len(out) == n {
				s := c.span(x)
				out = append(out, Piece{Span: Span{s.End - 1, s.End - 1}, Quoted: true})
			}
		case *syntax.ParamExp:
			out = append(out, c.reference(x, mode, quoted))
		case *syntax.ExtGlob:
			out = append(out, c.literal(c.span(x), quotedHereText, quoted)...)
		default:
			s := c.span(x)
			out = append(out, Piece{Span: s, Text: string(c.b[s.Start:s.End]), Ref: &Reference{}, Quoted: quoted})
		}
	}
	return out
}

func (c *shellReader) reference(x *syntax.ParamExp, mode textMode, quoted bool) Piece {
	s := c.span(x)
	ref := &Reference{}
	p := Piece{Span: s, Text: string(c.b[s.Start:s.End]), Ref: ref, Quoted: quoted}
	if x.Param == nil || overlaps(c.holes, s) {
		return p
	}
	switch name := x.Param.Value; name {
	case "#", "?", "$", "!", "-", "0":
		return p
	case "@", "*":
		ref.Name, ref.All = name, true
	default:
		ref.Name = name
	}
	if x.Index != nil {
		if w, ok := x.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
			ref.All = true
		} else {
			ref.Op = OpOther
		}
	}
	if x.Excl || x.Length || x.Width || x.IsSet || x.Flags != nil || x.Slice != nil || x.Repl != nil || x.Names != 0 ||
		len(x.Modifiers) > 0 || x.NestedParam != nil {
		ref.Op = OpOther
	}
	if x.Exp == nil {
		return p
	}
	switch x.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if ref.Op != OpOther {
			ref.Op = Operator(x.Exp.Op.String())
		}
	default:
		ref.Op = OpOther
	}
	if x.Exp.Word != nil {
		ref.Alt = c.parts(x.Exp.Word.Parts, mode, quoted, nil)
	}
	// ${A[@]+"${A[@]}"} is how scripts write "${A[@]}" under set -u.
	if ref.All && (ref.Op == OpPresent || ref.Op == OpPresentEmpty) && len(ref.Alt) == 1 {
		if a := ref.Alt[0].Ref; a != nil && a.All && a.Name == ref.Name && a.Op == OpNone {
			ref.Op, ref.Alt = OpNone, nil
			p.Quoted = true
		}
	}
	return p
}

// overlaps reports whether one of the sorted spans has a byte in common with s.
func overlaps(spans []Span, s Span) bool {
	i, _ := slices.BinarySearchFunc(spans, s.Start, func(h Span, at int) int {
		if h.End <= at {
			return -1
		}
		return 1
	})
	return i < len(spans) && spans[i].Start < s.End
}

// literal decodes the text of s. Bytes that stand for themselves make one piece, so that its span is exact;
// each escape is a piece of its own.
func (c *shellReader) literal(s Span, mode textMode, quoted bool) Pieces {
	var out Pieces
	if overlaps(c.holes, s) || mode == plainText && overlaps(c.placeholders, s) {
		return append(out, Piece{Span: s, Text: string(c.b[s.Start:s.End]), Ref: &Reference{}, Quoted: quoted})
	}
	start := s.Start
	flush := func(end int) {
		if end > start {
			out = append(out, Piece{Span: Span{start, end}, Text: string(c.b[start:end]), Quoted: quoted})
		}
	}
	put := func(from, to int, text string) {
		flush(from)
		start = to
		if text != "" {
			out = append(out, Piece{Span: Span{from, to}, Text: text, Quoted: true})
		}
	}
	for i := s.Start; i < s.End; {
		switch b := c.b[i]; {
		case b == 0:
			put(i, i+1, "")
			i++
		case b == '\r' && i+1 < s.End && c.b[i+1] == '\n':
			put(i, i+1, "")
			i++
		case b != '\\' || mode == quotedHereText:
			i++
		case i+1 >= s.End:
			// The parser may end a literal between a backslash and the line break it removes.
			if next := c.b[min(i+1, len(c.b)):]; bytes.HasPrefix(next, []byte("\n")) || bytes.HasPrefix(next, []byte("\r\n")) {
				put(i, i+1, "")
			}
			i++
		case mode == ansiText:
			n, text := ansiEscape(c.b[i:s.End])
			put(i, i+n, text)
			i += n
		case c.b[i+1] == '\n':
			put(i, i+2, "")
			i += 2
		case c.b[i+1] == '\r' && i+2 < s.End && c.b[i+2] == '\n':
			put(i, i+3, "")
			i += 3
		case mode == plainText,
			mode == doubleText && strings.IndexByte("$`\"\\", c.b[i+1]) >= 0,
			mode == hereText && strings.IndexByte("$`\\", c.b[i+1]) >= 0:
			_, n := utf8.DecodeRune(c.b[i+1 : s.End])
			put(i, i+1+n, string(c.b[i+1:i+1+n]))
			i += 1 + n
		default:
			i += 2
		}
	}
	flush(s.End)
	return out
}

// ansiEscape decodes the escape at the start of b as bash does inside $'...'.
func ansiEscape(b []byte) (n int, text string) {
	digits := func(from, limit, base int) (int, int) {
		v, i := 0, from
		for ; i < len(b) && i < from+limit; i++ {
			d := strings.IndexByte("0123456789abcdef", b[i]|0x20)
			if b[i] <= '9' {
				d = int(b[i]) - '0'
			}
			if d < 0 || d >= base {
				break
			}
			v = v*base + d
		}
		return i, v
	}
	const from, to = `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	e := b[1]
	if k := strings.IndexByte(from, e); k >= 0 {
		return 2, to[k : k+1]
	}
	switch {
	case '0' <= e && e <= '7':
		n, v := digits(1, 3, 8)
		return n, string([]byte{byte(v)})
	case e == 'x':
		if n, v := digits(2, 2, 16); n > 2 {
			return n, string([]byte{byte(v)})
		}
	case e == 'u' || e == 'U':
		limit := 4
		if e == 'U' {
			limit = 8
		}
		if n, v := digits(2, limit, 16); n > 2 {
			return n, string(rune(v))
		}
	case e == 'c' && len(b) > 2:
		return 3, string([]byte{b[2] & 0x1f})
	}
	return 2, string(b[:2])
}

// embedPieces returns a file over the text of p that knows where each byte stands in f; at is the place of an
// empty text. References stay as written.
func embedPieces(f *File, p Pieces, at int) *File {
	var text []byte
	var m runs
	if len(p) == 0 {
		m = runs{{0, at, 0}}
	}
	for _, x := range p {
		if x.exact(f.Bytes) {
			m.add(len(text), x.Span.Start, len(x.Text))
		} else {
			m = append(m, segment{len(text), x.Span.Start, 0})
		}
		text = append(text, x.Text...)
	}
	if n := len(p); n > 0 {
		m = append(m, segment{len(text), p[n-1].Span.End, 0})
	}
	out := NewFile(f.Path, text)
	out.outer = &embedding{file: f, segs: m}
	return out
}
