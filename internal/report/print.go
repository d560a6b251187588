package report

import (
	"bytes"
	"encoding/json"
	"runtime"
	"sync"
)

// encode writes v as indented JSON without escaping the characters that only HTML minds.
func encode(b *bytes.Buffer, v any) error {
	e := newEncoder()
	if err := e.add(v, 0); err != nil {
		return err
	}
	b.Write(append(e.out, '\n'))
	return nil
}

// encoder makes indented JSON.
type encoder struct {
	compact bytes.Buffer
	json    *json.Encoder
	out     []byte
}

func newEncoder() *encoder {
	e := &encoder{}
	e.json = json.NewEncoder(&e.compact)
	e.json.SetEscapeHTML(false)
	return e
}

// add appends v; its first line stands where the output ends, the others are indented by depth and more.
func (e *encoder) add(v any, depth int) error {
	e.compact.Reset()
	if err := e.json.Encode(v); err != nil {
		return err
	}
	e.out = indent(e.out, bytes.TrimSuffix(e.compact.Bytes(), []byte("\n")), depth)
	return nil
}

// indent appends JSON that has no blanks to dst, with a line for each element. It is [json.Indent] for what
// encoding/json made itself, without another look at its syntax.
func indent(dst, src []byte, depth int) []byte {
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"':
			end := i + 1
			for src[end] != '"' {
				if src[end] == '\\' {
					end++
				}
				end++
			}
			dst = append(dst, src[i:end+1]...)
			i = end
		case '{', '[':
			dst = append(dst, c)
			if close := c + 2; src[i+1] == close {
				dst = append(dst, close)
				i++
				continue
			}
			depth++
			dst = newline(dst, depth)
		case '}', ']':
			depth--
			dst = append(newline(dst, depth), c)
		case ',':
			dst = newline(append(dst, c), depth)
		case ':':
			dst = append(dst, c, ' ')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func newline(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}

// chunk is how many elements of a list are made ready at a time.
const chunk = 64

// printer writes a JSON object by its members, and the elements of its lists on all cores.
type printer struct {
	put    func([]byte) error
	parts  []*encoder
	errs   []error
	before byte // what stands in front of the next member
	err    error
}

func newPrinter(put func([]byte) error) *printer {
	n := runtime.GOMAXPROCS(0)
	p := &printer{put: put, parts: make([]*encoder, n), errs: make([]error, n), before: '{'}
	for i := range p.parts {
		p.parts[i] = newEncoder()
	}
	return p
}

func (p *printer) write(b []byte) {
	if p.err == nil {
		p.err = p.put(b)
	}
}

// name begins a member.
func (p *printer) name(name string) {
	p.write(append(newline([]byte{p.before}, 1), `"`+name+`": `...))
	p.before = ','
}

func (p *printer) member(name string, v any) {
	p.name(name)
	e := p.parts[0]
	e.out = e.out[:0]
	if err := e.add(v, 1); err != nil && p.err == nil {
		p.err = err
	}
	p.write(e.out)
}

// list writes a member that is a list of n elements.
func (p *printer) list(name string, n int, element func(i int) any) {
	if n == 0 {
		p.member(name, []any{})
		return
	}
	p.name(name)
	p.write([]byte{'['})
	for from := 0; from < n && p.err == nil; {
		var wg sync.WaitGroup
		used := 0
		for ; used < len(p.parts) && from < n; used++ {
			e, err := p.parts[used], &p.errs[used]
			first, end := from, min(n, from+chunk)
			from = end
			wg.Go(func() { *err = e.elements(first, end, element) })
		}
		wg.Wait()
		for i := range used {
			if p.err == nil {
				p.err = p.errs[i]
			}
			p.write(p.parts[i].out)
		}
	}
	p.write(append(newline(nil, 1), ']'))
}

// elements makes some elements of a list, each in a line of its own behind a comma unless it is the first of the list.
func (e *encoder) elements(from, to int, element func(i int) any) error {
	e.out = e.out[:0]
	for i := from; i < to; i++ {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = newline(e.out, 2)
		if err := e.add(element(i), 2); err != nil {
			return err
		}
	}
	return nil
}

// close ends the object and returns what failed first.
func (p *printer) close() error {
	p.write([]byte("\n}\n"))
	return p.err
}
