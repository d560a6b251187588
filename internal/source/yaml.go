package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// ParseYAML reads all documents of a YAML file. When a later document is broken, those before it are returned
// together with the error, which is a [*SyntaxError].
//
// What [quickYAML] declines is read by gopkg.in/yaml.v3, with four differences: an alias sees the anchors of its own document
// only, as everywhere but in Go; JSON's \/ and surrogate escapes, a tab after a dash and %YAML 1.2 are
// accepted, as by most other parsers; UTF-16 is refused, since its byte offsets mean nothing to anyone.
func ParseYAML(f *File) ([]Document, error) { return ParseYAMLIn(f, nil) }

// ParseYAMLIn is [ParseYAML] for trees that are good until scratch is reset. Without a scratch they stay.
func ParseYAMLIn(f *File, scratch *Scratch) ([]Document, error) {
	if len(f.Bytes) > MaxFileSize {
		return nil, &SyntaxError{f, 0, fmt.Sprintf("file is larger than %d MiB", MaxFileSize>>20)}
	}
	ascii, err := checkText(f)
	if err != nil {
		return nil, err
	}
	if docs, ok := quickYAML(f, ascii, scratch); ok {
		return docs, nil
	}
	return parseYAML(f)
}

// parseYAML reads what [quickYAML] declined.
func parseYAML(f *File) ([]Document, error) {
	src := maskMarks(f.Bytes)
	docs, err := readYAML(f, src)
	if err == nil {
		return docs, nil
	}
	if masked := maskYAML(src); masked != nil {
		src = masked
		if docs, err = readYAML(f, src); err == nil {
			return docs, nil
		}
	}
	if _, ok := err.(*SyntaxError); !ok {
		err = locateYAML(f, src, err)
	}
	return docs, err
}

// readYAML returns the documents of src, which is f's text or a masked copy of it, up to the first error.
func readYAML(f *File, src []byte) (docs []Document, err error) {
	w := newWalker(f, src)
	err = eachYAML(src, func(n *yaml.Node) error {
		root, err := w.document(n)
		if err == nil {
			docs = append(docs, Document{File: f, Root: root, Index: len(docs), Inexact: w.inexact})
		}
		return err
	})
	return docs, err
}

// eachYAML calls visit for the node of every document of src up to its end or the first error.
func eachYAML(src []byte, visit func(*yaml.Node) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML parser cannot read this file: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(src))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := visit(&n); err != nil {
			return err
		}
	}
}

// checkYAML returns yaml.v3's error for src.
func checkYAML(src []byte) error {
	return eachYAML(src, func(*yaml.Node) error { return nil })
}

// checkText finds what makes a file no YAML text at all: another encoding, invalid UTF-8, control characters. It reports
// whether all is ASCII.
func checkText(f *File) (ascii bool, err error) {
	b := f.Bytes
	fail := func(at int, msg string) (bool, error) { return false, &SyntaxError{f, at, msg} }
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return fail(0, "file is UTF-16, not UTF-8")
	}
	i := 0
	if bytes.HasPrefix(b, bom) {
		i = len(bom)
	}
	ascii = i == 0
	for i < len(b) {
		if i+8 <= len(b) && printable(binary.LittleEndian.Uint64(b[i:])) {
			i += 8
			continue
		}
		c := b[i]
		if c < utf8.RuneSelf {
			if c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
				return fail(i, fmt.Sprintf("control character %#02x is not allowed", c))
			}
			i++
			continue
		}
		ascii = false
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return fail(i, "invalid UTF-8")
		case r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff:
			return fail(i, fmt.Sprintf("control character %U is not allowed", r))
		}
		i += n
	}
	return ascii, nil
}

// printable reports whether the eight bytes of x are all from 0x20 to 0x7e.
func printable(x uint64) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	del := x ^ each*0x7f
	return (x|(x-each*0x20)|(del-each))&high == 0
}

// maskMarks returns src with byte order marks after the first bytes replaced by another character of the same
// length. They are ordinary characters, but yaml.v3 drops the first character of every line while one stands
// at the start of its buffer.
func maskMarks(src []byte) []byte {
	if len(src) < len(bom) || !bytes.Contains(src[1:], bom) {
		return src
	}
	return append(bytes.Clone(src[:1]), bytes.ReplaceAll(src[1:], bom, []byte("\ufefe"))...)
}

// maskYAML returns a copy of src, of the same length, in which constructs that yaml.v3 refuses and others
// accept are replaced by harmless ones; nil when there is none.
func maskYAML(src []byte) []byte {
	var out []byte
	set := func(at int, text string) {
		if out == nil {
			out = bytes.Clone(src)
		}
		copy(out[at:], text)
	}
	for i := 0; i+1 < len(src); i++ {
		if src[i] != '\\' {
			continue
		}
		switch src[i+1] {
		case '/':
			set(i, `\\`)
		case 'u':
			if isSurrogate(src[i:]) {
				set(i, `\u263a`)
			}
		}
		i++
	}
	bol := 0
	if bytes.HasPrefix(src, bom) {
		bol = len(bom)
	}
	for bol < len(src) {
		eol := len(src)
		if j := bytes.IndexAny(src[bol:], "\n\r"); j >= 0 {
			eol = bol + j + 1
		}
		line := src[bol:eol]
		if bytes.HasPrefix(line, []byte("%YAML 1.")) && len(line) > 8 && line[8] >= '2' && line[8] <= '9' {
			set(bol+8, "1")
		}
		for i := 0; i < len(line); i++ {
			switch c := line[i]; {
			case c == ' ':
				continue
			case (c == '-' || c == '?') && i+1 < len(line) && (line[i+1] == '\t' || line[i+1] == ' '):
				for i+1 < len(line) && (line[i+1] == '\t' || line[i+1] == ' ') {
					i++
					if line[i] == '\t' {
						set(bol+i, " ")
					}
				}
				continue
			}
			break
		}
		bol = eol
	}
	return out
}

// isSurrogate reports whether b starts with a \u escape of a UTF-16 surrogate.
func isSurrogate(b []byte) bool {
	return len(b) >= 6 && b[0] == '\\' && b[1] == 'u' && (b[2] == 'd' || b[2] == 'D') && b[3] >= '8' &&
		hexValue(b[3]) >= 0 && hexValue(b[4]) >= 0 && hexValue(b[5]) >= 0
}

// hexValue returns the value of a hexadecimal digit, -1 for any other byte.
func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// maxRefine is the size up to which the line of a block structure error is searched by parsing again.
const maxRefine = 1 << 20

// locateYAML turns an error of yaml.v3 into one with an offset. Its line numbers are those of the construct's
// start, or one too small, or missing on line 1, depending on the message; see below.
func locateYAML(f *File, src []byte, err error) error {
	msg, line := splitYAMLError(err)
	fail := func(at int) error { return &SyntaxError{f, at, msg} }

	if name, ok := strings.CutPrefix(msg, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		return fail(max(0, findAlias(src, name)))
	}

	// One line break in front gives line 1 a number as well. Scanner errors then are one too large, parser
	// errors (one too small by themselves) right.
	start := 0
	if bytes.HasPrefix(src, bom) {
		start = len(bom)
	}
	shifted := make([]byte, 0, len(src)+1)
	original := line
	shifted = append(append(append(shifted, src[:start]...), '\n'), src[start:]...)
	if err := checkYAML(shifted); err != nil {
		if m, l := splitYAMLError(err); m == msg && l > 0 {
			line = l
			if !isParserError(msg) {
				line--
			}
			if blockError(msg) && original > 0 {
				// The surrounding block starts on line 1, so this one is that of the place itself.
				line = max(line, original+1)
			}
		}
	}
	if line == 0 {
		return fail(start)
	}
	line = min(line, f.LineCount())
	if blockError(msg) && len(src) <= maxRefine {
		line = refineLine(f, src, msg, line)
	}
	span := f.Line(line)
	at := span.Start
	for at < span.End && (src[at] == ' ' || src[at] == '\t') {
		at++
	}
	text := src[at:span.End]
	pick := func(i int) int {
		if i < 0 {
			return at
		}
		return at + i
	}
	switch {
	case strings.Contains(msg, "mapping values are not allowed"):
		at = pick(secondColon(text))
	case strings.Contains(msg, "cannot start any token"):
		if i := badStart(src[span.Start:span.End]); i >= 0 {
			at = span.Start + i
		}
	case strings.Contains(msg, "unknown escape character"), strings.Contains(msg, "expected hexdecimal"),
		strings.Contains(msg, "Unicode character escape"):
		if i := badEscape(src[at:]); i >= 0 {
			at += i
		}
	case strings.Contains(msg, "unexpected end of stream"), strings.Contains(msg, "unexpected document indicator"):
		at = pick(lastOpenQuote(text))
	case strings.Contains(msg, "expected ',' or ']'"):
		at = pick(lastOpen(text, '[', ']'))
	case strings.Contains(msg, "expected ',' or '}'"):
		at = pick(lastOpen(text, '{', '}'))
	}
	if at >= len(src) {
		// What is missing at the end of the file is missing after its last character.
		at = max(start, len(bytes.TrimRight(src, " \t\r\n"))-1)
	}
	return fail(at)
}

// splitYAMLError takes "yaml: line 3: message" apart; line is 0 when there is none.
func splitYAMLError(err error) (msg string, line int) {
	msg = strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if num, m, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(num); err == nil {
				return m, n
			}
		}
	}
	return msg, 0
}

// isParserError tells the messages of yaml.v3's parser, whose lines count from 0, from its scanner's.
func isParserError(msg string) bool {
	switch msg {
	case "did not find expected <stream-start>", "did not find expected <document start>",
		"found undefined tag handle", "did not find expected node content", "did not find expected '-' indicator",
		"did not find expected key", "did not find expected ',' or ']'", "did not find expected ',' or '}'",
		"found duplicate %YAML directive", "found incompatible YAML document", "found duplicate %TAG directive":
		return true
	}
	return false
}

// blockError reports whether yaml.v3 names the start of the surrounding block for msg, not the place that
// does not fit into it.
func blockError(msg string) bool {
	return msg == "did not find expected key" || msg == "did not find expected '-' indicator"
}

// refineLine finds the line that makes the parser fail with msg: the last line of the shortest beginning of
// the file that fails in this way.
func refineLine(f *File, src []byte, msg string, from int) int {
	fails := func(line int) bool {
		end := len(src)
		if line < f.LineCount() {
			end = f.lines[line]
		}
		err := checkYAML(src[:end])
		if err == nil {
			return false
		}
		m, _ := splitYAMLError(err)
		return m == msg
	}
	lo, hi := from, f.LineCount()
	for lo < hi {
		mid := (lo + hi) / 2
		if fails(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// findAlias returns the offset of the first "*name" that no "&name" precedes, -1 when there is none.
func findAlias(src []byte, name string) int {
	for i := 0; i < len(src); {
		j := bytes.Index(src[i:], []byte("*"+name))
		if j < 0 {
			return -1
		}
		at := i + j
		i = at + 1 + len(name)
		if i < len(src) && isNameByte(src[i]) {
			continue
		}
		if at > 0 && !isBlankOrBreak(src[at-1]) && !bytes.ContainsRune([]byte("[{,:-?"), rune(src[at-1])) {
			continue
		}
		return at
	}
	return -1
}

// isNameByte reports whether c can stand in the name of an anchor.
func isNameByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}

func isBlankOrBreak(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// secondColon returns the offset of the second ": " of a line, else of the first, else -1.
func secondColon(line []byte) int {
	at, seen := -1, 0
	for i := range line {
		if line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
			at = i
			if seen++; seen == 2 {
				break
			}
		}
	}
	return at
}

// badStart returns the offset of the first character of a line that can start no token ("@", "`", "%", a tab
// used as indentation), -1 without one.
func badStart(line []byte) int {
	start := true
	for i, c := range line {
		switch {
		case start && (c == '@' || c == '`' || c == '%' || c == '\t'):
			return i
		case c == ' ' || c == '\t' || c == '[' || c == '{' || c == ',':
			start = start || c != ' ' || i > 0 && (line[i-1] == ':' || line[i-1] == '-' || line[i-1] == '?')
		default:
			start = false
		}
	}
	return -1
}

// badEscape returns the offset of the first backslash of b that starts no YAML escape, -1 without one.
func badEscape(b []byte) int {
	for i := 0; i+1 < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		digits := 0
		switch b[i+1] {
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			if !strings.ContainsRune("0abt\tnvfre \"'\\/N_LP\n\r", rune(b[i+1])) {
				return i
			}
		}
		for k := range digits {
			if i+2+k >= len(b) || hexValue(b[i+2+k]) < 0 {
				return i
			}
		}
		i += 1 + digits
	}
	return -1
}

// lastOpenQuote returns the offset of a quote that is opened on the line and not closed on it, -1 without
// one.
func lastOpenQuote(line []byte) int {
	open := -1
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case open < 0 && (c == '"' || c == '\'') && (i == 0 || !isNameByte(line[i-1])):
			open, quote = i, c
		case open >= 0 && c == '\\' && quote == '"':
			i++
		case open >= 0 && c == quote:
			open = -1
		}
	}
	return open
}

// lastOpen returns the offset of the innermost bracket that the line opens and does not close, -1 without
// one.
func lastOpen(line []byte, left, right byte) int {
	var stack []int
	for i, c := range line {
		switch c {
		case left:
			stack = append(stack, i)
		case right:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
	}
	if len(stack) == 0 {
		return bytes.IndexByte(line, left)
	}
	return stack[len(stack)-1]
}
