package plan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// magic opens a plan; its last byte is the version of the encoding.
const magic = "rego-plan\x02"

// Sum identifies the text of sources.
func Sum(sources ...string) uint64 {
	sum, size := uint32(0), 0
	for _, s := range sources {
		sum = crc32.Update(sum, crc32.IEEETable, []byte(s))
		size += len(s)
	}
	return uint64(size)<<32 | uint64(sum)
}

// Encode returns a plan as bytes. Functions are written by themselves, so that a reader can skip those that are never
// called.
func Encode(c *Code) []byte {
	b := binary.LittleEndian.AppendUint64([]byte(magic), c.Sum)
	b = appendInt(b, len(c.Constants))
	for _, v := range c.Constants {
		b = appendValue(b, v)
	}
	b = appendInt(b, len(c.Callees))
	for _, x := range c.Callees {
		b = appendText(append(b, byte(x.Kind)), x.Name)
	}
	b = appendInt(b, len(c.Functions))
	for i := range c.Functions {
		f := &c.Functions[i]
		b = appendText(b, f.Name)
		b = appendInt(b, len(f.Params))
		body := appendOperands(nil, f.Params)
		body = appendInt(appendInt(body, f.Locals), f.Shared)
		statements, operands, blocks := 0, 0, 0
		count(f.Blocks, &statements, &operands, &blocks)
		for _, n := range []int{statements, operands, blocks} {
			body = appendInt(body, n)
		}
		body = appendBlocks(body, f.Blocks)
		b = append(appendInt(b, len(body)), body...)
	}
	return b
}

// count adds what the blocks hold, so that a reader can make room for all of it at once.
func count(list [][]Statement, statements, operands, blocks *int) {
	*blocks += len(list)
	for _, b := range list {
		*statements += len(b)
		for i := range b {
			*operands += len(b[i].Args)
			count(b[i].Blocks, statements, operands, blocks)
		}
	}
}

func appendInt(b []byte, n int) []byte { return binary.AppendVarint(b, int64(n)) }

func appendText(b []byte, s string) []byte { return append(appendInt(b, len(s)), s...) }

func appendOperands(b []byte, list []Operand) []byte {
	for _, o := range list {
		b = appendInt(b, int(o))
	}
	return b
}

// operands says which of A, B and C a statement has, and whether it has arguments and blocks.
const (
	hasA = 1 << iota
	hasB
	hasC
	hasArgs
	hasBlocks
)

// shapes is what the statements have, in their order.
var shapes = [ops]uint8{
	Return: hasA, Call: hasA | hasC | hasArgs, CallRule: hasC | hasArgs, Blocks: hasBlocks, Break: hasA, Dot: hasA | hasB | hasC,
	Len: hasA | hasC, Scan: hasA | hasB | hasC | hasBlocks, Not: hasBlocks, Assign: hasA | hasC, AssignOnce: hasA | hasC, Reset: hasC,
	MakeArray: hasA | hasC, MakeObject: hasC, MakeSet: hasC, Equal: hasA | hasB, NotEqual: hasA | hasB, IsArray: hasA, IsObject: hasA,
	IsSet: hasA, IsDefined: hasA, IsUndefined: hasA, Append: hasA | hasC, Insert: hasA | hasB | hasC, InsertOnce: hasA | hasB | hasC,
	Merge: hasA | hasB | hasC, Add: hasA | hasC, Path: hasA | hasC | hasArgs, Check: hasA | hasArgs, Less: hasA | hasB, LessOrEqual: hasA | hasB,
	List: hasC | hasArgs, Record: hasC | hasArgs, IsCollection: hasA,
}

func appendBlocks(b []byte, list [][]Statement) []byte {
	b = appendInt(b, len(list))
	for _, block := range list {
		b = appendInt(b, len(block))
		for i := range block {
			s := &block[i]
			b = append(b, byte(s.Op))
			shape := shapes[s.Op]
			if shape&hasA != 0 {
				b = appendInt(b, int(s.A))
			}
			if shape&hasB != 0 {
				b = appendInt(b, int(s.B))
			}
			if shape&hasC != 0 {
				b = appendInt(b, int(s.C))
			}
			if shape&hasArgs != 0 {
				b = appendOperands(appendInt(b, len(s.Args)), s.Args)
			}
			if shape&hasBlocks != 0 {
				b = appendBlocks(b, s.Blocks)
			}
		}
	}
	return b
}

// The kinds of constants in an encoded plan.
const (
	constNull = iota
	constFalse
	constTrue
	constInt
	constDecimal
	constText
	constArray
	constObject
	constSet
)

func appendValue(b []byte, v Value) []byte {
	switch v := v.(type) {
	case Null:
		return append(b, constNull)
	case bool:
		if v {
			return append(b, constTrue)
		}
		return append(b, constFalse)
	case int64:
		return binary.AppendVarint(append(b, constInt), v)
	case Decimal:
		return appendText(append(b, constDecimal), string(v))
	case string:
		return appendText(append(b, constText), v)
	case *Array:
		b = appendInt(append(b, constArray), len(v.items))
		for _, w := range v.items {
			b = appendValue(b, w)
		}
	case *Object:
		b = appendInt(append(b, constObject), len(v.pairs))
		for _, p := range pairs(v) {
			b = appendValue(appendValue(b, p.key), p.value)
		}
	case *Set:
		b = appendInt(append(b, constSet), len(v.items))
		for _, w := range v.ordered() {
			b = appendValue(b, w)
		}
	}
	return b
}

// reader reads an encoded plan. It panics with errEncoding on what is no plan; [NewUnit] turns that into an error.
type reader struct{ s string }

var errEncoding = errors.New("not a plan")

func (r *reader) byte() byte {
	if r.s == "" {
		panic(errEncoding)
	}
	c := r.s[0]
	r.s = r.s[1:]
	return c
}

func (r *reader) int64() int64 {
	var u uint64
	for shift := 0; shift < 64; shift += 7 {
		c := r.byte()
		u |= uint64(c&0x7f) << shift
		if c < 0x80 {
			x := int64(u >> 1)
			if u&1 != 0 {
				x = ^x
			}
			return x
		}
	}
	panic(errEncoding)
}

func (r *reader) operand() Operand { return Operand(r.int64()) }

// size reads the number of things that take a byte each at least.
func (r *reader) size() int {
	n := r.int64()
	if n < 0 || n > int64(len(r.s)) {
		panic(errEncoding)
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.size()
	t := r.s[:n]
	r.s = r.s[n:]
	return t
}

func (r *reader) value(depth int) Value {
	if depth > maxDepth {
		panic(errEncoding)
	}
	switch r.byte() {
	case constNull:
		return Null{}
	case constFalse:
		return false
	case constTrue:
		return true
	case constInt:
		return r.int64()
	case constDecimal:
		return Decimal(r.text())
	case constText:
		return r.text()
	case constArray:
		a := &Array{make([]Value, r.size())}
		for i := range a.items {
			a.items[i] = r.value(depth + 1)
		}
		return a
	case constObject:
		o := &Object{pairs: make([]pair, r.size()), sorted: true}
		for i := range o.pairs {
			o.pairs[i].key = r.value(depth + 1)
			o.pairs[i].value = r.value(depth + 1)
		}
		return o
	case constSet:
		s := &Set{items: make([]Value, r.size()), sorted: true}
		for i := range s.items {
			s.items[i] = r.value(depth + 1)
		}
		return s
	}
	panic(errEncoding)
}

// maxDepth bounds how deep constants and blocks stand in each other.
const maxDepth = 200

// body is the code of one function, read when it is called.
type body struct {
	params []Operand
	locals int
	shared int
	blocks [][]Statement
	// dear says whether to keep what the function is worth for an argument, see [Unit.dear].
	dear bool
}

// room is where a function's code is put.
type room struct {
	statements []Statement
	operands   []Operand
	blocks     [][]Statement
}

func take[T any](list *[]T, n int) []T {
	if n > len(*list) {
		panic(errEncoding)
	}
	out := (*list)[:n:n]
	*list = (*list)[n:]
	return out
}

func readBody(s string, params int) *body {
	r := &reader{s}
	f := &body{params: make([]Operand, params)}
	for i := range f.params {
		f.params[i] = r.operand()
	}
	f.locals, f.shared = int(r.int64()), int(r.int64())
	if f.shared < 0 || f.shared > f.locals {
		panic(errEncoding)
	}
	var to room
	to.statements = make([]Statement, r.size())
	to.operands = make([]Operand, r.size())
	to.blocks = make([][]Statement, r.size())
	f.blocks = r.blocks(&to, 0)
	return f
}

func (r *reader) blocks(to *room, depth int) [][]Statement {
	if depth > maxDepth {
		panic(errEncoding)
	}
	list := take(&to.blocks, r.size())
	for i := range list {
		block := take(&to.statements, r.size())
		for j := range block {
			s := &block[j]
			s.Op = Op(r.byte())
			if s.Op >= ops {
				panic(errEncoding)
			}
			shape := shapes[s.Op]
			if shape&hasA != 0 {
				s.A = r.operand()
			}
			if shape&hasB != 0 {
				s.B = r.operand()
			}
			if shape&hasC != 0 {
				s.C = r.operand()
			}
			if shape&hasArgs != 0 {
				s.Args = take(&to.operands, r.size())
				for k := range s.Args {
					s.Args[k] = r.operand()
				}
			}
			if shape&hasBlocks != 0 {
				s.Blocks = r.blocks(to, depth+1)
			}
		}
		list[i] = block
	}
	return list
}

// recovered turns a panic of a reader into an error.
func recovered(err *error) {
	switch x := recover(); x {
	case nil:
	case errEncoding:
		*err = errEncoding
	default:
		panic(x)
	}
}

// Decode reads a plan whole.
func Decode(b []byte) (c *Code, err error) {
	u, err := NewUnit(string(b))
	if err != nil {
		return nil, err
	}
	defer recovered(&err)
	c = &Code{Sum: u.sum, Constants: u.constants, Callees: u.callees}
	for i := range u.functions {
		f := &u.functions[i]
		code := f.code(u)
		c.Functions = append(c.Functions, Function{f.name, code.params, code.locals, code.shared, code.blocks})
	}
	return c, nil
}

// NewUnit reads a plan. The code of its functions is read when they are called.
func NewUnit(text string) (u *Unit, err error) {
	defer recovered(&err)
	rest, ok := strings.CutPrefix(text, magic)
	if !ok || len(rest) < 8 {
		return nil, errEncoding
	}
	u = &Unit{sum: binary.LittleEndian.Uint64([]byte(rest[:8]))}
	r := &reader{rest[8:]}
	u.constants = make([]Value, r.size())
	for i := range u.constants {
		u.constants[i] = r.value(0)
	}
	u.callees = make([]Callee, r.size())
	for i := range u.callees {
		u.callees[i] = Callee{CalleeKind(r.byte()), r.text()}
	}
	u.functions = make([]function, r.size())
	for i := range u.functions {
		f := &u.functions[i]
		f.name, f.params = r.text(), r.size()
		f.encoded = r.text()
		if i > 0 && f.name <= u.functions[i-1].name {
			return nil, fmt.Errorf("%w: its functions are not in order", errEncoding)
		}
	}
	return u, nil
}
