package knowledge

import "strings"

// table is one file of data/ without its header line, as the table generator wrote it into the package: the text as a constant and where each
// line starts. Lines are sorted by their first two columns, so that a lookup is a binary search in memory that the linker laid out; nothing runs at start.
type table struct {
	text string
	at   []uint32
}

func (t *table) len() int { return len(t.at) }

// line returns row i without its line end.
func (t *table) line(i int) string {
	end := len(t.text)
	if i+1 < len(t.at) {
		end = int(t.at[i+1])
	}
	return t.text[t.at[i] : end-1]
}

// search returns the first row whose first two columns are not before section and name, and whether it is that very row.
func (t *table) search(section, name string) (int, bool) {
	if strings.IndexByte(section, '\t') >= 0 {
		return t.len(), false // compareKey would take it for two columns
	}
	lo, hi := 0, t.len()
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if compareKey(t.line(mid), section, name) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < t.len() && compareKey(t.line(lo), section, name) == 0
}

// compareKey compares the first two columns of a line with a section without a tab and with a name.
func compareKey(line, section, name string) int {
	if n := len(section); len(line) > n && line[n] == '\t' && line[:n] == section {
		return compareCell(line[n+1:], name)
	}
	return compareCell(line, section)
}

// compareCell compares the first column of a line, which is not its last, with s.
func compareCell(line, s string) int {
	for i := range len(s) {
		switch c := line[i]; {
		case c == '\t' || c < s[i]:
			return -1
		case c > s[i]:
			return 1
		}
	}
	if line[len(s)] == '\t' {
		return 0
	}
	return 1
}

// cell cuts the first column off a line; the caller undoes the escapes, after splitting a column that holds a list.
func cell(line string) (string, string) {
	c, rest, _ := strings.Cut(line, "\t")
	return c, rest
}

// unescape undoes the escapes of the tables: \t tab, \n line end, \p vertical bar, \q backquote, \\ backslash.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'p':
			b.WriteByte('|')
		case 'q':
			b.WriteByte('`')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
