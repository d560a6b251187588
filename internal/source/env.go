package source

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// EnvDialect says which program reads an env file: they disagree on quotes, comments and references.
type EnvDialect uint8

// The dialects of env files.
const (
	// EnvCompose is compose's .env and env_file (compose-go 2.16.2, dotenv): quotes, escapes, ${X:-d}.
	EnvCompose EnvDialect = iota
	// EnvPython is python-dotenv 1.2.4, with which LiteLLM reads the .env of its working directory.
	EnvPython
	// EnvDocker is docker run --env-file, kubectl --from-env-file and kustomize envs: the value is the rest of
	// the line, quotes and all.
	EnvDocker
	// EnvSystemd is EnvironmentFile= (systemd 254 and later, basic/env-file.c): quotes and backslashes, no references.
	EnvSystemd
)

// EnvEntry is one assignment of an env file.
type EnvEntry struct {
	Name     string
	NameSpan Span
	// Value is decoded: unquoted, escapes and references replaced. When Unknown, the references without a value
	// stand in it as written.
	Value string
	// ValueSpan covers the value as written, quotes included; ContentSpan leaves the quotes out. Both are empty,
	// at the place for a value, when none is written.
	ValueSpan, ContentSpan Span
	// Span runs from "export" or the name to the end of the value, without a comment after it.
	Span     Span
	Exported bool
	// Bare marks a name without "=", which passes the value of the surrounding environment on.
	Bare bool
	// Unknown is true for a bare name, and when a reference has neither a value in the file nor an alternative;
	// Missing has the names of those variables.
	Unknown bool
	Missing []string
	// Quote is ' or ", or 0 for a value without quotes.
	Quote  byte
	Pieces Pieces
	// Dialect is that of the reader.
	Dialect EnvDialect
}

// EnvFile is an env file. A line that its reader would refuse is an error and no entry; reading goes on after
// it, although the program itself would stop.
type EnvFile struct {
	File    *File
	Dialect EnvDialect
	// Entries are all assignments as written; of several with one name the last wins.
	Entries []EnvEntry
	Errors  []*SyntaxError

	last map[string]int
}

// Get returns the assignment of name that counts, or nil.
func (e *EnvFile) Get(name string) *EnvEntry {
	if i, ok := e.last[name]; ok {
		return &e.Entries[i]
	}
	return nil
}

// Lookup is a [Lookup] over the file: a bare name and an unknown value are [Hidden].
func (e *EnvFile) Lookup(name string) (string, Binding) {
	switch x := e.Get(name); {
	case x == nil:
		return "", Unbound
	case x.Unknown:
		return "", Hidden
	default:
		return x.Value, Bound
	}
}

// Expand returns the file with its values worked out in a surrounding environment, which is asked before the
// lines above a reference, as compose does. ParseEnv itself does this with nothing around.
func (e *EnvFile) Expand(lookup Lookup) *EnvFile {
	out := *e
	out.Entries = append([]EnvEntry(nil), e.Entries...)
	out.evaluate(lookup)
	return &out
}

func (e *EnvFile) evaluate(outer Lookup) {
	e.last = make(map[string]int, len(e.Entries))
	find := func(name string) (string, Binding) {
		if outer != nil {
			if v, b := outer(name); b != Unbound {
				return v, b
			}
		}
		return e.Lookup(name)
	}
	// References may double a value on every line, so all values together have a budget.
	budget := 8*len(e.File.Bytes) + maxExpansion
	for i := range e.Entries {
		x := &e.Entries[i]
		x.Missing = nil
		switch {
		case x.Bare:
			v, b := "", Unbound
			if outer != nil {
				v, b = outer(x.Name)
			}
			x.Value, x.Unknown = "", b != Bound
			if b == Bound {
				x.Value = v
			}
		default:
			ex := expander{lookup: find, budget: min(budget, maxExpansion)}
			var b strings.Builder
			if x.Pieces.Literal() {
				ex.lookup, ex.budget = nil, len(e.File.Bytes)
			}
			ex.write(&b, x.Pieces)
			x.Value, x.Missing, x.Unknown = b.String(), ex.missing, len(ex.missing) > 0
			budget = max(0, budget-len(x.Value))
		}
		e.last[x.Name] = i
	}
}

// ParseEnv reads an env file as the program of the dialect does.
func ParseEnv(f *File, d EnvDialect) *EnvFile {
	e := &EnvFile{File: f, Dialect: d}
	p := envParser{e: e, b: f.Bytes}
	if bytes.HasPrefix(p.b, bom) {
		p.i = len(bom)
	}
	switch d {
	case EnvPython:
		p.python()
	case EnvDocker:
		p.docker()
	case EnvSystemd:
		p.systemd()
	default:
		p.compose()
	}
	for i := range e.Entries {
		e.Entries[i].Dialect = d
	}
	e.evaluate(nil)
	return e
}

// maxEnvErrors bounds what is kept of a file that is no env file at all.
const maxEnvErrors = 100

type envParser struct {
	e *EnvFile
	b []byte
	i int
}

func (p *envParser) fail(offset int, msg string) {
	if len(p.e.Errors) < maxEnvErrors {
		p.e.Errors = append(p.e.Errors, &SyntaxError{File: p.e.File, Offset: offset, Msg: msg})
	}
}

// nextLine moves behind the next line feed.
func (p *envParser) nextLine() {
	if n := bytes.IndexByte(p.b[p.i:], '\n'); n >= 0 {
		p.i += n + 1
	} else {
		p.i = len(p.b)
	}
}

// blank returns the length of the white space at i that is no line feed, in compose's reading: 0 when there is
// none.
func (p *envParser) blank(i int) int {
	if i >= len(p.b) {
		return 0
	}
	switch c := p.b[i]; {
	case c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r':
		return 1
	case c == 0xc2 && i+1 < len(p.b) && (p.b[i+1] == 0x85 || p.b[i+1] == 0xa0):
		return 2
	}
	return 0
}

func (p *envParser) skipBlanks() {
	for n := p.blank(p.i); n > 0; n = p.blank(p.i) {
		p.i += n
	}
}

// exportPrefix returns the length of "export" and the white space after it at i, or 0.
func (p *envParser) exportPrefix(i int) int {
	const word = "export"
	if !bytes.HasPrefix(p.b[i:], []byte(word)) {
		return 0
	}
	j := i + len(word)
	if j >= len(p.b) || !strings.ContainsRune(" \t\f\r", rune(p.b[j])) {
		return 0
	}
	for n := p.blank(j); n > 0; n = p.blank(j) {
		j += n
	}
	return j - i
}

func (p *envParser) compose() {
	for {
		// To the next statement: white space and comments.
		for p.i < len(p.b) {
			if p.b[p.i] == '#' {
				p.nextLine()
				continue
			}
			r, n := utf8.DecodeRune(p.b[p.i:])
			if !unicode.IsSpace(r) {
				break
			}
			p.i += n
		}
		if p.i >= len(p.b) {
			return
		}
		x := EnvEntry{Span: Span{Start: p.i}}
		if n := p.exportPrefix(p.i); n > 0 {
			x.Exported = true
			p.i += n
		}
		start := p.i
		end, bad := -1, false
	name:
		for p.i < len(p.b) {
			r, n := utf8.DecodeRune(p.b[p.i:])
			switch {
			case r == '=' || r == ':' || r == '\n':
				end = p.i
				break name
			case p.blank(p.i) > 0, r == '_', r == '.', r == '-', r == '[', r == ']', unicode.IsLetter(r), unicode.IsNumber(r):
			default:
				p.fail(p.i, "character "+strconv.QuoteRune(r)+" cannot be part of a variable's name")
				bad = true
				break name
			}
			p.i += n
		}
		if bad {
			p.nextLine()
			continue
		}
		if end < 0 {
			end = len(p.b)
		}
		x.Bare = end >= len(p.b) || p.b[end] == '\n'
		name := bytes.TrimRightFunc(p.b[start:end], unicode.IsSpace)
		x.Name, x.NameSpan = string(name), Span{start, start + len(name)}
		if i := strings.IndexFunc(x.Name, unicode.IsSpace); i >= 0 {
			p.fail(start+i, "variable "+strconv.Quote(x.Name)+": a name cannot contain a blank")
			p.nextLine()
			continue
		}
		if x.Name == "" && x.Bare {
			p.nextLine()
			continue
		}
		if x.Bare {
			x.Span.End = x.NameSpan.End
			x.ValueSpan = Span{x.NameSpan.End, x.NameSpan.End}
			x.ContentSpan = x.ValueSpan
			p.e.Entries = append(p.e.Entries, x)
			p.nextLine()
			continue
		}
		p.i = end + 1
		p.skipBlanks()
		if !p.composeValue(&x, end+1) {
			continue
		}
		if x.Name == "" {
			p.fail(start, "no name before "+strconv.QuoteRune(rune(p.b[end])))
			continue
		}
		x.Span.End = x.ValueSpan.End
		p.e.Entries = append(p.e.Entries, x)
	}
}

// composeValue reads the value at p.i; place is where one belongs when there is none.
func (p *envParser) composeValue(x *EnvEntry, place int) bool {
	if p.i < len(p.b) && (p.b[p.i] == '"' || p.b[p.i] == '\'') {
		return p.composeQuoted(x)
	}
	start := p.i
	p.nextLine()
	v := p.b[start:p.i]
	v = bytes.TrimSuffix(v, []byte("\n"))
	if n := bytes.Index(v, []byte(" #")); n >= 0 {
		v = v[:n]
	}
	v = bytes.TrimRightFunc(v, unicode.IsSpace)
	if len(v) == 0 {
		start = place
	}
	x.ValueSpan = Span{start, start + len(v)}
	x.ContentSpan = x.ValueSpan
	p.references(x, string(v), identity(start, len(v)))
	return true
}

func (p *envParser) composeQuoted(x *EnvEntry) bool {
	start := p.i
	quote := p.b[start]
	var text []byte
	var m runs
	escaped := -1
	for i := start + 1; i < len(p.b); i++ {
		c := p.b[i]
		if c != quote {
			if escaped < 0 && c == '\\' {
				escaped = i
				continue
			}
			if escaped >= 0 {
				m.add(len(text), escaped, 1)
				text = append(text, '\\')
				escaped = -1
			}
			m.add(len(text), i, 1)
			text = append(text, c)
			continue
		}
		if escaped >= 0 {
			escaped = -1
			m.add(len(text), i, 1)
			text = append(text, c)
			continue
		}
		x.Quote = quote
		x.ValueSpan = Span{start, i + 1}
		x.ContentSpan = Span{start + 1, i}
		p.i = i + 1
		if quote == '\'' {
			x.Pieces = literal(string(text), m, x.ContentSpan)
		} else {
			text, m = composeEscapes(text, m)
			p.references(x, string(text), m)
		}
		return true
	}
	p.fail(start, "quote without an end")
	p.i = start
	p.nextLine()
	return false
}

// references splits a value at its references as compose does.
func (p *envParser) references(x *EnvEntry, text string, m runs) {
	if !strings.Contains(text, "$") {
		x.Pieces = literal(text, m, x.ContentSpan)
		return
	}
	c := composeParser{}
	x.Pieces = c.parse(text, m, 0, 0, nil)
	if x.Quote != 0 {
		markQuoted(x.Pieces)
	}
	if c.err != nil {
		p.fail(c.err.Span.Start, "variable "+x.Name+": "+c.err.Msg)
	}
}

func markQuoted(p Pieces) {
	for i := range p {
		p[i].Quoted = true
		if p[i].Ref != nil {
			markQuoted(p[i].Ref.Alt)
		}
	}
}

// literal is a text without references that was read from the bytes of s.
func literal(text string, m runs, s Span) Pieces {
	if text == "" {
		return nil
	}
	if len(m) > 0 {
		s = m.span(0, len(text))
	}
	return Pieces{{Span: s, Text: text}}
}

// composeEscapes replaces the escapes of a double-quoted value. \$ becomes $$, which the references' reader
// turns into a dollar sign.
func composeEscapes(text []byte, m runs) ([]byte, runs) {
	if bytes.IndexByte(text, '\\') < 0 {
		return text, m
	}
	var out []byte
	var om runs
	put := func(s []byte, from, n int) {
		if len(s) == n {
			for k := range s {
				om.add(len(out)+k, m.at(from+k), 1)
			}
		} else {
			om.add(len(out), m.at(from), 1)
		}
		out = append(out, s...)
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c != '\\' || i+1 >= len(text) {
			put(text[i:i+1], i, 1)
			i++
			continue
		}
		n := 2
		var rep []byte
		switch e := text[i+1]; e {
		case 'a', 'b', 'f', 'n', 'r', 't', 'v', '\\', '"':
			rep = []byte{"\a\b\f\n\r\t\v\\\""[strings.IndexByte(`abfnrtv\"`, e)]}
		case 'c':
			rep = []byte(`\c`)
		case '$':
			rep = []byte("$$")
		case '0':
			for n < 5 && i+n < len(text) && '0' <= text[i+n] && text[i+n] <= '9' {
				n++
			}
			// Only three octal digits after the zero make a character; else just the zero is lost.
			rep = append([]byte{'\\'}, text[i+2:i+n]...)
			if v, err := strconv.ParseUint(string(text[i+2:i+n]), 8, 8); err == nil && n == 5 {
				rep = []byte(string(rune(v)))
			}
		default:
			put(text[i:i+1], i, 1)
			i++
			continue
		}
		put(rep, i, n)
		i += n
	}
	return out, om
}

// simpleLines calls fn with the bounds of every line, line break left out.
func (p *envParser) simpleLines(fn func(start, end int)) {
	for p.i < len(p.b) {
		start := p.i
		p.nextLine()
		end := p.i
		if end > start && p.b[end-1] == '\n' {
			end--
		}
		if end > start && p.b[end-1] == '\r' {
			end--
		}
		fn(start, end)
	}
}

// docker reads NAME=VALUE lines with nothing decoded (docker/cli 28.2, opts/file.go).
func (p *envParser) docker() {
	p.simpleLines(func(start, end int) {
		for start < end {
			r, n := utf8.DecodeRune(p.b[start:end])
			if !unicode.IsSpace(r) {
				break
			}
			start += n
		}
		if start == end || p.b[start] == '#' {
			return
		}
		x := EnvEntry{Span: Span{start, end}}
		eq := bytes.IndexByte(p.b[start:end], '=')
		nameEnd := end
		if eq >= 0 {
			nameEnd = start + eq
		}
		x.Bare = eq < 0
		x.Name, x.NameSpan = string(p.b[start:nameEnd]), Span{start, nameEnd}
		if x.Name == "" {
			p.fail(start, "no name before '='")
			return
		}
		if i := strings.IndexFunc(x.Name, unicode.IsSpace); i >= 0 {
			p.fail(start+i, "variable "+strconv.Quote(x.Name)+": a name cannot contain a blank")
			return
		}
		x.ValueSpan = Span{min(nameEnd+1, end), end}
		x.ContentSpan = x.ValueSpan
		if !x.Bare {
			x.Pieces = literal(string(p.b[nameEnd+1:end]), nil, x.ValueSpan)
		}
		p.e.Entries = append(p.e.Entries, x)
	})
}

// python reads a file as python-dotenv's parser.py and variables.py do, which open it with universal newlines.
func (p *envParser) python() {
	for {
		p.skipSpace()
		if p.i >= len(p.b) {
			return
		}
		if !p.pythonBinding() {
			for p.i < len(p.b) && !isNewline(p.b[p.i]) {
				p.i++
			}
		}
	}
}

// skipSpace moves over white space, line breaks included.
func (p *envParser) skipSpace() {
	for p.i < len(p.b) {
		r, n := utf8.DecodeRune(p.b[p.i:])
		if !unicode.IsSpace(r) {
			return
		}
		p.i += n
	}
}

// skipInline moves over white space up to the end of the line, and returns how many bytes that were.
func (p *envParser) skipInline() int {
	start := p.i
	for p.i < len(p.b) && !isNewline(p.b[p.i]) {
		r, n := utf8.DecodeRune(p.b[p.i:])
		if !unicode.IsSpace(r) {
			break
		}
		p.i += n
	}
	return p.i - start
}

func isNewline(c byte) bool { return c == '\n' || c == '\r' }

func (p *envParser) pythonBinding() bool {
	x := EnvEntry{Span: Span{Start: p.i}, Bare: true}
	if bytes.HasPrefix(p.b[p.i:], []byte("export")) {
		p.i += len("export")
		if p.skipInline() > 0 {
			x.Exported = true
		} else {
			p.i = x.Span.Start
		}
	}
	if p.i < len(p.b) && p.b[p.i] == '#' {
		// A comment, or "export # comment".
		return false
	}
	start := p.i
	if p.i < len(p.b) && p.b[p.i] == '\'' {
		n := bytes.IndexByte(p.b[p.i+1:], '\'')
		if n <= 0 {
			p.fail(start, "quote without an end")
			return false
		}
		x.Name, x.NameSpan = string(p.b[start+1:start+1+n]), Span{start + 1, start + 1 + n}
		p.i += n + 2
	} else {
		for p.i < len(p.b) {
			r, n := utf8.DecodeRune(p.b[p.i:])
			if r == '=' || r == '#' || unicode.IsSpace(r) {
				break
			}
			p.i += n
		}
		if p.i == start {
			p.fail(start, "no name before the value")
			return false
		}
		x.Name, x.NameSpan = string(p.b[start:p.i]), Span{start, p.i}
	}
	nameEnd := p.i
	p.skipInline()
	x.ValueSpan = Span{nameEnd, nameEnd}
	if p.i < len(p.b) && p.b[p.i] == '=' {
		x.Bare = false
		p.i++
		place := p.i
		blanks := p.skipInline()
		x.ValueSpan = Span{place, place}
		switch {
		case p.i >= len(p.b) || isNewline(p.b[p.i]) || blanks > 0 && p.b[p.i] == '#':
		case p.b[p.i] == '\'' || p.b[p.i] == '"':
			if !p.pythonQuoted(&x) {
				return false
			}
		default:
			p.pythonPlain(&x)
		}
	}
	if x.Quote == 0 {
		x.ContentSpan = x.ValueSpan
	}
	p.skipInline()
	if p.i < len(p.b) && p.b[p.i] == '#' {
		for p.i < len(p.b) && !isNewline(p.b[p.i]) {
			p.i++
		}
	}
	if p.i < len(p.b) && !isNewline(p.b[p.i]) {
		p.fail(p.i, "text after the value of "+x.Name)
		return false
	}
	x.Span.End = max(x.NameSpan.End, x.ValueSpan.End)
	p.e.Entries = append(p.e.Entries, x)
	return true
}

// pythonPlain reads a value up to the end of the line or a comment with white space before it.
func (p *envParser) pythonPlain(x *EnvEntry) {
	start := p.i
	end, space := start, true
	for p.i < len(p.b) && !isNewline(p.b[p.i]) {
		r, n := utf8.DecodeRune(p.b[p.i:])
		if r == '#' && space && p.i > start {
			break
		}
		space = unicode.IsSpace(r)
		p.i += n
		if !space {
			end = p.i
		}
	}
	x.ValueSpan = Span{start, end}
	x.Pieces = pythonPieces(string(p.b[start:end]), identity(start, end-start), false)
}

func (p *envParser) pythonQuoted(x *EnvEntry) bool {
	start := p.i
	quote := p.b[start]
	var text []byte
	var m runs
	put := func(c byte, at int) {
		m.add(len(text), at, 1)
		text = append(text, c)
	}
	for i := start + 1; i < len(p.b); i++ {
		c := p.b[i]
		switch {
		case c == quote:
			x.Quote = quote
			x.ValueSpan, x.ContentSpan = Span{start, i + 1}, Span{start + 1, i}
			x.Pieces = pythonPieces(string(text), m, true)
			p.i = i + 1
			return true
		case c == '\r':
			if i+1 >= len(p.b) || p.b[i+1] != '\n' {
				put('\n', i)
			}
		case c == '\\' && i+1 < len(p.b):
			i++
			e := p.b[i]
			switch k := strings.IndexByte(`\'"abfnrtv`, e); {
			case quote == '\'' && (e == '\\' || e == '\''):
				put(e, i)
			case quote == '"' && k >= 0:
				put("\\'\"\a\b\f\n\r\t\v"[k], i)
			case e == '\r':
				put('\\', i-1)
				i--
			default:
				put('\\', i-1)
				put(e, i)
			}
			if e == '\r' {
				i++
				put('\n', i)
				if i+1 < len(p.b) && p.b[i+1] == '\n' {
					i++
				}
			}
		default:
			put(c, i)
		}
	}
	p.fail(start, "quote without an end")
	return false
}

// pythonPieces splits a value at ${X} and ${X:-d}, also inside single quotes. The default counts for an unset
// variable only, not for an empty one.
func pythonPieces(text string, m runs, quoted bool) Pieces {
	var out Pieces
	add := func(from, to int, r *Reference) {
		if to > from {
			out = append(out, Piece{Span: m.span(from, to), Text: text[from:to], Ref: r, Quoted: quoted})
		}
	}
	start, i, brace := 0, 0, -1
	for {
		d := strings.Index(text[i:], "${")
		if d < 0 {
			break
		}
		i += d
		if brace < i+2 {
			n := strings.IndexByte(text[i+2:], '}')
			if n < 0 {
				break
			}
			brace = i + 2 + n
		}
		name, def, hasDefault := strings.Cut(text[i+2:brace], ":")
		if hasDefault && !strings.HasPrefix(def, "-") {
			i += 2
			continue
		}
		ref := &Reference{Name: name}
		if hasDefault {
			ref.Op = OpDefault
			if from := i + 2 + len(name) + 2; from < brace {
				ref.Alt = Pieces{{Span: m.span(from, brace), Text: text[from:brace], Quoted: quoted}}
			}
		}
		add(start, i, nil)
		add(i, brace+1, ref)
		i = brace + 1
		start = i
	}
	add(start, len(text), nil)
	return out
}

// systemd reads a file of EnvironmentFile=: names that systemd drops are errors.
func (p *envParser) systemd() {
	for {
		for p.i < len(p.b) && strings.IndexByte(" \t\r\n", p.b[p.i]) >= 0 {
			p.i++
		}
		if p.i >= len(p.b) {
			return
		}
		start := p.i
		comment := p.b[start] == '#' || p.b[start] == ';'
		for p.i < len(p.b) && !isNewline(p.b[p.i]) && (comment || p.b[p.i] != '=' || p.i == start) {
			p.i++
		}
		if comment {
			continue
		}
		if p.i >= len(p.b) || isNewline(p.b[p.i]) {
			p.fail(start, "line without '='")
			continue
		}
		name := bytes.TrimRight(p.b[start:p.i], " \t")
		x := EnvEntry{Name: string(name), NameSpan: Span{start, start + len(name)}}
		p.i++
		p.systemdValue(&x)
		x.Span = Span{start, x.ValueSpan.End}
		if n := nameLen(x.Name); n != len(x.Name) {
			p.fail(start+n, "systemd ignores "+strconv.Quote(x.Name)+": not a variable's name")
			continue
		}
		p.e.Entries = append(p.e.Entries, x)
	}
}

// systemdValue reads a value that may consist of quoted strings and ends with plain text.
func (p *envParser) systemdValue(x *EnvEntry) {
	place := p.i
	var text []byte
	var m runs
	put := func(at int) {
		m.add(len(text), at, 1)
		text = append(text, p.b[at])
	}
	first, end := -1, place
	var quote byte
	segments := 0
	for p.i < len(p.b) && !isNewline(p.b[p.i]) {
		c := p.b[p.i]
		if c == ' ' || c == '\t' {
			p.i++
			continue
		}
		if first < 0 {
			first = p.i
		}
		if c != '\'' && c != '"' {
			quote = 0
			end = p.systemdPlain(put, &text)
			break
		}
		open := p.i
		if segments++; segments == 1 {
			quote = c
		} else {
			quote = 0
		}
		p.i++
		for p.i < len(p.b) && p.b[p.i] != c {
			if p.b[p.i] == '\\' && c == '"' && p.i+1 < len(p.b) {
				p.i++
				switch e := p.b[p.i]; {
				case strings.IndexByte("\"\\`$", e) >= 0:
					put(p.i)
				case e != '\n':
					put(p.i - 1)
					put(p.i)
				}
			} else {
				put(p.i)
			}
			p.i++
		}
		if p.i >= len(p.b) {
			p.fail(open, "quote without an end")
			quote = 0
		} else {
			p.i++
		}
		end = p.i
	}
	x.ValueSpan = Span{place, place}
	if first >= 0 {
		x.ValueSpan = Span{first, end}
	}
	x.ContentSpan = x.ValueSpan
	if quote != 0 {
		x.Quote = quote
		x.ContentSpan = Span{first + 1, end - 1}
	}
	x.Pieces = literal(string(text), m, x.ContentSpan)
}

// systemdPlain reads text without quotes to the end of its line and returns where it ends without the white
// space after it.
func (p *envParser) systemdPlain(put func(int), text *[]byte) int {
	end, keep := p.i, len(*text)
	for p.i < len(p.b) && !isNewline(p.b[p.i]) {
		c := p.b[p.i]
		if c == '\\' {
			p.i++
			if p.i < len(p.b) {
				if !isNewline(p.b[p.i]) {
					put(p.i)
				}
				p.i++
			}
			end, keep = p.i, len(*text)
			continue
		}
		put(p.i)
		p.i++
		if c != ' ' && c != '\t' {
			end, keep = p.i, len(*text)
		}
	}
	*text = (*text)[:keep]
	return end
}
