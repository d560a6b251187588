package knowledge

import (
	"cmp"
	"fmt"
	"strings"
)

// maxVersionLen bounds what ParseVersion looks at: versions come from image tags that an attacker may write.
const maxVersionLen = 128

// Version is a release of a product, ordered as in PEP 440. The zero value means that no version is known.
//
// Understood are releases of one to six numbers (1.81.16, 0.9.0.1), pre-releases (0.30.1rc1, 1.84.0.rc.1, 1.84.0-dev.2), post-releases
// (0.17.2.post1), LiteLLM's suffixes (-stable, -nightly, -stable.patch.1, the last ordered like a post-release), a v in front and a local part (+cu118, not compared).
type Version struct {
	text string
	rel  [6]uint32
	n    uint8
	pre  uint8 // one of the pre constants
	preN uint32
	post uint32 // 1 + number, 0 without
	dev  uint32 // 1 + number, 0 without
}

const (
	preNone = iota
	preAlpha
	preBeta
	preCandidate
)

// ParseVersion reads a version; surrounding blanks are ignored.
func ParseVersion(s string) (Version, error) {
	text := strings.TrimSpace(s)
	fail := func(why string) (Version, error) {
		if len(text) > maxVersionLen {
			text = text[:maxVersionLen] + "..."
		}
		return Version{}, fmt.Errorf("version %q: %s", text, why)
	}
	if len(text) > maxVersionLen {
		return fail("too long")
	}
	if len(text) > 1 && (text[0] == 'v' || text[0] == 'V') {
		text = text[1:]
	}
	v := Version{text: text}
	rest, _, _ := strings.Cut(text, "+")
	for {
		num, after, ok := leadingNumber(rest)
		if !ok {
			break
		}
		if int(v.n) == len(v.rel) {
			return fail("more than six numbers")
		}
		v.rel[v.n] = num
		v.n++
		rest = after
		if len(rest) < 2 || rest[0] != '.' || !isDigit(rest[1]) {
			break
		}
		rest = rest[1:]
	}
	if v.n == 0 {
		return fail("no release number")
	}
	for rest != "" {
		var word string
		rest = strings.TrimLeft(rest, ".-_")
		i := 0
		for i < len(rest) && isLetter(rest[i]) {
			i++
		}
		word, rest = strings.ToLower(rest[:i]), rest[i:]
		num, after, numbered := leadingNumber(rest)
		joined := numbered
		if !numbered && len(rest) > 1 && strings.IndexByte(".-_", rest[0]) >= 0 {
			num, after, numbered = leadingNumber(rest[1:])
		}
		if numbered {
			rest = after
		}
		switch word {
		case "a", "alpha":
			v.pre, v.preN = preAlpha, num
		case "b", "beta":
			v.pre, v.preN = preBeta, num
		case "c", "rc", "pre", "preview":
			v.pre, v.preN = preCandidate, num
		case "post", "rev", "r", "patch":
			v.post = num + 1
		case "dev":
			v.dev = num + 1
		case "stable", "nightly":
			switch {
			case word == "stable" && numbered && !joined:
				// A stable build that was made once more: 1.80.11-stable.1.
				v.post = num + 1
			case numbered:
				return fail("number after " + word)
			}
		default:
			return fail("unknown suffix")
		}
	}
	return v, nil
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// leadingNumber splits a number of at most nine digits off the front of s.
func leadingNumber(s string) (uint32, string, bool) {
	var n uint32
	i := 0
	for i < len(s) && isDigit(s[i]) {
		if i == 9 {
			return 0, s, false
		}
		n = n*10 + uint32(s[i]-'0')
		i++
	}
	return n, s[i:], i > 0
}

// MustVersion is ParseVersion for versions written in code and tables; it panics when s is none.
func MustVersion(s string) Version {
	v, err := ParseVersion(s)
	if err != nil {
		panic(err)
	}
	return v
}

// String returns the version as it was written, without the leading v; it is empty for the zero value.
func (v Version) String() string { return v.text }

// IsZero reports whether v is the zero value: no version is known.
func (v Version) IsZero() bool { return v.n == 0 }

// Minor returns the first two numbers joined by a dot, such as 1.102, which is what LiteLLM and vLLM call a minor release.
func (v Version) Minor() string {
	if v.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d", v.rel[0], v.rel[1])
}

// Final returns v without its pre-release, development and local parts: 0.30.1rc1 becomes 0.30.1. Post-releases stay.
func (v Version) Final() Version {
	if v.pre == preNone && v.dev == 0 && !strings.Contains(v.text, "+") {
		return v
	}
	f := v
	f.pre, f.preN, f.dev = preNone, 0, 0
	var b strings.Builder
	for i := range v.n {
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, v.rel[i])
	}
	if v.post > 0 {
		fmt.Fprintf(&b, ".post%d", v.post-1)
	}
	f.text = b.String()
	return f
}

// Compare orders v and w as PEP 440 does: it returns -1, 0 or 1. Missing numbers count as zero, so 1.84 equals 1.84.0. The zero value comes first.
func (v Version) Compare(w Version) int {
	if v.n == 0 || w.n == 0 {
		return cmp.Compare(v.n, w.n)
	}
	for i := range v.rel {
		if c := cmp.Compare(v.rel[i], w.rel[i]); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(v.stage(), w.stage()); c != 0 {
		return c
	}
	if c := cmp.Compare(v.preN, w.preN); c != 0 {
		return c
	}
	if c := cmp.Compare(v.post, w.post); c != 0 {
		return c
	}
	// A development build precedes what it leads to.
	if (v.dev == 0) != (w.dev == 0) {
		return cmp.Compare(w.dev, v.dev) // the one without is later
	}
	return cmp.Compare(v.dev, w.dev)
}

// stage orders a bare development build before alpha, beta and candidate, and those before the release.
func (v Version) stage() int {
	switch {
	case v.pre != preNone:
		return int(v.pre)
	case v.dev > 0 && v.post == 0:
		return 0
	}
	return preCandidate + 1
}

// VersionFromTag reads the version in a container image tag: v1.81.16-stable, main-v1.81.16, v0.11.0-x86_64, 0.11.0-cu128.
// ok is false when the tag names no version. floating is true when the tag moves from one build to the next: latest, main-stable, a tag that
// names only a minor (1.81), or none at all. A commit or nightly build by hash, and a release by its month (26.05), is neither.
func VersionFromTag(tag string) (v Version, floating, ok bool) {
	if len(tag) > maxVersionLen {
		return Version{}, false, false
	}
	rest := tag
	pinned := false
	for rest != "" {
		word, after, _ := strings.Cut(rest, "-")
		start := strings.TrimPrefix(word, "v")
		if rest == tag && isMonth(start) {
			pinned = true
		} else if start != "" && isDigit(start[0]) && strings.Contains(start, ".") {
			if v, ok = longestVersion(word, after); ok {
				return v, v.n < 3, true
			}
		}
		pinned = pinned || IsBuildMark(word) || isDate(rest)
		rest = after
	}
	return Version{}, !pinned, false
}

// longestVersion parses word and joins the words after it as long as they still belong to a version, which keeps -stable.patch.1 and drops -x86_64.
func longestVersion(word, after string) (Version, bool) {
	v, err := ParseVersion(word)
	if err != nil {
		return Version{}, false
	}
	joined := word
	for after != "" {
		var next string
		next, after, _ = strings.Cut(after, "-")
		if next == "" || isDigit(next[0]) {
			break
		}
		joined += "-" + next
		longer, err := ParseVersion(joined)
		if err != nil {
			break
		}
		v = longer
	}
	return v, true
}

// isMonth reports whether the first word of a tag is a year and a month, as NVIDIA names its monthly images: 26.05.
func isMonth(word string) bool {
	return len(word) == len("26.05") && word[2] == '.' && isDigit(word[0]) && isDigit(word[1]) && isDigit(word[3]) && isDigit(word[4]) &&
		word[:2] >= "20" && "01" <= word[3:] && word[3:] <= "12"
}

// isDate reports whether the rest of a tag begins with a day: 2025-05-27.
func isDate(rest string) bool {
	const form = "2000-01-01"
	if len(rest) < len(form) || len(rest) > len(form) && rest[len(form)] != '-' {
		return false
	}
	for i := range len(form) {
		if isDigit(form[i]) != isDigit(rest[i]) || form[i] == '-' && rest[i] != '-' {
			return false
		}
	}
	return strings.HasPrefix(rest, "20")
}

// IsBuildMark reports whether a word of a tag is an abbreviated commit, or a day as 20251022: seven or more hexadecimal
// digits, of which one is a digit.
func IsBuildMark(word string) bool {
	word = strings.TrimPrefix(word, "sha")
	digits := 0
	for i := range len(word) {
		c := word[i]
		switch {
		case isDigit(c):
			digits++
		case c < 'a' || c > 'f':
			return false
		}
	}
	return len(word) >= 7 && digits > 0
}
