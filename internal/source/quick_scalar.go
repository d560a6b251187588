package source

import "strings"

// keyEnd returns the offset of the colon after the key at i, -1 when no key stands there.
func (q *quick) keyEnd(i int) int {
	end := i
	switch c := q.at(i); c {
	case '"', '\'':
		end = q.quoteEnd(i)
	default:
		if end = q.plainEnd(i, false); end == i {
			return -1
		}
	}
	if q.declined {
		return -1
	}
	colon := end
	for q.at(colon) == ' ' {
		colon++
	}
	if q.at(colon) != ':' || !q.blank(colon+1) {
		return -1
	}
	if colon-i > maxQuickKey {
		q.decline()
		return -1
	}
	return colon
}

// quoteEnd returns the offset after the quote that closes the one at i on its line.
func (q *quick) quoteEnd(i int) int {
	quote := q.src[i]
	for i++; i < len(q.src); i++ {
		switch c := q.src[i]; {
		case c == '\n':
			q.decline()
			return i
		case c == '\\' && quote == '"':
			i++
			switch q.at(i) {
			case '"', '\\', 'n', 't', 'r':
			default:
				q.decline()
				return i
			}
		case c == quote:
			if quote == '\'' && q.at(i+1) == '\'' {
				i++
				continue
			}
			return i + 1
		}
	}
	q.decline()
	return i
}

// plainEnd returns the offset after the plain scalar at i, i when none starts there. In a flow container its indicators
// end it, too.
func (q *quick) plainEnd(i int, flow bool) int {
	b := q.src
	switch q.at(i) {
	case '\n', ' ', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', '\t':
		q.decline()
		return i
	case '-':
		if c := q.at(i + 1); q.blank(i+1) || flow && c != '-' && !alphanumeric(c) {
			q.decline()
			return i
		}
	}
	end := i
	for i < len(b) {
		switch b[i] {
		case '\n', '\t':
			return end
		case ',', '[', ']', '{', '}', '?':
			if flow {
				return end
			}
		case ':':
			if q.blank(i + 1) {
				return end
			}
			if flow && strings.IndexByte(",[]{}", b[i+1]) >= 0 {
				q.decline()
				return end
			}
		case ' ':
			i++
			continue
		case '#':
			if b[i-1] == ' ' {
				return end
			}
		}
		i++
		end = i
	}
	return end
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// scalar makes the node of the quoted or plain scalar between start and end.
func (q *quick) scalar(parent *Node, start, end int) *Node {
	n := q.new(parent, Scalar, Plain, start)
	n.End = end
	switch q.src[start] {
	case '"':
		n.Style = DoubleQuoted
		n.Text = q.text[start+1 : end-1]
		if strings.IndexByte(n.Text, '\\') >= 0 {
			n.Text = quickEscapes.Replace(n.Text)
		}
	case '\'':
		n.Style = SingleQuoted
		n.Text = q.text[start+1 : end-1]
		if strings.IndexByte(n.Text, '\'') >= 0 {
			n.Text = strings.ReplaceAll(n.Text, "''", "'")
		}
	default:
		n.Text = q.text[start:end]
	}
	return n
}

// quickEscapes are those that quoteEnd lets pass.
var quickEscapes = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r")

// scalarEnd returns the offset after the quoted or plain scalar at i.
func (q *quick) scalarEnd(i int, flow bool) int {
	if c := q.at(i); c == '"' || c == '\'' {
		return q.quoteEnd(i)
	}
	return q.plainEnd(i, flow)
}

// scalarValue reads the scalar at i, which fills the rest of its line.
func (q *quick) scalarValue(parent *Node, i, column int) *Node {
	end := q.scalarEnd(i, false)
	if q.declined {
		return q.new(parent, Scalar, Plain, 0)
	}
	n := q.scalar(parent, i, end)
	q.ended(end, column)
	return n
}

// ended moves on from the end of a value to the content after it, which must be indented by no more than column: it is
// another entry, not another line of the value.
func (q *quick) ended(end, column int) {
	if end >= len(q.src) {
		q.pos, q.column, q.marker = len(q.src), -1, false
		return
	}
	next := q.rest(end)
	if q.declined {
		return
	}
	if q.line(next); q.column > column {
		q.decline()
	}
}

// blockScalar reads the block scalar whose "|" or ">" stands at i. A folded one must have no empty lines in it and no
// lines that are indented further: how those fold is a matter for the general reader.
func (q *quick) blockScalar(parent *Node, i, column int) *Node {
	b := q.src
	n := q.new(parent, Scalar, Literal, i)
	folded := b[i] == '>'
	if folded {
		n.Style = Folded
	}
	chomp := byte(0)
	header := i + 1
	if c := q.at(header); c == '-' || c == '+' {
		chomp = c
		header++
	}
	if !q.blank(header) {
		q.decline()
		return n
	}
	next := q.rest(header)
	if q.declined {
		return n
	}
	// The first line with content sets the indentation.
	indent, first := -1, next
	for first < len(b) {
		j := first
		for q.at(j) == ' ' {
			j++
		}
		if q.at(j) != '\n' {
			indent = j - first
			break
		}
		if j > first {
			q.decline() // blanks on an empty line may count as indentation
			return n
		}
		first = j + 1
	}
	if indent <= column || indent < 1 {
		q.decline() // no content
		return n
	}
	var text strings.Builder
	breaks := first - next // line feeds before the next line with content
	ended := false
	for next = first; next < len(b); {
		end := q.lineEnd(next)
		if end == len(b) {
			q.decline() // no line feed at the end of the text
			return n
		}
		j := next
		for j < end && b[j] == ' ' && j-next < indent {
			j++
		}
		if j == end {
			breaks++
			next = end + 1
			continue
		}
		if j-next < indent {
			ended = true
			break
		}
		if folded && (b[j] == ' ' || breaks > 1 || breaks == 1 && text.Len() == 0) {
			q.decline()
			return n
		}
		for range breaks {
			if folded {
				text.WriteByte(' ')
			} else {
				text.WriteByte('\n')
			}
		}
		text.WriteString(q.text[j:end])
		breaks = 1
		next = end + 1
	}
	switch chomp {
	case '+':
		for range breaks {
			text.WriteByte('\n')
		}
	case 0:
		text.WriteByte('\n')
	}
	n.Text = text.String()
	var ok bool
	if n.End, ok = blockEnd(b, i, n.Text); !ok {
		q.decline()
		return n
	}
	if !ended {
		q.pos, q.column, q.marker = len(b), -1, false
		return n
	}
	if q.line(next); q.column > column {
		q.decline()
	}
	return n
}
