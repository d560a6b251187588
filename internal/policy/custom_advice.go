package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"agentlint/internal/knowledge"
)

// advise looks for what works but should be better: absence that is read without the library, and parts of policies that
// can have no effect.
func (l *customLoader) advise() {
	used := l.uses()
	for _, file := range slices.Sorted(maps.Keys(l.c.modules)) {
		if l.c.tests[file] {
			continue
		}
		m := l.c.modules[file]
		for _, f := range unguarded(m) {
			l.suggest(file, f.Location, "%s", f.text)
		}
		pkg := strings.Join(packagePath(m), ".")
		for name, at := range ruleNames(m) {
			if !used[pkg+"."+name] && name != "findings" && name != "unchecked" {
				l.suggest(file, at, "nothing uses %s", name)
			}
		}
	}
	for _, p := range l.c.list {
		l.advisePolicy(p)
	}
}

func (l *customLoader) suggest(file string, at *ast.Location, format string, args ...any) {
	p := Problem{File: file, Message: fmt.Sprintf(format, args...), Advice: true}
	if at != nil {
		p.Line, p.Column = at.Row, at.Col
	}
	l.advice = append(l.advice, p)
}

// uses returns the rules of users that others refer to, by path.
func (l *customLoader) uses() map[string]bool {
	out := map[string]bool{}
	for _, m := range l.c.modules {
		s := scopeOf(m)
		pkg := strings.Join(packagePath(m), ".")
		own := ruleNames(m)
		for _, r := range m.Rules {
			name := ruleName(r)
			ast.WalkVars(r, func(v ast.Var) bool {
				if _, ok := own[string(v)]; ok && string(v) != name {
					out[pkg+"."+string(v)] = true
				}
				return false
			})
		}
		mark := func(ref ast.Ref) {
			p, _ := s.data(ref)
			for n := range p {
				out[strings.Join(p[:n+1], ".")] = true
			}
			// A package that is named as a whole may be asked for anything.
			for _, other := range l.c.modules {
				if path := packagePath(other); len(p) > 2 && len(p) <= len(path) && slices.Equal(path[:len(p)], p) {
					for name := range ruleNames(other) {
						out[strings.Join(path, ".")+"."+name] = true
					}
				}
			}
		}
		for _, r := range m.Rules {
			ast.WalkRefs(r, func(ref ast.Ref) bool { mark(ref); return false })
		}
	}
	return out
}

// advisePolicy looks at one policy as a whole.
func (l *customLoader) advisePolicy(p *Policy) {
	h, err := p.header()
	m := l.c.modules[p.File]
	if err != nil || m == nil {
		return
	}
	texts := map[string]bool{}
	ast.WalkTerms(m, func(t *ast.Term) bool {
		if s, ok := t.Value.(ast.String); ok {
			texts[string(s)] = true
		}
		return false
	})
	advise := func(key, format string, args ...any) {
		at := h.at(key)
		l.advice = append(l.advice, Problem{File: p.File, Line: at.line, Column: at.column, Message: "METADATA: " + fmt.Sprintf(format, args...), Advice: true})
	}
	for _, key := range slices.Sorted(maps.Keys(h.Messages)) {
		if key != "main" && !texts[key] {
			advise("messages", "no finding has the message %q", key)
		}
	}
	for _, x := range h.Parameters {
		if !texts[x.Name] {
			advise("parameters", "the policy does not read its parameter %q", x.Name)
		}
	}
	if len(h.Parameters) > 0 && !texts[p.ID] {
		advise("parameters", "parameters are read by lib.parameter(%q, NAME)", p.ID)
	}
	for _, text := range h.Applies {
		r, err := knowledge.ParseRange(text)
		if product := knowledge.ByName(r.Product); err == nil && product != nil && !anyRelease(product, r) {
			advise("applies", "no release of %s up to %s is in %s, so the policy never runs", r.Product, product.Newest(), text)
		}
	}
	if h.Fix == 0 && texts["edits"] {
		advise("severity", "the policy has edits: say how safe they are with fix: {safety, title}")
	}
	if h.Fix != 0 && !texts["edits"] {
		advise("fix", "no finding has a fix")
	}
}

// anyRelease reports whether some release of a product is in a range.
func anyRelease(p *knowledge.Product, r knowledge.Range) bool {
	return slices.ContainsFunc(p.Releases(), r.Contains)
}

// fault is an expression that should be another one.
type fault struct {
	*ast.Location
	text string
}

// unguarded returns the expressions of a module that read absence off the input without the library.
func unguarded(mod *ast.Module) []fault {
	var out []fault
	for _, r := range mod.Rules {
		derived := map[string]bool{"input": true}
		of := func(t *ast.Term) bool {
			switch v := t.Value.(type) {
			case ast.Var:
				return derived[string(v)]
			case ast.Ref:
				head, ok := v[0].Value.(ast.Var)
				return ok && derived[string(head)]
			}
			return false
		}
		// Variables bound to parts of the input: x := input.a, some k, v in input.a. Order in the body does not
		// matter, so look until nothing is added.
		for size := 0; size != len(derived); {
			size = len(derived)
			ast.WalkExprs(r, func(e *ast.Expr) bool {
				switch {
				case e.IsAssignment() || e.IsEquality():
					if left, ok := e.Operand(0).Value.(ast.Var); ok && of(e.Operand(1)) {
						derived[string(left)] = true
					}
				}
				if d, ok := e.Terms.(*ast.SomeDecl); ok && len(d.Symbols) == 1 {
					if call, ok := d.Symbols[0].Value.(ast.Call); ok && of(call[len(call)-1]) {
						ast.WalkVars(call[len(call)-2], func(v ast.Var) bool { derived[string(v)] = true; return false })
					}
				}
				return false
			})
		}
		ast.WalkExprs(r, func(e *ast.Expr) bool {
			if t, ok := e.Terms.(*ast.Term); ok && e.Negated && of(t) {
				out = append(out, fault{e.Location, "not on a part of the input: use lib.absent"})
			}
			return false
		})
		ast.WalkTerms(r, func(t *ast.Term) bool {
			call, ok := t.Value.(ast.Call)
			if ok {
				out = append(out, callFaults(t.Location, call[0], call[1:], of)...)
			}
			return false
		})
		ast.WalkExprs(r, func(e *ast.Expr) bool {
			if terms, ok := e.Terms.([]*ast.Term); ok {
				out = append(out, callFaults(e.Location, terms[0], terms[1:], of)...)
			}
			return false
		})
	}
	return out
}

func callFaults(at *ast.Location, name *ast.Term, args []*ast.Term, of func(*ast.Term) bool) []fault {
	fn := name.String()
	if fn == "to_number" {
		return []fault{{at, "to_number takes null, an unknown item of a list, for 0: use lib.number"}}
	}
	if len(args) == 0 || !of(args[0]) {
		return nil
	}
	switch fn {
	case "object.get":
		return []fault{{at, "object.get on a part of the input: use lib.value"}}
	case "count":
		return []fault{{at, "count on a part of the input: a value in it may be unknown; use lib"}}
	case "object.keys":
		return []fault{{at, "object.keys on a part of the input: a key may be unknown; use lib"}}
	}
	return nil
}
