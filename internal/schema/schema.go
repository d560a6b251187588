// Package schema writes the published JSON Schema of the model out of the Go types that describe it, with their
// comments as descriptions. It is used by generators and tests only.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// InputFile is the published schema of policies' input, below the module's root.
const InputFile = "docs/schema/input.schema.json"

// modelDir is the package that holds the types, below the module's root.
const modelDir = "internal/model"

// Input returns the schema of policies' input: the stack as plain values. Root is the directory of the module. Only
// the parts of the stack itself are required: any value below may be unknown and is then left out.
func Input(root string) ([]byte, error) {
	g, err := load(filepath.Join(root, filepath.FromSlash(modelDir)))
	if err != nil {
		return nil, err
	}
	return g.generate("Shape", "The input of agentlint policies",
		"One deployed stack as plain values, as `agentlint model` prints it. A value that the files do not show is left out, and its path stands in unknown.")
}

// generator turns the struct types of a package into definitions.
type generator struct {
	types       map[string]*ast.TypeSpec
	docs        map[string]string
	definitions map[string]any
	pending     []string
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

func (g *generator) generate(root, title, description string) ([]byte, error) {
	top, err := g.structure(root, true)
	if err != nil {
		return nil, err
	}
	for len(g.pending) > 0 {
		name := g.pending[0]
		g.pending = g.pending[1:]
		if g.definitions[name], err = g.structure(name, false); err != nil {
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
	doc = append(doc, member{"definitions", g.definitions})
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

// load parses the package in a directory.
func load(dir string) (*generator, error) {
	g := &generator{types: map[string]*ast.TypeSpec{}, docs: map[string]string{}, definitions: map[string]any{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, filepath.Join(dir, e.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		g.collect(f)
	}
	return g, nil
}

func (g *generator) collect(f *ast.File) {
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range d.Specs {
			if t, ok := s.(*ast.TypeSpec); ok {
				doc := t.Doc
				if doc == nil {
					doc = d.Doc
				}
				g.types[t.Name.Name], g.docs[t.Name.Name] = t, comment(doc)
			}
		}
	}
}

// comment returns a comment as one line.
func comment(c *ast.CommentGroup) string {
	return strings.Join(strings.Fields(c.Text()), " ")
}

func (g *generator) structure(name string, top bool) (object, error) {
	spec := g.types[name]
	if spec == nil {
		return nil, fmt.Errorf("no type %s", name)
	}
	st, ok := spec.Type.(*ast.StructType)
	if !ok {
		return nil, fmt.Errorf("%s is no struct", name)
	}
	var properties object
	required := []string{}
	for _, f := range st.Fields.List {
		if f.Tag == nil {
			return nil, fmt.Errorf("%s: field without a json tag", name)
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return nil, err
		}
		key, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if key == "" || len(f.Names) != 1 {
			return nil, fmt.Errorf("%s: want one named field a line, with its json name", name)
		}
		s, err := g.of(f.Type)
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
		if options != "omitempty" && top {
			required = append(required, key)
		}
	}
	out := object{}
	if doc := g.docs[name]; doc != "" {
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

func (g *generator) of(t ast.Expr) (object, error) {
	switch t := t.(type) {
	case *ast.StarExpr:
		return g.of(t.X)
	case *ast.ArrayType:
		item, err := g.of(t.Elt)
		if err != nil {
			return nil, err
		}
		// An unknown item of a list is null.
		if scalar(item) {
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
		value, err := g.of(t.Value)
		if err != nil {
			return nil, err
		}
		if len(value) == 0 {
			return object{{"type", "object"}}, nil
		}
		return object{{"type", "object"}, {"additionalProperties", value}}, nil
	case *ast.Ident:
		switch t.Name {
		case "string":
			return object{{"type", "string"}}, nil
		case "bool":
			return object{{"type", "boolean"}}, nil
		case "int":
			return object{{"type", "integer"}}, nil
		case "float64":
			return object{{"type", "number"}}, nil
		case "any":
			return object{}, nil
		}
		if _, seen := g.definitions[t.Name]; !seen {
			g.definitions[t.Name] = nil
			g.pending = append(g.pending, t.Name)
		}
		return object{{"$ref", "#/definitions/" + t.Name}}, nil
	}
	return nil, fmt.Errorf("no schema for %T", t)
}

func scalar(o object) bool {
	return len(o) == 1 && o[0].key == "type" && slices.Contains([]any{"string", "boolean", "integer", "number"}, o[0].value)
}
