package policy

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"agentlint/internal/model"
	"agentlint/internal/policy/plan"
)

// fill replaces the places of a message template by the finding's arguments: "{name}" by the argument, and
// "{name:worker|workers}" by the first text when the argument is 1, else by the second. Braces around anything else
// stay.
func fill(template string, args plan.Value) (string, error) {
	var b strings.Builder
	b.Grow(len(template) + 64) // of arguments
	for {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			b.WriteString(template)
			return b.String(), nil
		}
		b.WriteString(template[:open])
		template = template[open:]
		shut := strings.IndexByte(template, '}')
		name, forms, plural := "", "", false
		if shut > 0 {
			name, forms, plural = strings.Cut(template[1:shut], ":")
		}
		one, many, two := strings.Cut(forms, "|")
		if !isName(name) || plural && !two {
			b.WriteByte('{')
			template = template[1:]
			continue
		}
		template = template[shut+1:]
		arg := plan.Get(args, name)
		switch {
		case arg == nil:
			return "", fmt.Errorf("argument %q of the message is missing", name)
		case !plural:
			b.WriteString(argument(arg))
		case plan.Compare(arg, int64(1)) == 0:
			b.WriteString(one)
		default:
			b.WriteString(many)
		}
	}
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9' || i == 0) {
			return false
		}
	}
	return s != ""
}

// argument returns a value as people write it in a sentence; lists and sets are joined with commas.
func argument(v plan.Value) string {
	switch v := v.(type) {
	case string:
		return model.Quote(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case plan.Decimal:
		n := ast.Number(v)
		if x, ok := n.Float64(); ok {
			if _, whole := n.Int64(); !whole {
				return model.Number(x)
			}
		}
		return string(v)
	}
	if plan.IsArrayValue(v) || plan.IsSetValue(v) {
		parts := make([]string, 0, plan.Length(v))
		plan.Each(v, func(w plan.Value) { parts = append(parts, argument(w)) })
		return strings.Join(parts, ", ")
	}
	t := plan.Term(v)
	x, err := ast.JSON(t.Value)
	if err != nil {
		return model.Quote(t.String())
	}
	text, err := json.Marshal(x)
	if err != nil {
		return model.Quote(t.String())
	}
	return model.Quote(string(text))
}
