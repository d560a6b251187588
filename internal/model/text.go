package model

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds a value quoted in a message, in characters.
const maxText = 120

// Quote returns a text from a file as it may stand in a message: on one line, without control characters, and cut
// when it is long.
func Quote(s string) string { return quote(s, maxText) }

// maxMessage bounds a message that a policy made itself, in characters.
const maxMessage = 600

// QuoteLong is Quote for a whole message.
func QuoteLong(s string) string { return quote(s, maxMessage) }

func quote(s string, most int) string {
	if len(s) <= most && plainText(s) {
		return s
	}
	var b strings.Builder
	n := 0
	for i, r := range s {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			b.WriteRune(utf8.RuneError)
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// oneLine returns a rule's own text without line breaks and other control characters.
func oneLine(s string) string {
	if plainText(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, s)
}

func plainText(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Number returns a number as people write it: 6000, 0.8, never 6e+03, with at most six decimals.
func Number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatInt(int64(x), 10)
	}
	s := strconv.FormatFloat(x, 'f', 6, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "0" || s == "-0" {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return s
}
