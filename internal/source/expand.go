package source

import (
	"slices"
	"strings"
)

// Binding says what the files tell about a variable.
type Binding uint8

// The states of a variable.
const (
	Unbound Binding = iota // nothing that was read sets it
	Bound                  // set, and the value is known
	Hidden                 // set, or possibly set, by something whose value is not in the files
)

// Lookup returns the value of a variable. The value counts for [Bound] only.
type Lookup func(name string) (value string, b Binding)

// Operator is the operator of a reference such as ${X:-8}, as written.
type Operator string

// The operators that compose files, env files and shells share. Anything else a shell offers (${X#y}, ${X/a/b})
// is [OpOther], whose value is never known.
const (
	OpNone          Operator = ""
	OpDefault       Operator = "-"  // the alternative when unset
	OpDefaultEmpty  Operator = ":-" // the alternative when unset or empty
	OpAssign        Operator = "="
	OpAssignEmpty   Operator = ":="
	OpRequired      Operator = "?" // the alternative is the error message
	OpRequiredEmpty Operator = ":?"
	OpPresent       Operator = "+" // the alternative when set
	OpPresentEmpty  Operator = ":+"
	OpOther         Operator = "other"
)

// Reference is the use of a variable inside a text.
type Reference struct {
	// Name is empty when the value is computed: a command substitution, arithmetic, a special parameter.
	Name string
	Op   Operator
	// Alt is what follows the operator.
	Alt Pieces
	// All is true for "${X[@]}" and its like, which stand for all items of a shell array.
	All bool
}

// Piece is a run of literal text or one reference.
type Piece struct {
	// Span is where the piece stands, in the file or, where the text came without one, in the text.
	Span Span
	// Text is the literal after unquoting, or the reference as written.
	Text string
	Ref  *Reference
	// Quoted is true inside quotes, where a shell does not split the value into words.
	Quoted bool
}

// exact reports whether a literal stands in b byte for byte.
func (x *Piece) exact(b []byte) bool {
	return x.Span.Len() == len(x.Text) && x.Span.End <= len(b) && string(b[x.Span.Start:x.Span.End]) == x.Text
}

// Pieces is a text with references to variables.
type Pieces []Piece

// Literal reports whether there is no reference in p.
func (p Pieces) Literal() bool {
	return !slices.ContainsFunc(p, func(x Piece) bool { return x.Ref != nil })
}

// String returns the text with its references as written.
func (p Pieces) String() string {
	if len(p) == 1 {
		return p[0].Text
	}
	var b strings.Builder
	for _, x := range p {
		b.WriteString(x.Text)
	}
	return b.String()
}

// Names returns the variables that p refers to, in alternatives too, each once, in order of appearance.
func (p Pieces) Names() []string {
	var out []string
	seen := map[string]bool{}
	var walk func(Pieces)
	walk = func(p Pieces) {
		for _, x := range p {
			if x.Ref == nil {
				continue
			}
			if n := x.Ref.Name; n != "" && !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
			walk(x.Ref.Alt)
		}
	}
	walk(p)
	return out
}

// Expand returns the text with the values of its references. A variable that nothing sets takes the
// alternative of :- and -, and counts as absent for :+ and +; without an operator its value is unknown, since
// the environment of whoever starts the program may set it. missing names what was unknown (a computed value
// as written); the text then keeps those references as written.
func (p Pieces) Expand(lookup Lookup) (text string, missing []string) {
	e := expander{lookup: lookup, budget: maxExpansion}
	var b strings.Builder
	e.write(&b, p)
	return b.String(), e.missing
}

// maxExpansion bounds the text that the references of one value may grow to, in bytes.
const maxExpansion = 1 << 20

// expander evaluates pieces within a budget of bytes.
type expander struct {
	lookup  Lookup
	budget  int
	missing []string
	// blank is true when unknown references become empty instead of staying as written.
	blank bool
}

func (e *expander) write(b *strings.Builder, p Pieces) {
	for _, x := range p {
		if x.Ref == nil {
			e.put(b, x, x.Text)
			continue
		}
		v, alt, ok := x.Ref.choose(e.lookup)
		switch {
		case !ok:
			e.miss(b, x)
		case alt:
			e.write(b, x.Ref.Alt)
		default:
			e.put(b, x, v)
		}
	}
}

func (e *expander) put(b *strings.Builder, x Piece, s string) {
	if len(s) > e.budget {
		e.miss(b, x)
		return
	}
	e.budget -= len(s)
	b.WriteString(s)
}

func (e *expander) miss(b *strings.Builder, x Piece) {
	name := x.Text
	if x.Ref != nil && x.Ref.Name != "" {
		name = x.Ref.Name
	}
	if !slices.Contains(e.missing, name) && len(e.missing) < 100 {
		e.missing = append(e.missing, name)
	}
	if !e.blank && len(x.Text) <= e.budget {
		e.budget -= len(x.Text)
		b.WriteString(x.Text)
	}
}

// choose decides what a reference stands for: the value v, its alternative (alt), or, with ok false, something
// that is not in the files.
func (r *Reference) choose(lookup Lookup) (v string, alt, ok bool) {
	if r.Name == "" || r.Op == OpOther || r.All {
		return "", false, false
	}
	state := Unbound
	if lookup != nil {
		v, state = lookup(r.Name)
	}
	if state == Hidden {
		return "", false, false
	}
	set := state == Bound
	if !set {
		v = ""
	}
	switch r.Op {
	case OpDefaultEmpty, OpAssignEmpty:
		return v, v == "", true
	case OpDefault, OpAssign:
		return v, !set, true
	case OpPresentEmpty:
		return "", v != "", true
	case OpPresent:
		return "", set, true
	case OpRequiredEmpty:
		return v, false, v != ""
	}
	return v, false, set
}

// runs maps offsets in a decoded text to the bytes it was decoded from.
type runs []segment

// add notes that the n bytes of decoded text from inner on were read from the bytes at outer.
func (r *runs) add(inner, outer, n int) {
	if k := len(*r); k > 0 {
		if l := &(*r)[k-1]; l.inner+l.length == inner && l.outer+l.length == outer {
			l.length += n
			return
		}
	}
	*r = append(*r, segment{inner, outer, n})
}

// at returns the place of the decoded byte at offset inner.
func (r runs) at(inner int) int {
	i, _ := slices.BinarySearchFunc(r, inner, func(s segment, n int) int {
		if s.inner <= n {
			return -1
		}
		return 1
	})
	if i == 0 {
		return 0
	}
	s := r[i-1]
	return s.outer + min(inner-s.inner, s.length)
}

// span returns the bytes that the decoded text from start to end was read from.
func (r runs) span(start, end int) Span {
	if end <= start {
		return Span{r.at(start), r.at(start)}
	}
	return Span{r.at(start), max(r.at(start), r.at(end-1)+1)}
}

// identity maps a text of n bytes that stands unchanged at outer.
func identity(outer, n int) runs { return runs{{0, outer, n}} }

// TemplateError is a reference that the program reading it refuses.
type TemplateError struct {
	Span Span // in the text that was parsed, or in the file around it
	Msg  string
}

func (e *TemplateError) Error() string { return e.Msg }

// maxNesting bounds alternatives inside alternatives (${A:-${B:-...}}); deeper ones have an unknown value.
const maxNesting = 50

// ComposePieces splits a text of a compose file, or of an env file, at its references as compose does
// (compose-go 2.16.2, template/template.go): $X, ${X}, ${X:-d}, ${X-d}, ${X:?m}, ${X?m}, ${X:+a}, ${X+a}, and $$
// for a dollar sign. Spans are offsets in text. The pieces are complete even with an error.
func ComposePieces(text string) (Pieces, error) {
	p := composeParser{}
	out := p.parse(text, identity(0, len(text)), 0, 0, nil)
	if p.err != nil {
		return out, p.err
	}
	return out, nil
}

// ComposeInterpolate replaces the references of a text of a compose file. missing is as in [Pieces.Expand].
func ComposeInterpolate(text string, lookup Lookup) (value string, missing []string, err error) {
	if !strings.Contains(text, "$") {
		return text, nil, nil
	}
	p, err := ComposePieces(text)
	value, missing = p.Expand(lookup)
	return value, missing, err
}

// composeParser keeps the first error.
type composeParser struct{ err *TemplateError }

// parse appends the pieces of text, whose byte i stands at m.at(base+i), to out.
func (c *composeParser) parse(text string, m runs, base, depth int, out Pieces) Pieces {
	lit := func(s string, from, to int) {
		if s == "" {
			return
		}
		sp := m.span(base+from, base+to)
		if n := len(out); n > 0 && out[n-1].Ref == nil && out[n-1].Span.End == sp.Start &&
			out[n-1].Span.Len() == len(out[n-1].Text) && sp.Len() == len(s) {
			out[n-1].Text += s
			out[n-1].Span.End = sp.End
			return
		}
		out = append(out, Piece{Span: sp, Text: s})
	}
	start := 0
	lineEnd, lastBrace := -1, -1
	for i := 0; i < len(text); {
		d := strings.IndexByte(text[i:], '$')
		if d < 0 {
			break
		}
		i += d
		if i+1 >= len(text) {
			break
		}
		switch next := text[i+1]; {
		case next == '$':
			lit(text[start:i], start, i)
			lit("$", i, i+2)
			i += 2
			start = i
		case isNameStart(next):
			lit(text[start:i], start, i)
			end := i + 1 + nameLen(text[i+1:])
			out = append(out, Piece{Span: m.span(base+i, base+end), Text: text[i:end], Ref: &Reference{Name: text[i+1 : end]}})
			i, start = end, end
		case next == '{':
			if i >= lineEnd {
				lineEnd, lastBrace = len(text), -1
				if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
					lineEnd = i + n
				}
				if n := strings.LastIndexByte(text[i:lineEnd], '}'); n >= 0 {
					lastBrace = i + n
				}
			}
			end, ref := c.braced(text, i, lastBrace, m, base, depth)
			if ref == nil {
				if c.err == nil {
					c.err = &TemplateError{m.span(base+i, base+min(i+2, len(text))), "${ is not followed by a name and }"}
				}
				i += 2
				continue
			}
			lit(text[start:i], start, i)
			out = append(out, Piece{Span: m.span(base+i, base+end), Text: text[i:end], Ref: ref})
			i, start = end, end
		default:
			i++
		}
	}
	lit(text[start:], start, len(text))
	return out
}

// braced reads the reference whose "${" is at i; last is the last closing brace of the line. ref is nil when
// compose would refuse it.
func (c *composeParser) braced(text string, i, last int, m runs, base, depth int) (end int, ref *Reference) {
	n := nameLen(text[i+2:])
	j := i + 2 + n
	if n == 0 || j > last {
		return 0, nil
	}
	ref = &Reference{Name: text[i+2 : j]}
	if text[j] == '}' {
		return j + 1, ref
	}
	op := 1
	if text[j] == ':' {
		op = 2
	}
	if j+op > last || !strings.ContainsRune("-+?", rune(text[j+op-1])) {
		return 0, nil
	}
	ref.Op = Operator(text[j : j+op])
	end = last
	// Compose counts braces to find the end, looking past the byte after each opening one, and takes the last
	// brace of the line when they do not balance.
	open := 0
	for k := i; k <= last; k++ {
		if text[k] == '}' {
			if open--; open == 0 {
				end = k
				break
			}
		}
		if text[k] == '{' {
			open++
			k++
		}
	}
	if end < j+op {
		return 0, nil
	}
	alt := text[j+op : end]
	if depth >= maxNesting {
		ref.Op = OpOther
		return end + 1, ref
	}
	if alt != "" {
		ref.Alt = c.parse(alt, m, base+j+op, depth+1, nil)
	}
	return end + 1, ref
}

func isNameStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// nameLen returns the length of the variable name at the start of s.
func nameLen[T string | []byte](s T) int {
	if len(s) == 0 || !isNameStart(s[0]) {
		return 0
	}
	n := 1
	for n < len(s) && (isNameStart(s[n]) || '0' <= s[n] && s[n] <= '9') {
		n++
	}
	return n
}

// KubernetesPieces splits a container's command, args or env value at its references: $(X), and $$ for a
// dollar sign (Kubernetes 1.34, third_party/forked/golang/expansion). Spans are offsets in text.
func KubernetesPieces(text string) Pieces {
	var out Pieces
	start, closes := 0, true
	flush := func(end int) {
		if end > start {
			out = append(out, Piece{Span: Span{start, end}, Text: text[start:end]})
		}
	}
	for i := 0; i+1 < len(text); {
		d := strings.IndexByte(text[i:], '$')
		if d < 0 || i+d+1 >= len(text) {
			break
		}
		i += d
		switch text[i+1] {
		case '$':
			flush(i)
			out = append(out, Piece{Span: Span{i, i + 2}, Text: "$"})
			i += 2
			start = i
		case '(':
			n := -1
			if closes {
				n = strings.IndexByte(text[i+2:], ')')
			}
			if n < 0 {
				closes = false
				i += 2
				continue
			}
			end := i + 2 + n + 1
			flush(i)
			out = append(out, Piece{Span: Span{i, end}, Text: text[i:end], Ref: &Reference{Name: text[i+2 : end-1]}})
			i, start = end, end
		default:
			i++
		}
	}
	flush(len(text))
	return out
}

// KubernetesExpand replaces the references of a container's command, args or env value. The kubelet leaves a
// name that the container does not define as written; since envFrom may define it, it is missing here.
func KubernetesExpand(text string, lookup Lookup) (value string, missing []string) {
	if !strings.Contains(text, "$") {
		return text, nil
	}
	return KubernetesPieces(text).Expand(lookup)
}
