package policy

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"agentlint/internal/model"
	"agentlint/policies"
)

// BuildIndex reads the policies of a tree laid out as the policies package, and returns their entries in the order of
// ids. Each file must stand in the folder of the part it reports on, under its id.
func BuildIndex(tree fs.FS) ([]policies.Entry, error) {
	names, err := fs.Glob(tree, "*/*.rego")
	if err != nil {
		return nil, err
	}
	lib, err := readLibrary(tree, names)
	if err != nil {
		return nil, err
	}
	var out []policies.Entry
	for _, name := range names {
		if path.Dir(name) == libDir {
			continue
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, err
		}
		h, err := ParseHeader(name, string(src))
		if err != nil {
			return nil, err
		}
		if err := h.Check(); err != nil {
			return nil, fmt.Errorf("%s: METADATA: %w", name, err)
		}
		if want := FileOf(&h.Meta); name != want {
			return nil, fmt.Errorf("%s: policy %s belongs in %s", name, h.ID, want)
		}
		needs, err := lib.needs(name, string(src))
		if err != nil {
			return nil, err
		}
		out = append(out, policies.Entry{
			ID: h.ID, File: name, Category: h.Category, Severity: h.Severity, Confidence: h.Confidence, Fix: h.Fix,
			Inputs: h.Inputs, When: h.When, Applies: h.Applies, Parameters: h.Parameters, Lib: needs,
		})
	}
	slices.SortFunc(out, func(a, b policies.Entry) int { return strings.Compare(a.ID, b.ID) })
	for i := range out {
		if i > 0 && out[i].ID == out[i-1].ID {
			return nil, fmt.Errorf("%s and %s have one id", out[i-1].File, out[i].File)
		}
	}
	return out, nil
}

// BuildLibrary reads the library of a tree laid out as the policies package, and returns its rules in the order of
// names.
func BuildLibrary(tree fs.FS) ([]policies.LibraryRule, error) {
	names, err := fs.Glob(tree, "*/*.rego")
	if err != nil {
		return nil, err
	}
	lib, err := readLibrary(tree, names)
	if err != nil {
		return nil, err
	}
	var out []policies.LibraryRule
	for _, name := range slices.Sorted(maps.Keys(lib.uses)) {
		slices.Sort(lib.uses[name])
		out = append(out, policies.LibraryRule{Name: name, Uses: lib.uses[name]})
	}
	return out, nil
}

// FileOf returns the place of a policy in the policies package.
func FileOf(m *model.Meta) string {
	return model.Part(m.Inputs[0]) + "/" + strings.ReplaceAll(m.ID, "-", "_") + ".rego"
}

// libDir is the folder of the library's files, and the name that policies import the library under.
const libDir = "lib"

// library knows the rules of the library, and which of them a rule uses.
type library struct {
	uses map[string][]string
}

func readLibrary(tree fs.FS, names []string) (*library, error) {
	lib := &library{uses: map[string][]string{}}
	var list []*ast.Rule
	for _, name := range names {
		if path.Dir(name) != libDir || name == policies.Main {
			continue
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, err
		}
		m, err := parseModule(name, string(src))
		if err != nil {
			return nil, err
		}
		for _, r := range m.Rules {
			list = append(list, r)
			lib.uses[ruleName(r)] = nil
		}
	}
	for _, r := range list {
		name := ruleName(r)
		ast.WalkVars(r, func(v ast.Var) bool {
			if _, ok := lib.uses[string(v)]; ok && string(v) != name && !slices.Contains(lib.uses[name], string(v)) {
				lib.uses[name] = append(lib.uses[name], string(v))
			}
			return false
		})
	}
	return lib, nil
}

func ruleName(r *ast.Rule) string { return strings.TrimPrefix(r.Head.Ref()[0].Value.String(), "data.") }

// needs returns the library's rules that a policy uses, directly or not, sorted.
func (lib *library) needs(name, src string) ([]string, error) {
	m, err := parseModule(name, src)
	if err != nil {
		return nil, err
	}
	var rules []string
	var add func(string)
	add = func(r string) {
		if slices.Contains(rules, r) {
			return
		}
		rules = append(rules, r)
		for _, other := range lib.uses[r] {
			add(other)
		}
	}
	var unknown string
	ast.WalkRefs(m, func(r ast.Ref) bool {
		if len(r) < 2 || !r[0].Equal(ast.VarTerm(libDir)) {
			return false
		}
		rule, _ := r[1].Value.(ast.String)
		if _, ok := lib.uses[string(rule)]; ok {
			add(string(rule))
		} else {
			unknown = string(rule)
		}
		return false
	})
	if unknown != "" {
		return nil, fmt.Errorf("%s: the library has no rule %q", name, unknown)
	}
	slices.Sort(rules)
	return rules, nil
}

func parseModule(name, src string) (*ast.Module, error) {
	m, err := ast.ParseModuleWithOpts(name, withoutHeader(src), ast.ParserOptions{Capabilities: capabilities(), RegoVersion: ast.RegoV1})
	if err != nil {
		return nil, fmt.Errorf("parse policy %s: %w", name, err)
	}
	return m, nil
}
