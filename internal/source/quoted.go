package source

import "unicode/utf8"

// mapping collects which bytes of a decoded text stand where in the file. A nil mapping collects nothing.
type mapping struct{ segs []segment }

// run records n bytes that are the same in the text (at inner) and in the file (at outer).
func (m *mapping) run(inner, outer, n int) {
	if m == nil {
		return
	}
	if k := len(m.segs) - 1; k >= 0 {
		if s := &m.segs[k]; s.length > 0 && s.inner+s.length == inner && s.outer+s.length == outer {
			s.length += n
			return
		}
	}
	m.segs = append(m.segs, segment{inner, outer, n})
}

// point records that what follows inner in the text (an escape, a folded line break) starts at outer in the
// file without being written the same.
func (m *mapping) point(inner, outer int) {
	if m != nil {
		m.segs = append(m.segs, segment{inner, outer, 0})
	}
}

// unquote decodes the text of a plain or quoted YAML scalar, given without its quotes, as yaml.v3 does; base
// is its offset in the file. Escapes of UTF-16 surrogates and \/ are accepted as in JSON.
func unquote(raw []byte, style Style, base int, m *mapping) string {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		c := raw[i]
		escapedBreak := style == DoubleQuoted && c == '\\' && i+1 < len(raw) && isBreak(raw[i+1:])
		switch {
		case spaceLen(raw[i:]) > 0 || escapedBreak:
			start := i
			first, rest := []byte(nil), []byte(nil)
			folded := escapedBreak
			if escapedBreak {
				i = skipBreak(raw, i+1)
			}
			for i < len(raw) && spaceLen(raw[i:]) > 0 {
				if !isBreak(raw[i:]) {
					i++
					continue
				}
				next := skipBreak(raw, i)
				if !folded {
					folded, first = true, appendBreak(first, raw[i:next])
				} else {
					rest = appendBreak(rest, raw[i:next])
				}
				i = next
			}
			if !folded {
				m.run(len(out), base+start, i-start)
				out = append(out, raw[start:i]...)
				continue
			}
			m.point(len(out), base+start)
			switch {
			case len(first) > 0 && first[0] == '\n' && len(rest) == 0:
				out = append(out, ' ')
			case len(first) > 0 && first[0] == '\n':
				out = append(out, rest...)
			default:
				out = append(append(out, first...), rest...)
			}
		case style == DoubleQuoted && c == '\\' && i+1 < len(raw):
			m.point(len(out), base+i)
			out, i = appendEscape(out, raw, i)
		case style == SingleQuoted && c == '\'' && i+1 < len(raw):
			m.point(len(out), base+i)
			out = append(out, '\'')
			i += 2
		default:
			m.run(len(out), base+i, 1)
			out = append(out, c)
			i++
		}
	}
	m.point(len(out), base+len(raw))
	return string(out)
}

// isBreak reports whether b starts with a YAML line break.
func isBreak(b []byte) bool { return len(b) > 0 && skipBreak(b, 0) > 0 }

// appendBreak appends a line break as YAML reads it: CR, CRLF and NEL become LF.
func appendBreak(out, br []byte) []byte {
	if len(br) == 3 {
		return append(out, br...)
	}
	return append(out, '\n')
}

// appendEscape appends the character that the escape at raw[i] stands for and returns the offset after it.
func appendEscape(out, raw []byte, i int) ([]byte, int) {
	digits := 0
	switch c := raw[i+1]; c {
	case '0':
		out = append(out, 0)
	case 'a':
		out = append(out, '\a')
	case 'b':
		out = append(out, '\b')
	case 't', '\t':
		out = append(out, '\t')
	case 'n':
		out = append(out, '\n')
	case 'v':
		out = append(out, '\v')
	case 'f':
		out = append(out, '\f')
	case 'r':
		out = append(out, '\r')
	case 'e':
		out = append(out, 0x1b)
	case 'N':
		out = append(out, "\u0085"...)
	case '_':
		out = append(out, "\u00a0"...)
	case 'L':
		out = append(out, "\u2028"...)
	case 'P':
		out = append(out, "\u2029"...)
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default: // blank, quotes, backslash, slash
		out = append(out, c)
	}
	i += 2
	if digits == 0 {
		return out, i
	}
	r, ok := hexRune(raw[i:], digits)
	if !ok {
		return utf8.AppendRune(out, utf8.RuneError), i
	}
	i += digits
	if r >= 0xd800 && r < 0xdc00 && isSurrogate(raw[i:]) {
		if low, _ := hexRune(raw[i+2:], 4); low >= 0xdc00 && low < 0xe000 {
			r = 0x10000 + (r-0xd800)<<10 + (low - 0xdc00)
			i += 6
		}
	}
	// A lone surrogate becomes U+FFFD.
	return utf8.AppendRune(out, r), i
}

// hexRune reads n hexadecimal digits.
func hexRune(b []byte, n int) (rune, bool) {
	if len(b) < n {
		return 0, false
	}
	var r rune
	for _, c := range b[:n] {
		h := hexValue(c)
		if h < 0 {
			return 0, false
		}
		r = r<<4 | rune(h)
	}
	return r, true
}
