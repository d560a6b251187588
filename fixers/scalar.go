package fixers

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentlint/internal/source"
)

// plainText returns a scalar that is no string as YAML of every dialect, and JSON, write it; ok is false for
// strings and containers. PyYAML reads a number with an exponent as one only with a dot and a signed exponent.
func plainText(v any) (text string, ok bool, err error) {
	switch v := v.(type) {
	case nil:
		return "null", true, nil
	case bool:
		return strconv.FormatBool(v), true, nil
	case int:
		return strconv.Itoa(v), true, nil
	case int64:
		return strconv.FormatInt(v, 10), true, nil
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return "", false, refuse(ReasonInput, "%v is no number that can be written", v)
		}
		s := strconv.FormatFloat(v, 'g', -1, 64)
		mantissa, exponent, exp := strings.Cut(s, "e")
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		if exp {
			return mantissa + "e" + exponent, true, nil
		}
		return mantissa, true, nil
	}
	return "", false, nil
}

// asItems and asEntries see through the container types that rules and policies use.
func asItems(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []string:
		out := make([]any, len(v))
		for i, s := range v {
			out[i] = s
		}
		return out, true
	}
	return nil, false
}

// entry is one key of a value to be written.
type entry struct {
	key   string
	value any
}

// entries is a map to be written in an order of its own.
type entries []entry

func asEntries(v any) (entries, bool) {
	switch v := v.(type) {
	case entries:
		return v, true
	case map[string]any:
		out := make(entries, 0, len(v))
		for k, x := range v {
			out = append(out, entry{k, x})
		}
		// A name says what an item is, so it comes first.
		sort.Slice(out, func(i, j int) bool {
			if a, b := out[i].key == "name", out[j].key == "name"; a != b {
				return a
			}
			return out[i].key < out[j].key
		})
		return out, true
	}
	return nil, false
}

// asText returns a scalar as a command line or an environment carries it.
func asText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case nil:
		return "", nil
	}
	text, ok, err := plainText(v)
	if err == nil && !ok {
		err = refuse(ReasonInput, "a %T cannot be written as one word", v)
	}
	return text, err
}

// checkValue refuses values that no writer knows, and strings that no text file can hold.
func checkValue(v any) error {
	if s, ok := v.(string); ok {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return refuse(ReasonInput, "the new text is no valid UTF-8")
		}
		return nil
	}
	if items, ok := asItems(v); ok {
		for _, x := range items {
			if err := checkValue(x); err != nil {
				return err
			}
		}
		return nil
	}
	if m, ok := asEntries(v); ok {
		for _, e := range m {
			if err := checkValue(e.key); err != nil {
				return err
			}
			if err := checkValue(e.value); err != nil {
				return err
			}
		}
		return nil
	}
	_, ok, err := plainText(v)
	if err == nil && !ok {
		err = refuse(ReasonInput, "a %T cannot be written", v)
	}
	return err
}

// equals reports whether n already is what s would write. Quotes of strings do not matter.
func (s *shape) equals(n *source.Node) bool {
	if s.from != nil || s.kind != n.Kind || n.Tag() != "" {
		return false
	}
	if s.kind == source.Scalar {
		if s.text != n.Text {
			return false
		}
		plain := n.Style == source.Plain
		return s.plain == plain || !looksTyped(s.text)
	}
	if len(s.kids) != len(n.Children) {
		return false
	}
	for i, k := range s.kids {
		if !k.equals(n.Children[i]) {
			return false
		}
	}
	return true
}

// isPlainSafe reports whether s can be written without quotes and is read as this string by YAML 1.1 and 1.2
// readers alike.
func isPlainSafe(s string, flow bool) bool {
	return isPlainWord(s, flow) && !looksTyped(s)
}

// isPlainWord reports whether s can be written without quotes on one line, whatever its type.
func isPlainWord(s string, flow bool) bool {
	if s == "" || len(s) > 1000 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	switch first {
	case '-', '?', ':':
		if len(s) == 1 || s[1] == ' ' || flow {
			return flow && first == '-' && len(s) > 1 && s[1] != ' ' && isPlainWord(s[1:], flow)
		}
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', ' ', '=', '<':
		return false
	}
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") {
		return false
	}
	if strings.HasSuffix(s, " ") || strings.HasSuffix(s, ":") || strings.Contains(s, ": ") || strings.Contains(s, " #") {
		return false
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == 0xfeff || r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
		if flow && strings.ContainsRune(",[]{}", r) {
			return false
		}
	}
	// A colon inside a flow collection is text only for some readers.
	return !flow || !strings.Contains(s, ":") || strings.Contains(s, "://") && strings.Count(s, ":") == 1
}

// typedWords are the words, in lower case, that some YAML reader takes for a boolean or null.
var typedWords = [...]string{"", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", "="}

// looksTyped reports whether some YAML reader takes the plain text s for something else than a string: a
// boolean, null, a number in any notation, a date. It errs on the side of quotes.
func looksTyped(s string) bool {
	if slices.Contains(typedWords[:], strings.ToLower(s)) {
		return true
	}
	t := strings.TrimLeft(s, "+-")
	if t == "" {
		return false
	}
	switch strings.ToLower(t) {
	case ".inf", ".nan":
		return true
	}
	if t[0] != '.' && (t[0] < '0' || t[0] > '9') {
		return false
	}
	if len(t) > 1 && t[0] == '0' && strings.ContainsRune("xXoObB", rune(t[1])) {
		return true
	}
	dots, digit := 0, false
	for i := range len(t) {
		switch c := t[i]; {
		case c >= '0' && c <= '9':
			digit = true
		case c == '.':
			dots++
		case c == 'e' || c == 'E' || c == '_' || c == ':' || c == '-' || c == '+' || c == 'T' || c == 't' || c == 'Z' || c == ' ':
		default:
			return false
		}
	}
	return digit && (dots < 2 || strings.ContainsAny(t, ":-"))
}

// quoteDouble writes s in double quotes with JSON's escapes, which YAML reads in the same way.
func quoteDouble(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r >= 0x80 && r < 0xa0 ||
			r >= 0xfffe && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// quoteSingle writes s in single quotes; ok is false when they cannot hold it.
func quoteSingle(s string) (text string, ok bool) {
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == 0xfeff || r == utf8.RuneError || !unicode.IsPrint(r) {
			return "", false
		}
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'", true
}

// quoting is how strings are written where there is a choice.
type quoting struct {
	style source.Style // Plain, SingleQuoted or DoubleQuoted
	flow  bool
	json  bool
}

// text returns v, a scalar, as q writes it, and whether it stands in quotes.
func (q quoting) text(v any) (text string, quoted bool, err error) {
	s, ok := v.(string)
	if !ok {
		text, ok, err = plainText(v)
		if err == nil && !ok {
			err = refuse(ReasonInput, "a %T is no scalar", v)
		}
		return text, false, err
	}
	if !q.json {
		switch q.style {
		case source.Plain:
			if isPlainSafe(s, q.flow) {
				return s, false, nil
			}
		case source.SingleQuoted:
			if t, ok := quoteSingle(s); ok {
				return t, true, nil
			}
		}
	}
	return quoteDouble(s), true, nil
}
