package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"agentlint/policies"
)

// libraryPackage is the package of the library that policies use.
var libraryPackage = [...]string{"agentlint", "lib"}

// scope resolves the references of one module.
type scope struct {
	imports map[string][]string // path below data or input by the name it is imported under, with its head
}

func scopeOf(m *ast.Module) *scope {
	s := &scope{imports: map[string][]string{}}
	for _, i := range m.Imports {
		ref, ok := i.Path.Value.(ast.Ref)
		if !ok {
			continue
		}
		if p := constants(ref); len(p) == len(ref) {
			s.imports[string(i.Name())] = p
		}
	}
	return s
}

// constants returns the head of a reference and the texts after it up to the first that is none.
func constants(ref ast.Ref) []string {
	var out []string
	for i, t := range ref {
		switch v := t.Value.(type) {
		case ast.Var:
			if i > 0 {
				return out
			}
			out = append(out, string(v))
		case ast.String:
			out = append(out, string(v))
		default:
			return out
		}
	}
	return out
}

// data returns the path of a reference below data, as far as it is constant; whole says that all of it is. It is nil for
// other references.
func (s *scope) data(ref ast.Ref) (p []string, whole bool) {
	p = constants(ref)
	whole = len(p) == len(ref)
	if len(p) == 0 {
		return nil, false
	}
	if to, ok := s.imports[p[0]]; ok {
		p = append(slices.Clone(to), p[1:]...)
	}
	if p[0] != "data" {
		return nil, false
	}
	return p[1:], whole
}

// references finds out which rules of the library are used, and refuses references to what is not there and paths that
// the input does not have.
func (l *customLoader) references() {
	l.library = map[string]bool{}
	known, own := map[string]bool{}, map[string]bool{} // rules and packages
	uses := map[string][]string{}
	var names []string
	for _, r := range policies.Library() {
		uses[r.Name] = r.Uses
		names = append(names, r.Name)
	}
	var need func(string)
	need = func(rule string) {
		if !l.library[rule] {
			l.library[rule] = true
			for _, other := range uses[rule] {
				need(other)
			}
		}
	}
	for _, m := range l.c.modules {
		pkg := strings.Join(packagePath(m), ".")
		own[pkg] = true
		for name := range ruleNames(m) {
			known[pkg+"."+name] = true
		}
	}
	for _, file := range slices.Sorted(maps.Keys(l.c.modules)) {
		m := l.c.modules[file]
		s := scopeOf(m)
		ast.WalkRefs(m, func(ref ast.Ref) bool {
			if slices.ContainsFunc(m.Imports, func(i *ast.Import) bool { r, ok := i.Path.Value.(ast.Ref); return ok && r.Equal(ref) }) {
				if p, _ := s.data(ref); len(p) > len(libraryPackage) && slices.Equal(p[:2], libraryPackage[:]) {
					l.libraryRule(file, ref, p, names, uses, need)
				}
				return false
			}
			p, whole := s.data(ref)
			switch {
			case p == nil:
			case len(p) >= 2 && p[0] == "agentlint" && p[1] == "lib":
				l.libraryRule(file, ref, p, names, uses, need)
			case l.c.tests[file]:
			case len(p) >= 2 && p[0] == "agentlint" && p[1] == "custom":
				l.ownRule(file, ref, p, known, own)
			case len(p) < 2 && !whole:
				l.fail(file, place(ref, len(ref)-1), "the packages below data are not known before the policy runs: write the name")
			default:
				l.fail(file, place(ref, 0), "data.%s: policies see data.agentlint.lib and what lives under data.%s", strings.Join(p, "."), CustomPackage)
			}
			return false
		})
		if !l.c.tests[file] {
			l.paths(file, m, s)
		}
	}
}

// libraryRule notes the use of a rule of the library.
func (l *customLoader) libraryRule(file string, ref ast.Ref, p, names []string, uses map[string][]string, need func(string)) {
	if len(p) == len(libraryPackage) {
		for _, name := range names {
			need(name)
		}
		return
	}
	if _, ok := uses[p[2]]; !ok {
		at := place(ref, 0)
		for i, t := range ref {
			if s, ok := t.Value.(ast.String); ok && string(s) == p[2] {
				at = place(ref, i)
			}
		}
		l.fail(file, at, "the library has no rule %q%s", p[2], didYouMean(p[2], names))
		return
	}
	need(p[2])
}

// ownRule checks a reference to what users wrote.
func (l *customLoader) ownRule(file string, ref ast.Ref, p []string, known, packages map[string]bool) {
	if packages[strings.Join(p, ".")] {
		return
	}
	for n := len(p); n > 2; n-- {
		if known[strings.Join(p[:n], ".")] {
			return
		}
	}
	// A document, or a package above some.
	at := any(l.c.data)
	for _, name := range p[2:] {
		m, ok := at.(map[string]any)
		if !ok {
			return
		}
		if at, ok = m[name]; !ok {
			at = nil
			break
		}
	}
	name := strings.Join(p, ".")
	if at != nil || slices.ContainsFunc(slices.Collect(maps.Keys(known)), func(k string) bool { return strings.HasPrefix(k, name+".") }) {
		return
	}
	l.fail(file, place(ref, 0), "data.%s: there is no such rule, package or document%s", name, didYouMean(name, slices.Sorted(maps.Keys(known))))
}

// place returns where an element of a reference stands.
func place(ref ast.Ref, i int) *ast.Location {
	for ; i >= 0; i-- {
		if at := ref[i].Location; at != nil && at.Row > 0 {
			return at
		}
	}
	return nil
}

// pathArguments are the functions of the library whose first argument is a path into the input.
func pathArguments() []string { return []string{"absent", "present", "unknown", "value", "unwritten"} }

// paths holds the paths that a module writes down against the input's schema: arguments of the library's verbs, and the
// places of findings and edits.
func (l *customLoader) paths(file string, m *ast.Module, s *scope) {
	call := func(name *ast.Term, args []*ast.Term) {
		ref, ok := name.Value.(ast.Ref)
		if !ok || len(args) == 0 {
			return
		}
		if p, _ := s.data(ref); len(p) == 3 && p[0] == "agentlint" && p[1] == "lib" && slices.Contains(pathArguments(), p[2]) {
			l.path(file, args[0])
		}
	}
	ast.WalkExprs(m, func(e *ast.Expr) bool {
		if terms, ok := e.Terms.([]*ast.Term); ok {
			call(terms[0], terms[1:])
		}
		return false
	})
	ast.WalkTerms(m, func(t *ast.Term) bool {
		switch v := t.Value.(type) {
		case ast.Call:
			call(v[0], v[1:])
		case ast.Object:
			v.Foreach(func(key, value *ast.Term) {
				if k, ok := key.Value.(ast.String); ok && (k == "at" || k == "to") {
					l.path(file, value)
				}
			})
		}
		return false
	})
}

// path checks one term that is a path, as far as it is written down.
func (l *customLoader) path(file string, t *ast.Term) {
	switch v := t.Value.(type) {
	case ast.Call:
		if v[0].String() == ast.ArrayConcat.Name && len(v) > 1 {
			l.path(file, v[1])
		}
	case *ast.Array:
		var p []any
		var places []*ast.Term
		v.Foreach(func(t *ast.Term) {
			places = append(places, t)
			switch e := t.Value.(type) {
			case ast.String:
				p = append(p, string(e))
			case ast.Number:
				n, _ := e.Int()
				p = append(p, n)
			default:
				p = append(p, anyElement{})
			}
		})
		if len(p) > 0 {
			if _, ok := p[0].(string); !ok {
				return
			}
		}
		if message, at := wrongPath(p); message != "" {
			l.fail(file, places[at].Location, "%s", message)
		}
	}
}

// compileFailures translates the compiler's errors.
func (l *customLoader) compileFailures(c *ast.Compiler) {
	for _, e := range c.Errors {
		file, at := "policies", e.Location
		if at != nil && at.File != "" {
			file = at.File
		}
		message := e.Message
		switch d := e.Details.(type) {
		case *ast.RefErrInvalidDetail:
			message, at = wrongReference(c, d, at)
		default:
			message = l.translated(message)
		}
		l.fail(file, at, "%s", message)
	}
}

// wrongReference describes a reference to a key that is not there.
func wrongReference(c *ast.Compiler, d *ast.RefErrInvalidDetail, at *ast.Location) (string, *ast.Location) {
	ref := slices.Clone(d.Ref)
	if head, ok := ref[0].Value.(ast.Var); ok {
		if name, ok := c.RewrittenVars[head]; ok {
			ref[0] = ast.VarTerm(string(name))
		}
	}
	element := ref[d.Pos]
	if p := element.Location; p != nil && p.Row > 0 && at != nil && p.File == at.File {
		at = p
	}
	name, ok := element.Value.(ast.String)
	if !ok {
		return fmt.Sprintf("%s has no %s", ref[:d.Pos], element), at
	}
	var names []string
	for _, v := range d.OneOf {
		if s, ok := v.(ast.String); ok {
			names = append(names, string(s))
		}
	}
	if len(d.OneOf) == 0 && d.Want != nil {
		return fmt.Sprintf("%s has no %q: it is a list or a text", ref[:d.Pos], string(name)), at
	}
	return fmt.Sprintf("%s has no %q%s", ref[:d.Pos], string(name), suggestion(string(name), names)), at
}

// translated returns a message of OPA's compiler with what agentlint's users must know beside it.
func (l *customLoader) translated(message string) string {
	name, ok := strings.CutPrefix(message, "undefined function ")
	if !ok {
		return message
	}
	for _, b := range ast.DefaultBuiltins {
		if b.Name == name {
			return name + " is not available: policies have no network, clock, randomness, environment and files (input.today is the date of the run)"
		}
	}
	var names []string
	for _, b := range capabilities().Builtins {
		names = append(names, b.Name)
	}
	for _, m := range l.c.modules {
		pkg := strings.Join(packagePath(m), ".")
		for rule := range ruleNames(m) {
			names = append(names, "data."+pkg+"."+rule)
		}
	}
	slices.Sort(names)
	return message + didYouMean(name, names)
}

// failures reports errors of the parser.
func (l *customLoader) failures(errs ast.Errors) {
	for _, e := range errs {
		file := "policies"
		if e.Location != nil {
			file = e.Location.File
		}
		message := e.Message
		if strings.Contains(message, "`if` keyword is required") || strings.Contains(message, "`contains` keyword is required") {
			message += " (policies are Rego v1)"
		}
		// The parser says less and then more of one place.
		if n := len(l.problems); n > 0 && e.Location != nil && l.problems[n-1].File == file && l.problems[n-1].Line == e.Location.Row && l.problems[n-1].Column == e.Location.Col {
			l.problems = l.problems[:n-1]
		}
		l.fail(file, e.Location, "%s", message)
	}
}
