// Package source holds files as bytes and the trees read from them, in which every key, scalar and
// container keeps the exact bytes it was written with. Nothing here knows LiteLLM or vLLM, and nothing is
// ever written back from a tree: edits are made on bytes, by span.
package source

import (
	"bytes"
	"encoding/binary"
	"sort"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// Span is a half-open range of byte offsets in one file.
type Span struct{ Start, End int }

// Len returns the number of bytes covered.
func (s Span) Len() int { return s.End - s.Start }

// IsZero reports whether the span was never set.
func (s Span) IsZero() bool { return s == Span{} }

// Contains reports whether o lies inside s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Position is a place in a file as people and editors name it.
type Position struct {
	Line   int // from 1
	Column int // from 1, in Unicode code points; a byte order mark is not counted
	Offset int // in bytes
}

// File is one source: a path and its bytes. It is immutable and safe for concurrent use.
//
// A text inside another file (a config in a ConfigMap's block scalar, JSON in a string) is a File of its own
// whose offsets translate to the file around it, see [Nested].
type File struct {
	// Path is slash-separated and relative to the working directory of the run.
	Path  string
	Bytes []byte

	once  sync.Once
	lines []int // offset of the first byte of each line
	ascii bool

	outer *embedding
}

// NewFile returns a file over b, which must not change afterwards.
func NewFile(path string, b []byte) *File { return &File{Path: path, Bytes: b} }

var bom = []byte("\xef\xbb\xbf")

// index builds the line table. YAML counts CR, NEL, LS and PS as line breaks too, and so do the line numbers
// people see in their editors for these files as far as LF and CRLF go, so one table serves every format.
func (f *File) index() {
	f.once.Do(func() {
		b := f.Bytes
		f.ascii = true
		start := 0
		if bytes.HasPrefix(b, bom) {
			start = len(bom)
		}
		f.lines = append(make([]int, 0, 2+bytes.Count(b, []byte("\n"))), start)
		if bytes.IndexByte(b, '\r') < 0 && isASCII(b) {
			for i := 0; ; {
				n := bytes.IndexByte(b[i:], '\n')
				if n < 0 {
					return
				}
				i += n + 1
				f.lines = append(f.lines, i)
			}
		}
		for i := start; i < len(b); i++ {
			switch c := b[i]; {
			case c == '\n':
				f.lines = append(f.lines, i+1)
			case c == '\r':
				if i+1 < len(b) && b[i+1] == '\n' {
					i++
				}
				f.lines = append(f.lines, i+1)
			case c >= utf8.RuneSelf:
				f.ascii = false
				if n := breakLen(b[i:]); n > 0 {
					i += n - 1
					f.lines = append(f.lines, i+1)
				}
			}
		}
	})
}

// isASCII reports whether all bytes of b are.
func isASCII(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// breakLen returns the length of a non-ASCII YAML line break (NEL, LS, PS) at the start of b, or 0.
func breakLen(b []byte) int {
	switch {
	case len(b) >= 2 && b[0] == 0xc2 && b[1] == 0x85:
		return 2
	case len(b) >= 3 && b[0] == 0xe2 && b[1] == 0x80 && (b[2] == 0xa8 || b[2] == 0xa9):
		return 3
	}
	return 0
}

// Position returns the line and column of a byte offset. Offsets outside the file are moved to its ends.
func (f *File) Position(offset int) Position {
	f.index()
	offset = max(0, min(offset, len(f.Bytes)))
	i := sort.SearchInts(f.lines, offset+1) - 1
	if i < 0 {
		return Position{Line: 1, Column: 1, Offset: offset}
	}
	start := f.lines[i]
	col := offset - start
	if !f.ascii {
		col = utf8.RuneCount(f.Bytes[start:offset])
	}
	return Position{Line: i + 1, Column: col + 1, Offset: offset}
}

// Offset returns the byte offset of a line and a column counted in code points, both from 1.
func (f *File) Offset(line, column int) int {
	f.index()
	if line < 1 {
		return 0
	}
	if line > len(f.lines) {
		return len(f.Bytes)
	}
	off := f.lines[line-1]
	if f.ascii {
		return min(off+column-1, len(f.Bytes))
	}
	for ; column > 1 && off < len(f.Bytes); column-- {
		_, n := utf8.DecodeRune(f.Bytes[off:])
		off += n
	}
	return off
}

// LineCount returns the number of lines, counting an empty one after a final line break.
func (f *File) LineCount() int { f.index(); return len(f.lines) }

// Line returns the bytes of line n (from 1) without its line break.
func (f *File) Line(n int) Span {
	f.index()
	if n < 1 || n > len(f.lines) {
		return Span{len(f.Bytes), len(f.Bytes)}
	}
	start, end := f.lines[n-1], len(f.Bytes)
	if n < len(f.lines) {
		end = f.lines[n]
		switch b := f.Bytes; {
		case end-start >= 2 && b[end-2] == '\r' && b[end-1] == '\n':
			end -= 2
		case end-start >= 1 && (b[end-1] == '\n' || b[end-1] == '\r'):
			end--
		case end-start >= 3 && b[end-3] == 0xe2:
			end -= 3
		case end-start >= 2 && b[end-2] == 0xc2:
			end -= 2
		}
	}
	return Span{start, end}
}

// LineAt returns the number of the line that holds offset.
func (f *File) LineAt(offset int) int { return f.Position(offset).Line }

// Newline returns the line end the file uses: that of its first line, or LF when it has one line only.
func (f *File) Newline() string {
	if i := bytes.IndexByte(f.Bytes, '\n'); i > 0 && f.Bytes[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// Text returns the bytes of s as a string.
func (f *File) Text(s Span) string { return f.text()[s.Start:s.End] }

// text returns the bytes of the file as a string that shares them: they never change.
func (f *File) text() string { return unsafe.String(unsafe.SliceData(f.Bytes), len(f.Bytes)) }
