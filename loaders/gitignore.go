package loaders

import "strings"

// ignoreRule is one line of a .gitignore file.
type ignoreRule struct {
	// dir is the folder of the file, with a slash at its end, "" for the root.
	dir string
	// pattern is matched against the path below dir when it is anchored, else against the last name of the path.
	pattern  string
	anchored bool
	negated  bool
	dirOnly  bool
}

// parseIgnore returns the rules of a .gitignore file in the folder dir ("." for the root), in order.
func parseIgnore(dir, text string) []ignoreRule {
	prefix := ""
	if dir != "." {
		prefix = dir + "/"
	}
	var out []ignoreRule
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		for strings.HasSuffix(line, " ") && !escapedEnd(line) {
			line = line[:len(line)-1]
		}
		if line == "" || line[0] == '#' {
			continue
		}
		r := ignoreRule{dir: prefix}
		line, r.negated = strings.CutPrefix(line, "!")
		line, r.dirOnly = strings.CutSuffix(line, "/")
		r.anchored = strings.Contains(line, "/")
		r.pattern = strings.TrimPrefix(line, "/")
		if r.pattern != "" {
			out = append(out, r)
		}
	}
	return out
}

// escapedEnd reports whether the last character of a line is escaped by a backslash.
func escapedEnd(line string) bool {
	n := 0
	for i := len(line) - 2; i >= 0 && line[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// ignored reports whether the last of the rules that match a path says that Git leaves it out. That a folder above it
// is left out does not count.
func ignored(rules []ignoreRule, name string, isDir bool) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	for i := len(rules) - 1; i >= 0; i-- {
		r := &rules[i]
		if r.dirOnly && !isDir {
			continue
		}
		rest, ok := strings.CutPrefix(name, r.dir)
		if !ok {
			continue
		}
		if !r.anchored {
			rest = base
		}
		w := wildcard{pattern: r.pattern}
		if w.match(0, rest) {
			return !r.negated
		}
	}
	return false
}

// maxWildcardSteps bounds the work on one pattern and path. Patterns that people write need a few steps a character.
const maxWildcardSteps = 20_000

// wildcard matches a pattern as Git's wildmatch does: "*", "?" and "[a-z]" match within a name, "**/" and "/**" across
// folders.
type wildcard struct {
	pattern string
	steps   int
}

// match reports whether the pattern from an index on matches the whole text.
func (w *wildcard) match(i int, text string) bool {
	p := w.pattern
	for i < len(p) {
		if w.steps++; w.steps > maxWildcardSteps {
			return false
		}
		c := p[i]
		if c == '*' {
			return w.star(i, text)
		}
		if text == "" {
			return false
		}
		switch c {
		case '?':
			if text[0] == '/' {
				return false
			}
			i++
		case '[':
			next, ok := class(p[i:], text[0])
			if !ok || text[0] == '/' {
				return false
			}
			i += next
		default:
			if c == '\\' {
				if i++; i == len(p) {
					return false
				}
				c = p[i]
			}
			if text[0] != c {
				return false
			}
			i++
		}
		text = text[1:]
	}
	return text == ""
}

// star matches from the stars at an index on.
func (w *wildcard) star(i int, text string) bool {
	p, end := w.pattern, i
	for end < len(p) && p[end] == '*' {
		end++
	}
	// Git compares the text before the first wildcard by itself, so to it a pattern starts behind that.
	starts := i == strings.IndexAny(p, `*?[\`) || p[i-1] == '/'
	across := end-i >= 2 && starts && (end == len(p) || p[end] == '/')
	if across && end < len(p) && w.match(end+1, text) {
		return true // "**/" for no folder at all
	}
	if end == len(p) {
		return across || !strings.Contains(text, "/")
	}
	for {
		if w.match(end, text) {
			return true
		}
		if w.steps > maxWildcardSteps || text == "" || !across && text[0] == '/' {
			return false
		}
		text = text[1:]
	}
}

// class matches a character against the bracket expression that a pattern starts with, and returns the length of the
// expression. One that is not closed matches nothing.
func class(p string, c byte) (n int, ok bool) {
	i, negated, found := 1, false, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		negated = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(p) {
			return 0, false
		}
		if p[i] == ']' && !first {
			return i + 1, found != negated
		}
		if strings.HasPrefix(p[i:], "[:") {
			if end := strings.Index(p[i+2:], ":]"); end >= 0 {
				found = found || inClass(p[i+2:i+2+end], c)
				i += end + 4
				continue
			}
		}
		low, next := element(p, i)
		high := low
		if next+1 < len(p) && p[next] == '-' && p[next+1] != ']' {
			high, next = element(p, next+1)
		}
		if next > len(p) {
			return 0, false
		}
		found = found || low <= c && c <= high
		i = next
	}
}

// element returns a character of a bracket expression and where the next one stands.
func element(p string, i int) (c byte, next int) {
	if p[i] == '\\' {
		if i++; i == len(p) {
			return 0, i + 1
		}
	}
	return p[i], i + 1
}

// inClass reports whether a character is of a class such as "alpha".
func inClass(class string, c byte) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	print := c > ' ' && c < 0x7f
	switch class {
	case "alpha":
		return lower || upper
	case "digit":
		return digit
	case "alnum":
		return lower || upper || digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r'
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return print && !lower && !upper && !digit
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	case "graph":
		return print
	case "print":
		return print || c == ' '
	case "cntrl":
		return c < ' ' || c == 0x7f
	}
	return false
}

// Gitignore are the lines of .gitignore files.
type Gitignore struct{ rules []ignoreRule }

// With returns the lines with those of a .gitignore file in the folder dir ("." for the root) behind them.
func (g Gitignore) With(dir, text string) Gitignore {
	return Gitignore{append(g.rules[:len(g.rules):len(g.rules)], parseIgnore(dir, text)...)}
}

// Ignores reports whether Git leaves a path out. Whether it leaves out a folder above it is not asked.
func (g Gitignore) Ignores(name string, isDir bool) bool { return ignored(g.rules, name, isDir) }
