package source

import (
	"bytes"
	"strings"
)

// INIDialect says which program reads an INI-like file.
type INIDialect uint8

// The dialects.
const (
	// INIPgBouncer is pgbouncer.ini (pgbouncer 1.24, lib/usual/cfparser.c): sections, ";" and "#" comments on lines
	// of their own only, values unquoted.
	INIPgBouncer INIDialect = iota
	// INIPostgres is postgresql.conf (postgres 17, guc-file.l): no sections, "=" optional, values in single quotes,
	// "#" comments anywhere.
	INIPostgres
)

// INIEntry is one setting.
type INIEntry struct {
	Section, Key string
	// Value is decoded; for postgresql.conf without its quotes.
	Value   string
	KeySpan Span
	// ValueSpan covers the value as written with its quotes, ContentSpan without; both are empty, at the place for
	// a value, when there is none. Span runs from the key to the end of the value.
	ValueSpan, ContentSpan, Span Span
	// Include is true for %include, include, include_if_exists and include_dir, which name other files.
	Include bool
}

// INIFile is an INI file. A line that its program refuses is an error and no entry.
type INIFile struct {
	File    *File
	Entries []INIEntry
	Errors  []*SyntaxError

	last map[string]int
}

// Get returns the setting that counts, the last one, or nil. Keys are compared without case.
func (f *INIFile) Get(section, key string) *INIEntry {
	if i, ok := f.last[section+"\n"+strings.ToLower(key)]; ok {
		return &f.Entries[i]
	}
	return nil
}

// ParseINI reads an INI file as the program of the dialect does.
func ParseINI(f *File, d INIDialect) *INIFile {
	out := &INIFile{File: f, last: map[string]int{}}
	fail := func(at int, msg string) {
		if len(out.Errors) < maxEnvErrors {
			out.Errors = append(out.Errors, &SyntaxError{File: f, Offset: at, Msg: msg})
		}
	}
	b := f.Bytes
	i := 0
	if bytes.HasPrefix(b, bom) {
		i = len(bom)
	}
	section := ""
	for i < len(b) {
		start, end := i, len(b)
		if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
			end = i + n
			i = end + 1
		} else {
			i = len(b)
		}
		start, end = trimBlanks(b, start, end)
		if start == end || b[start] == '#' || d == INIPgBouncer && b[start] == ';' {
			continue
		}
		if d == INIPgBouncer && b[start] == '[' {
			n := bytes.IndexByte(b[start:end], ']')
			if n < 0 {
				fail(start, "section header without ]")
				continue
			}
			section = string(b[start+1 : start+n])
			continue
		}
		var e INIEntry
		var at int
		var msg string
		if d == INIPgBouncer {
			e, at, msg = pgbouncerLine(b, start, end)
			if msg == "" && section == "" && !e.Include {
				at, msg = start, "setting outside a section"
			}
		} else {
			e, at, msg = postgresLine(b, start, end)
		}
		if msg != "" {
			fail(at, msg)
			continue
		}
		e.Section = section
		e.Span = Span{e.KeySpan.Start, max(e.KeySpan.End, e.ValueSpan.End)}
		out.last[section+"\n"+strings.ToLower(e.Key)] = len(out.Entries)
		out.Entries = append(out.Entries, e)
	}
	return out
}

// trimBlanks moves the bounds of a piece of b over white space.
func trimBlanks(b []byte, start, end int) (int, int) {
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
	for start < end && blank(b[start]) {
		start++
	}
	for end > start && blank(b[end-1]) {
		end--
	}
	return start, end
}

func pgbouncerLine(b []byte, start, end int) (e INIEntry, at int, msg string) {
	if bytes.HasPrefix(b[start:end], []byte("%include")) {
		from, to := trimBlanks(b, start+len("%include"), end)
		k := Span{start, start + len("%include")}
		return INIEntry{Key: "%include", KeySpan: k, Value: string(b[from:to]), ValueSpan: Span{from, to}, ContentSpan: Span{from, to}, Include: true}, 0, ""
	}
	n := bytes.IndexByte(b[start:end], '=')
	if n < 0 {
		return e, start, "line without '='"
	}
	ks, ke := trimBlanks(b, start, start+n)
	if ks == ke {
		return e, start, "no name before '='"
	}
	vs, ve := trimBlanks(b, start+n+1, end)
	if vs == ve {
		vs, ve = start+n+1, start+n+1
	}
	e = INIEntry{Key: string(b[ks:ke]), KeySpan: Span{ks, ke}, Value: string(b[vs:ve]), ValueSpan: Span{vs, ve}, ContentSpan: Span{vs, ve}}
	return e, 0, ""
}

// postgresLine reads "key = value", "key value" and "key 'value'", with a comment behind it.
func postgresLine(b []byte, start, end int) (e INIEntry, at int, msg string) {
	k := start
	for k < end && (isNameStart(b[k]) || b[k] >= 0x80 || k > start && ('0' <= b[k] && b[k] <= '9' || b[k] == '$' || b[k] == '.')) {
		k++
	}
	if k == start {
		return e, start, "no name at the start of the line"
	}
	e.Key, e.KeySpan = string(b[start:k]), Span{start, k}
	i, _ := trimBlanks(b, k, end)
	if i < end && b[i] == '=' {
		i++
		k = i
		i, _ = trimBlanks(b, i, end)
	}
	switch strings.ToLower(e.Key) {
	case "include", "include_if_exists", "include_dir":
		e.Include = true
	}
	if i == end || b[i] == '#' {
		return e, k, "setting " + e.Key + " without a value"
	}
	from := i
	if b[i] == '\'' {
		var text []byte
		for i++; ; i++ {
			if i >= end {
				return e, from, "quote without an end"
			}
			switch c := b[i]; {
			case c == '\'' && i+1 < end && b[i+1] == '\'':
				text = append(text, c)
				i++
				continue
			case c == '\\' && i+1 < end:
				s, n := postgresEscape(b[i:end])
				text = append(text, s...)
				i += n - 1
				continue
			case c != '\'':
				text = append(text, c)
				continue
			}
			break
		}
		e.Value = string(text)
		i++
		e.ContentSpan = Span{from + 1, i - 1}
	} else {
		for i < end && b[i] != '#' && b[i] != ' ' && b[i] != '\t' && b[i] != '\r' && b[i] != '\'' {
			i++
		}
		e.Value = string(b[from:i])
		e.ContentSpan = Span{from, i}
		for k, c := range b[from:i] {
			if !isNameStart(c) && (c < '0' || c > '9') && c < 0x80 && c != '.' && c != '-' && c != '+' && (k == 0 || c != ':' && c != '/') {
				return e, from, "value of " + e.Key + " needs quotes"
			}
		}
	}
	e.ValueSpan = Span{from, i}
	if rest, _ := trimBlanks(b, i, end); rest < end && b[rest] != '#' {
		return e, rest, "text after the value of " + e.Key
	}
	return e, 0, ""
}

// postgresEscape decodes the escape at the start of b as DeescapeQuotedString does.
func postgresEscape(b []byte) (text string, n int) {
	const from, to = "bfnrt", "\b\f\n\r\t"
	if k := strings.IndexByte(from, b[1]); k >= 0 {
		return to[k : k+1], 2
	}
	if b[1] < '0' || b[1] > '7' {
		return string(b[1:2]), 2
	}
	v := 0
	for n = 1; n < len(b) && n < 4 && '0' <= b[n] && b[n] <= '7'; n++ {
		v = v*8 + int(b[n]-'0')
	}
	return string([]byte{byte(v)}), n
}
