package config

import (
	"fmt"
	"math"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// kinds is a set of kinds of values.
type kinds uint8

const (
	aMap kinds = 1 << iota
	aList
	aText
	aNumber // any finite number
	anInt
	aBool
	aNull
)

// String returns the kinds as a reader of an error knows them.
func (k kinds) String() string {
	var words []string
	for i, w := range [...]string{"a map", "a list", "a text", "a number", "a whole number", "true or false", "nothing"} {
		if k&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " or ")
}

// shape is what may stand at one place of the configuration. The same value checks files and is printed as JSON
// Schema.
type shape struct {
	doc   string
	kinds kinds

	// keys are the keys of a map; entries the shape of all other keys, nil when there are none; name checks
	// those other keys, and label says what they are.
	keys     []field
	entries  *shape
	name     format
	label    string
	required []string

	items *shape

	// enum are the texts that are allowed, empty for any.
	enum []string
	// format is what a text must be.
	format format
	// min bounds numbers when bounded is set; with above, the bound itself is not allowed.
	min     float64
	above   bool
	bounded bool
}

type field struct {
	name string
	*shape
}

// format names what a text stands for. pattern is what JSON Schema can say of it.
type format uint8

const (
	noFormat       format = iota
	formatFilled          // not blank
	formatVersion         // a release: 1.102.0
	formatDate            // YYYY-MM-DD
	formatRule            // a rule's id
	formatRules           // a rule's id or category/*
	formatGlob            // a pattern of file names
	formatPath            // a path in a file
	formatGPU             // a name of the GPU table
	formatRelative        // a path below the configuration file's folder
)

// pattern is the regular expression of a format in the published schema, "" without one. The checks in meaning are
// stricter.
func (f format) pattern() string {
	switch f {
	case formatFilled, formatGlob, formatPath, formatGPU, formatRelative:
		return `\S`
	case formatVersion:
		return `^v?[0-9]+([.+_-]?[0-9A-Za-z]+)*$`
	case formatDate:
		return `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`
	case formatRule:
		return `^(custom/)?[a-z0-9]+(-[a-z0-9]+)*$`
	case formatRules:
		return `^((custom/)?[a-z0-9]+(-[a-z0-9]+)*(/\*)?|custom/\*)$`
	}
	return ""
}

// match reports whether a text is of the format's form: the pattern without a regular expression at run time.
func (f format) match(s string) bool {
	switch f {
	case formatFilled, formatGlob, formatPath, formatGPU, formatRelative:
		return strings.TrimFunc(s, isBlank) != ""
	case formatVersion:
		return isVersion(s)
	case formatDate:
		return isDate(s)
	case formatRule:
		return model.IsID(strings.TrimPrefix(s, "custom/"))
	case formatRules:
		if s == "custom/*" {
			return true
		}
		return model.IsID(strings.TrimSuffix(strings.TrimPrefix(s, "custom/"), "/*"))
	}
	return true
}

// isBlank is \s of JSON Schema's regular expressions.
func isBlank(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }

func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i := range len(s) {
		if i != 4 && i != 7 && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

func isVersion(s string) bool {
	s = strings.TrimPrefix(s, "v")
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	gap := false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			gap = false
		case strings.IndexByte(".+_-", c) >= 0 && !gap:
			gap = true
		default:
			return false
		}
	}
	return !gap
}

// scalar checks a scalar's kind and value, and returns what is wrong with it.
func (s *shape) scalar(v any, k kinds) string {
	want := s.kinds
	if want&aNumber != 0 {
		want |= anInt
	}
	if k == aNull && want&(aMap|aList) != 0 {
		// An empty section is one that nobody filled in yet.
		return ""
	}
	if want&k == 0 && len(s.enum) > 0 {
		return fmt.Sprintf("want one of %s, found %s", quote(s.enum), describe(v, k))
	}
	if want&k == 0 {
		return fmt.Sprintf("want %s, found %s", s.kinds&^aNull, describe(v, k))
	}
	switch k {
	case aText:
		text := v.(string)
		if len(s.enum) > 0 {
			for _, e := range s.enum {
				if e == text {
					return ""
				}
			}
			return fmt.Sprintf("want one of %s, found %q%s", quote(s.enum), text, didYouMean(text, s.enum))
		}
		if !s.format.match(text) {
			return s.format.complain(text)
		}
	case anInt, aNumber:
		x, ok := v.(float64)
		if n, isInt := v.(int64); isInt {
			x, ok = float64(n), true
		}
		if !ok || math.IsInf(x, 0) || math.IsNaN(x) {
			return "want a finite number"
		}
		if s.bounded && s.above && x <= s.min {
			return fmt.Sprintf("want more than %v, found %v", s.min, x)
		}
		if s.bounded && x < s.min {
			return fmt.Sprintf("want at least %v, found %v", s.min, x)
		}
	}
	return ""
}

func (f format) complain(text string) string {
	switch f {
	case formatVersion:
		return fmt.Sprintf("want a version such as 1.102.0, found %q", text)
	case formatDate:
		return fmt.Sprintf("want a date as YYYY-MM-DD, found %q", text)
	case formatRule:
		return fmt.Sprintf("want a rule id, found %q", text)
	case formatRules:
		return fmt.Sprintf("want a rule id or category/*, found %q", text)
	}
	return "is empty"
}

func describe(v any, k kinds) string {
	switch k {
	case aMap:
		return "a map"
	case aList:
		return "a list"
	case aNull:
		return "nothing"
	case aText:
		return fmt.Sprintf("the text %q", v)
	}
	return fmt.Sprint(v)
}

// scalarOf returns a scalar's value and kind, as YAML 1.2 readers see it: so do editors that use the published
// schema. A float without a fraction is a whole number, as in JSON Schema.
func scalarOf(n *source.Node) (any, kinds) {
	v := source.Resolve(n, source.GoYAML)
	switch v.Kind {
	case source.NullValue:
		return nil, aNull
	case source.BoolValue:
		return v.Bool, aBool
	case source.IntValue, source.FloatValue:
		if x, ok := v.Any().(int64); ok {
			return x, anInt
		}
		if v.Float == math.Trunc(v.Float) && math.Abs(v.Float) < 1<<53 {
			return int64(v.Float), anInt
		}
		return v.Float, aNumber
	}
	return n.Text, aText
}
