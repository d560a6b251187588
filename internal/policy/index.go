package policy

import (
	"fmt"
	"io/fs"
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

// FileOf returns the place of a policy in the policies package.
func FileOf(m *model.Meta) string {
	return model.Part(m.Inputs[0]) + "/" + strings.ReplaceAll(m.ID, "-", "_") + ".rego"
}

// libDir is the folder of the library's files.
const libDir = "lib"

// library knows which file of the library defines which rule, and which files a file uses.
type library struct {
	file map[string]string   // rule name -> file
	uses map[string][]string // file -> files
}

func readLibrary(tree fs.FS, names []string) (*library, error) {
	lib := &library{file: map[string]string{}, uses: map[string][]string{}}
	modules := map[string]*ast.Module{}
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
		modules[name] = m
		for _, r := range m.Rules {
			rule := r.Head.Ref()[0].Value.String()
			if other, ok := lib.file[rule]; ok && other != name {
				return nil, fmt.Errorf("library rule %s stands in %s and in %s", rule, other, name)
			}
			lib.file[rule] = name
		}
	}
	for name, m := range modules {
		ast.WalkVars(m, func(v ast.Var) bool {
			if other, ok := lib.file[string(v)]; ok && other != name && !slices.Contains(lib.uses[name], other) {
				lib.uses[name] = append(lib.uses[name], other)
			}
			return false
		})
	}
	return lib, nil
}

// needs returns the library files that a policy uses, directly or not, sorted.
func (lib *library) needs(name, src string) ([]string, error) {
	m, err := parseModule(name, src)
	if err != nil {
		return nil, err
	}
	var files []string
	var add func(string)
	add = func(f string) {
		if slices.Contains(files, f) {
			return
		}
		files = append(files, f)
		for _, other := range lib.uses[f] {
			add(other)
		}
	}
	var unknown string
	ast.WalkRefs(m, func(r ast.Ref) bool {
		if len(r) < 2 || !r[0].Equal(ast.VarTerm(libDir)) {
			return false
		}
		rule, _ := r[1].Value.(ast.String)
		if f, ok := lib.file[string(rule)]; ok {
			add(f)
		} else {
			unknown = string(rule)
		}
		return false
	})
	if unknown != "" {
		return nil, fmt.Errorf("%s: the library has no rule %q", name, unknown)
	}
	slices.Sort(files)
	return files, nil
}

func parseModule(name, src string) (*ast.Module, error) {
	m, err := ast.ParseModuleWithOpts(name, withoutHeader(src), ast.ParserOptions{Capabilities: capabilities(), RegoVersion: ast.RegoV1})
	if err != nil {
		return nil, fmt.Errorf("parse policy %s: %w", name, err)
	}
	return m, nil
}
