package source

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Dockerfile is a Dockerfile or Containerfile.
type Dockerfile struct {
	File   *File
	Stages []Stage
	// Args are the ARG instructions before the first FROM.
	Args   []Assignment
	Errors []*SyntaxError
}

// Stage is one FROM and what follows it. What a stage takes over from an earlier one of the file is part of it.
type Stage struct {
	// Image is the base with ARG defaults replaced; empty for a stage built on an earlier one.
	Image        string
	ImageSpan    Span
	ImageUnknown bool
	Name         string
	// Base is the index of the earlier stage it builds on, or -1.
	Base int
	Span Span

	// Args and Env are the variables in order; later ones of the same name win.
	Args, Env []Assignment
	// Entrypoint and Cmd are nil when not set. The shell form reads /bin/sh -c TEXT, with empty spans for the
	// words that are not written.
	Entrypoint, Cmd *Args
	// EntrypointShell and CmdShell tell the shell form.
	EntrypointShell, CmdShell bool
	Copies                    []Copy
	// Workdir and User are the last of each, with the path or name as written; nil when not set.
	Workdir, User *Word

	ownCmd bool
	shell  []string
	vars   map[string]dockerVar
}

type dockerVar struct {
	value string
	state Binding
}

// Copy is a COPY or ADD instruction.
type Copy struct {
	Add bool
	// From is the stage or image of --from, empty for files of the build context.
	From    string
	Sources []Word
	Dest    Word
	Span    Span
}

// Final returns the stage that is built by default, the last one, or nil.
func (d *Dockerfile) Final() *Stage {
	if len(d.Stages) == 0 {
		return nil
	}
	return &d.Stages[len(d.Stages)-1]
}

// Line returns the command line of a container of the stage: ENTRYPOINT and CMD; CMD alone without the former. A
// shell form of ENTRYPOINT takes no CMD. nil when neither is set.
func (s *Stage) Line() *CommandLine {
	switch {
	case s.Entrypoint == nil && s.Cmd == nil:
		return nil
	case s.EntrypointShell:
		return JoinArgs(s.Entrypoint)
	}
	return JoinArgs(s.Entrypoint, s.Cmd)
}

// Lookup is a [Lookup] over the ENV of the stage.
func (s *Stage) Lookup(name string) (string, Binding) {
	for i := len(s.Env) - 1; i >= 0; i-- {
		if a := &s.Env[i]; a.Name == name {
			if a.Unknown {
				return "", Hidden
			}
			return a.Value, Bound
		}
	}
	return "", Unbound
}

// maxStages bounds the stages of a file.
const maxStages = 500

// maxDockerValue bounds the values of variables built out of other variables, in bytes.
const maxDockerValue = 1 << 16

type dockerReader struct {
	d      *Dockerfile
	b      []byte
	i      int
	escape byte
	global map[string]dockerVar
	given  Lookup
	budget int
}

// dockerText is a part of a logical line with the places of its bytes.
type dockerText struct {
	s string
	m runs
}

func (t dockerText) sub(from, to int) dockerText { return dockerText{t.s[from:to], t.m.from(from)} }

func (t dockerText) trim() dockerText {
	from := len(t.s) - len(strings.TrimLeft(t.s, " \t"))
	return t.sub(from, max(from, len(strings.TrimRight(t.s, " \t"))))
}

func (t dockerText) span() Span { return t.m.span(0, len(t.s)) }

// ParseDockerfile reads a Dockerfile as BuildKit does. Lines that are no instructions are errors.
func ParseDockerfile(f *File) *Dockerfile { return ParseBuild(f, nil) }

// ParseBuild reads a Dockerfile as [ParseDockerfile] does, for a build that gives values to some of its ARG instructions; nil
// gives none.
func ParseBuild(f *File, given Lookup) *Dockerfile {
	r := dockerReader{d: &Dockerfile{File: f}, b: f.Bytes, escape: '\\', global: map[string]dockerVar{}, given: given, budget: 8*len(f.Bytes) + maxExpansion}
	if bytes.HasPrefix(r.b, bom) {
		r.i = len(bom)
	}
	r.directives()
	for r.i < len(r.b) {
		t := r.line().trim()
		if t.s != "" {
			r.instruction(t)
		}
	}
	return r.d
}

func (r *dockerReader) fail(at int, msg string) {
	if len(r.d.Errors) < maxEnvErrors {
		r.d.Errors = append(r.d.Errors, &SyntaxError{File: r.d.File, Offset: at, Msg: msg})
	}
}

// physical returns the next line without its break.
func (r *dockerReader) physical() (start, end int) {
	start, end = r.i, len(r.b)
	if n := bytes.IndexByte(r.b[r.i:], '\n'); n >= 0 {
		end = r.i + n
		r.i = end + 1
	} else {
		r.i = len(r.b)
	}
	if end > start && r.b[end-1] == '\r' {
		end--
	}
	return start, end
}

// directives reads "# escape=`" and its like, which stand before everything else.
func (r *dockerReader) directives() {
	for r.i < len(r.b) {
		save := r.i
		start, end := r.physical()
		text := strings.TrimSpace(string(r.b[start:end]))
		name, value, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(text, "#")), "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if !strings.HasPrefix(text, "#") || !ok || strings.ContainsAny(name, " \t") {
			r.i = save
			return
		}
		if name == "escape" && strings.TrimSpace(value) == "`" {
			r.escape = '`'
		}
	}
}

// line returns the next logical line: continuations joined, comments and empty lines within left out.
func (r *dockerReader) line() dockerText {
	var out []byte
	var m runs
	for r.i < len(r.b) {
		start, end := r.physical()
		first := start
		for first < end && (r.b[first] == ' ' || r.b[first] == '\t') {
			first++
		}
		if first == end || r.b[first] == '#' {
			if len(out) > 0 {
				continue
			}
			return dockerText{}
		}
		last := end
		for last > start && (r.b[last-1] == ' ' || r.b[last-1] == '\t') {
			last--
		}
		// Two escape characters at the end continue nothing.
		more := last > start && r.b[last-1] == r.escape && (last-1 == start || r.b[last-2] != r.escape)
		if more {
			end = last - 1
		}
		m.add(len(out), start, end-start)
		out = append(out, r.b[start:end]...)
		if !more {
			break
		}
	}
	return dockerText{string(out), m}
}

// heredocs returns the delimiters of the here-documents of a line, and whether each strips tabs.
func heredocs(s string) (names []string, tabs []bool) {
	for {
		i := strings.Index(s, "<<")
		if i < 0 || len(names) >= 10 {
			return names, tabs
		}
		s = s[i+2:]
		t := strings.TrimPrefix(s, "-")
		strip := t != s
		t = strings.TrimLeft(t, "\"'")
		if n := nameLen(t); n > 0 {
			names, tabs = append(names, t[:n]), append(tabs, strip)
			s = t[n:]
		}
	}
}

func (r *dockerReader) skipHeredocs(s string) {
	names, tabs := heredocs(s)
	for k, name := range names {
		for r.i < len(r.b) {
			start, end := r.physical()
			line := r.b[start:end]
			if tabs[k] {
				line = bytes.TrimLeft(line, "\t")
			}
			if string(line) == name {
				break
			}
		}
	}
}

func (r *dockerReader) instruction(t dockerText) {
	n := strings.IndexAny(t.s, " \t")
	if n < 0 {
		n = len(t.s)
	}
	name := strings.ToUpper(t.s[:n])
	args := t.sub(n, len(t.s)).trim()
	start := t.m.at(0)
	if args.s == "" {
		args.m = runs{{0, t.m.span(0, n).End, 0}}
	}
	switch name {
	case "RUN", "COPY", "ADD":
		r.skipHeredocs(args.s)
	}
	if name == "FROM" {
		if len(r.d.Stages) == maxStages {
			r.fail(start, "too many stages")
			r.i = len(r.b)
			return
		}
		r.from(t, args)
		return
	}
	if name == "ARG" {
		r.arg(args)
		return
	}
	switch name {
	case "ENV", "CMD", "ENTRYPOINT", "COPY", "ADD", "SHELL", "WORKDIR", "USER", "RUN", "LABEL", "EXPOSE", "VOLUME", "STOPSIGNAL",
		"HEALTHCHECK", "ONBUILD", "MAINTAINER":
	default:
		r.fail(start, "unknown instruction "+name)
		return
	}
	s := r.d.Final()
	if s == nil {
		r.fail(start, name+" before the first FROM")
		return
	}
	s.Span.End = t.span().End
	switch name {
	case "ENV":
		r.env(s, args)
	case "CMD":
		s.Cmd, s.CmdShell = r.command(s, args)
		s.ownCmd = true
	case "ENTRYPOINT":
		s.Entrypoint, s.EntrypointShell = r.command(s, args)
		if !s.ownCmd {
			s.Cmd = nil
		}
	case "SHELL":
		s.shell = nil
		if a := r.execForm(args); a != nil {
			for _, w := range a.Words {
				s.shell = append(s.shell, w.Text)
			}
		}
	case "COPY", "ADD":
		r.copy(s, name == "ADD", t, args)
	case "WORKDIR", "USER":
		w := r.word(s.vars, args)
		if name == "USER" {
			s.User = &w
		} else {
			s.Workdir = &w
		}
	}
}

// words splits a text at blanks outside quotes.
func (r *dockerReader) words(t dockerText) []dockerText {
	var out []dockerText
	s := t.s
	for i := 0; i < len(s); {
		if s[i] == ' ' || s[i] == '\t' {
			i++
			continue
		}
		start := i
		var quote byte
		for ; i < len(s) && (quote != 0 || s[i] != ' ' && s[i] != '\t'); i++ {
			switch {
			case s[i] == r.escape && quote != '\'':
				i++
			case quote != 0 && s[i] == quote:
				quote = 0
			case quote == 0 && (s[i] == '"' || s[i] == '\''):
				quote = s[i]
			}
		}
		i = min(i, len(s))
		out = append(out, dockerText{s[start:i], nil})
		out[len(out)-1].m = t.m.window(start, i)
	}
	return out
}

// window returns the runs of the text from one decoded offset to another.
func (r runs) window(from, to int) runs {
	var out runs
	lo, hi := 0, len(r)
	// The first run that may reach into the window.
	for lo < hi {
		mid := (lo + hi) / 2
		if r[mid].inner+r[mid].length <= from {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(r) && r[lo].inner < to; lo++ {
		s := r[lo]
		if d := from - s.inner; d > 0 {
			s.inner, s.outer, s.length = from, s.outer+d, s.length-d
		}
		s.length = min(s.length, to-s.inner)
		s.inner -= from
		out = append(out, s)
	}
	return out
}

// pieces decodes a word: quotes and escapes removed, split at references.
func (r *dockerReader) pieces(t dockerText) Pieces {
	p := dockerPieces{s: t.s, m: t.m, escape: r.escape}
	p.run(0, len(t.s), 0)
	return p.out
}

type dockerPieces struct {
	s      string
	m      runs
	escape byte
	out    Pieces
}

func (p *dockerPieces) put(from, to int, text string, quoted bool) {
	if text == "" {
		return
	}
	sp := p.m.span(from, to)
	if n := len(p.out); n > 0 && to-from == len(text) && p.out[n-1].Ref == nil && p.out[n-1].Span.End == sp.Start &&
		p.out[n-1].Span.Len() == len(p.out[n-1].Text) && sp.Len() == len(text) && p.out[n-1].Quoted == quoted {
		p.out[n-1].Text += text
		p.out[n-1].Span.End = sp.End
		return
	}
	p.out = append(p.out, Piece{Span: sp, Text: text, Quoted: quoted})
}

func (p *dockerPieces) run(i, end, depth int) {
	var quote byte
	start := i
	flush := func(to int) { p.put(start, to, p.s[start:to], quote != 0) }
	for i < end {
		c := p.s[i]
		switch {
		case quote == '\'':
			if c == '\'' {
				flush(i)
				quote = 0
				start = i + 1
			}
			i++
		case c == p.escape && i+1 < end && (quote == 0 || strings.IndexByte("\"$", p.s[i+1]) >= 0 || p.s[i+1] == p.escape):
			flush(i)
			_, n := utf8.DecodeRuneInString(p.s[i+1 : end])
			p.put(i, i+1+n, p.s[i+1:i+1+n], true)
			i += 1 + n
			start = i
		case c == '"' || c == '\'' && quote == 0:
			flush(i)
			if quote == c {
				quote = 0
			} else {
				quote = c
			}
			i++
			start = i
		case c == '$':
			n, ref := p.reference(i, end, depth)
			if n == 0 {
				i++
				continue
			}
			flush(i)
			p.out = append(p.out, Piece{Span: p.m.span(i, i+n), Text: p.s[i : i+n], Ref: ref, Quoted: quote != 0})
			i += n
			start = i
		default:
			i++
		}
	}
	flush(end)
}

// reference reads $X, ${X}, ${X:-d} and the like at i.
func (p *dockerPieces) reference(i, end, depth int) (int, *Reference) {
	s := p.s[i+1 : end]
	if n := nameLen(s); n > 0 {
		return n + 1, &Reference{Name: s[:n]}
	}
	if s != "" && strings.IndexByte("0123456789@*#?-!$", s[0]) >= 0 {
		return 2, &Reference{Name: s[:1]}
	}
	if s == "" || s[0] != '{' {
		return 0, nil
	}
	n := nameLen(s[1:])
	if n == 0 || n+1 >= len(s) {
		return 0, nil
	}
	ref := &Reference{Name: s[1 : 1+n]}
	k := 1 + n
	if s[k] == '}' {
		return k + 2, ref
	}
	// To the brace that closes it.
	open, to := 0, -1
	for j := k; j < len(s) && j-k < maxLooseReference; j++ {
		switch {
		case s[j] == p.escape:
			j++
		case s[j] == '{':
			open++
		case s[j] == '}' && open > 0:
			open--
		case s[j] == '}':
			to = j
		}
		if to >= 0 {
			break
		}
	}
	if to < 0 {
		return 0, nil
	}
	op := 1
	if s[k] == ':' {
		op = 2
	}
	if k+op > to || strings.IndexByte("-+?", s[k+op-1]) < 0 || depth >= maxNesting {
		ref.Op = OpOther
		return to + 2, ref
	}
	ref.Op = Operator(s[k : k+op])
	inner := dockerPieces{s: p.s, m: p.m, escape: p.escape}
	inner.run(i+1+k+op, i+1+to, depth+1)
	ref.Alt = inner.out
	return to + 2, ref
}

// word decodes a text and replaces its references.
func (r *dockerReader) word(vars map[string]dockerVar, t dockerText) Word {
	p := r.pieces(t)
	parts := appendKnown(nil, p, func(name string) (string, Binding) {
		v := vars[name]
		return v.value, v.state
	}, &r.budget)
	w := Word{Text: parts.String(), Span: t.span(), Unknown: !parts.Literal(), Pieces: p, parts: parts}
	w.Unknown = w.Unknown || isTemplate(w.Text)
	return w
}

func (r *dockerReader) from(t, args dockerText) {
	s := Stage{Base: -1, Span: t.span(), vars: map[string]dockerVar{}}
	words := r.words(args)
	for len(words) > 0 && strings.HasPrefix(words[0].s, "--") {
		words = words[1:]
	}
	if len(words) == 0 {
		r.fail(t.m.at(0), "FROM without an image")
		s.ImageUnknown = true
		r.d.Stages = append(r.d.Stages, s)
		return
	}
	w := r.word(r.global, words[0])
	s.Image, s.ImageSpan, s.ImageUnknown = w.Text, w.Span, w.Unknown
	if len(words) > 2 && strings.EqualFold(words[1].s, "AS") {
		s.Name = words[2].s
	}
	for i := range r.d.Stages {
		b := &r.d.Stages[i]
		if b.Name == "" || !strings.EqualFold(b.Name, s.Image) {
			continue
		}
		s.Base, s.Image = i, ""
		s.Env = b.Env[:len(b.Env):len(b.Env)]
		s.Entrypoint, s.EntrypointShell, s.Cmd, s.CmdShell = b.Entrypoint, b.EntrypointShell, b.Cmd, b.CmdShell
		s.Workdir, s.User, s.shell = b.Workdir, b.User, b.shell
		for i := range s.Env {
			a := &s.Env[i]
			s.vars[a.Name] = envVar(a)
		}
	}
	r.d.Stages = append(r.d.Stages, s)
}

func envVar(a *Assignment) dockerVar {
	if a.Unknown || len(a.Value) > maxDockerValue {
		return dockerVar{state: Hidden}
	}
	return dockerVar{a.Value, Bound}
}

// assignment reads NAME=value out of one word.
func (r *dockerReader) assignment(vars map[string]dockerVar, t dockerText) Assignment {
	name, _, found := strings.Cut(t.s, "=")
	a := Assignment{File: r.d.File, Name: name, NameSpan: t.m.span(0, len(name)), Span: t.span()}
	end := a.Span.End
	a.ValueSpan = Span{end, end}
	if !found {
		a.Unset = true
		return a
	}
	v := t.sub(len(name)+1, len(t.s))
	if v.s != "" {
		a.ValueSpan = v.span()
	}
	w := r.word(vars, v)
	a.Value, a.Unknown, a.Pieces = w.Text, w.Unknown, w.Pieces
	return a
}

func (r *dockerReader) arg(args dockerText) {
	s := r.d.Final()
	vars := r.global
	if s != nil {
		vars = s.vars
	}
	for _, t := range r.words(args) {
		a := r.assignment(vars, t)
		v := dockerVar{state: Hidden}
		switch {
		case !a.Unset:
			v = envVar(&a)
		case s != nil:
			// A name alone takes the default from before the first FROM.
			if g, ok := r.global[a.Name]; ok {
				v = g
			}
		}
		if r.given != nil {
			switch value, bound := r.given(a.Name); {
			case bound == Bound && len(value) <= maxDockerValue:
				v = dockerVar{value, Bound}
			case bound != Unbound:
				v = dockerVar{state: Hidden}
			}
		}
		// An ENV of the name wins over every ARG.
		if s == nil {
			r.d.Args = append(r.d.Args, a)
			vars[a.Name] = v
			continue
		}
		s.Args = append(s.Args, a)
		if _, b := s.Lookup(a.Name); b == Unbound {
			vars[a.Name] = v
		}
	}
}

func (r *dockerReader) env(s *Stage, args dockerText) {
	words := r.words(args)
	if len(words) == 0 {
		r.fail(args.m.at(0), "ENV without a name")
		return
	}
	var list []Assignment
	if !strings.Contains(words[0].s, "=") {
		// ENV NAME the rest of the line
		n := strings.IndexAny(args.s, " \t")
		if n < 0 {
			r.fail(args.m.at(0), "ENV "+args.s+" without a value")
			return
		}
		name := args.sub(0, n)
		v := args.sub(n, len(args.s)).trim()
		w := r.word(s.vars, v)
		list = []Assignment{{File: r.d.File, Name: name.s, NameSpan: name.span(), ValueSpan: w.Span, Span: args.span(), Value: w.Text,
			Unknown: w.Unknown, Pieces: w.Pieces}}
	} else {
		for _, t := range words {
			a := r.assignment(s.vars, t)
			if a.Unset {
				r.fail(a.NameSpan.Start, "ENV "+a.Name+" without a value")
				continue
			}
			list = append(list, a)
		}
	}
	// The variables of one instruction do not see each other.
	for i := range list {
		list[i].Exported = true
		s.vars[list[i].Name] = envVar(&list[i])
	}
	s.Env = append(s.Env, list...)
}

// command reads CMD and ENTRYPOINT in both forms.
func (r *dockerReader) command(s *Stage, t dockerText) (a *Args, shell bool) {
	if t.s == "" {
		return nil, false
	}
	if a := r.execForm(t); a != nil {
		return a, false
	}
	a = &Args{File: r.d.File, Form: ShellText, Span: t.span()}
	at := Span{a.Span.Start, a.Span.Start}
	prefix := s.shell
	if len(prefix) == 0 {
		prefix = []string{"/bin/sh", "-c"}
	}
	for _, p := range prefix {
		a.Words = append(a.Words, Word{Text: p, Span: at, parts: Pieces{{Span: at, Text: p}}})
	}
	w := Word{Text: t.s, Span: t.span()}
	for _, x := range t.m {
		if x.inner+x.length > len(t.s) {
			x.length = len(t.s) - x.inner
		}
		if x.length > 0 {
			w.parts = append(w.parts, Piece{Span: Span{x.outer, x.outer + x.length}, Text: t.s[x.inner : x.inner+x.length]})
		}
	}
	w.Unknown = isTemplate(t.s)
	a.Words = append(a.Words, w)
	return a, true
}

// execForm reads a JSON list of strings; nil when t is none, as for BuildKit.
func (r *dockerReader) execForm(t dockerText) *Args {
	if !strings.HasPrefix(t.s, "[") {
		return nil
	}
	var list []string
	if json.Unmarshal([]byte(t.s), &list) != nil {
		return nil
	}
	a := &Args{File: r.d.File, Form: ExecJSON, Span: t.span()}
	i := 0
	for _, text := range list {
		for i < len(t.s) && t.s[i] != '"' {
			i++
		}
		start := i
		var parts Pieces
		run := i + 1
		flush := func(to int) {
			if to > run {
				parts = append(parts, Piece{Span: t.m.span(run, to), Text: t.s[run:to]})
			}
		}
		for i++; i < len(t.s) && t.s[i] != '"'; {
			if t.s[i] != '\\' {
				i++
				continue
			}
			flush(i)
			n := 2
			if i+1 < len(t.s) && t.s[i+1] == 'u' {
				n = 6
				if strings.HasPrefix(t.s[min(i+6, len(t.s)):], `\u`) {
					// A pair of surrogates is one character.
					var one string
					if json.Unmarshal([]byte(`"`+t.s[i:min(i+12, len(t.s))]+`"`), &one) == nil && utf8.RuneCountInString(one) == 1 {
						n = 12
					}
				}
			}
			n = min(n, len(t.s)-i)
			var s string
			if json.Unmarshal([]byte(`"`+t.s[i:i+n]+`"`), &s) == nil {
				parts = append(parts, Piece{Span: t.m.span(i, i+n), Text: s})
			}
			i += n
			run = i
		}
		flush(i)
		i = min(i+1, len(t.s))
		w := Word{Text: text, Span: t.m.span(start, i), parts: parts, Unknown: isTemplate(text)}
		if parts.String() != text {
			w.parts = Pieces{{Span: w.Span, Text: text}}
		}
		if len(w.parts) == 0 {
			w.parts = Pieces{{Span: t.m.span(start+1, start+1)}}
		}
		a.Words = append(a.Words, w)
	}
	return a
}

func (r *dockerReader) copy(s *Stage, add bool, t, args dockerText) {
	c := Copy{Add: add, Span: t.span()}
	for strings.HasPrefix(args.s, "--") {
		n := strings.IndexAny(args.s, " \t")
		if n < 0 {
			n = len(args.s)
		}
		if from, ok := strings.CutPrefix(args.s[:n], "--from="); ok {
			c.From = from
		}
		args = args.sub(n, len(args.s)).trim()
	}
	var words []Word
	if a := r.execForm(args); a != nil {
		words = a.Words
	} else {
		for _, w := range r.words(args) {
			words = append(words, r.word(s.vars, w))
		}
	}
	if len(words) < 2 {
		r.fail(t.m.at(0), "COPY and ADD need a source and a destination")
		return
	}
	c.Sources, c.Dest = words[:len(words)-1], words[len(words)-1]
	s.Copies = append(s.Copies, c)
}
