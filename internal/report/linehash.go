package report

import (
	"fmt"
	"strconv"
	"unicode/utf16"

	"agentlint/internal/source"
)

// lineHashes returns, for each line of a file from 1 on, the value that GitHub calls primaryLocationLineHash and by
// which it recognises an alert after lines moved: a rolling hash over the 100 characters from the line's start, blanks
// left out, and how often the same hash occurred before (github/codeql-action, src/fingerprints.ts).
//
// GitHub counts UTF-16 units, and any of LF, CR and CRLF as a line's end, so the numbers are those of the lines only
// where the file has no other line breaks.
func lineHashes(text []byte) []string {
	const (
		block = 100
		base  = 37
		eof   = 0xffff
	)
	// first is the weight of the character that leaves the window.
	first := uint64(1)
	for range block {
		first *= base
	}
	var (
		window [block]uint64
		starts [block]int // the number of the line that starts at a place of the window, 0 for none
		out    = []string{""}
		seen   = map[uint64]int{}
		hash   uint64
		at     int
		line   int
		start  = true
		cr     bool
	)
	emit := func() {
		if n := starts[at]; n > 0 {
			seen[hash]++
			for len(out) <= n {
				out = append(out, "")
			}
			out[n] = fmt.Sprintf("%s:%d", strconv.FormatUint(hash, 16), seen[hash])
			starts[at] = 0
		}
	}
	push := func(c uint64) {
		hash = hash*base + c - first*window[at]
		window[at] = c
		at = (at + 1) % block
	}
	read := func(c uint64) {
		if c == ' ' || c == '\t' || cr && c == '\n' {
			cr = false
			return
		}
		if cr = c == '\r'; cr {
			c = '\n'
		}
		emit()
		if start {
			start = false
			line++
			starts[at] = line
		}
		start = c == '\n'
		push(c)
	}
	for _, r := range string(text) {
		if r > 0xffff {
			hi, lo := utf16.EncodeRune(r)
			read(uint64(hi))
			read(uint64(lo))
			continue
		}
		read(uint64(r))
	}
	read(eof)
	for range block {
		emit()
		push(0)
	}
	return out
}

// hashes remembers the line hashes of files.
type hashes map[*source.File][]string

// of returns the hash of a line, "" when there is none.
func (m hashes) of(f *source.File, line int) string {
	all, ok := m[f]
	if !ok {
		all = lineHashes(f.Bytes)
		m[f] = all
	}
	if line >= len(all) {
		return ""
	}
	return all[line]
}
