package source

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Unit is a systemd unit file. What systemd ignores is an error and no entry.
type Unit struct {
	File    *File
	Entries []UnitEntry
	Errors  []*SyntaxError
}

// UnitEntry is one "Key=Value" of a unit file, continuation lines joined.
type UnitEntry struct {
	Section, Key string
	Value        string
	// Span runs from the key to the end of the value. ValueSpan is empty, behind the "=", without a value.
	KeySpan, ValueSpan, Span Span

	places runs
}

// ParseUnit reads a unit file (systemd 254 and later, shared/conf-parser.c).
func ParseUnit(f *File) *Unit {
	u := &Unit{File: f}
	b := f.Bytes
	i := 0
	if bytes.HasPrefix(b, bom) {
		i = len(bom)
	}
	fail := func(at int, msg string) {
		if len(u.Errors) < maxEnvErrors {
			u.Errors = append(u.Errors, &SyntaxError{File: f, Offset: at, Msg: msg})
		}
	}
	section := ""
	for i < len(b) {
		text, m, next := unitLine(b, i)
		i = next
		end := len(text)
		for end > 0 && strings.IndexByte(" \t", text[end-1]) >= 0 {
			end--
		}
		text = text[:end]
		if text == "" {
			continue
		}
		start := m.at(0)
		if text[0] == '[' {
			if text[end-1] != ']' {
				fail(start, "section header without ]")
				continue
			}
			section = text[1 : end-1]
			continue
		}
		key, value, found := strings.Cut(text, "=")
		switch {
		case !found:
			fail(start, "line without '='")
			continue
		case section == "":
			fail(start, "assignment outside a section")
			continue
		}
		k := strings.TrimRight(key, " \t")
		v := strings.TrimLeft(value, " \t")
		from := len(text) - len(v)
		e := UnitEntry{Section: section, Key: k, Value: v, KeySpan: m.span(0, len(k))}
		e.ValueSpan = Span{m.at(len(key)) + 1, m.at(len(key)) + 1}
		if v != "" {
			e.ValueSpan = m.span(from, len(text))
		}
		e.Span = Span{e.KeySpan.Start, e.ValueSpan.End}
		e.places = m.from(from)
		u.Entries = append(u.Entries, e)
	}
	return u
}

// from returns the runs of the text that begins at the decoded offset n.
func (r runs) from(n int) runs {
	var out runs
	for _, s := range r {
		if d := n - s.inner; d > 0 {
			if d >= s.length {
				continue
			}
			s.inner, s.outer, s.length = n, s.outer+d, s.length-d
		}
		s.inner -= n
		out = append(out, s)
	}
	return out
}

// unitLine reads the line at i with its continuations, without white space at its start and without comments.
func unitLine(b []byte, i int) (text string, m runs, next int) {
	var out []byte
	for i < len(b) {
		start := i
		end := len(b)
		if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
			end = i + n
			i = end + 1
		} else {
			i = len(b)
		}
		if end > start && b[end-1] == '\r' {
			end--
		}
		for start < end && (b[start] == ' ' || b[start] == '\t') {
			start++
		}
		if start < end && (b[start] == '#' || b[start] == ';') {
			if len(out) > 0 {
				continue
			}
			return "", nil, i
		}
		slashes := 0
		for slashes < end-start && b[end-1-slashes] == '\\' {
			slashes++
		}
		more := slashes%2 == 1
		if more {
			end--
		}
		m.add(len(out), start, end-start)
		out = append(out, b[start:end]...)
		if !more {
			break
		}
		m.add(len(out), end, 1)
		out = append(out, ' ')
	}
	return string(out), m, i
}

// Values returns the assignments of a key in a section that count: those after the last empty one, which resets
// a list.
func (u *Unit) Values(section, key string) []UnitEntry {
	var out []UnitEntry
	for _, e := range u.Entries {
		if e.Section != section || e.Key != key {
			continue
		}
		if e.Value == "" {
			out = out[:0]
			continue
		}
		out = append(out, e)
	}
	return out
}

// Environment returns the variables of Environment=, of several with one name the last.
func (u *Unit) Environment() []Assignment {
	var out []Assignment
	at := map[string]int{}
	for _, e := range u.Values("Service", "Environment") {
		for _, w := range unitWords(e.Value, e.places) {
			p := systemdPieces(w.text, w.places, false)
			text, missing := p.Expand(nil)
			n := nameLen(text)
			if n == 0 || n >= len(text) || text[n] != '=' {
				continue
			}
			value := text[n+1:]
			vs := Span{w.places.at(n) + 1, max(w.places.at(n)+1, w.span.End)}
			if strings.IndexByte("\"'", u.File.Bytes[w.span.Start]) >= 0 {
				vs.End = max(vs.Start, vs.End-1)
			}
			a := Assignment{File: u.File, Name: text[:n], Value: value, Unknown: len(missing) > 0, Exported: true, Span: w.span,
				NameSpan: w.places.span(0, n), ValueSpan: vs}
			if i, ok := at[a.Name]; ok {
				out[i] = a
				continue
			}
			at[a.Name] = len(out)
			out = append(out, a)
		}
	}
	return out
}

// UnitPath is a file a unit refers to.
type UnitPath struct {
	Path string
	Span Span
	// Optional is true for a path with "-" before it, which may be missing.
	Optional bool
	// Unknown is true when the path holds a specifier such as %i.
	Unknown bool
}

// EnvironmentFiles returns the paths of EnvironmentFile=, in order.
func (u *Unit) EnvironmentFiles() []UnitPath {
	var out []UnitPath
	for _, e := range u.Values("Service", "EnvironmentFile") {
		p := UnitPath{Path: e.Value, Span: e.ValueSpan}
		if strings.HasPrefix(p.Path, "-") {
			p.Path, p.Optional = p.Path[1:], true
			p.Span.Start++
		}
		text, missing := systemdPieces(p.Path, nil, false).Expand(nil)
		p.Path, p.Unknown = text, len(missing) > 0
		out = append(out, p)
	}
	return out
}

// Commands returns the command lines of a key (ExecStart, ExecStartPre), whose variables are looked up as
// systemd does: "$X" as a word of its own becomes the words of the value, "${X}" its text.
func (u *Unit) Commands(key string, lookup Lookup) []Args {
	var out []Args
	for _, e := range u.Values("Service", key) {
		cur := Args{File: u.File, Form: ShellText}
		flush := func() {
			if n := len(cur.Words); n > 0 {
				cur.Span = Span{cur.Words[0].Span.Start, cur.Words[n-1].Span.End}
				out = append(out, cur)
			}
			cur = Args{File: u.File, Form: ShellText}
		}
		literal, argv0 := false, false
		for _, w := range unitWords(e.Value, e.places) {
			if !w.quoted && w.text == ";" {
				flush()
				continue
			}
			if len(cur.Words) == 0 && !argv0 {
				n := 0
				for n < len(w.text) && strings.IndexByte("-@:+!|", w.text[n]) >= 0 {
					argv0 = argv0 || w.text[n] == '@'
					literal = literal || w.text[n] == ':'
					n++
				}
				w.text, w.places = w.text[n:], w.places.from(n)
				w.span.Start += n
				if w.text == "" {
					continue
				}
				cur.Words = append(cur.Words, systemdWord(w, lookup, true)...)
				continue
			}
			if argv0 && len(cur.Words) == 1 {
				// With @ the second word is what the program is told its name is.
				argv0 = false
				continue
			}
			cur.Words = append(cur.Words, systemdWord(w, lookup, literal)...)
		}
		flush()
	}
	return out
}

// unitWord is a word of a unit's value before variables and specifiers are replaced.
type unitWord struct {
	text   string
	places runs
	span   Span
	quoted bool
}

// unitWords splits a value at white space outside quotes, and decodes escapes. An open quote ends the value.
func unitWords(value string, m runs) []unitWord {
	var out []unitWord
	for i := 0; i < len(value); {
		if strings.IndexByte(" \t\n\r", value[i]) >= 0 {
			i++
			continue
		}
		start := i
		var text []byte
		w := unitWord{}
		if strings.HasPrefix(value[i:], `\;`) && (i+2 == len(value) || strings.IndexByte(" \t\n\r", value[i+2]) >= 0) {
			// The way to write ";" as a word.
			out = append(out, unitWord{text: ";", places: runs{{0, m.at(i + 1), 1}}, span: m.span(i, i+2), quoted: true})
			i += 2
			continue
		}
		put := func(s string, from, n int) {
			if len(s) == n {
				for k := range len(s) {
					w.places.add(len(text)+k, m.at(from+k), 1)
				}
			} else {
				w.places = append(w.places, segment{len(text), m.at(from), 0})
			}
			text = append(text, s...)
		}
		var quote byte
		for ; i < len(value); i++ {
			c := value[i]
			switch {
			case quote != 0 && c == quote:
				quote = 0
				continue
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
				w.quoted = true
				continue
			case c == '\\' && i+1 < len(value):
				s, n := unitEscape(value[i:])
				put(s, i, n)
				i += n - 1
				continue
			}
			if quote == 0 && strings.IndexByte(" \t\n\r", c) >= 0 {
				break
			}
			put(value[i:i+1], i, 1)
		}
		if quote != 0 {
			return out
		}
		w.text, w.span = string(text), m.span(start, i)
		out = append(out, w)
	}
	return out
}

// unitEscape decodes the C escape at the start of s; an unknown one stays as it is.
func unitEscape(s string) (text string, n int) {
	const from, to = `abfnrtv\"'s`, "\a\b\f\n\r\t\v\\\"' "
	if k := strings.IndexByte(from, s[1]); k >= 0 {
		return to[k : k+1], 2
	}
	number := func(from, digits, base, bits int) (uint64, bool) {
		if len(s) < from+digits {
			return 0, false
		}
		v, err := strconv.ParseUint(s[from:from+digits], base, bits)
		return v, err == nil && v != 0
	}
	switch {
	case s[1] == 'x':
		if v, ok := number(2, 2, 16, 8); ok {
			return string([]byte{byte(v)}), 4
		}
	case s[1] == 'u':
		if v, ok := number(2, 4, 16, 32); ok {
			return string(rune(v)), 6
		}
	case s[1] == 'U':
		if v, ok := number(2, 8, 16, 32); ok && v <= utf8.MaxRune {
			return string(rune(v)), 10
		}
	case '0' <= s[1] && s[1] <= '7':
		if v, ok := number(1, 3, 8, 8); ok {
			return string([]byte{byte(v)}), 4
		}
	}
	return s[:2], 2
}

// SystemdPieces splits one word of an ExecStart= line at its references: ${X}, $X when that is the whole word,
// $$ for a dollar sign, and specifiers (%i), whose values are never known except %%. Spans are offsets in text.
func SystemdPieces(text string) Pieces {
	return systemdPieces(text, identity(0, len(text)), true)
}

func systemdPieces(text string, m runs, variables bool) Pieces {
	var out Pieces
	start := 0
	put := func(from, to int, s string, r *Reference) {
		if s != "" {
			out = append(out, Piece{Span: m.span(from, to), Text: s, Ref: r})
		}
	}
	if variables && len(text) > 1 && text[0] == '$' && nameLen(text[1:]) == len(text)-1 {
		put(0, len(text), text, &Reference{Name: text[1:]})
		return out
	}
	for i := 0; i+1 < len(text); {
		switch {
		case text[i] == '%':
			put(start, i, text[start:i], nil)
			if text[i+1] == '%' {
				put(i, i+2, "%", nil)
			} else {
				put(i, i+2, text[i:i+2], &Reference{})
			}
			i += 2
			start = i
		case variables && text[i] == '$' && text[i+1] == '$':
			put(start, i, text[start:i], nil)
			put(i, i+2, "$", nil)
			i += 2
			start = i
		case variables && text[i] == '$' && text[i+1] == '{':
			n := strings.IndexByte(text[i:], '}')
			if n < 0 {
				i = len(text)
				continue
			}
			put(start, i, text[start:i], nil)
			put(i, i+n+1, text[i:i+n+1], &Reference{Name: text[i+2 : i+n]})
			i += n + 1
			start = i
		default:
			i++
		}
	}
	put(start, len(text), text[start:], nil)
	return out
}

// systemdWord returns the words that w becomes; literal is true when variables are not replaced.
func systemdWord(w unitWord, lookup Lookup, literal bool) []Word {
	p := systemdPieces(w.text, w.places, !literal)
	parts := known(p, lookup)
	x := Word{Text: parts.String(), Span: w.span, Unknown: !parts.Literal(), Pieces: p, parts: parts}
	x.Unknown = x.Unknown || isTemplate(x.Text)
	if len(p) != 1 || p[0].Ref == nil || strings.HasPrefix(p[0].Text, "${") || x.Unknown {
		return []Word{x}
	}
	var out []Word
	for _, v := range unitWords(x.Text, nil) {
		y := x
		y.Text, y.parts = v.text, Pieces{{Span: p[0].Span, Text: v.text}}
		out = append(out, y)
	}
	return slices.Clip(out)
}
