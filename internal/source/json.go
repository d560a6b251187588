package source

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// ParseJSON reads a JSON file (RFC 8259) into the same tree as YAML: keys and strings are double-quoted
// scalars, numbers and literals plain ones, containers in flow style. A byte order mark is skipped, duplicate
// keys are kept, a lone surrogate becomes U+FFFD. The error is a [*SyntaxError].
func ParseJSON(f *File) (*Node, error) {
	if len(f.Bytes) > MaxFileSize {
		return nil, &SyntaxError{f, 0, fmt.Sprintf("file is larger than %d MiB", MaxFileSize>>20)}
	}
	p := jsonParser{file: f, b: f.Bytes, text: f.text()}
	if bytes.HasPrefix(p.b, bom) {
		p.i = len(bom)
	}
	root, err := p.document()
	if err != nil {
		return nil, err
	}
	return root, nil
}

type jsonParser struct {
	file  *File
	b     []byte
	text  string
	i     int
	depth int
	nodes []Node
	kids  []*Node
	stack []*Node // children of the containers being read
}

func (p *jsonParser) document() (*Node, error) {
	p.blanks()
	root, err := p.value(nil)
	if err != nil {
		return nil, err
	}
	root.Lead = root.Start
	p.blanks()
	if p.i < len(p.b) {
		return nil, p.unexpected("after the end of the value")
	}
	return root, nil
}

func (p *jsonParser) fail(at int, msg string) error { return &SyntaxError{p.file, at, msg} }

// unexpected says what stands at the current offset in place of something else.
func (p *jsonParser) unexpected(where string) error {
	if p.i >= len(p.b) {
		return p.fail(len(p.b), "unexpected end of JSON "+where)
	}
	r, n := utf8.DecodeRune(p.b[p.i:])
	if r == utf8.RuneError && n == 1 {
		return p.fail(p.i, "invalid UTF-8")
	}
	return p.fail(p.i, fmt.Sprintf("unexpected %q %s", r, where))
}

func (p *jsonParser) blanks() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *jsonParser) new(parent *Node, kind Kind, style Style) *Node {
	if len(p.nodes) == cap(p.nodes) {
		p.nodes = make([]Node, 0, min(1024, max(16, 2*cap(p.nodes))))
	}
	p.nodes = append(p.nodes, Node{Kind: kind, Style: style, Parent: parent, Start: p.i, Content: p.i, Lead: -1})
	return &p.nodes[len(p.nodes)-1]
}

// children copies what was stacked above mark into a slice of its own.
func (p *jsonParser) children(mark int) []*Node {
	k := len(p.stack) - mark
	if k == 0 {
		return nil
	}
	if len(p.kids)+k > cap(p.kids) {
		p.kids = make([]*Node, 0, max(k, min(1024, max(16, 2*cap(p.kids)))))
	}
	l := len(p.kids)
	p.kids = append(p.kids, p.stack[mark:]...)
	p.stack = p.stack[:mark]
	return p.kids[l : l+k : l+k]
}

func (p *jsonParser) value(parent *Node) (*Node, error) {
	if p.i >= len(p.b) {
		return nil, p.unexpected("in place of a value")
	}
	switch c := p.b[p.i]; {
	case c == '{':
		return p.object(parent)
	case c == '[':
		return p.array(parent)
	case c == '"':
		return p.str(parent)
	case c == '-' || c >= '0' && c <= '9':
		return p.number(parent)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(p.b[p.i:], []byte(word)) {
			n := p.new(parent, Scalar, Plain)
			p.i += len(word)
			n.End, n.Text = p.i, p.text[n.Content:p.i]
			return n, nil
		}
	}
	return nil, p.unexpected("in place of a value")
}

func (p *jsonParser) enter() error {
	if p.depth++; p.depth > MaxDepth {
		return p.fail(p.i, fmt.Sprintf("nested deeper than %d levels", MaxDepth))
	}
	return nil
}

func (p *jsonParser) object(parent *Node) (*Node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	n := p.new(parent, Map, Flow)
	mark := len(p.stack)
	p.i++
	p.blanks()
	for first := true; ; first = false {
		if p.i < len(p.b) && p.b[p.i] == '}' && first {
			break
		}
		if p.i >= len(p.b) || p.b[p.i] != '"' {
			return nil, p.unexpected("in place of a key")
		}
		key, err := p.str(n)
		if err != nil {
			return nil, err
		}
		key.Lead = key.Start
		p.blanks()
		if p.i >= len(p.b) || p.b[p.i] != ':' {
			return nil, p.unexpected("in place of a colon")
		}
		colon := p.i
		p.i++
		p.blanks()
		value, err := p.value(n)
		if err != nil {
			return nil, err
		}
		value.Lead = colon
		p.stack = append(p.stack, key, value)
		more, err := p.more('}', "after a value in an object")
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	p.i++
	p.depth--
	n.End, n.Children = p.i, p.children(mark)
	return n, nil
}

func (p *jsonParser) array(parent *Node) (*Node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	n := p.new(parent, List, Flow)
	mark := len(p.stack)
	p.i++
	p.blanks()
	for first := true; ; first = false {
		if p.i < len(p.b) && p.b[p.i] == ']' && first {
			break
		}
		item, err := p.value(n)
		if err != nil {
			return nil, err
		}
		item.Lead = item.Start
		p.stack = append(p.stack, item)
		more, err := p.more(']', "after a value in an array")
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	p.i++
	p.depth--
	n.End, n.Children = p.i, p.children(mark)
	return n, nil
}

// more moves past a comma, or stops at the closing bracket.
func (p *jsonParser) more(bracket byte, where string) (bool, error) {
	p.blanks()
	if p.i < len(p.b) {
		switch p.b[p.i] {
		case ',':
			p.i++
			p.blanks()
			return true, nil
		case bracket:
			return false, nil
		}
	}
	return false, p.unexpected(where)
}

func (p *jsonParser) str(parent *Node) (*Node, error) {
	n := p.new(parent, Scalar, DoubleQuoted)
	b := p.b
	escaped := false
	i := p.i + 1
	for {
		if i >= len(b) {
			return nil, p.fail(p.i, "string is not closed")
		}
		c := b[i]
		switch {
		case c == '"':
			n.End = i + 1
			if escaped {
				n.Text = unquoteJSON(b[n.Content+1:i], 0, nil)
			} else {
				n.Text = p.text[n.Content+1 : i]
			}
			p.i = i + 1
			return n, nil
		case c == '\\':
			escaped = true
			k := jsonEscapeLen(b[i:])
			if k == 0 {
				return nil, p.fail(i, "invalid escape in a string")
			}
			i += k
		case c < 0x20:
			if c == '\n' || c == '\r' {
				return nil, p.fail(p.i, "string is not closed on its line")
			}
			return nil, p.fail(i, fmt.Sprintf("control character %#02x in a string", c))
		case c < utf8.RuneSelf:
			i++
		default:
			r, k := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && k == 1 {
				return nil, p.fail(i, "invalid UTF-8")
			}
			i += k
		}
	}
}

// jsonEscapeLen returns the length of the escape at the start of b, 0 when it is none.
func jsonEscapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hexRune(b[2:], 4); ok {
			return 6
		}
	}
	return 0
}

// unquoteJSON decodes the text of a JSON string, given without its quotes; base is its offset in the file.
func unquoteJSON(raw []byte, base int, m *mapping) string {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] == '\\' && i+1 < len(raw) {
			m.point(len(out), base+i)
			out, i = appendEscape(out, raw, i)
			continue
		}
		j := i + 1
		for j < len(raw) && raw[j] != '\\' {
			j++
		}
		m.run(len(out), base+i, j-i)
		out = append(out, raw[i:j]...)
		i = j
	}
	m.point(len(out), base+len(raw))
	return string(out)
}

func (p *jsonParser) number(parent *Node) (*Node, error) {
	n := p.new(parent, Scalar, Plain)
	i := numberLen(p.b[p.i:])
	if i == 0 {
		return nil, p.fail(p.i, "invalid number")
	}
	p.i += i
	if p.i < len(p.b) && isNumberByte(p.b[p.i]) {
		return nil, p.fail(n.Start, "invalid number")
	}
	n.End, n.Text = p.i, p.text[n.Content:p.i]
	return n, nil
}

func isNumberByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

// numberLen returns the length of the JSON number at the start of b, 0 when there is none.
func numberLen(b []byte) int {
	i := 0
	digits := func() bool {
		start := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return 0
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return 0
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}
