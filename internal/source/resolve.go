package source

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Dialect is the way a program gives types to the scalars of a file.
type Dialect uint8

// The dialects of the programs that read what is linted.
const (
	// PyYAML is yaml.safe_load of PyYAML (resolver.py and constructor.py of 6.0), which LiteLLM and vLLM use:
	// YAML 1.1 with a few corners of its own.
	PyYAML Dialect = iota
	// SigsYAML is sigs.k8s.io/yaml 1.6 over go.yaml.in/yaml/v2, which Kubernetes and Helm use: YAML 1.1
	// booleans and Go's numbers.
	SigsYAML
	// GoYAML is gopkg.in/yaml.v3 and its successors, which Docker Compose uses.
	GoYAML
	// JSON is RFC 8259.
	JSON
)

// ValueKind is the type a scalar has for the program that reads it.
type ValueKind uint8

// The kinds of values.
const (
	NoValue    ValueKind = iota // no scalar: a nil node, a container, a broken alias
	NullValue                   //
	BoolValue                   //
	IntValue                    //
	FloatValue                  //
	TextValue                   //
	DateValue                   // a date or a time; Text is as written
	OtherValue                  // bytes and whatever else a tag asks for
	// InvalidValue is a scalar that the program refuses: reading the file fails. Text is its reason.
	InvalidValue
)

// String returns the name of the kind as people call it.
func (k ValueKind) String() string {
	return [...]string{"nothing", "null", "boolean", "integer", "float", "text", "date", "other", "invalid"}[k]
}

// Value is a scalar with the type that a dialect gives to it.
type Value struct {
	Kind ValueKind
	Bool bool
	// Int is the value of an integer, held at the limits of int64 where it is larger.
	Int int64
	// Float is the value of an integer or a float.
	Float float64
	// Text is the scalar's text, whatever its kind; for an invalid value, why the program refuses it.
	Text string
}

// Any returns the value as encoding/json would decode it, with int64 for integers in its range: nil, bool,
// int64, float64 or string. Dates are their text; an invalid value and no value are nil.
func (v Value) Any() any {
	switch v.Kind {
	case BoolValue:
		return v.Bool
	case IntValue:
		if v.Int == math.MaxInt64 || v.Int == math.MinInt64 {
			return v.Float
		}
		return v.Int
	case FloatValue:
		return v.Float
	case TextValue, DateValue, OtherValue:
		return v.Text
	}
	return nil
}

// Resolve gives a scalar the type that the dialect's programs give to it. n may be an alias.
func Resolve(n *Node, d Dialect) Value {
	n = n.Deref()
	if n == nil || n.Kind != Scalar {
		return Value{}
	}
	if d == JSON {
		return resolveJSON(n)
	}
	tag := n.Tag()
	if long, ok := strings.CutPrefix(tag, "!<tag:yaml.org,2002:"); ok {
		tag = "!!" + strings.TrimSuffix(long, ">")
	}
	if tag == "!" && (d != SigsYAML || n.Style != Plain) {
		tag = ""
	}
	switch {
	case d == PyYAML && n.Tag() == "!":
		// PyYAML resolves such a scalar like a plain one, quoted or not.
		return resolvePyYAML(n)
	case tag == "" && n.Style != Plain:
		return asText(n.Text)
	case d == PyYAML && tag == "":
		return resolvePyYAML(n)
	case d == PyYAML:
		return constructPyYAML(tag, n.Text)
	default:
		return resolveGo(tag, n, d)
	}
}

func asText(s string) Value { return Value{Kind: TextValue, Text: s} }

func asInvalid(reason string) Value { return Value{Kind: InvalidValue, Text: reason} }

func asFloat(s string, f float64) Value { return Value{Kind: FloatValue, Float: f, Text: s} }

// asInteger returns the integer with the given digits (no sign, no underscores) in a base.
func asInteger(s, digits string, base int, negative bool) Value {
	v := Value{Kind: IntValue, Text: s}
	u, err := strconv.ParseUint(digits, base, 64)
	small := err == nil
	switch {
	case small:
		v.Float = float64(u)
	case base == 10:
		v.Float, _ = strconv.ParseFloat(digits, 64)
	default:
		for i := range len(digits) {
			v.Float = v.Float*float64(base) + float64(hexValue(digits[i]))
		}
	}
	switch {
	case negative:
		v.Float = -v.Float
		v.Int = math.MinInt64
		if small && u < 1<<63 {
			v.Int = -int64(u)
		}
	case small && u <= math.MaxInt64:
		v.Int = int64(u)
	default:
		v.Int = math.MaxInt64
	}
	return v
}

// yaml11Bool returns the boolean that a YAML 1.1 word stands for; y and n are not among them.
func yaml11Bool(s string) (value, ok bool) {
	switch s {
	case "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return true, true
	case "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

func isNullWord(s string) bool {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// runLen returns the length of the run of bytes at the start of s that ok accepts.
func runLen(s string, ok func(c byte) bool) int {
	i := 0
	for i < len(s) && ok(s[i]) {
		i++
	}
	return i
}

func isDigitOr_(c byte) bool { return isDigit(c) || c == '_' }

// resolvePyYAML applies the implicit resolvers of PyYAML to a plain scalar.
func resolvePyYAML(n *Node) Value {
	s := n.Text
	if b, ok := yaml11Bool(s); ok {
		return Value{Kind: BoolValue, Bool: b, Text: s}
	}
	switch {
	case isNullWord(s):
		return Value{Kind: NullValue, Text: s}
	case s == "=" && !n.isKey():
		return asInvalid("could not determine a constructor for the tag 'tag:yaml.org,2002:value'")
	case s == "<<" && !n.isKey():
		return asInvalid("could not determine a constructor for the tag 'tag:yaml.org,2002:merge'")
	}
	if c := s[0]; !isDigit(c) && c != '-' && c != '+' && c != '.' {
		return asText(s)
	}
	switch {
	case isPyFloat(s):
		return pyFloat(s)
	case isPyInt(s):
		return pyInt(s)
	}
	if isPyTimestamp(s) {
		return pyTimestamp(s)
	}
	return asText(s)
}

// isKey reports whether n is a key of a map.
func (n *Node) isKey() bool {
	if n.Parent == nil || n.Parent.Kind != Map {
		return false
	}
	for i := 0; i < len(n.Parent.Children); i += 2 {
		if n.Parent.Children[i] == n {
			return true
		}
	}
	return false
}

func cutSign(s string) (rest string, negative, signed bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:], s[0] == '-', true
	}
	return s, false, false
}

// isPyFloat matches what PyYAML takes for a float: a dot is needed, an exponent needs a sign.
func isPyFloat(s string) bool {
	t, _, signed := cutSign(s)
	switch t {
	case ".inf", ".Inf", ".INF":
		return true
	case ".nan", ".NaN", ".NAN":
		return !signed
	}
	exponent := func(t string) bool {
		if t == "" {
			return true
		}
		return len(t) >= 3 && (t[0] == 'e' || t[0] == 'E') && (t[1] == '+' || t[1] == '-') &&
			runLen(t[2:], isDigit) == len(t)-2
	}
	if t == "" {
		return false
	}
	if t[0] == '.' {
		if signed || len(t) < 2 || !isDigit(t[1]) {
			return false
		}
		t = t[1:]
		return exponent(t[runLen(t, isDigitOr_):])
	}
	if !isDigit(t[0]) {
		return false
	}
	t = t[runLen(t, isDigitOr_):]
	if strings.HasPrefix(t, ".") {
		t = t[1:]
		return exponent(t[runLen(t, isDigitOr_):])
	}
	t, parts := cutSexagesimal(t)
	return parts > 0 && strings.HasPrefix(t, ".") && runLen(t[1:], isDigitOr_) == len(t)-1
}

// cutSexagesimal cuts ":59" groups off the start of s.
func cutSexagesimal(s string) (rest string, parts int) {
	for len(s) >= 2 && s[0] == ':' && isDigit(s[1]) {
		k := 2
		if len(s) >= 3 && isDigit(s[2]) && s[1] <= '5' {
			k = 3
		}
		s = s[k:]
		parts++
	}
	return s, parts
}

// isPyInt matches what PyYAML takes for an integer.
func isPyInt(s string) bool {
	t, _, _ := cutSign(s)
	switch {
	case t == "" || !isDigit(t[0]):
		return false
	case t == "0":
		return true
	case strings.HasPrefix(t, "0b"):
		return len(t) > 2 && runLen(t[2:], func(c byte) bool { return c == '0' || c == '1' || c == '_' }) == len(t)-2
	case strings.HasPrefix(t, "0x"):
		return len(t) > 2 && runLen(t[2:], func(c byte) bool { return hexValue(c) >= 0 || c == '_' }) == len(t)-2
	case t[0] == '0':
		return runLen(t[1:], func(c byte) bool { return c >= '0' && c <= '7' || c == '_' }) == len(t)-1
	}
	t, parts := cutSexagesimal(t[runLen(t, isDigitOr_):])
	return t == "" && parts >= 0
}

// pyMaxDigits is the number of decimal digits from which Python refuses to convert text to an int.
const pyMaxDigits = 4300

// pyInt does what PyYAML's construct_yaml_int does.
func pyInt(s string) Value {
	t, negative, _ := cutSign(strings.ReplaceAll(s, "_", ""))
	based := func(t string, base int) Value {
		// int() of Python takes blanks around, one sign, and 0o before octal digits.
		t, minus, _ := cutSign(strings.TrimSpace(t))
		if base == 8 {
			t = strings.TrimPrefix(strings.TrimPrefix(t, "0o"), "0O")
		}
		for i := range len(t) {
			if h := hexValue(t[i]); h < 0 || h >= base {
				t = ""
				break
			}
		}
		if t == "" || base == 10 && len(t) > pyMaxDigits {
			return asInvalid("'" + s + "' is no integer for Python")
		}
		return asInteger(s, t, base, negative != minus)
	}
	switch {
	case t == "0":
		return Value{Kind: IntValue, Text: s}
	case strings.HasPrefix(t, "0b"):
		return based(t[2:], 2)
	case strings.HasPrefix(t, "0x"):
		return based(t[2:], 16)
	case strings.HasPrefix(t, "0"):
		return based(t, 8)
	case strings.Contains(t, ":"):
		sum := Value{Kind: IntValue, Text: s}
		for part := range strings.SplitSeq(t, ":") {
			p := based(part, 10)
			if p.Kind != IntValue {
				return p
			}
			sum.Float = sum.Float*60 + p.Float
			if math.Abs(sum.Float) >= 9.2e18 {
				sum.Int = math.MaxInt64
				if negative {
					sum.Int = math.MinInt64
				}
				continue
			}
			sum.Int = sum.Int*60 + p.Int
		}
		return sum
	}
	return based(t, 10)
}

// pyFloat does what PyYAML's construct_yaml_float does.
func pyFloat(s string) Value {
	t, negative, _ := cutSign(strings.ToLower(strings.ReplaceAll(s, "_", "")))
	sign := 1.0
	if negative {
		sign = -1
	}
	switch t {
	case ".inf":
		return asFloat(s, math.Inf(int(sign)))
	case ".nan":
		return asFloat(s, math.NaN())
	}
	// The last part counts once, the one before it 60 times, and so on: summed in this order, as PyYAML does.
	f, weight := 0.0, 1.0
	parts := strings.Split(t, ":")
	for i := len(parts) - 1; i >= 0; i-- {
		part := strings.TrimSpace(parts[i])
		p, err := strconv.ParseFloat(part, 64)
		if err != nil && !isRange(err) || strings.ContainsAny(part, "xp") {
			return asInvalid("could not convert '" + s + "' to a float")
		}
		f += p * weight
		weight *= 60
	}
	return asFloat(s, sign*f)
}

// isRange reports whether a number was understood but is too large or too small for its type.
func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// isPyTimestamp matches what PyYAML takes for a date or a time: a whole date, or a date and a time.
func isPyTimestamp(s string) bool {
	t, ok := cutTimestamp(s)
	return ok && (t.hour >= 0 || len(s) == len("2006-01-02"))
}

// timestamp is a date or time taken apart; hour is -1 for a date, zone counts minutes.
type timestamp struct {
	year, month, day, hour, minute, second, zone int
}

// cutTimestamp takes a YAML 1.1 timestamp apart: digits, not yet checked to be a date.
func cutTimestamp(s string) (t timestamp, ok bool) {
	t.hour = -1
	num := func(least, most int) (n int, ok bool) {
		k := min(runLen(s, isDigit), most)
		if k < least {
			return 0, false
		}
		n, _ = strconv.Atoi(s[:k])
		s = s[k:]
		return n, true
	}
	lit := func(c byte) bool {
		if s == "" || s[0] != c {
			return false
		}
		s = s[1:]
		return true
	}
	blank := func(c byte) bool { return c == ' ' || c == '\t' }
	if t.year, ok = num(4, 4); !ok || !lit('-') {
		return t, false
	}
	if t.month, ok = num(1, 2); !ok || !lit('-') {
		return t, false
	}
	if t.day, ok = num(1, 2); !ok {
		return t, false
	}
	if s == "" {
		return t, true
	}
	if !lit('T') && !lit('t') {
		k := runLen(s, blank)
		if k == 0 {
			return t, false
		}
		s = s[k:]
	}
	if t.hour, ok = num(1, 2); !ok || !lit(':') {
		return t, false
	}
	if t.minute, ok = num(2, 2); !ok || !lit(':') {
		return t, false
	}
	if t.second, ok = num(2, 2); !ok {
		return t, false
	}
	if lit('.') {
		s = s[runLen(s, isDigit):]
	}
	if s == "" {
		return t, true
	}
	s = s[runLen(s, blank):]
	switch {
	case lit('Z'):
	case lit('+'), lit('-'):
		var hours, minutes int
		if hours, ok = num(1, 2); !ok {
			return t, false
		}
		if lit(':') {
			if minutes, ok = num(2, 2); !ok {
				return t, false
			}
		}
		t.zone = hours*60 + minutes
	default:
		return t, false
	}
	return t, s == ""
}

// pyTimestamp does what PyYAML's construct_yaml_timestamp does.
func pyTimestamp(s string) Value {
	t, ok := cutTimestamp(s)
	hour := max(t.hour, 0)
	d := time.Date(t.year, time.Month(t.month), t.day, hour, t.minute, t.second, 0, time.UTC)
	if !ok || t.year < 1 || d.Year() != t.year || int(d.Month()) != t.month || d.Day() != t.day || d.Hour() != hour ||
		d.Minute() != t.minute || d.Second() != t.second || t.zone >= 24*60 {
		return asInvalid("'" + s + "' is no date")
	}
	return Value{Kind: DateValue, Text: s}
}

// constructPyYAML gives a scalar the type its tag asks for.
func constructPyYAML(tag, s string) Value {
	switch tag {
	case "!!str":
		return asText(s)
	case "!!null":
		return Value{Kind: NullValue, Text: s}
	case "!!bool":
		if b, ok := yaml11Bool(strings.ToLower(s)); ok {
			return Value{Kind: BoolValue, Bool: b, Text: s}
		}
		return asInvalid("'" + s + "' is no boolean")
	case "!!int":
		if s == "" {
			return asInvalid("'' is no integer for Python")
		}
		return pyInt(s)
	case "!!float":
		if s == "" {
			return asInvalid("could not convert '' to a float")
		}
		return pyFloat(s)
	case "!!timestamp":
		return pyTimestamp(s)
	case "!!binary":
		return Value{Kind: OtherValue, Text: s}
	}
	return asInvalid("could not determine a constructor for the tag '" + strings.Replace(tag, "!!", "tag:yaml.org,2002:", 1) + "'")
}

// resolveGo does what resolve.go of go-yaml does, in version 2 (SigsYAML) or 3 (GoYAML).
func resolveGo(tag string, n *Node, d Dialect) Value {
	s := n.Text
	switch tag {
	case "!!str":
		return asText(s)
	case "!!binary":
		return Value{Kind: OtherValue, Text: s}
	case "", "!!bool", "!!int", "!!float", "!!null", "!!timestamp":
	default:
		return asText(s)
	}
	v := implicitGo(s, tag == "" || tag == "!!timestamp", d)
	switch {
	case tag == "", tag == "!!bool" && v.Kind == BoolValue, tag == "!!int" && v.Kind == IntValue,
		tag == "!!float" && v.Kind == FloatValue, tag == "!!null" && v.Kind == NullValue,
		tag == "!!timestamp" && v.Kind == DateValue:
	case tag == "!!float" && v.Kind == IntValue && v.Float < 1<<63:
		v.Kind = FloatValue
	default:
		return asInvalid("cannot decode `" + s + "` as a " + tag)
	}
	if v.Kind == DateValue && d == SigsYAML {
		v.Kind = TextValue
	}
	return v
}

// implicitGo gives a plain scalar its type; dates says whether it may be one.
func implicitGo(s string, dates bool, d Dialect) Value {
	if isNullWord(s) {
		return Value{Kind: NullValue, Text: s}
	}
	b, ok := yaml11Bool(s)
	switch {
	case d == SigsYAML && (s == "y" || s == "Y"):
		b, ok = true, true
	case d == SigsYAML && (s == "n" || s == "N"):
		b, ok = false, true
	case d == GoYAML:
		ok = ok && (s[0] == 't' || s[0] == 'T' || s[0] == 'f' || s[0] == 'F')
	}
	if ok {
		return Value{Kind: BoolValue, Bool: b, Text: s}
	}
	t, negative, signed := cutSign(s)
	switch t {
	case ".inf", ".Inf", ".INF":
		if negative {
			return asFloat(s, math.Inf(-1))
		}
		return asFloat(s, math.Inf(1))
	case ".nan", ".NaN", ".NAN":
		if !signed {
			return asFloat(s, math.NaN())
		}
	}
	switch c := s[0]; {
	case c == '.':
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return asFloat(s, f)
		}
		return asText(s)
	case !signed && !isDigit(c):
		return asText(s)
	}
	if dates && isGoTimestamp(s) {
		return Value{Kind: DateValue, Text: s}
	}
	plain := strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return Value{Kind: IntValue, Int: i, Float: float64(i), Text: s}
	}
	if u, err := strconv.ParseUint(plain, 0, 64); err == nil {
		return Value{Kind: IntValue, Int: math.MaxInt64, Float: float64(u), Text: s}
	}
	if isGoFloat(plain) {
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			return asFloat(s, f)
		}
	}
	return goBased(s, plain, d)
}

// goBased reads what is left of the integers: go-yaml cuts 0b and 0o off by itself and so lets a sign follow.
func goBased(s, plain string, d Dialect) Value {
	negative := strings.HasPrefix(plain, "-")
	t := strings.TrimPrefix(plain, "-")
	for i, prefix := range [...]string{"0b", "0o"} {
		digits, ok := strings.CutPrefix(t, prefix)
		if !ok || i == 1 && d == SigsYAML {
			continue
		}
		if negative {
			digits = "-" + digits
		}
		if n, err := strconv.ParseInt(digits, [...]int{2, 8}[i], 64); err == nil {
			return Value{Kind: IntValue, Int: n, Float: float64(n), Text: s}
		}
	}
	return asText(s)
}

// isGoFloat matches go-yaml's yamlStyleFloat.
func isGoFloat(s string) bool {
	t, _, _ := cutSign(s)
	whole := runLen(t, isDigit)
	t = t[whole:]
	if strings.HasPrefix(t, ".") {
		frac := runLen(t[1:], isDigit)
		if whole == 0 && frac == 0 {
			return false
		}
		t = t[1+frac:]
	} else if whole == 0 {
		return false
	}
	if t == "" {
		return true
	}
	if t[0] != 'e' && t[0] != 'E' {
		return false
	}
	t, _, _ = cutSign(t[1:])
	return t != "" && runLen(t, isDigit) == len(t)
}

// isGoTimestamp reports whether go-yaml reads s as a time.
func isGoTimestamp(s string) bool {
	if len(s) < 5 || runLen(s, isDigit) != 4 || s[4] != '-' {
		return false
	}
	for _, layout := range [...]string{
		"2006-1-2T15:4:5.999999999Z07:00",
		"2006-1-2t15:4:5.999999999Z07:00",
		"2006-1-2 15:4:5.999999999",
		"2006-1-2",
	} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

func resolveJSON(n *Node) Value {
	s := n.Text
	switch {
	case n.Style != Plain:
		return asText(s)
	case s == "null":
		return Value{Kind: NullValue, Text: s}
	case s == "true" || s == "false":
		return Value{Kind: BoolValue, Bool: s == "true", Text: s}
	}
	digits, negative, _ := cutSign(s)
	if digits != "" && runLen(digits, isDigit) == len(digits) {
		return asInteger(s, digits, 10, negative)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !isRange(err) {
		return asInvalid("'" + s + "' is no JSON value")
	}
	return asFloat(s, f)
}
