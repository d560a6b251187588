package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

const schemaFile = "../../docs/schema/findings.schema.json"

func validate(t *testing.T, schema *jsonschema.Schema, out []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(out))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%#v", err)
	}
}

func TestJSONFollowsItsSchema(t *testing.T) {
	schema, err := jsonschema.Compile(filepath.FromSlash(schemaFile))
	if err != nil {
		t.Fatal(err)
	}
	nowhere := &engine.Finding{Rule: "x", Severity: model.Undecided, Message: "finding without a place"}
	for _, r := range []*engine.Result{{}, deployment(t), {Findings: []*engine.Finding{nowhere}}} {
		validate(t, schema, write(t, "json", r, Options{}))
	}
}

// TestSchemaCoversTypes finds fields of the format that the schema does not describe, and the reverse.
func TestSchemaCoversTypes(t *testing.T) {
	b, err := os.ReadFile(filepath.FromSlash(schemaFile))
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(b, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(typ reflect.Type, s map[string]any, path string)
	walk = func(typ reflect.Type, s map[string]any, path string) {
		if ref, ok := s["$ref"].(string); ok {
			s = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			if typ.Kind() == reflect.Slice {
				items, ok := s["items"].(map[string]any)
				if !ok {
					t.Errorf("%s: the schema has no items", path)
					return
				}
				walk(typ.Elem(), items, path+"[]")
				return
			}
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		props, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		var names []string
		for i := range typ.NumField() {
			name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			names = append(names, name)
			p, ok := props[name].(map[string]any)
			if !ok {
				t.Errorf("%s.%s is not in the schema", path, name)
				continue
			}
			if optional := options == "omitempty"; optional == slices.Contains(required, any(name)) {
				t.Errorf("%s.%s: the schema and the type disagree on whether it may be missing", path, name)
			}
			walk(typ.Field(i).Type, p, path+"."+name)
		}
		for name := range props {
			if !slices.Contains(names, name) {
				t.Errorf("%s.%s is in the schema only", path, name)
			}
		}
	}
	walk(reflect.TypeFor[jsonReport](), root, "report")
}

func TestEditsOfSecretsAreNotPrinted(t *testing.T) {
	f := source.NewFile("a.env", []byte("A=1\n"))
	r := &engine.Result{Findings: []*engine.Finding{{Rule: "x", Severity: model.Error, Location: model.Location{File: f}, Fixes: []engine.Fix{
		{Title: "move it", Safety: model.Safe, Edits: []engine.FileEdit{{File: f, Edit: source.Edit{Text: "KEY=sk-0123456789abcdef\n"}}}}}}}}
	out := write(t, "json", r, Options{})
	if bytes.Contains(out, []byte("0123456789")) || !bytes.Contains(out, []byte(secretEdit)) {
		t.Errorf("got %s", out)
	}
}
