package policy

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"agentlint/internal/model"
)

// fill replaces the places of a message template by the finding's arguments: "{name}" by the argument, and
// "{name:worker|workers}" by the first text when the argument is 1, else by the second. Braces around anything else
// stay.
func fill(template string, args ast.Object) (string, error) {
	var b strings.Builder
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
		var arg *ast.Term
		if args != nil {
			arg = args.Get(ast.StringTerm(name))
		}
		switch {
		case arg == nil:
			return "", fmt.Errorf("argument %q of the message is missing", name)
		case !plural:
			b.WriteString(argument(arg.Value))
		case arg.Value.Compare(ast.Number("1")) == 0:
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
func argument(v ast.Value) string {
	switch v := v.(type) {
	case ast.String:
		return model.Quote(string(v))
	case ast.Number:
		if x, ok := v.Float64(); ok {
			if _, whole := v.Int64(); whole {
				return string(v)
			}
			return model.Number(x)
		}
		return string(v)
	case *ast.Array:
		return joined(v.Len(), v.Foreach)
	case ast.Set:
		return joined(v.Len(), v.Foreach)
	}
	x, err := ast.JSON(v)
	if err != nil {
		return model.Quote(v.String())
	}
	text, err := json.Marshal(x)
	if err != nil {
		return model.Quote(v.String())
	}
	return model.Quote(string(text))
}

func joined(n int, each func(func(*ast.Term))) string {
	parts := make([]string, 0, n)
	each(func(t *ast.Term) { parts = append(parts, argument(t.Value)) })
	return strings.Join(parts, ", ")
}
