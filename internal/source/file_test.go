package source

import (
	"strings"
	"testing"
)

func TestPositions(t *testing.T) {
	for _, c := range []struct {
		name, in string
		of       string // the text whose position is asked
		line     int
		column   int
	}{
		{"first", "a: b\n", "a", 1, 1},
		{"lf", "a\nb: x\n", "x", 2, 4},
		{"crlf", "a\r\nb: x\r\n", "x", 2, 4},
		{"cr", "a\rb: x\r", "x", 2, 4},
		{"next line", "a\u0085b: x", "x", 2, 4},
		{"line separator", "a\u2028b: x", "x", 2, 4},
		{"paragraph separator", "a\u2029b: x", "x", 2, 4},
		{"byte order mark", "\ufeffx: 1", "x", 1, 1},
		{"byte order mark and second line", "\ufeffa\nx", "x", 2, 1},
		{"late byte order mark", "a\n\ufeffx", "x", 2, 2},
		{"emoji", "😀 x", "x", 1, 3},
		{"combining mark", "e\u0301x", "x", 1, 3},
		{"tab", "\tx", "x", 1, 2},
		{"no-break space", "a\u00a0x", "x", 1, 3},
		{"empty lines", "\n\n\nx", "x", 4, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFile("a", []byte(c.in))
			at := strings.Index(c.in, c.of)
			p := f.Position(at)
			if p.Line != c.line || p.Column != c.column || p.Offset != at {
				t.Errorf("position %+v, want %d:%d at %d", p, c.line, c.column, at)
			}
			if got := f.Offset(c.line, c.column); got != at {
				t.Errorf("offset %d, want %d", got, at)
			}
			if line := f.Text(f.Line(c.line)); !strings.Contains(line, c.of) || strings.ContainsAny(line, "\r\n\u0085\u2028\u2029") {
				t.Errorf("line %q", line)
			}
			if f.LineAt(at) != c.line {
				t.Errorf("line %d", f.LineAt(at))
			}
		})
	}
}

func TestPositionEnds(t *testing.T) {
	f := NewFile("a", []byte("a\nb"))
	if p := f.Position(-5); p.Line != 1 || p.Column != 1 || p.Offset != 0 {
		t.Errorf("before the start: %+v", p)
	}
	if p := f.Position(99); p.Line != 2 || p.Column != 2 || p.Offset != 3 {
		t.Errorf("behind the end: %+v", p)
	}
	if f.Offset(0, 1) != 0 || f.Offset(9, 1) != 3 || f.Offset(2, 99) != 3 {
		t.Error("offsets outside the file")
	}
	if f.LineCount() != 2 || NewFile("a", nil).LineCount() != 1 || NewFile("a", []byte("a\n")).LineCount() != 2 {
		t.Error("line counts")
	}
	if s := f.Line(9); s != (Span{3, 3}) {
		t.Errorf("line behind the end: %v", s)
	}
	if p := NewFile("a", []byte("\ufeffx")).Position(0); p.Line != 1 || p.Column != 1 {
		t.Errorf("on the byte order mark: %+v", p)
	}
	for in, want := range map[string]string{"a": "\n", "a\nb\r\n": "\n", "a\r\nb\n": "\r\n", "": "\n"} {
		if got := NewFile("a", []byte(in)).Newline(); got != want {
			t.Errorf("line end of %q: %q", in, got)
		}
	}
}

// TestLinesOfPlainText compares the line table of ASCII text with that of the same text with one letter that is not.
func TestLinesOfPlainText(t *testing.T) {
	for _, text := range []string{"", "\n", "a", "a\n", "a\nb", "\n\na: 12345678\n\nb: é's\n", strings.Repeat("key: value\n", 50)} {
		plain := strings.ReplaceAll(text, "é", "e")
		a, b := NewFile("a", []byte(plain)), NewFile("b", []byte(plain+"é"))
		if a.LineCount() != b.LineCount() || a.LineCount() != 1+strings.Count(plain, "\n") {
			t.Fatalf("%q: %d and %d lines", plain, a.LineCount(), b.LineCount())
		}
		for i := range len(plain) + 1 {
			if p, q := a.Position(i), b.Position(i); p != q {
				t.Errorf("%q: offset %d is at %v and %v", plain, i, p, q)
			}
		}
	}
	for at := range 20 {
		b := []byte(strings.Repeat("a", 20))
		if b[at] = 0x80; isASCII(b) {
			t.Errorf("byte %d is not seen", at)
		}
	}
}
