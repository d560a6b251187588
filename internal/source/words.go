package source

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// loose splits the text from offset at on into commands by quotes, blanks and separators, for texts that are no
// proper shell. Here-documents and compound commands are not told apart from commands.
func (c *shellReader) loose(at int) []shellEvent {
	var out []shellEvent
	cur := &rawCommand{}
	flush := func() {
		if len(cur.words)+len(cur.assigns) > 0 {
			out = append(out, shellEvent{cmd: cur})
		}
		cur = &rawCommand{}
	}
	b := c.masked
	for i := at; i < len(b); {
		switch ch := b[i]; {
		case ch == '\n' || ch == ';' || ch == '|' || ch == '(' || ch == ')':
			flush()
			i++
		case ch == '&':
			flush()
			i++
		case ch == ' ' || ch == '\t' || ch == '\r' || ch == 0:
			i++
		case ch == '\\' && i+1 < len(b) && b[i+1] == '\n':
			i += 2
		case ch == '\\' && i+2 < len(b) && b[i+1] == '\r' && b[i+2] == '\n':
			i += 3
		case ch == '#':
			for i < len(b) && b[i] != '\n' {
				i++
			}
		default:
			w, end := c.looseWord(i)
			i = end
			if n := nameLen(b[w.span.Start:w.span.End]); n > 0 && len(cur.words) == 0 && w.span.Start+n < w.span.End &&
				b[w.span.Start+n] == '=' {
				cur.assigns = append(cur.assigns, looseAssign(w, n, b))
			} else {
				cur.words = append(cur.words, w)
			}
			if cur.span.End == 0 {
				cur.span.Start = w.span.Start
			}
			cur.span.End = w.span.End
		}
	}
	flush()
	return out
}

// looseAssign turns a word NAME=value into an assignment; n is the length of the name.
func looseAssign(w rawWord, n int, b []byte) rawAssign {
	s := w.span
	a := rawAssign{name: string(b[s.Start : s.Start+n]), nameSpan: Span{s.Start, s.Start + n}, span: s}
	a.value.span = Span{s.Start + n + 1, s.End}
	first := w.pieces[0]
	first.Text, first.Span.Start = first.Text[n+1:], first.Span.Start+n+1
	if first.Text != "" {
		a.value.pieces = append(a.value.pieces, first)
	}
	a.value.pieces = append(a.value.pieces, w.pieces[1:]...)
	return a
}

// looseWord reads a word that starts at i.
func (c *shellReader) looseWord(i int) (rawWord, int) {
	b := c.masked
	w := rawWord{span: Span{Start: i}}
	start := i
	text := func(from, to int, mode textMode, quoted bool) {
		if to > from {
			w.pieces = append(w.pieces, c.literal(Span{from, to}, mode, quoted)...)
		}
	}
	for i < len(b) && strings.IndexByte(" \t\n;|&()", b[i]) < 0 {
		switch {
		case b[i] == '\r' && (i+1 == len(b) || b[i+1] == '\n'):
			text(start, i, plainText, false)
			w.span.End = i
			return w, i
		case b[i] == '\\':
			i = min(i+2, len(b))
			if i < len(b) && b[i-1] == '\r' && b[i] == '\n' {
				i++
			}
		case b[i] == '\'':
			text(start, i, plainText, false)
			end := len(b)
			if n := bytes.IndexByte(b[i+1:], '\''); n >= 0 {
				end = i + 1 + n
			}
			w.pieces = append(w.pieces, c.literal(Span{i + 1, end}, quotedHereText, true)...)
			if end == i+1 {
				w.pieces = append(w.pieces, Piece{Span: Span{end, end}, Quoted: true})
			}
			i = min(end+1, len(b))
			start = i
		case b[i] == '"':
			text(start, i, plainText, false)
			i++
			start = i
			empty := true
			for i < len(b) && b[i] != '"' {
				switch n := c.looseReference(i); {
				case n > 0:
					text(start, i, doubleText, true)
					w.pieces = append(w.pieces, c.loosePiece(Span{i, i + n}, true))
					i += n
					start = i
				case b[i] == '\\':
					i = min(i+2, len(b))
				default:
					i++
				}
				empty = false
			}
			text(start, i, doubleText, true)
			if empty {
				w.pieces = append(w.pieces, Piece{Span: Span{i, i}, Quoted: true})
			}
			i = min(i+1, len(b))
			start = i
		default:
			n := c.looseReference(i)
			if n == 0 {
				i++
				continue
			}
			text(start, i, plainText, false)
			w.pieces = append(w.pieces, c.loosePiece(Span{i, i + n}, false))
			i += n
			start = i
		}
	}
	text(start, i, plainText, false)
	w.span.End = i
	return w, i
}

// maxLooseReference bounds how far the end of a reference is looked for, in bytes.
const maxLooseReference = 1000

// looseReference returns the length of the reference at i: $X, ${...}, $(...), `...`; 0 without one.
func (c *shellReader) looseReference(i int) int {
	b := c.masked[i:min(len(c.masked), i+maxLooseReference)]
	if b[0] == '`' {
		if n := bytes.IndexByte(b[1:], '`'); n >= 0 {
			return n + 2
		}
		return 0
	}
	if b[0] != '$' || len(b) < 2 {
		return 0
	}
	var left, right byte
	switch b[1] {
	case '{':
		left, right = '{', '}'
	case '(':
		left, right = '(', ')'
	default:
		if n := nameLen(b[1:]); n > 0 {
			return n + 1
		}
		if strings.IndexByte("0123456789@*#?", b[1]) >= 0 {
			return 2
		}
		return 0
	}
	depth := 0
	for k := 1; k < len(b); k++ {
		switch b[k] {
		case left:
			depth++
		case right:
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	return 0
}

// loosePiece reads the reference that covers s; alternatives are taken as plain text.
func (c *shellReader) loosePiece(s Span, quoted bool) Piece {
	text := string(c.b[s.Start:s.End])
	p := Piece{Span: s, Text: text, Ref: &Reference{}, Quoted: quoted}
	if overlaps(c.holes, s) || text[0] != '$' {
		return p
	}
	body := text[1:]
	at := s.Start + 1
	if body[0] == '{' {
		body = body[1 : len(body)-1]
		at++
	}
	n := nameLen(body)
	if n == 0 {
		return p
	}
	p.Ref.Name = body[:n]
	if body = body[n:]; body == "" {
		return p
	}
	k := 1
	if body[0] == ':' {
		k = 2
	}
	if len(body) < k || strings.IndexByte("-=?+", body[k-1]) < 0 || strings.ContainsAny(body[k:], "$`\\\"'") {
		p.Ref.Op = OpOther
		return p
	}
	p.Ref.Op = Operator(body[:k])
	if alt := body[k:]; alt != "" {
		from := at + n + k
		p.Ref.Alt = Pieces{{Span: Span{from, from + len(alt)}, Text: alt, Quoted: quoted}}
	}
	return p
}

// ComposeWords splits the text of a compose command or entrypoint that is written as one string: references are
// replaced first, then the words are split at blanks outside quotes, with no shell (compose-go 2.16.2, with
// go-shellwords 1.0.12). Compose ends the command at an unquoted ; & | < or >, and so does this, with a
// [*SyntaxError] that says where.
func ComposeWords(f *File, lookup Lookup) (*Args, error) {
	p, err := ComposePieces(f.text())
	a := &Args{File: f, Form: ShellText, Span: Span{len(f.Bytes), len(f.Bytes)}}
	_, a.Node = f.Host()
	s := composeSplitter{node: a.Node, b: f.Bytes}
	s.run(known(opaqueTemplates(p), lookup))
	a.Words = s.words
	if n := len(a.Words); n > 0 {
		a.Span = Span{a.Words[0].Span.Start, a.Words[n-1].Span.End}
	}
	switch {
	case err != nil:
		return a, &SyntaxError{File: f, Offset: err.(*TemplateError).Span.Start, Msg: err.Error()}
	case s.msg != "":
		return a, &SyntaxError{File: f, Offset: s.at, Msg: s.msg}
	}
	return a, nil
}

// opaqueTemplates makes the template expressions in literal text pieces of their own that are not known.
func opaqueTemplates(p Pieces) Pieces {
	var out Pieces
	for _, x := range p {
		if x.Ref != nil || !isTemplate(x.Text) || len(x.Text) != x.Span.Len() {
			out = append(out, x)
			continue
		}
		at := 0
		add := func(to int, r *Reference) {
			if to > at {
				out = append(out, Piece{Span: Span{x.Span.Start + at, x.Span.Start + to}, Text: x.Text[at:to], Ref: r})
			}
			at = to
		}
		for _, s := range templateSpans([]byte(x.Text)) {
			add(s.Start, nil)
			add(s.End, &Reference{})
		}
		add(len(x.Text), nil)
	}
	return out
}

// known replaces the references of p whose value is known by literal pieces. Those of a looked-up value span
// the reference.
func known(p Pieces, lookup Lookup) Pieces {
	budget := maxExpansion
	return appendKnown(nil, p, lookup, &budget)
}

func appendKnown(out, p Pieces, lookup Lookup, budget *int) Pieces {
	for _, x := range p {
		if x.Ref == nil {
			out = append(out, x)
			continue
		}
		v, alt, ok := x.Ref.choose(lookup)
		switch {
		case !ok || len(v) > *budget:
			out = append(out, x)
		case alt:
			out = appendKnown(out, x.Ref.Alt, lookup, budget)
		default:
			*budget -= len(v)
			out = append(out, Piece{Span: x.Span, Text: v, Quoted: x.Quoted})
		}
	}
	return out
}

// composeSplitter splits words as go-shellwords does.
type composeSplitter struct {
	b     []byte
	node  *Node
	words []Word

	cur     Pieces
	exact   bool // the last of cur stands in b byte for byte
	span    Span
	started bool
	got     bool
	msg     string
	at      int
}

func (s *composeSplitter) touch(sp Span) {
	if !s.started {
		s.span, s.started = sp, true
	}
	s.span.Start = min(s.span.Start, sp.Start)
	s.span.End = max(s.span.End, sp.End)
}

func (s *composeSplitter) put(text string, sp Span, exact bool) {
	s.touch(sp)
	if n := len(s.cur); n > 0 && s.cur[n-1].Ref == nil && s.cur[n-1].Span.End == sp.Start && s.exact && exact {
		s.cur[n-1].Text += text
		s.cur[n-1].Span.End = sp.End
		return
	}
	s.cur = append(s.cur, Piece{Span: sp, Text: text})
	s.exact = exact
}

func (s *composeSplitter) end() {
	if s.got {
		w := Word{Text: s.cur.String(), Span: s.span, Unknown: !s.cur.Literal(), Node: s.node, Pieces: s.cur, parts: s.cur}
		w.Unknown = w.Unknown || isTemplate(w.Text)
		s.words = append(s.words, w)
	}
	s.cur, s.started, s.got = nil, false, false
}

func (s *composeSplitter) run(p Pieces) {
	var escaped, double, single, back, dollar bool
	last := byte(0) // the byte before, when it is part of the word
	for _, x := range p {
		if x.Ref != nil {
			s.touch(x.Span)
			s.cur = append(s.cur, x)
			s.got, escaped, last = true, false, 0
			continue
		}
		exact := x.exact(s.b)
		// Runs of ordinary text are added at once.
		for i := 0; i < len(x.Text); {
			_, n := utf8.DecodeRuneInString(x.Text[i:])
			if n == 1 && !escaped && strings.IndexByte(composeSpecial, x.Text[i]) < 0 {
				if k := strings.IndexAny(x.Text[i:], composeSpecial); k >= 0 {
					n = k
				} else {
					n = len(x.Text) - i
				}
			}
			sp := x.Span
			if exact {
				sp = Span{x.Span.Start + i, x.Span.Start + i + n}
			}
			text := x.Text[i : i+n]
			i += n
			r := text[0]
			if escaped {
				escaped = false
				s.put(text, sp, exact)
				s.got, last = true, text[len(text)-1]
				continue
			}
			switch r {
			case '\\':
				if !single {
					escaped = true
					s.touch(sp)
					continue
				}
				// A backslash in single quotes does not make a word by itself; the closing quote does.
				s.put(text, sp, exact)
				last = r
				continue
			case ' ', '\t', '\r', '\n':
				if single || double || back || dollar {
					s.put(text, sp, exact)
				} else {
					s.end()
				}
				last = 0
				continue
			case '`':
				if !single && !double && !dollar {
					back = !back
				}
			case ')':
				if !single && !double && !back {
					dollar = !dollar
				}
			case '(':
				if !single && !double && !back {
					if dollar || last != '$' {
						s.msg, s.at = "compose refuses a command with ( outside quotes", sp.Start
						return
					}
					dollar = true
					s.put(text, sp, exact)
					last = 0
					continue
				}
			case '"':
				if !single && !dollar {
					s.got = s.got || double
					double = !double
					s.touch(sp)
					continue
				}
			case '\'':
				if !double && !dollar {
					s.got = s.got || single
					single = !single
					s.touch(sp)
					continue
				}
			case ';', '&', '|', '<', '>':
				if !single && !double && !back && !dollar {
					s.msg, s.at = "compose ends the command here: "+text+" needs a shell", sp.Start
					if text == ">" && len(s.cur) > 0 && s.cur[0].Text != "" && '0' <= s.cur[0].Text[0] && s.cur[0].Text[0] <= '9' {
						s.got = false
					}
					s.end()
					return
				}
			}
			s.put(text, sp, exact)
			s.got = true
			last = text[len(text)-1]
		}
	}
	if escaped || single || double || back || dollar {
		s.msg, s.at = "compose refuses a command with an open quote", s.span.Start
	}
	s.end()
}

const composeSpecial = " \t\r\n\\`()\"';&|<>"

// NestedWord returns a file over the text of a word of f, as a script that another shell reads has it. References
// stay as written.
func NestedWord(f *File, w *Word) *File { return embedPieces(f, w.Pieces, w.Span.Start) }
