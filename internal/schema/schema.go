// Package schema writes the published JSON Schemas out of the Go types that they describe, with the types' comments
// as descriptions. It is used by generators and tests only.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// module is the path that the imports of the module's own packages start with.
const module = "agentlint/"

// Input returns the schema of policies' input: the stack as plain values. Root is the directory of the module. Only
// the parts of the stack itself are required: any value below may be unknown and is then left out.
func Input(root string) ([]byte, error) {
	g := &generator{root: root, listsHoldNull: true}
	return g.generate("internal/model", "Shape", "The input of agentlint policies",
		"One deployed stack as plain values, as `agentlint model` prints it. A value that the files do not show is left out, and its path stands in unknown.")
}

// Output returns the schema of a type that encoding/json writes: the directory of its package below root, and its
// name.
func Output(root, dir, typeName, title, description string) ([]byte, error) {
	g := &generator{root: root, required: true}
	return g.generate(dir, typeName, title, description)
}

// generator turns struct types into definitions.
type generator struct {
	root string
	// required lists every field that is not omitempty; without it only those of the root type are.
	required bool
	// listsHoldNull allows null in lists of scalars, where an unknown item stands.
	listsHoldNull bool

	packages    map[string]*pkg
	definitions map[string]any
	pending     []string
}

type pkg struct {
	name, dir string
	types     map[string]*ast.TypeSpec
	docs      map[string]string
	imports   map[string]string // name -> directory
	texts     map[string]bool   // types with a MarshalText method
}

// object keeps the order of its keys.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := plainJSON(&b, m.key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := plainJSON(&b, m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// plainJSON writes v without escaping <, > and &.
func plainJSON(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}

func (g *generator) generate(dir, root, title, description string) ([]byte, error) {
	g.packages, g.definitions = map[string]*pkg{}, map[string]any{}
	p, err := g.load(dir)
	if err != nil {
		return nil, err
	}
	top, err := g.structure(p, root, true)
	if err != nil {
		return nil, err
	}
	for len(g.pending) > 0 {
		key := g.pending[0]
		g.pending = g.pending[1:]
		dir, name := path.Dir(key), path.Base(key)
		q, err := g.load(dir)
		if err != nil {
			return nil, err
		}
		if g.definitions[name], err = g.structure(q, name, false); err != nil {
			return nil, err
		}
	}
	doc := object{
		{"$schema", "http://json-schema.org/draft-07/schema#"},
		{"title", title},
		{"description", description},
	}
	for _, m := range top {
		if m.key != "description" {
			doc = append(doc, m)
		}
	}
	if len(g.definitions) > 0 {
		doc = append(doc, member{"definitions", g.definitions})
	}
	var b bytes.Buffer
	if err := plainJSON(&b, doc); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// load parses the package in a directory below the root.
func (g *generator) load(dir string) (*pkg, error) {
	if p := g.packages[dir]; p != nil {
		return p, nil
	}
	p := &pkg{dir: dir, types: map[string]*ast.TypeSpec{}, docs: map[string]string{}, imports: map[string]string{}, texts: map[string]bool{}}
	entries, err := os.ReadDir(filepath.Join(g.root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	for _, e := range entries {
		if !goFile(e) {
			continue
		}
		f, err := parser.ParseFile(files, filepath.Join(g.root, filepath.FromSlash(dir), e.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.name = f.Name.Name
		p.collect(f)
	}
	if len(p.types) == 0 {
		return nil, fmt.Errorf("%s: no Go types", dir)
	}
	g.packages[dir] = p
	return p, nil
}

func goFile(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go")
}

func (p *pkg) collect(f *ast.File) {
	for _, i := range f.Imports {
		target, _ := strconv.Unquote(i.Path.Value)
		if rest, ok := strings.CutPrefix(target, module); ok {
			p.imports[path.Base(rest)] = rest
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					p.types[t.Name.Name] = t
					doc := t.Doc
					if doc == nil {
						doc = d.Doc
					}
					p.docs[t.Name.Name] = comment(doc)
				}
			}
		case *ast.FuncDecl:
			if d.Recv != nil && d.Name.Name == "MarshalText" {
				recv := d.Recv.List[0].Type
				if star, ok := recv.(*ast.StarExpr); ok {
					recv = star.X
				}
				if id, ok := recv.(*ast.Ident); ok {
					p.texts[id.Name] = true
				}
			}
		}
	}
}

// comment returns a comment as one line.
func comment(c *ast.CommentGroup) string {
	return strings.Join(strings.Fields(c.Text()), " ")
}

func (g *generator) structure(p *pkg, name string, top bool) (object, error) {
	spec := p.types[name]
	if spec == nil {
		return nil, fmt.Errorf("%s: no type %s", p.dir, name)
	}
	st, ok := spec.Type.(*ast.StructType)
	if !ok {
		return nil, fmt.Errorf("%s.%s is no struct", p.name, name)
	}
	var properties object
	required := []string{}
	for _, f := range st.Fields.List {
		if f.Tag == nil {
			return nil, fmt.Errorf("%s.%s: field without a json tag", p.name, name)
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return nil, err
		}
		key, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if key == "-" {
			continue
		}
		if key == "" || len(f.Names) != 1 {
			return nil, fmt.Errorf("%s.%s: want one named field a line, with its json name", p.name, name)
		}
		s, err := g.of(p, f.Type)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", name, key, err)
		}
		doc := comment(f.Doc)
		if doc == "" {
			doc = comment(f.Comment)
		}
		if doc != "" {
			s = described(s, doc)
		}
		properties = append(properties, member{key, s})
		if options != "omitempty" && (g.required || top) {
			required = append(required, key)
		}
	}
	out := object{}
	if doc := p.docs[name]; doc != "" {
		out = append(out, member{"description", doc})
	}
	out = append(out, member{"type", "object"}, member{"properties", properties}, member{"additionalProperties", false})
	if len(required) > 0 {
		out = append(out, member{"required", required})
	}
	return out, nil
}

// described adds a description. Beside a $ref other keys do not count, so the reference is wrapped.
func described(s object, doc string) object {
	if s[0].key == "$ref" {
		return object{{"description", doc}, {"allOf", []any{s}}}
	}
	return append(object{{"description", doc}}, s...)
}

func (g *generator) of(p *pkg, t ast.Expr) (object, error) {
	switch t := t.(type) {
	case *ast.StarExpr:
		return g.of(p, t.X)
	case *ast.ArrayType:
		item, err := g.of(p, t.Elt)
		if err != nil {
			return nil, err
		}
		if g.listsHoldNull && scalar(item) {
			item = object{{"anyOf", []any{item, object{{"type", "null"}}}}}
		}
		if len(item) == 0 {
			return object{{"type", "array"}}, nil
		}
		return object{{"type", "array"}, {"items", item}}, nil
	case *ast.MapType:
		if id, ok := t.Key.(*ast.Ident); !ok || id.Name != "string" {
			return nil, errors.New("map with keys that are no texts")
		}
		value, err := g.of(p, t.Value)
		if err != nil {
			return nil, err
		}
		if len(value) == 0 {
			return object{{"type", "object"}}, nil
		}
		return object{{"type", "object"}, {"additionalProperties", value}}, nil
	case *ast.InterfaceType:
		return object{}, nil
	case *ast.SelectorExpr:
		dir, ok := p.imports[t.X.(*ast.Ident).Name]
		if !ok {
			return nil, fmt.Errorf("type of the foreign package %s", t.X)
		}
		q, err := g.load(dir)
		if err != nil {
			return nil, err
		}
		return g.named(q, t.Sel.Name)
	case *ast.Ident:
		switch t.Name {
		case "string":
			return object{{"type", "string"}}, nil
		case "bool":
			return object{{"type", "boolean"}}, nil
		case "int", "int64":
			return object{{"type", "integer"}}, nil
		case "float64":
			return object{{"type", "number"}}, nil
		case "any":
			return object{}, nil
		}
		return g.named(p, t.Name)
	}
	return nil, fmt.Errorf("no schema for %T", t)
}

func scalar(o object) bool {
	return len(o) == 1 && o[0].key == "type" && slices.Contains([]any{"string", "boolean", "integer", "number"}, o[0].value)
}

// named returns the schema of a declared type: a reference for a struct, else that of what it stands for.
func (g *generator) named(p *pkg, name string) (object, error) {
	spec := p.types[name]
	if spec == nil {
		return nil, fmt.Errorf("%s: no type %s", p.dir, name)
	}
	if p.texts[name] {
		return object{{"type", "string"}}, nil
	}
	if _, ok := spec.Type.(*ast.StructType); !ok {
		return g.of(p, spec.Type)
	}
	if _, seen := g.definitions[name]; !seen {
		g.definitions[name] = nil
		g.pending = append(g.pending, p.dir+"/"+name)
	}
	return object{{"$ref", "#/definitions/" + name}}, nil
}

// Published returns the published schemas that are made from Go types: the path below the module's root, and what
// writes it.
func Published() map[string]func(root string) ([]byte, error) {
	return map[string]func(string) ([]byte, error){
		"docs/schema/input.schema.json": Input,
	}
}
